import type { NumberStyle } from './column-profile.ts'
import type { TableModel } from './table-model.ts'

/** How most columns write dates and numbers. */
export interface Formats {
  /** Null for ISO 8601. */
  readonly date: string | null
  /** Another pattern that also matches all dates: 03/04/2026 can be in March or April. */
  readonly otherDate: string | null
  readonly number: NumberStyle
}

export const formatsOf = (tables: readonly TableModel[]): Formats => {
  const columns = tables.flatMap((each) => each.columns)
  const dates = columns
    .map(({ datePatterns }) => datePatterns.filter((each) => !/[Hh]|excel/.test(each)))
    .filter((each) => each.length > 0)
  const common = mostCommon(dates.flat())
  const isShared = (pattern: string) =>
    dates.every((each) => !each.includes(common ?? '') || each.includes(pattern))
  const other = (dates.find((each) => each.includes(common ?? '')) ?? []).find(
    (each) => each !== common && isShared(each),
  )
  const numbers = columns.filter(
    ({ numberFormats, datePatterns }) => numberFormats.length > 0 && datePatterns.length === 0,
  )
  // A numeric cell does not show how numbers are written.
  const needed = numbers
    .filter(({ isNumber, values }) => !isNumber && values.some((value) => /[.,]/.test(value)))
    .sort((one, other) => one.numberFormats.length - other.numberFormats.length)
  const keyOf = ({ decimal, group }: NumberStyle) => `${decimal}${group ?? ''}`
  const style = mostCommon(needed.flatMap(({ numberFormats }) => numberFormats.map(keyOf))) ?? '.'
  return {
    date: common === 'yyyy-MM-dd' ? null : (common ?? null),
    otherDate: other ?? null,
    number: { decimal: style.charAt(0), group: style.charAt(1) || null },
  }
}

const mostCommon = (values: readonly string[]): string | undefined => {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  let best: string | undefined
  for (const [value, count] of counts) if (count > (counts.get(best ?? '') ?? 0)) best = value
  return best
}
