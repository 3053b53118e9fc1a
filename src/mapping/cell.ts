import { composeText, isJsonObject, type JsonValue } from '#contract'

/**
 * A date, or a date and time, without a time zone: `2026-03-14`, `2026-03-14T09:30:00.000`.
 * Spreadsheets have no other times.
 */
export class CivilTime {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * The value of a cell. A text that looks like a number stays a text; null is an empty cell. A
 * `Date` is an instant.
 */
export type Cell = string | number | bigint | boolean | CivilTime | Date | JsonValue

/** A cell as JSON; `parseCell` gives the same cell. */
export const cellJson = (cell: Cell): JsonValue => {
  if (typeof cell === 'bigint') return { [cellTag]: 'integer', text: String(cell) }
  if (cell instanceof CivilTime) return { [cellTag]: 'civil', text: cell.text }
  if (cell instanceof Date) {
    return { [cellTag]: 'instant', text: Number.isNaN(cell.getTime()) ? '' : cell.toISOString() }
  }
  return cell
}

export const parseCell = (json: JsonValue): Cell => {
  if (!isJsonObject(json) || !Object.hasOwn(json, cellTag)) return json
  const text = String(json['text'])
  const tag = json[cellTag]
  if (tag === 'integer') return BigInt(text)
  return tag === 'civil' ? new CivilTime(text) : new Date(text)
}

/** No column of a source has an object with such a member. */
const cellTag = '$cell'

/** A cell as trimmed text; null if it is empty. */
export const textOf = (cell: Cell | undefined): string | null => {
  if (typeof cell === 'string') {
    const text = trimmed(cell)
    return text === '' ? null : text
  }
  if (cell === null || cell === undefined) return null
  if (typeof cell === 'number') return plainNumber(cell)
  if (typeof cell === 'bigint' || typeof cell === 'boolean') return String(cell)
  if (cell instanceof Date) return Number.isNaN(cell.getTime()) ? null : cell.toISOString()
  if (cell instanceof CivilTime) return cell.text
  return JSON.stringify(cell)
}

/** Most texts have no surrounding space, which two comparisons detect. */
const trimmed = (text: string): string => {
  const { length } = text
  if (length === 0) return text
  const [first, last] = [text.charCodeAt(0), text.charCodeAt(length - 1)]
  const isPlain = first > 0x20 && first < 0x7f && last > 0x20 && last < 0x7f
  return isPlain ? text : text.trim()
}

/** Spreadsheets keep 15 digits; a double's further digits are noise: 0.30000000000000004. */
const exactDigits = 15

/** A number in decimal notation without an exponent. */
export const plainNumber = (value: number): string => {
  if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value)
  const text = String(Number(value.toPrecision(exactDigits)))
  const [, sign = '', whole = '', fraction = '', exponent = ''] =
    /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? []
  if (exponent === '') return text
  const places = Number(exponent)
  return places > 0
    ? `${sign}${whole}${fraction.padEnd(places, '0')}`
    : `${sign}0.${'0'.repeat(-places - 1)}${whole}${fraction}`
}

/** A part of a key: the same text from CSV, a spreadsheet or a database. */
export const keyPartOf = (cell: Cell | undefined): string | null => {
  const text = textOf(cell)
  return text === null || isAscii(text) ? text : composeText(text)
}

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

/** The cells of a JSON object. A column can be a path: `vendor.no`. */
export const cellsOf = (
  row: { readonly [name: string]: JsonValue },
  columns: readonly string[],
): readonly Cell[] => columns.map((column) => ownValue(row, column) ?? valueAtPath(row, column))

const valueAtPath = (row: JsonValue, column: string): JsonValue => {
  if (!column.includes('.')) return null
  let value: JsonValue | undefined = row
  for (const name of column.split('.')) value = ownValue(value, name)
  return value ?? null
}

const ownValue = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
