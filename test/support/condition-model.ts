/** What a condition means, without a database: a plain evaluation over records in memory. */
import { type Condition, compareDecimals, type Field, parseDecimal } from '#contract'

export type ModelRecord = { readonly [name: string]: unknown }

/** The other collections' records, by path. */
export type ModelRecords = { readonly [path: string]: readonly ModelRecord[] }

export const valueIn = (record: ModelRecord, path: string): unknown => {
  let value: unknown = record
  for (const name of path.split('.')) value = (value as ModelRecord | null)?.[name]
  return value ?? null
}

const indexes = new WeakMap<readonly ModelRecord[], Map<string, Map<unknown, ModelRecord[]>>>()

/** The rows that have a value in a field. They are looked up: the records of a model are thousands. */
export const rowsWith = (
  rows: readonly ModelRecord[],
  field: string,
  value: unknown,
): readonly ModelRecord[] => {
  const byField = indexes.get(rows) ?? new Map<string, Map<unknown, ModelRecord[]>>()
  indexes.set(rows, byField)
  let byValue = byField.get(field)
  if (!byValue) {
    byValue = Map.groupBy(rows, (row) => valueIn(row, field))
    byField.set(field, byValue)
  }
  return byValue.get(value) ?? []
}

/** The order of two values that are not null. */
export const order = (kind: Field['kind'], one: unknown, other: unknown): number => {
  if (kind === 'amount') {
    return compareDecimals(parseDecimal(one as string), parseDecimal(other as string))
  }
  if (kind === 'integer') return (one as number) - (other as number)
  if (kind === 'flag') return Number(one) - Number(other)
  return Buffer.compare(bytesOf(one as string), bytesOf(other as string))
}

const bytes = new Map<string, Buffer>()

/** The bytes of a text. Sorting compares the same texts again and again. */
const bytesOf = (text: string): Buffer => {
  const encoded = bytes.get(text) ?? Buffer.from(text)
  bytes.set(text, encoded)
  return encoded
}

const holds = {
  eq: (sign: number) => sign === 0,
  gt: (sign: number) => sign > 0,
  gte: (sign: number) => sign >= 0,
  lt: (sign: number) => sign < 0,
  lte: (sign: number) => sign <= 0,
}

export const fulfils = (
  record: ModelRecord,
  condition: Condition,
  kindOf: (field: string, collection: string | null) => Field['kind'],
  others: ModelRecords,
  collection: string | null = null,
): boolean => {
  const inner = (each: Condition) => fulfils(record, each, kindOf, others, collection)
  switch (condition.kind) {
    case 'compare': {
      const value = valueIn(record, condition.field)
      const kind = kindOf(condition.field, collection)
      return value !== null && holds[condition.is](order(kind, value, condition.value))
    }
    case 'in': {
      const value = valueIn(record, condition.field)
      const kind = kindOf(condition.field, collection)
      return value !== null && condition.values.some((each) => order(kind, value, each) === 0)
    }
    case 'null':
      return (valueIn(record, condition.field) === null) === condition.isNull
    case 'fields': {
      const [one, other] = [valueIn(record, condition.field), valueIn(record, condition.other)]
      const kind = kindOf(condition.field, collection)
      return one !== null && other !== null && holds[condition.is](order(kind, one, other))
    }
    case 'all':
      return condition.of.every(inner)
    case 'any':
      return condition.of.some(inner)
    case 'not':
      return !inner(condition.of)
    case 'some':
      return rowsWith(
        others[condition.collection] ?? [],
        condition.match,
        valueIn(record, condition.local ?? 'id'),
      ).some((other) => fulfils(other, condition.where, kindOf, others, condition.collection))
    case 'startsWith':
      return plainly(valueIn(record, condition.field)).startsWith(plainly(condition.text))
  }
}

/** Folded for the letters that the samples have. */
export const plainly = (value: unknown): string => {
  const swapped: { readonly [letter: string]: string } = {
    ł: 'l',
    ø: 'o',
    ß: 'ss',
    ü: 'u',
    ó: 'o',
    ź: 'z',
  }
  const text = typeof value === 'string' ? value : '\u0000'
  return [...text.toLowerCase()]
    .map((letter) => swapped[letter] ?? letter)
    .join('')
    .split(/\s+/)
    .join(' ')
    .trim()
}
