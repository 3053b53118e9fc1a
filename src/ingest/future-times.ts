import {
  clockDifferenceMs,
  describeZone,
  formatCount,
  probableShift,
  shiftHours,
  zoneOffsetAt,
  zoneShiftMaxMs,
} from '#contract'
import { fieldOrigin } from '#mapping'
import type { RowProblem } from './report.ts'
import type { CanonicalRows } from './row.ts'
import type { Source } from './source.ts'

const field = 'updatedAt'

/** The rows of a batch whose time of change lies in the future. */
export interface FutureTimes {
  readonly rows: number
  /** Those that a wrong time zone can explain. */
  readonly near: FutureRows
  readonly far: FutureRows
}

interface FutureRows {
  readonly rows: number
  /** The latest time, and its line; empty and 0 without rows. */
  readonly latest: string
  readonly line: number
}

export const noFutureTimes: FutureTimes = {
  rows: 0,
  near: { rows: 0, latest: '', line: 0 },
  far: { rows: 0, latest: '', line: 0 },
}

export interface FutureTimesCollector {
  add(line: number, record: { readonly [name: string]: unknown }): void
  addCanonical(rows: CanonicalRows): void
  /** What was collected since the last call. */
  take(): FutureTimes
}

/** Collects the times of change of rows that are later than the import. */
export const createFutureTimes = (fields: readonly string[], now: number): FutureTimesCollector => {
  const column = fields.indexOf(field)
  const width = fields.length * 2 + 2
  const limit = new Date(now + clockDifferenceMs).toISOString()
  const limitBytes = new TextEncoder().encode(limit)
  const farLimit = new Date(now + zoneShiftMaxMs + clockDifferenceMs).toISOString()
  let times = noFutureTimes
  const addText = (line: number, latest: string) => {
    times = addTimes(times, {
      ...noFutureTimes,
      rows: 1,
      [latest > farLimit ? 'far' : 'near']: { rows: 1, latest, line },
    })
  }
  return {
    add: (line, record) => {
      const value = record[field]
      if (typeof value === 'string' && value > limit) addText(line, value)
    },
    addCanonical: ({ bytes, offsets, lines }) => {
      if (column < 0) return
      for (let row = 0; row < lines.length; row += 1) {
        const from = offsets[row * width + 2 + column * 2] as number
        if (from < 0 || !isLater(bytes, from, limitBytes)) continue
        const text = String.fromCharCode(...bytes.subarray(from, from + limitBytes.length))
        addText(lines[row] as number, text)
      }
    },
    take: () => {
      const collected = times
      times = noFutureTimes
      return collected
    },
  }
}

/** Timestamps of the contract sort as texts. */
const isLater = (bytes: Uint8Array, from: number, limit: Uint8Array): boolean => {
  for (let index = 0; index < limit.length; index += 1) {
    const difference = (bytes[from + index] as number) - (limit[index] as number)
    if (difference !== 0) return difference > 0
  }
  return false
}

export const addTimes = (a: FutureTimes, b: FutureTimes): FutureTimes =>
  b.rows === 0
    ? a
    : { rows: a.rows + b.rows, near: addRows(a.near, b.near), far: addRows(a.far, b.far) }

const addRows = (a: FutureRows, b: FutureRows): FutureRows => ({
  ...(b.latest > a.latest ? b : a),
  rows: a.rows + b.rows,
})

/** One warning about all times of a source that lie in the future; null if there are none. */
export const futureProblem = (
  source: Source,
  times: FutureTimes,
  now: number,
): RowProblem | null => {
  if (times.rows === 0) return null
  const { near, far } = times
  const { latest, line } = near.rows >= far.rows ? near : far
  const shift = near.rows >= far.rows ? probableShift(Date.parse(latest) - now) : null
  const { mapping } = source
  return {
    file: source.name,
    line,
    field: `/${field}`,
    value: latest,
    reason: `is in the future, in ${formatCount(times.rows, 'row')}: ${shift === null ? 'correct the times in the source' : zoneAdvice(source, shift, now)}`,
    severity: 'warning',
    ...(mapping && { ...fieldOrigin(mapping, `/${field}`), mappingFile: mapping.file }),
  }
}

const zoneAdvice = ({ mapping }: Source, shift: number, now: number): string => {
  const mapped = mapping?.fields.find((each) => each.field === field)
  const zone = mapped?.value.formats.timezone ?? 'UTC'
  const probable = describeZone(Math.round(zoneOffsetAt(zone, now) / 60) + shift, now)
  const remedy = mapped
    ? 'set timezone in the mapping'
    : 'write the times in UTC or with their offset'
  return `the times are probably in ${probable} and were taken for ${zone}, ${shiftHours(shift)} hours too late; ${remedy}`
}
