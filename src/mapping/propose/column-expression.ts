import type { Field } from '#contract'
import { codeOf } from '../codes/code-of.ts'
import { unitOfMeasure, units } from '../units.ts'
import { areCodes } from './column-fit.ts'
import type { Formats } from './formats.ts'
import type { Column } from './table-model.ts'
import { quoted } from './yaml-text.ts'

/** The value of a field from a column, as YAML: with its unit, code or format. */
export const columnExpression = (
  fieldName: string,
  field: Field,
  column: Column,
  { formats, columns }: { readonly formats: Formats; readonly columns: readonly Column[] },
): string => {
  const name = quoted(column.name)
  const settings = [
    ...unitSetting(fieldName, field, column, columns),
    ...codeSetting(field, column),
    ...dateSetting(field, column, formats),
    ...numberSetting(field, column, formats),
  ]
  return settings.length > 0 ? `{ column: ${name}, ${settings.join(', ')} }` : name
}

/** The unit of a field, for converting columns in another unit. */
const unitOf = (name: string, { measure }: Field): string | null =>
  (measure && unitOfMeasure[measure]) ?? (name.endsWith('Days') ? 'days' : null)

const unitSetting = (
  fieldName: string,
  field: Field,
  column: Column,
  columns: readonly Column[],
): readonly string[] => {
  const wanted = unitOf(fieldName, field)
  if (wanted === null) return []
  const named = unitSuffix(column.name, wanted)
  if (named !== null) return named === wanted ? [] : [`unit: ${named}`]
  const beside = unitColumn(column, columns)
  return beside ? [`unit: { from: { column: ${quoted(beside.name)} } }`] : []
}

/** Whether neither the name nor another column says the unit of a measure. */
export const needsUnit = (
  fieldName: string,
  field: Field,
  column: Column,
  columns: readonly Column[],
): boolean => {
  const wanted = unitOf(fieldName, field)
  if (wanted === null || wanted === 'money') return false
  return unitSuffix(column.name, wanted) === null && !unitColumn(column, columns)
}

/** Splits the unit off a column's name: `weight_g` is a weight in grams. */
export const unitSuffix = (column: string, wanted: string): string | null => {
  const last = /[^A-Za-z0-9]+([A-Za-z]+)[)\]]?$/.exec(column)?.[1]?.toLowerCase() ?? ''
  return Object.hasOwn(units, last) && units[last]?.to === wanted ? last : null
}

/** A column with the unit of another one: `weight` and `weight_unit`. */
export const unitColumn = (column: Column, columns: readonly Column[]): Column | undefined =>
  columns.find(
    (each) =>
      each !== column &&
      each.words.includes('unit') &&
      column.words.every((word) => each.words.includes(word)) &&
      each.texts.size > 0 &&
      [...each.texts.keys()].every((text) => codeOf('unit', text) !== null),
  )

const codeSetting = ({ code }: Field, column: Column): readonly string[] =>
  (code === 'country' || code === 'currency') && !areCodes(column) ? [`code: ${code}`] : []

const dateSetting = (
  { kind }: Field,
  { datePatterns, isDate }: Column,
  formats: Formats,
): readonly string[] => {
  if ((kind !== 'date' && kind !== 'timestamp') || isDate) return []
  const [first] = datePatterns
  const isCommon =
    first === undefined || first === 'yyyy-MM-dd' || datePatterns.includes(formats.date ?? '')
  return isCommon ? [] : [`${kind}: ${quoted(first)}`]
}

const numberSetting = (
  { kind }: Field,
  { numberFormats, values }: Column,
  { number }: Formats,
): readonly string[] => {
  const [style] = numberFormats
  if ((kind !== 'integer' && kind !== 'amount') || !style) return []
  const isOfFile = numberFormats.some(
    ({ decimal, group }) => decimal === number.decimal && group === number.group,
  )
  if (isOfFile || !values.some((value) => /[.,]/.test(value))) return []
  return [
    `decimal: ${quoted(style.decimal)}`,
    ...(style.group ? [`group: ${quoted(style.group)}`] : []),
  ]
}
