import {
  type Catalog,
  type JsonValue,
  type Resource,
  resourceAt,
  subjectGroups,
  valueAt,
} from '#contract'
import type { ReferencedValues, ShownReference, ValuesOf } from './column.ts'

/** How records of a group are called in a table, and what has to be read of them for that. */
export interface NamePlan {
  readonly fields: readonly string[]
  readonly further: readonly ShownReference[]
  /** Null if the record has no name. */
  readonly read: (values: ReferencedValues, valuesOf: ValuesOf) => string | null
}

/** The maximum depth of names within names. */
const depthMax = 3

/** The name of records: their title, or what they are about with their number. */
export const namePlanOf = (catalog: Catalog, resource: Resource, depth = 0): NamePlan => {
  const { fields, title } = resource
  const field = title === undefined ? undefined : fields[title]
  if (title === undefined || !field) return { fields: [], further: [], read: () => null }
  const titleIn = (values: ReferencedValues) => textOrNull(values[title])
  if (field.kind === 'text') return { fields: [title], further: [], read: titleIn }
  const isOrdinal = /Number$|^sequence$/.test(title)
  const subjects =
    depth === depthMax
      ? []
      : subjectsOf(resource, isOrdinal).map(({ name, to }) => ({
          name,
          to,
          plan: namePlanOf(catalog, resourceAt(catalog, to), depth + 1),
        }))
  return {
    fields: [title],
    further: subjects.map(({ name, to, plan }) => referenceTo([name], to, plan)),
    read: (values, valuesOf) => {
      const number = titleIn(values)
      const subject = subjects.find(({ name }) => typeof values[name] === 'string')
      if (!subject) return number
      const { name, to, plan } = subject
      const about = referencedName(values, [name], to, plan, valuesOf)
      return [about, number].filter((each) => each !== null).join(isOrdinal ? ' · ' : ' × ')
    },
  }
}

/** The references that name a record, the best known first. A number counts within its parent. */
const subjectsOf = ({ fields, parent }: Resource, isOrdinal: boolean) => {
  const about = isOrdinal
    ? []
    : subjectGroups.flatMap((group) =>
        Object.keys(fields).filter((name) => fields[name]?.to === group),
      )
  return [...new Set([...about, ...(parent ? [parent] : [])])].flatMap((name) => {
    const to = fields[name]?.to
    return to === undefined ? [] : [{ name, to }]
  })
}

export const referenceTo = (
  path: readonly string[],
  to: string,
  { fields, further }: NamePlan,
): ShownReference => ({ path, to, fields, further })

/** The name of the record that a reference points to; the start of its identity if it has none. */
export const referencedName = (
  record: JsonValue | ReferencedValues,
  path: readonly string[],
  to: string,
  plan: NamePlan,
  valuesOf: ValuesOf,
): string | null => {
  const id = valueAt(record, path)
  if (typeof id !== 'string') return null
  const values = valuesOf(to, id)
  const name = values && plan.read(values, valuesOf)
  return name ?? (/^[0-9a-f]{8}-/.test(id) ? id.slice(0, 8) : id)
}

const textOrNull = (value: JsonValue | undefined): string | null =>
  value === null || value === undefined || value === '' ? null : String(value)
