import { catalog, queryParametersOf } from '../../../src/contract/index.ts'
import type { Field, Group } from '../contract.ts'

/** A field that can filter a list, and the forms of its conditions. */
export interface FilterField {
  /** The name in parameters: `status` in `status.in`. */
  readonly name: string
  readonly label: string
  readonly kind: Field['kind']
  /** The group whose ids it takes. */
  readonly to: string | null
  readonly values: readonly string[]
  readonly can: ReadonlySet<FilterForm>
}

export type FilterForm = 'equal' | 'in' | 'range' | 'prefix' | 'null'

const forms = { filter: 'equal', in: 'in', range: 'range', prefix: 'prefix', null: 'null' } as const

const cache = new Map<string, readonly FilterField[]>()

/** The filterable fields of a group in the query API, the most used first. */
export const filterFieldsOf = (group: Group): readonly FilterField[] => {
  const cached = cache.get(group.path)
  if (cached) return cached
  const fields = new Map<string, FilterField & { can: Set<FilterForm> }>()
  const resource = catalog.byPath.get(group.path)
  for (const { name, kind, path } of resource ? queryParametersOf(resource) : []) {
    const form = Object.hasOwn(forms, kind) ? forms[kind as keyof typeof forms] : undefined
    if (form === undefined) continue
    const base = form === 'equal' ? name : name.slice(0, name.lastIndexOf('.'))
    const entry = fields.get(base) ?? { ...describe(group, base, path ?? base), can: new Set() }
    entry.can.add(form)
    fields.set(base, entry)
  }
  const sorted = [...fields.values()].sort((a, b) => rankOf(a) - rankOf(b))
  cache.set(group.path, sorted)
  return sorted
}

const describe = (group: Group, name: string, path: string): Omit<FilterField, 'can'> => {
  const filter = group.filters.find((each) => each.name === name)
  const field = fieldIn(group.fields, path.split('.'))
  return {
    name,
    label: filter?.label ?? field?.label ?? name,
    kind: field?.kind ?? (filter?.to ? 'ref' : 'text'),
    to: filter?.to ?? field?.to ?? null,
    values: filter?.values ?? field?.values ?? [],
  }
}

const fieldIn = (
  fields: readonly Field[],
  [first, ...rest]: readonly string[],
): Field | undefined => {
  const field = fields.find(({ name }) => name === first)
  return field && rest.length > 0 ? fieldIn(field.fields, rest) : field
}

/** Status first, then references, dates and amounts, the rest, and times of changes last. */
const rankOf = ({ name, kind, values }: FilterField): number => {
  if (name === 'status') return 0
  if (['createdAt', 'updatedAt', 'deletedAt'].includes(name)) return 9
  if (kind === 'ref') return 2
  if (kind === 'date' || kind === 'timestamp') return 3
  if (kind === 'amount' || kind === 'integer') return 4
  return values.length > 0 ? 1 : 5
}

/** The parameters that can hold a condition of a field. */
export const parameterNames = (name: string): readonly string[] => [
  name,
  ...['in', 'gte', 'gt', 'lte', 'lt', 'startsWith', 'isNull'].map((each) => `${name}.${each}`),
]
