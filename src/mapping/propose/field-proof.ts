import type { LeafField } from '#contract'
import { textOf } from '../cell.ts'
import { fitOf } from './column-fit.ts'
import type { EntityContext } from './entity.ts'
import { type Candidate, isIdName } from './field-candidates.ts'
import { namesOf } from './field-names.ts'
import { subjectOf } from './roles.ts'
import type { Column, TableModel } from './table-model.ts'
import { isSame } from './words.ts'

/*
 * What proves that a column has the values of a field. Its name and fitting values do not: a column
 * named "number" can have the number of another system, and every text fits a name. Codes with a
 * rule, keys, the order of times, and sums and products of columns do.
 */

/** Whether values prove a column whose name and values fit a field. */
export const isProven = (
  leaf: LeafField,
  candidate: Candidate,
  candidates: readonly Candidate[],
  context: Pick<EntityContext, 'entity' | 'columns'>,
): boolean => {
  const { name, field } = leaf
  const { column } = candidate
  if (column.filled < rowsMin || hasRival(name, candidate, candidates)) return false
  if (field.code && field.kind === 'text') return isOnlyCode(leaf, column, context.columns)
  if (name === 'createdAt' || name === 'updatedAt') return isTimeOfRow(name, column, context)
  if (field.kind === 'date' || field.kind === 'timestamp')
    return !field.nullable || column.words.some((word) => plannedWords.includes(word))
  const model = context.entity.model
  if (field.kind === 'amount') return isProduct(column, model) || isSum(column, model)
  if (field.kind === 'integer') return !field.nullable && isOnlyQuantity(column, context)
  if (field.kind !== 'text') return false
  if (field.values) return column.texts.size > 1
  const names = namesOf(context.entity.collection, name)
  if (isSame(names[0]?.words ?? [], ['number'])) return isOnlyNumber(column, context)
  return name === 'name' && isOnlyName(column, context)
}

/** Fewer values prove nothing. */
const rowsMin = 3

/** Another column that is named as plainly. A number of the system is none beside one of people. */
const hasRival = (
  field: string,
  { column }: Candidate,
  candidates: readonly Candidate[],
): boolean =>
  candidates.some(
    (each) =>
      each.column !== column &&
      (isIdName(column.name) || !isIdName(each.column.name)) &&
      (each.name === 'exact' || (each.name === 'close' && field !== 'name')),
  )

/** Words that tell a day that was planned from one that came. */
const plannedWords = ['requested', 'expected', 'estimated', 'due', 'confirmed', 'received']

const isOnlyCode = (
  { name, field }: LeafField,
  column: Column,
  columns: readonly Column[],
): boolean =>
  !columns.some(
    (each) =>
      each !== column &&
      each.distinct > 1 &&
      !each.isForeign &&
      !each.isNumber &&
      fitOf(name, field, each).fit === 'proven',
  )

/** Rows are not changed before they are created. */
const isTimeOfRow = (
  name: string,
  column: Column,
  { columns, entity }: Pick<EntityContext, 'entity' | 'columns'>,
): boolean => {
  const kind = column.type?.kind
  if (kind !== undefined && kind !== 'time' && kind !== 'date') return false
  const other = name === 'createdAt' ? 'updatedAt' : 'createdAt'
  const words = namesOf(entity.collection, other).filter(({ strength }) => strength === 'exact')
  const pair = columns.find((each) => words.some((own) => isSame(own.words, each.words)))
  if (!pair) return true
  const [first, last] = name === 'createdAt' ? [column, pair] : [pair, column]
  return entity.model.table.rows.every((row) => {
    const [one, two] = [textOf(row[first.at] ?? null), textOf(row[last.at] ?? null)]
    return one === null || two === null || one <= two
  })
}

/** A number that people use: distinct, and no other column has one. */
const isOnlyNumber = (
  column: Column,
  { entity, columns }: Pick<EntityContext, 'entity' | 'columns'>,
): boolean => {
  const key = entity.isShared ? [] : entity.key.columns
  const isOther = (each: Column) =>
    each !== column &&
    each.isUnique &&
    !each.isForeign &&
    !each.isUuid &&
    !each.isDate &&
    !isIdName(each.name) &&
    !key.includes(each.name) &&
    !each.recognised.some(({ kind, isAll }) => isAll && otherKinds.includes(kind)) &&
    (each.words.some((word) => numberWords.includes(word)) ||
      each.recognised.some(({ kind, isAll }) => isAll && kind === 'code'))
  return column.isUnique && !columns.some(isOther)
}

const numberWords = ['number', 'reference']
const otherKinds: readonly string[] = ['gtin', 'email', 'url', 'money', 'date']

/** A text with letters, neither a code nor a key, and the only column with a name. */
const isOnlyName = (
  column: Column,
  { entity, columns }: Pick<EntityContext, 'entity' | 'columns'>,
): boolean => {
  const texts = [...column.texts.keys()]
  const { collection, model } = entity
  const subject = [...subjectOf(collection), ...model.words]
  const isName = ({ words }: Column) =>
    words.every(
      (word) => nameWords.includes(word) || subject.includes(word) || /^\d+$/.test(word),
    ) && words.some((word) => nameWords.includes(word))
  const isOther = (each: Column) =>
    each !== column && each.filled > 0 && !each.isNumber && !each.isDate && isName(each)
  return (
    !entity.key.columns.includes(column.name) &&
    texts.length * 2 >= column.filled &&
    texts.every((text) => /\p{L}/u.test(text) && !/^[[{<]/.test(text)) &&
    !column.recognised.some(({ kind }) => kind === 'code') &&
    !columns.some(isOther)
  )
}

const nameWords = ['name', 'title', 'legal', 'trade', 'display', 'company', 'full', 'search']

/** The only quantity of the rows, or one that a price and an amount confirm. */
const isOnlyQuantity = (
  column: Column,
  { columns, entity }: Pick<EntityContext, 'entity' | 'columns'>,
): boolean =>
  isFactor(column, entity.model) ||
  !columns.some(
    (each) =>
      each !== column &&
      each.filled > 0 &&
      each.numberFormats.length > 0 &&
      each.words.includes('quantity') &&
      each.words.every((word) => column.words.includes(word) || plainWords.includes(word)),
  )

const plainWords = ['quantity', 'order', 'line', 'base', 'total', 'unit', 'actual', 'internal']

/** The columns with numbers of a table, row by row. */
const numbersOf = ({ columns, table }: TableModel): ReadonlyMap<string, readonly number[]> => {
  const amounts = columns.filter(
    ({ numberFormats, isForeign, distinct, isDate }) =>
      numberFormats.length > 0 && !isForeign && !isDate && distinct > 1,
  )
  return new Map(
    amounts
      .slice(0, columnsMax)
      .map(({ name, at }) => [
        name,
        table.rows.map((row) => Number(textOf(row[at] ?? null) ?? NaN)),
      ]),
  )
}

const columnsMax = 12

type Equation = (names: readonly [string, string, string]) => boolean

/** Whether a column is part of an equation of three columns that all rows confirm. */
const confirms = (
  column: Column,
  model: TableModel,
  isOf: Equation,
  compute: (one: number, other: number) => number,
): boolean => {
  const numbers = numbersOf(model)
  const names = [...numbers.keys()]
  return names.some((one, at) =>
    names.slice(at + 1).some((other) =>
      names.some((result) => {
        if (result === one || result === other || ![one, other, result].includes(column.name))
          return false
        if (!isOf([one, other, result])) return false
        const [a = [], b = [], c = []] = [one, other, result].map((each) => numbers.get(each))
        const rows = a.flatMap((value, row) => {
          const [x, y, z] = [value, b[row] ?? NaN, c[row] ?? NaN]
          return [x, y, z].every((each) => Number.isFinite(each) && each !== 0) ? [[x, y, z]] : []
        })
        return (
          rows.length >= rowsMin &&
          rows.every(([x = 0, y = 0, z = 0]) => Math.abs(compute(x, y) - z) <= 0.011)
        )
      }),
    ),
  )
}

/** A price of a quantity and an amount, or their product. */
const isProduct = (column: Column, model: TableModel): boolean =>
  confirms(column, model, ofQuantity(model), (one, other) => one * other)

const isFactor = (column: Column, model: TableModel): boolean =>
  confirms(
    column,
    model,
    ([one, other]) => [one, other].includes(column.name),
    (one, other) => one * other,
  )

const ofQuantity =
  ({ columns }: TableModel): Equation =>
  ([one, other]) =>
    columns.some(
      ({ name, words }) => (name === one || name === other) && words.includes('quantity'),
    )

/** A part of a sum, such as net, tax and gross. */
const isSum = (column: Column, model: TableModel): boolean =>
  confirms(
    column,
    model,
    ([, , result]) => isTotal(model, result),
    (one, other) => one + other,
  )

const isTotal = ({ columns }: TableModel, result: string): boolean =>
  columns.some(
    ({ name, words }) =>
      name === result && words.some((word) => ['total', 'amount', 'gross'].includes(word)),
  )
