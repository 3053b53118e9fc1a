import { type Resource, uniqueKeysOf } from '#contract'
import { textOf } from '../cell.ts'
import type { Certainty } from './proposal.ts'
import { subjectOf } from './roles.ts'
import type { Column, TableModel } from './table-model.ts'
import { isSame } from './words.ts'

/** The columns that identify the records of a collection. */
export interface KeyChoice {
  readonly columns: readonly string[]
  readonly certainty: Certainty
  readonly reason: string
  /** The next best columns, if it is open. */
  readonly other: readonly string[] | null
}

/**
 * A key is certain if the database declares it, or if its name says so and no sample row
 * contradicts it. Everything else is open: a wrong key makes wrong identifiers.
 */
export const chooseKey = (resource: Resource, model: TableModel): KeyChoice => {
  const { primaryKey = [], uniqueKeys = [], rowCount } = model.table
  if (primaryKey.length > 0) return certain(primaryKey, 'the primary key')
  const { length } = model.table.rows
  // Null is distinct from null: a key that is declared unique can be empty.
  const [declared] = uniqueKeys
    .filter((columns) => length === 0 || isKey(model, columns))
    .sort((one, other) => one.length - other.length)
  if (declared) return certain(declared, 'declared as unique')
  const proven = namedKeys(resource, model).find((columns) => isKey(model, columns))
  if (proven) {
    const key = certain(proven, `${length} of ${length} are distinct`)
    // Rows that were not read can contradict a key that nothing declares.
    return (rowCount ?? length) > length ? { ...key, certainty: 'likely' } : key
  }
  const candidates = openKeys(resource, model)
  const [first, other] = candidates
  const isProven = first !== undefined && isKey(model, first)
  return {
    columns: first ?? model.columns.slice(0, 1).map(({ name }) => name),
    certainty: 'open',
    reason: isProven
      ? 'distinct in the rows that were read, but its name does not say that it always is'
      : 'no columns are distinct in all rows that were read',
    other: other ?? null,
  }
}

const certain = (columns: readonly string[], reason: string): KeyChoice => ({
  ...{ columns, certainty: 'certain', reason, other: null },
})

/** Whether the cells of these columns are filled and distinct in all sample rows. */
export const isKey = ({ table, columns }: TableModel, names: readonly string[]): boolean => {
  const at = names.map((name) => columns.find((each) => each.name === name)?.at ?? -1)
  if (names.length === 0 || at.includes(-1) || table.rows.length === 0) return false
  const seen = new Set<string>()
  for (const row of table.rows) {
    const parts = at.map((each) => textOf(row[each]))
    if (parts.includes(null)) return false
    seen.add(JSON.stringify(parts))
  }
  return seen.size === table.rows.length
}

/** Keys that names say: the number of the record, or the parent's number with the line's. */
const namedKeys = (resource: Resource, model: TableModel): readonly (readonly string[])[] => {
  const subject = subjectOf(resource.path)
  const numbers = (words: readonly string[]) => numbersOf(model.columns, words)
  const [parent, line] = subject
  if (line === 'line' && parent) {
    const heads = numbers([parent])
    const own = [...numbers(['line']), ...numbers([parent, 'line']), ...numbers(['sequence'])]
    const ids = numbersOf(model.columns, subject).filter((each) => !own.includes(each))
    return [
      ...heads.flatMap((head) => own.map((each) => [head, each])),
      // The line's own identifier in the whole table.
      ...[...ids, ...own, ...numbers([])].map((each) => [each]),
    ]
  }
  const references = referenceKeys(resource, model)
  // A column named after stock has a quantity, and no number of a record.
  if (resource.path === 'inventory') return [...references, ...numbers([]).map((each) => [each])]
  const single = [...numbers(subject), ...numbers(model.words), ...numbers([])]
  return [...single.map((each) => [each]), ...references]
}

/** Unique keys of the collection that consist of references: stock is of an item at a place. */
const referenceKeys = (
  resource: Resource,
  { columns }: TableModel,
): readonly (readonly string[])[] =>
  uniqueKeysOf(resource).flatMap(({ fields }) => {
    if (fields.length < 2 || !fields.every((field) => field.endsWith('Id'))) return []
    const names = fields.map((field) => {
      const stem = field.slice(0, -2)
      const alternatives =
        stem === 'sku' ? ['sku', 'style'] : stem === 'location' ? ['location', 'warehouse'] : [stem]
      return alternatives.flatMap((word) => numbersOf(columns, [word]))[0]
    })
    return names.every((name) => name !== undefined) ? [names] : []
  })

/** Columns with the number of something; with no words, a plain number. */
export const numbersOf = (
  columns: readonly Column[],
  words: readonly string[],
): readonly string[] =>
  columns
    .filter(
      (column) =>
        isSame(column.words, [...words, 'number']) ||
        (words.length > 0 && isSame(column.words, words) && isNumberLike(column)),
    )
    .map(({ name }) => name)

/** Whether a column without the word can have numbers of records: no dates, no fractions. */
const isNumberLike = ({ isDate, datePatterns, type, values }: Column): boolean =>
  !isDate &&
  datePatterns.length === 0 &&
  !['decimal', 'money', 'flag'].includes(type?.kind ?? '') &&
  !values.every((each) => /[.,]\d/.test(each) && /^[\d.,]+$/.test(each) && values.length > 0)

/** Columns and pairs of columns that are distinct in the sample rows, best first. */
const openKeys = (resource: Resource, model: TableModel): readonly (readonly string[])[] => {
  const { columns } = model
  const subject = subjectOf(resource.path)
  const isLine = subject[1] === 'line'
  const usable = columns.filter((each) => !each.isDate && each.datePatterns.length === 0)
  const rank = (column: Column): number =>
    (column.words.includes('number') ? 0 : 4) + (column.words.includes(subject[0] ?? '') ? 0 : 1)
  const ranked = [...usable].sort((one, other) => rank(one) - rank(other)).slice(0, columnsMax)
  const unique = ranked.filter(({ isUnique }) => isUnique).map(({ name }) => [name])
  const heads = isLine ? numbersOf(columns, subject.slice(0, 1)) : []
  const pairs = (heads.length > 0 ? heads : ranked.slice(0, 3).map(({ name }) => name)).flatMap(
    (head) =>
      ranked
        .map(({ name }) => [head, name])
        .filter((pair) => pair[0] !== pair[1] && isKey(model, pair)),
  )
  // One item can be ordered twice: a line is never its item alone.
  const proven = isLine ? [...pairs, ...unique] : [...unique, ...pairs]
  const named = numbersOf(columns, subject).map((name) => [name])
  return proven.length > 0 ? proven : named
}

const columnsMax = 12
