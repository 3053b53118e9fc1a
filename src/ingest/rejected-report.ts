import type { Resource } from '#contract'
import {
  QuarantineFullError,
  quarantineMax,
  type RejectedRow,
  type RejectOptions,
  retriedSource,
  type Writer,
} from '#store'
import { type HeldRows, type OnError, quarantineReason } from './held-rows.ts'
import { createKeyedReport } from './reference-keys.ts'
import { cutValue, plainText, pointerOf, type Report, type RowProblem } from './report.ts'
import { originOf, type Source } from './source.ts'
import { repeatReason } from './validate.ts'

/** Rows that were not imported because of other rows, or because of missing records. */
export interface RejectedRows {
  readonly rejected: number
  /** Rows that repeat another row's record. The record counts once. */
  readonly repeated: number
  /** Rows that wait for a record. */
  readonly parked: number
  /** Rows that were in quarantine before. */
  readonly parkedAgain: number
}

export interface RejectedReportParts {
  readonly writer: Writer
  readonly resource: Resource
  readonly sources: readonly Source[]
  readonly owner: string
  readonly report: Report
  /** Receives the warnings of rows that were in quarantine before. */
  readonly addReleased: (problem: RowProblem) => void
  readonly onError: OnError
  readonly allowDangling: boolean
  readonly checks: Required<Pick<RejectOptions, 'onBroken' | 'onHeldCode' | 'replaces'>> &
    Pick<RejectOptions, 'park'>
  readonly held: HeldRows
}

/** Reports duplicates and dangling references. On request, puts such rows in quarantine. */
export const reportRejectedRows = async (parts: RejectedReportParts): Promise<RejectedRows> => {
  const { writer, resource, sources, owner, report, onError, allowDangling, checks, held } = parts
  const counts = { rejected: 0, repeated: 0, parked: 0, parkedAgain: 0 }
  const add = (row: RejectedRow, severity: 'error' | 'warning', key?: string) => {
    const problem = rejectionProblem(parts, row, severity, key)
    report.add(problem)
    if (row.isQuarantined) held.addWaiting(row, problem)
    else if (severity === 'error' && row.first)
      held.addRejected(row, quarantineReason(row), problem)
  }
  const rows = createKeyedReport(sources, owner, add)
  const options = {
    ...checks,
    references: !allowDangling,
    // References are reported late.
    replaces: () => checks.replaces() && (onError === 'quarantine' || counts.rejected === 0),
  }
  for await (const row of writer.rejectInvalid(resource, options)) {
    const { mapping, name } = sources[row.source] ?? { name: '' }
    const isSame = row.first?.isSame && (mapping || onError === 'quarantine')
    if (row.source < 0) {
      counts.parkedAgain += 1
      if (row.refusal && row.source !== retriedSource)
        parts.addReleased(refusalProblem(row, undefined))
    } else if (row.refusal) {
      const problem = refusalProblem(row, sources[row.source])
      report.add(problem)
      held.addRejected(row, quarantineReason(row), problem)
      counts.rejected += 1
    } else if (isSame && row.first) {
      counts.repeated += 1
      const reason = repeatReason(row.first.line, sources[row.first.source]?.name ?? '')
      const place = { file: name, line: row.line, field: '', value: '' }
      if (!mapping?.distinct) report.add({ ...place, reason, severity: 'warning' })
    } else if (!row.hasKeyProblem) {
      const isLost = onError === 'quarantine' && row.reference && !row.isQuarantined
      if (isLost) throw new QuarantineFullError()
      await rows.add(row, row.isQuarantined ? 'warning' : 'error')
      counts[row.isQuarantined ? 'parked' : 'rejected'] += 1
    }
    // What a replacement keeps depends on the rows in quarantine.
    if (held.isFull || (row.source >= 0 && checks.replaces())) await held.flush()
  }
  if (allowDangling) {
    for await (const row of writer.dangling(resource)) await rows.add(row, 'warning')
  }
  await rows.end()
  await held.flush()
  return counts
}

const rejectionProblem = (
  { sources, onError }: RejectedReportParts,
  row: RejectedRow,
  severity: 'error' | 'warning',
  key: string | undefined,
): RowProblem => {
  const { source, line, reference, value, first } = row
  const field = reference ? pointerOf(reference.field) : ''
  return {
    file: sources[source]?.name ?? '',
    line,
    field,
    value: key === undefined ? cutValue(value) : `${cutValue(key)}, id ${cutValue(value)}`,
    reason: first
      ? `has the same identity as line ${first.line} of ${sources[first.source]?.name ?? ''}`
      : `refers to a record of ${reference?.to} that is neither in this import nor stored${noteOf(row, onError)}`,
    severity,
    ...originOf(sources[source], field === '' ? '/id' : field),
  }
}

const noteOf = ({ isQuarantined, reference }: RejectedRow, onError: OnError): string => {
  if (isQuarantined) return ': the row waits for it'
  return onError !== 'refuse' && reference
    ? `. It cannot wait: ${quarantineMax.toLocaleString('en')} rows are in quarantine, which is the maximum. Import what they refer to, or discard them: selvedge intake rows`
    : ''
}

/** A row that the database refuses. A quarantined one stays there, and does not fail this import. */
export const refusalProblem = (
  { source, line, value, refusal }: RejectedRow,
  of: Source | undefined,
): RowProblem => {
  const isReleased = source < 0
  const field = refusal?.field ? pointerOf(refusal.field) : ''
  const remedy = isReleased
    ? '. It stays in quarantine; selvedge intake discard-rows deletes it'
    : ''
  return {
    file: of?.name ?? '',
    line: isReleased ? 0 : line,
    field,
    value: cutValue(value),
    reason: `is refused by the database: ${plainText(refusal?.reason ?? '')}${remedy}`,
    severity: isReleased ? 'warning' : 'error',
    ...originOf(of, field === '' ? '/id' : field),
  }
}
