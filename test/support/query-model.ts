/** Lists of the query API, without a database: a plain evaluation over records in memory. */
import { type Condition, type Field, fieldAt, type Resource } from '#contract'
import type { Sort } from '#store'
import {
  fulfils,
  type ModelRecord,
  type ModelRecords,
  order,
  plainly,
  rowsWith,
  valueIn,
} from './condition-model.ts'

export interface ModelQuery {
  readonly filters?: { readonly [name: string]: string | number }
  readonly where?: readonly Condition[]
  readonly ids?: readonly (readonly string[])[]
  readonly sort?: Sort
}

/** The records that a request selects, in its order. */
export const evaluate = (
  resource: Resource,
  records: readonly ModelRecord[],
  others: ModelRecords,
  { filters = {}, where = [], ids, sort }: ModelQuery,
  kindOf: (field: string, collection: string | null) => Field['kind'],
): readonly ModelRecord[] => {
  const passes = (record: ModelRecord) =>
    Object.entries(filters).every(([name, value]) =>
      hasFilter(resource, record, others, name, value),
    ) &&
    where.every((condition) => fulfils(record, condition, kindOf, others)) &&
    (!ids || ids.some((key) => key.join() === keyOf(resource, record).join()))
  return records.filter(passes).sort((one, other) => compareRecords(resource, sort, one, other))
}

export const keyOf = ({ key }: Resource, record: ModelRecord): readonly string[] =>
  key.map((name) => String(record[name]))

const hasFilter = (
  { filters }: Resource,
  record: ModelRecord,
  others: ModelRecords,
  name: string,
  value: string | number,
): boolean => {
  const filter = filters.find((each) => each.name === name)
  if (filter?.field) return valueIn(record, filter.field) === value
  const { collection = '', match = '', where = '', local = '' } = filter?.through ?? {}
  return rowsWith(others[collection] ?? [], match, valueIn(record, local)).some(
    (row) => row[where] === value,
  )
}

/** Values in their direction, those without one last; then identities in the same direction. */
export const compareRecords = (
  resource: Resource,
  sort: Sort | undefined,
  one: ModelRecord,
  other: ModelRecord,
): number => {
  const [a, b] = [keyOf(resource, one), keyOf(resource, other)]
  const differing = a.findIndex((part, index) => part !== b[index])
  const byKey = differing === -1 ? 0 : order('text', a[differing], b[differing])
  if (!sort) return byKey
  const [first, second] = [valueIn(one, sort.field), valueIn(other, sort.field)]
  if ((first === null) !== (second === null)) return first === null ? 1 : -1
  const kind = fieldAt(resource.fields, sort.field)?.kind ?? 'any'
  const [x, y] = kind === 'text' ? [plainly(first), plainly(second)] : [first, second]
  const byValue = first === null ? 0 : order(kind, x, y)
  return (byValue === 0 ? byKey : byValue) * (sort.isDescending ? -1 : 1)
}
