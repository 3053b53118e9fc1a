import type { JsonValue } from '#contract'
import type { JsonRecord } from './reader.ts'

/** Characters of one result, as JSON. More would crowd out what else an agent has to think of. */
export const resultMax = 24_000
/** What a result says beside its records. */
const surroundings = 2_000
/** A value of a record in a list, beyond which its beginning is shown. */
const valueMax = 1_000

/** A value of which only the beginning is shown. */
export interface CutValue {
  /** The record's place among those shown, from 0. */
  readonly record: number
  readonly field: string
  readonly characters: number
  readonly shown: number
}

export interface Fitted {
  readonly records: readonly JsonRecord[]
  readonly cut: readonly CutValue[]
}

export const sizeOf = (value: unknown): number => JSON.stringify(value).length

/** As many records as there is room for, at least one; long values cut. */
export const fitRecords = (records: readonly JsonRecord[], max = resultMax): Fitted => {
  let room = max - surroundings
  const shown: JsonRecord[] = []
  const cut: CutValue[] = []
  for (const record of records) {
    const each = cutRecord(record, shown.length, valueMax, room)
    const size = sizeOf(each) + 1
    if (size > room && shown.length > 0) break
    shown.push(each.records[0] as JsonRecord)
    cut.push(...each.cut)
    room -= size
  }
  return { records: shown, cut }
}

/** One record, whole if there is room for it. */
export const fitRecord = (record: JsonRecord): Fitted => {
  const room = resultMax - surroundings
  return sizeOf(record) <= room
    ? { records: [record], cut: [] }
    : cutRecord(record, 0, valueMax, room)
}

/** The record with the values cut that are longer than they may be, or than all have room for. */
const cutRecord = (record: JsonRecord, place: number, most: number, room: number): Fitted => {
  const cutTo = (max: number): Fitted => {
    const cut: CutValue[] = []
    const entries = Object.entries(record).map(([field, value]) => {
      const text = textOf(value)
      if (text.length <= max) return [field, value]
      cut.push({ record: place, field, characters: text.length, shown: max })
      return [field, `${wholeCharacters(text, max)}…`]
    })
    return { records: [Object.fromEntries(entries) as JsonRecord], cut }
  }
  let fitted = cutTo(most)
  for (let max = most; sizeOf(fitted) > room && max > shortest; max = Math.floor(max / 2)) {
    fitted = cutTo(max)
  }
  return fitted
}

const shortest = 40

/** A value as it is read in parts: a text as it is, anything else as JSON. */
export const textOf = (value: JsonValue): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

const wholeCharacters = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

/** Part of a long value. */
export interface Part {
  readonly text: string
  readonly offset: number
  readonly characters: number
  /** Where the next part begins; null at the end. */
  readonly next: number | null
}

export const partOf = (value: JsonValue, offset: number): Part => {
  const whole = textOf(value)
  // Quotes and line ends take two characters in JSON, and control characters six.
  let length = resultMax - surroundings
  let text = wholeCharacters(whole.slice(offset), length)
  while (sizeOf(text) > resultMax - surroundings) {
    length = Math.floor(length / 2)
    text = wholeCharacters(whole.slice(offset), length)
  }
  const end = offset + text.length
  const next = end < whole.length && text.length > 0 ? end : null
  return { text, offset, characters: whole.length, next }
}
