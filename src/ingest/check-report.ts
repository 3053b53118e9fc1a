import type { Resource } from '#contract'
import {
  type BrokenCode,
  type BrokenKey,
  type ReleasedCode,
  releasedSource,
  retriedSource,
} from '#store'
import type { HeldRows } from './held-rows.ts'
import type { NamedReport, NamedRow } from './named-report.ts'
import { cutField, cutValue, pointerOf, type Report, type RowProblem } from './report.ts'
import { originOf, otherRow, placeOf, type Source } from './source.ts'
import type { ValidatedBatch } from './validate.ts'

/** Reports the checks that rows of a collection break. */
export interface CheckReport {
  /** Adds the invalid codes of a batch. */
  addCodes(
    batch: Pick<ValidatedBatch, 'lines' | 'suspectRows'> & { readonly source: number },
    codes: readonly BrokenCode[],
  ): void
  /** Adds a row whose key another record has. */
  addKey(broken: BrokenKey): void
  /** Adds an invalid code of a row that stays in quarantine because of it. */
  addHeldCode(code: ReleasedCode): void
  /** The number of rows of the import that an invalid code or a key has refused. */
  readonly rejectedRows: number
  /** The same of rows that were in quarantine before. */
  readonly rejectedAgain: number
}

interface CheckReportParts {
  readonly report: Report
  readonly named: NamedReport
  /** Receives the warnings of rows that were in quarantine before. */
  readonly addReleased: (problem: RowProblem) => void
  /** Receives the rows that are rejected. */
  readonly held: HeldRows
  /** Receives the source of each row that is rejected. */
  readonly onRejected?: (source: number, why: 'refused') => void
}

export const createCheckReport = (
  { report, named, addReleased, held, onRejected }: CheckReportParts,
  { path }: Resource,
  sources: readonly Source[],
): CheckReport => {
  let [rejectedRows, rejectedAgain] = [0, 0]
  /** Sources of rows that were in quarantine are added later. */
  const ownSources = sources.length
  const count = (source: number, rows: number) => {
    if (source < ownSources) rejectedRows += rows
    else rejectedAgain += rows
    for (let row = 0; row < rows; row += 1) onRejected?.(source, 'refused')
  }
  return {
    addCodes: ({ source, lines, suspectRows }, codes) => {
      const suspects = new Map(suspectRows.map((each) => [each.index, each]))
      for (const { row, stagedRow, pointer, value, reason, severity, key } of codes) {
        const line = lines[row] ?? 0
        const problem: RowProblem = {
          ...placeOf(sources[source], line, key),
          field: cutField(pointer),
          value: cutValue(value),
          reason,
          severity,
          ...originOf(sources[source], pointer),
        }
        report.add(problem)
        if (severity === 'error')
          held.addRejected({ row: stagedRow, source, line }, 'code', problem, suspects.get(row))
      }
      const rejected = codes.filter(({ severity }) => severity === 'error').map(({ row }) => row)
      count(source, new Set(rejected).size)
    },
    addKey: (broken) => {
      const { row, source, line, severity, key, id, other, isQuarantined } = broken
      if (source === retriedSource) return
      const isReleased = source === releasedSource
      if (severity === 'error') count(source, 1)
      const pointer = pointerOf(key.fields.at(-1) ?? '')
      const { staged } = other
      const where = staged
        ? `which ${staged.source < 0 ? quarantinedRows : otherRow(sources[staged.source], staged.line)} has`
        : 'which is stored'
      const problem = {
        field: pointer,
        value: cutValue(valuesOf(broken)),
        reason: `is already the ${key.fields.join(' and ')} of ${path} ${other.id}, ${where}; this row is ${path} ${id}${isQuarantined ? ', and stays in quarantine' : ''}`,
        severity,
        ...originOf(sources[source], pointer),
      }
      if (isReleased) {
        const add = severity === 'warning' ? addReleased : report.add
        add({ file: quarantinedRows, line: 0, ...problem })
        return
      }
      named.add({
        ...{ source, line },
        describe: (own: NamedRow) => ({ ...placeOf(sources[source], line, own.key), ...problem }),
        onNamed: (reported) => {
          if (severity === 'error')
            held.addRejected({ row, source, line, holder: other.id }, 'key', reported)
        },
      })
    },
    addHeldCode: ({ id, source, pointer, value, reason }) => {
      if (source === retriedSource) return
      addReleased({
        file: quarantinedRows,
        line: 0,
        field: cutField(pointer),
        value: cutValue(value),
        reason: `${reason}; this row is ${path} ${id}, and stays in quarantine`,
        severity: 'warning',
      })
    },
    get rejectedRows() {
      return rejectedRows
    },
    get rejectedAgain() {
      return rejectedAgain
    },
  }
}

const quarantinedRows = 'quarantined rows'

/** The value of a single field; several values with their names. */
const valuesOf = ({ key, values }: BrokenKey): string =>
  values.length === 1
    ? String(values[0])
    : key.fields.map((field, index) => `${field} ${values[index] ?? 'null'}`).join(', ')
