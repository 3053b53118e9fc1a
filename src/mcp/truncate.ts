import type { JsonValue } from '#contract'
import type { JsonRecord } from './reader.ts'

/** Maximum length of a result as JSON. A longer one would fill too much of an agent's context. */
export const resultMax = 24_000
/** Reserved length for everything but the records. */
const overheadMax = 2_000
/** Maximum length of a value in a list; longer ones are truncated. */
const valueMax = 1_000

/** A truncated value. */
export interface CutValue {
  /** The index of the record among those shown. */
  readonly record: number
  readonly field: string
  readonly characters: number
  readonly shown: number
}

export interface Truncated {
  readonly records: readonly JsonRecord[]
  readonly cut: readonly CutValue[]
}

export const sizeOf = (value: unknown): number => JSON.stringify(value).length

/** As many records as fit, at least one, with long values truncated. */
export const truncateRecords = (records: readonly JsonRecord[], max = resultMax): Truncated => {
  let room = max - overheadMax
  const shown: JsonRecord[] = []
  const cut: CutValue[] = []
  for (const record of records) {
    const each = shortenRecord(record, shown.length, valueMax, room)
    const size = sizeOf(each) + 1
    if (size > room && shown.length > 0) break
    shown.push(each.records[0] as JsonRecord)
    cut.push(...each.cut)
    room -= size
  }
  return { records: shown, cut }
}

/** One record, with long values truncated if it does not fit. */
export const truncateRecord = (record: JsonRecord): Truncated => {
  const room = resultMax - overheadMax
  return sizeOf(record) <= room
    ? { records: [record], cut: [] }
    : shortenRecord(record, 0, valueMax, room)
}

/** Truncates every value that exceeds the maximum or the remaining room. */
const shortenRecord = (
  record: JsonRecord,
  place: number,
  most: number,
  room: number,
): Truncated => {
  const shortenTo = (max: number): Truncated => {
    const cut: CutValue[] = []
    const entries = Object.entries(record).map(([field, value]) => {
      const text = textOf(value)
      if (text.length <= max) return [field, value]
      cut.push({ record: place, field, characters: text.length, shown: max })
      return [field, `${sliceCharacters(text, max)}…`]
    })
    return { records: [Object.fromEntries(entries) as JsonRecord], cut }
  }
  let shortened = shortenTo(most)
  for (let max = most; sizeOf(shortened) > room && max > valueMin; max = Math.floor(max / 2)) {
    shortened = shortenTo(max)
  }
  return shortened
}

/** Minimum length of a truncated value. */
const valueMin = 40

/** A value as text: strings unchanged, anything else as JSON. */
export const textOf = (value: JsonValue): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

const sliceCharacters = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

/** Part of a long value. */
export interface Part {
  readonly text: string
  readonly offset: number
  readonly characters: number
  /** The start of the next part; null at the end. */
  readonly next: number | null
}

export const partOf = (value: JsonValue, offset: number): Part => {
  const whole = textOf(value)
  // In JSON, quotes and line breaks take two characters, and control characters six.
  let length = resultMax - overheadMax
  let text = sliceCharacters(whole.slice(offset), length)
  while (sizeOf(text) > resultMax - overheadMax) {
    length = Math.floor(length / 2)
    text = sliceCharacters(whole.slice(offset), length)
  }
  const end = offset + text.length
  const next = end < whole.length && text.length > 0 ? end : null
  return { text, offset, characters: whole.length, next }
}
