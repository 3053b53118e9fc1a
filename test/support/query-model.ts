/** Lists of the query API, without a database: a plain evaluation over records in memory. */
import { type Condition, type Field, fieldAt, type Resource } from '#contract'
import type { ComputedValue, Sort } from '../../src/store/query/request.ts'
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
  const compare = comparison(resource, sort)
  return records
    .filter(passes)
    .map((record) => ({ record, place: placeOf(resource, sort, record) }))
    .sort((one, other) => compare(one.place, other.place))
    .map(({ record }) => record)
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

/** What decides where a record is in an order. */
interface Place {
  readonly key: readonly string[]
  readonly value: unknown
}

const kindOfSort = ({ fields }: Resource, { field, by }: Sort): Field['kind'] => {
  if (by) return by.kind === 'base' ? 'amount' : 'timestamp'
  return fieldAt(fields, field)?.kind ?? 'any'
}

/** The product of two amounts: their digits without the points, and a point at the end. */
const product = (one: string, other: string): string => {
  const places = (text: string) => (text.split('.')[1] ?? '').length
  const digits = (text: string) => BigInt(text.replace('.', ''))
  const result = digits(one) * digits(other)
  const scale = places(one) + places(other)
  const text = String(result < 0n ? -result : result).padStart(scale + 1, '0')
  const value = scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`
  return result < 0n ? `-${value}` : value
}

/** What a computed order compares: written from the description of `sort`. */
const computed = ({ base }: Resource, by: ComputedValue, record: ModelRecord): unknown => {
  if (by.kind === 'firstDate') {
    return by.fields.map((field) => valueIn(record, field)).find((value) => value !== null) ?? null
  }
  const amount = valueIn(record, by.amount)
  const stated = base?.amounts?.[by.amount]
  const [inBase, rate] = [stated, base?.rate].map((name) => (name ? valueIn(record, name) : null))
  if (amount === null || valueIn(record, 'currency') === by.currency) return amount
  return inBase ?? (rate === null ? null : product(String(amount), String(rate)))
}

const placeOf = (resource: Resource, sort: Sort | undefined, record: ModelRecord): Place => {
  const key = keyOf(resource, record)
  if (!sort) return { key, value: null }
  const value = sort.by ? computed(resource, sort.by, record) : valueIn(record, sort.field)
  // The filters with known values are sorted as they are.
  const isFolded =
    value !== null &&
    resource.sortable.includes(sort.field) &&
    kindOfSort(resource, sort) === 'text'
  return { key, value: isFolded ? plainly(value) : value }
}

/** Values in their direction, those without one last; then identities in the same direction. */
const comparison = (resource: Resource, sort: Sort | undefined) => {
  const kind = sort && kindOfSort(resource, sort)
  return (one: Place, other: Place): number => {
    const differing = one.key.findIndex((part, index) => part !== other.key[index])
    const byKey = differing === -1 ? 0 : order('text', one.key[differing], other.key[differing])
    if (!sort || !kind) return byKey
    if ((one.value === null) !== (other.value === null)) return one.value === null ? 1 : -1
    const byValue = one.value === null ? 0 : order(kind, one.value, other.value)
    return (byValue === 0 ? byKey : byValue) * (sort.isDescending ? -1 : 1)
  }
}

/** The order of two records of a list. */
export const compareRecords = (
  resource: Resource,
  sort: Sort | undefined,
  one: ModelRecord,
  other: ModelRecord,
): number =>
  comparison(resource, sort)(placeOf(resource, sort, one), placeOf(resource, sort, other))
