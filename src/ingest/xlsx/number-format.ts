import { type Cell, CivilTime } from '#mapping'

/** The display of a number: as is, or as days since the workbook's epoch. */
export type NumberKind = 'number' | 'day' | 'dayAndTime' | 'time' | 'duration'

/** The built-in formats of every workbook, by number (ECMA-376, part 1, 18.8.30). */
const builtInKind = (id: number): NumberKind => {
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36) return 'day'
  if ((id >= 50 && id <= 54) || id === 57 || id === 58) return 'day'
  if (id === 22) return 'dayAndTime'
  if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47) return 'time'
  if (id === 55 || id === 56) return 'time'
  return id === 46 ? 'duration' : 'number'
}

/** The kind of a format, by its number, or by its code if the workbook defines one. */
export const numberKind = (id: number, code: string | undefined): NumberKind => {
  if (code === undefined) return builtInKind(id)
  // Only the section for positive numbers matters.
  const [section = ''] = withoutTexts(code).split(';')
  if (/\[(h+|m+|s+)\]/i.test(section)) return 'duration'
  const letters = section.replace(/\[[^[\]]*\]/g, '').toLowerCase()
  if (/general/.test(letters)) return 'number'
  const hasTime = /[hs]/.test(letters)
  if (/[yd]/.test(letters)) return hasTime ? 'dayAndTime' : 'day'
  if (hasTime) return 'time'
  return /m/.test(letters) ? 'day' : 'number'
}

/** Removes quoted texts, escaped characters and fill characters. */
const withoutTexts = (code: string): string => code.replace(/"[^"]*"?|[\\_*]./g, '')

const dayMs = 86_400_000
/** The last day of spreadsheets, 9999-12-31, in the 1900 date system. */
const lastDay = 2_958_465

/** A number as a cell, by the kind of its format. Values outside the calendar stay numbers. */
export const numberCell = (value: number, kind: NumberKind, is1904: boolean): Cell => {
  if (kind === 'number' || value < 0) return shownDigits(value)
  if (kind === 'duration') return clockText(value)
  if (kind === 'time' && value < 1) return clockText(value)
  const first = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30)
  if (value > lastDay + 1 || (!is1904 && value < 1)) return shownDigits(value)
  // The 1900 date system has a 29 February 1900: day 60.
  if (!is1904 && value >= 60 && value < 61) return shownDigits(value)
  const days = !is1904 && value < 60 ? value + 1 : value
  const text = new Date(first + Math.round(days * dayMs)).toISOString().slice(0, -1)
  return new CivilTime(kind === 'day' && text.endsWith('T00:00:00.000') ? text.slice(0, 10) : text)
}

/** Spreadsheets use 15 digits; further digits are artefacts of binary fractions. */
const shownDigits = (value: number): number =>
  Number.isInteger(value) ? value : Number(value.toPrecision(15))

/** A number of days as hours, minutes and seconds. */
const clockText = (days: number): string => {
  const seconds = Math.round(days * 86_400)
  return [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
}
