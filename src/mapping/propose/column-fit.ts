import { codeRules, type Field } from '#contract'
import { codeOf } from '../codes/code-of.ts'
import { flagTexts } from '../convert.ts'
import type { Column } from './table-model.ts'

/** Whether a column's cells can be values of a field, and what shows it. */
export interface Fit {
  /** `possible` if the cells do not show it: the column is empty, or has too few values. */
  readonly fit: 'proven' | 'possible' | 'no'
  /** In a few words. */
  readonly reason: string
}

const no: Fit = { fit: 'no', reason: '' }

export const fitOf = (name: string, field: Field, column: Column): Fit => {
  if (column.filled === 0) return emptyFit(field, column)
  return fits[field.kind]?.(field, column, name) ?? no
}

type FitTest = (field: Field, column: Column, name: string) => Fit

const proven = (column: Column, what: string): Fit => ({
  fit: 'proven',
  reason: `${column.filled} of ${column.filled} are ${what}`,
})

const isTimeKind = (kind: string | undefined): boolean => kind === 'date' || kind === 'time'

const isDay = ({ isDate, datePatterns, type }: Column): boolean =>
  isDate || datePatterns.length > 0 || isTimeKind(type?.kind)

/** Numbers that do not refer to other records. */
const isAmount = (column: Column): boolean =>
  !column.isForeign &&
  !column.isDate &&
  column.numberFormats.length > 0 &&
  (column.isNumber || !column.values.every((each) => /^[a-z]/i.test(each)))

const dayFit: FitTest = (_, column) => (isDay(column) ? proven(column, 'dates') : no)

const isWhole = (text: string): boolean => /^[^.,]*([.,]0+)?$|^[^.,]*([.,]\d{3})+$/.test(text)

const fits: { readonly [kind: string]: FitTest } = {
  date: dayFit,
  timestamp: dayFit,
  integer: (_, column) => {
    if (!isAmount(column)) return no
    return [...column.texts.keys()].every(isWhole) ? proven(column, 'whole numbers') : no
  },
  amount: (field, column) => {
    if (!isAmount(column)) return no
    const isMoney = field.measure === 'money' || field.measure === 'unitPrice'
    if (isMoney && isBit(column)) return no
    if (column.texts.size === 1 && column.rows > 1)
      return { fit: 'possible', reason: `all are ${[...column.texts.keys()].join()}` }
    if (!field.code) return proven(column, 'numbers')
    return codeFit(field, column)
  },
  flag: (_, column) =>
    [...column.texts.keys()].every((each) => Object.hasOwn(flagTexts, each.toLowerCase()))
      ? proven(column, 'true or false')
      : no,
  text: (field, column, name) => {
    if (column.isDate || isBoolean(column)) return field.values && isBoolean(column) ? flagged : no
    if (field.code) return codeFit(field, column)
    if (isFraction(column)) return no
    if (field.values) return { fit: 'proven', reason: `${column.texts.size} values` }
    const isName = /name|description|title|city|street|address|region|placement/i.test(name)
    const withLetters = [...column.texts.keys()].filter((each) => /\p{L}/u.test(each)).length
    if (!isName) return proven(column, 'texts')
    if (column.isNumber || column.datePatterns.length > 0 || withLetters === 0) return no
    return withLetters * 2 >= column.texts.size
      ? proven(column, 'texts')
      : { fit: 'possible', reason: 'some are numbers' }
  },
  any: (_, column, name) =>
    /notes$/i.test(name) && !column.isNumber && !column.isDate && column.type?.kind !== 'json'
      ? proven(column, 'texts')
      : no,
  person: () => no,
}

/** A text, code or state has no fraction. */
const isFraction = ({ type, isNumber, values }: Column): boolean =>
  type?.kind === 'money' ||
  (type?.kind === 'decimal' && (type.scale ?? 1) > 0) ||
  (isNumber && values.some((each) => each.includes('.')))

/** Flags as numbers, which are not amounts. */
const isBit = ({ texts, type }: Column): boolean =>
  (type === null || type.kind === 'whole') && [...texts.keys()].every((each) => /^[01]$/.test(each))

const flagged: Fit = { fit: 'possible', reason: 'true or false' }

export const isBoolean = ({ texts, type }: Column): boolean =>
  type?.kind === 'flag' ||
  (texts.size > 0 && [...texts.keys()].every((each) => /^(true|false)$/.test(each)))

/** Codes by their rule, countries and currencies also by their names. */
const codeFit = ({ code }: Field, column: Column): Fit => {
  if (!code) return no
  const texts = [...column.texts.keys()]
  const isNamed = code === 'country' || code === 'currency'
  const right = texts.filter((text) =>
    isNamed ? codeOf(code, text) !== null : codeRules[code].problem(text) === undefined,
  )
  const rows = right.reduce((sum, text) => sum + (column.texts.get(text) ?? 0), 0)
  const what = isNamed ? (areCodes(column) ? `${code} codes` : `${code} names`) : `${code} codes`
  // Addresses of websites without https:// are stored with a warning.
  if (code === 'url' && texts.every((text) => /^(https?:\/\/|www\.)\S+$/i.test(text)))
    return { fit: 'possible', reason: `${column.filled} of ${column.filled} are addresses` }
  if (right.length === texts.length)
    return { fit: 'proven', reason: `${rows} of ${column.filled} are ${what}` }
  if (rows * 10 < column.filled * 9) return no
  const wrong = texts.find((text) => !right.includes(text)) ?? ''
  return { fit: 'possible', reason: `${rows} of ${column.filled} are ${what}, not "${wrong}"` }
}

/** Whether the cells are codes as they should be, and not names of countries or currencies. */
export const areCodes = ({ texts }: Column): boolean =>
  [...texts.keys()].every((each) => /^[A-Z]{2,3}$/.test(each) && each !== 'UK')

/** An empty column has at most a type. */
const emptyFit = ({ kind, values, code }: Field, { type }: Column): Fit => {
  const possible: Fit = { fit: 'possible', reason: 'its name; the column is empty' }
  if (kind === 'any' || kind === 'person') return no
  if (!type) return possible
  const isNumeric = ['whole', 'decimal', 'money'].includes(type.kind)
  const isFlag = type.kind === 'flag'
  if (kind === 'date' || kind === 'timestamp') return isTimeKind(type.kind) ? possible : no
  if (kind === 'integer' || kind === 'amount') return isNumeric ? possible : no
  if (kind === 'flag') return isFlag ? possible : no
  if (kind !== 'text') return no
  if (code && isNumeric) return no
  return isTimeKind(type.kind) || isFlag || (values && isNumeric) ? no : possible
}
