import type { Resource } from '#contract'
import { type BrokenCode, type BrokenKey, parkedSource, type ReleasedCode } from '#store'
import { cutField, cutValue, pointerOf, type Report, type RowProblem } from './report.ts'
import { originOf, type Source } from './source.ts'

/** Reports the checks that rows of a collection break. */
export interface CheckReport {
  /** Adds the invalid codes of a batch. */
  addCodes(
    batch: { readonly source: number; readonly lines: readonly number[] },
    codes: readonly BrokenCode[],
  ): void
  /** Adds a row whose key another record has. */
  addKey(broken: BrokenKey): void
  /** Adds an invalid code of a row that stays parked because of it. */
  addHeldCode(code: ReleasedCode): void
  /** The number of rows that an invalid code or a key has refused. */
  readonly rejectedRows: number
}

interface CheckReportParts {
  readonly report: Report
  /** Receives the warnings of rows that were parked before. */
  readonly addParked: (problem: RowProblem) => void
}

export const createCheckReport = (
  { report, addParked }: CheckReportParts,
  { path }: Resource,
  sources: readonly Source[],
): CheckReport => {
  let rejectedRows = 0
  return {
    addCodes: ({ source, lines }, codes) => {
      for (const { row, pointer, value, reason, severity } of codes) {
        report.add({
          file: sources[source]?.name ?? '',
          line: lines[row] ?? 0,
          field: cutField(pointer),
          value: cutValue(value),
          reason,
          severity,
          ...originOf(sources[source], pointer),
        })
      }
      const rejected = codes.filter(({ severity }) => severity === 'error').map(({ row }) => row)
      rejectedRows += new Set(rejected).size
    },
    addKey: (broken) => {
      const { source, line, severity, key, id, other, isParked } = broken
      const isReleased = source === parkedSource
      if (severity === 'error') rejectedRows += 1
      const pointer = pointerOf(key.fields.at(-1) ?? '')
      const where = other.staged
        ? `which line ${other.staged.line} of ${placeOf(sources, other.staged.source)} has`
        : 'which is stored'
      const add = isReleased && severity === 'warning' ? addParked : report.add
      add({
        file: placeOf(sources, source),
        line: isReleased ? 0 : line,
        field: pointer,
        value: cutValue(valuesOf(broken)),
        reason: `is already the ${key.fields.join(' and ')} of ${path} ${other.id}, ${where}; this row is ${path} ${id}${isParked ? ', and stays parked' : ''}`,
        severity,
        ...originOf(sources[source], pointer),
      })
    },
    addHeldCode: ({ id, pointer, value, reason }) =>
      addParked({
        file: placeOf(sources, parkedSource),
        line: 0,
        field: cutField(pointer),
        value: cutValue(value),
        reason: `${reason}; this row is ${path} ${id}, and stays parked`,
        severity: 'warning',
      }),
    get rejectedRows() {
      return rejectedRows
    },
  }
}

const placeOf = (sources: readonly Source[], source: number): string =>
  source === parkedSource ? 'parked rows' : (sources[source]?.name ?? '')

/** The value of a single field; several values with their names. */
const valuesOf = ({ key, values }: BrokenKey): string =>
  values.length === 1
    ? String(values[0])
    : key.fields.map((field, index) => `${field} ${values[index] ?? 'null'}`).join(', ')
