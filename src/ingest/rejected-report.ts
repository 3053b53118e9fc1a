import { type Resource, recordName } from '#contract'
import {
  QuarantineFullError,
  quarantineBytesMax,
  quarantineMax,
  type RejectedRow,
  type RejectOptions,
  retriedSource,
  type Writer,
} from '#store'
import { differenceOf } from './difference.ts'
import { type HeldRows, type OnError, quarantineReason } from './held-rows.ts'
import { type NamedReport, type NamedRow, noNames, type UnnamedProblem } from './named-report.ts'
import { cutValue, plainText, pointerOf, type Report, type RowProblem } from './report.ts'
import { originOf, otherRow, placeOf, type Source } from './source.ts'
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
  /** The number of sources of the import itself; the others have rows that were in quarantine. */
  readonly ownSources: number
  readonly report: Report
  readonly named: NamedReport
  /** Receives the warnings of rows that were in quarantine before. */
  readonly addReleased: (problem: RowProblem) => void
  readonly onError: OnError
  readonly allowDangling: boolean | ReadonlySet<string>
  readonly checks: Required<Pick<RejectOptions, 'onBroken' | 'onHeldCode' | 'replaces'>> &
    Pick<RejectOptions, 'park'>
  readonly held: HeldRows
  /** Receives the source of each row that does not become a record of its own. */
  readonly onRejected: (source: number, why: 'refused' | 'repeated') => void
}

/** Reports duplicates and dangling references. On request, puts such rows in quarantine. */
export const reportRejectedRows = async (parts: RejectedReportParts): Promise<RejectedRows> => {
  const { writer, resource, sources, ownSources, named, onError, allowDangling, checks, held } =
    parts
  const counts = { rejected: 0, repeated: 0, parked: 0, parkedAgain: 0 }
  const isAllowed = (to: string) =>
    allowDangling === true || (allowDangling !== false && allowDangling.has(to))
  const add = async (row: RejectedRow, severity: 'error' | 'warning') => {
    const { source, line, reference } = row
    named.add({
      ...{ source, line, reference: reference?.field },
      describe: (own) => rejectionProblem(parts, row, severity, own),
      onNamed: (problem) => {
        if (row.isQuarantined) held.addWaiting(row, problem)
        else if (severity === 'error' && row.first)
          held.addRejected(row, quarantineReason(row), problem)
      },
    })
    if (named.isFull) await named.flush()
  }
  const options = {
    ...checks,
    references: (to: string) => !isAllowed(to),
    // References are reported late.
    replaces: () => checks.replaces() && (onError === 'quarantine' || counts.rejected === 0),
  }
  for await (const row of writer.rejectInvalid(resource, options)) {
    const of = sources[row.source]
    // Equal records of two groups are parts of one: neither has the values of all its rows.
    const isPart = of?.mapping?.group !== undefined
    const isSame = row.first?.isSame && !isPart && (of?.mapping || onError === 'quarantine')
    const count = (what: 'rejected' | 'repeated' | 'parked') => {
      counts[row.source < ownSources ? what : 'parkedAgain'] += 1
      parts.onRejected(row.source, what === 'repeated' ? what : 'refused')
    }
    if (row.source < 0) {
      counts.parkedAgain += 1
      if (row.refusal && row.source !== retriedSource)
        parts.addReleased(refusal(row, undefined).describe(noNames))
    } else if (row.refusal) {
      const onNamed = (problem: RowProblem) => held.addRejected(row, quarantineReason(row), problem)
      named.add({ ...refusal(row, of), onNamed })
      count('rejected')
    } else if (isSame && row.first) {
      count('repeated')
      if (!of?.mapping?.distinct) named.add(repetition(row, of, sources[row.first.source]))
    } else if (!row.hasKeyProblem) {
      const isLost = onError === 'quarantine' && row.reference && !row.isQuarantined
      if (isLost) throw new QuarantineFullError()
      await add(row, row.isQuarantined ? 'warning' : 'error')
      count(row.isQuarantined ? 'parked' : 'rejected')
    }
    // What a replacement keeps depends on the rows in quarantine.
    if (held.isFull || (row.source >= 0 && checks.replaces())) await held.flush()
  }
  for await (const row of writer.dangling(resource, isAllowed)) await add(row, 'warning')
  await named.flush()
  await held.flush()
  return counts
}

const rejectionProblem = (
  { resource, sources, onError }: RejectedReportParts,
  row: RejectedRow,
  severity: 'error' | 'warning',
  { key, reference: wanted }: NamedRow,
): RowProblem => {
  const { source, line, reference, first } = row
  const field = reference ? pointerOf(reference.field) : ''
  const of = sources[source]
  return {
    ...placeOf(of, line, key ?? nameOf(resource, row)),
    field,
    value: shownValue(row, key, wanted),
    reason: first
      ? `has the same identity as ${otherRow(sources[first.source], first.line)}${differenceOf(resource, of, row)}`
      : `refers to a record of ${reference?.to} that is neither in this import nor stored${noteOf(row, onError)}`,
    severity,
    ...originOf(of, field === '' ? '/id' : field),
  }
}

/** The identifier, unless the key of a duplicate says more; a reference with its natural key. */
const shownValue = (
  { first, value }: RejectedRow,
  key: string | null,
  wanted: string | null,
): string => {
  if (first && key) return ''
  return wanted === null ? cutValue(value) : `${cutValue(wanted)}, id ${cutValue(value)}`
}

/** What people call a record; null if that is not known. */
export const nameOf = (
  resource: Resource,
  { body = null }: { readonly body?: string | null },
): string | null => (body === null ? null : recordName(resource, JSON.parse(body)))

const repetition = (
  { source, line, first }: RejectedRow,
  of: Source | undefined,
  ofFirst: Source | undefined,
): UnnamedProblem => ({
  ...{ source, line },
  describe: ({ key }) => ({
    ...placeOf(of, line, key),
    field: '',
    value: '',
    reason: repeatReason(ofFirst, first?.line ?? 0),
    severity: 'warning',
  }),
})

const noteOf = ({ isQuarantined, reference }: RejectedRow, onError: OnError): string => {
  if (isQuarantined) return ': the row waits for it'
  return onError !== 'refuse' && reference
    ? `. It cannot wait: ${quarantineMax.toLocaleString('en')} rows or ${quarantineBytesMax / 1_048_576} MB are in quarantine, which is the maximum. Import what they refer to, or discard them: selvedge intake rows`
    : ''
}

/** A row that the database refuses. A quarantined one stays there, and does not fail this import. */
export const refusal = (row: RejectedRow, of: Source | undefined): UnnamedProblem => {
  const { source, line, value } = row
  const isReleased = source < 0
  const field = row.refusal?.field ? pointerOf(row.refusal.field) : ''
  const remedy = isReleased
    ? '. It stays in quarantine; selvedge intake discard-rows deletes it'
    : ''
  return {
    ...{ source, line },
    describe: ({ key }) => ({
      ...placeOf(of, isReleased ? 0 : line, key),
      field,
      value: cutValue(value),
      reason: `is refused by the database: ${plainText(row.refusal?.reason ?? '')}${remedy}`,
      severity: isReleased ? 'warning' : 'error',
      ...originOf(of, field === '' ? '/id' : field),
    }),
  }
}
