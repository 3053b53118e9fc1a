import { addDays, dayIn, daysBetween, type JsonValue } from '#contract'
import type { DemoItem } from './season/record-buffer.ts'

/** The day for which the demo's records are written. */
export const writtenFor = '2026-06-01'

/** The time zone of the demo's brand. */
export const timezone = 'America/New_York'

/** The local day of a brand, by default the demo's, for which its figures are correct. */
export const dayOfDemo = (instant: number, zone = timezone): string => dayIn(zone, instant)

/** The day that a story was moved to, from its brand record. */
export const dayOfStory = (createdAt: string, writtenAt: string): string =>
  addDays(writtenFor, daysBetween(writtenAt.slice(0, 10), createdAt.slice(0, 10)))

/**
 * Moves records to another day: every date and timestamp by the same number of days, months and
 * season codes by the nearest whole number of their kind. Identities, numbers and amounts stay, so
 * that demos differ only in their calendar.
 */
export const createMove = (day: string): ((item: DemoItem) => DemoItem) => {
  const days = daysBetween(writtenFor, day)
  if (days === 0) return (item) => item
  const months = Math.round(days / daysPerMonth)
  const halfYears = Math.round(days / (6 * daysPerMonth))
  // Thousands of records share the same few hundred days.
  const movedDays = new Map<string, string>()
  const moveDay = (text: string): string => {
    const moved = movedDays.get(text) ?? addDays(text, days)
    movedDays.set(text, moved)
    return moved
  }
  const moveText = (text: string, hasSeasons: boolean): string => {
    if (text.charCodeAt(4) === hyphen && text.length <= timestampLength) {
      if (dayPattern.test(text)) return moveDay(text)
      if (isTimestamp(text)) return moveDay(text.slice(0, 10)) + text.slice(10)
      if (monthPattern.test(text)) return moveMonth(text, months)
    }
    return hasSeasons ? text.replace(seasonPattern, (code) => moveSeason(code, halfYears)) : text
  }
  const moveValue = (value: JsonValue, hasSeasons: boolean): JsonValue => {
    if (typeof value === 'string') return moveText(value, hasSeasons)
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map((each: JsonValue) => moveValue(each, hasSeasons))
    const entries = Object.entries(value as { readonly [name: string]: JsonValue })
    return Object.fromEntries(entries.map(([name, each]) => [name, moveValue(each, hasSeasons)]))
  }
  return ({ path, record }) => ({
    path,
    record: moveValue(record, pathsWithSeasons.has(path)) as DemoItem['record'],
  })
}

const daysPerMonth = 365.2425 / 12
const hyphen = 45
const timestampLength = 24
const dayPattern = /^\d{4}-\d\d-\d\d$/
const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
export const isTimestamp = (text: string): boolean => timestampPattern.test(text)
const monthPattern = /^\d{4}-\d\d$/

/** Collections with season codes in their texts, such as `FW26`. */
const pathsWithSeasons: ReadonlySet<string> = new Set(['collections', 'launch-windows', 'quotes'])
const seasonPattern = /\b(?:SS|FW)\d\d\b/g

const moveMonth = (text: string, months: number): string => {
  const month = Number(text.slice(0, 4)) * 12 + Number(text.slice(5)) - 1 + months
  return `${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`
}

const moveSeason = (code: string, halfYears: number): string => {
  const season = Number(code.slice(2)) * 2 + (code.startsWith('FW') ? 1 : 0) + halfYears
  const year = ((Math.floor(season / 2) % 100) + 100) % 100
  return `${season % 2 === 0 ? 'SS' : 'FW'}${String(year).padStart(2, '0')}`
}
