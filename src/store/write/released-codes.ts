import { boundsCheck, checkRecord, compileCodeCheck } from '#contract'
import type { StoredRecord } from '../schema/record-body.ts'
import type { Table } from '../schema/tables.ts'
import type { CodeProblem } from './staging.ts'

/** An invalid code, or a value beyond a bound, of a row that was in quarantine. */
export interface ReleasedCode extends CodeProblem {
  /** The identity of its record. */
  readonly id: string
  /** Why it was staged: `releasedSource` or `retriedSource`. */
  readonly source: number
}

/**
 * Finds the invalid codes of records that are staged from number `firstRow` on. The checks of their
 * brand may be stricter than when they were quarantined.
 */
export const findReleasedCodes = (
  { resource }: Table,
  records: readonly StoredRecord[],
  { firstRow, source }: { readonly firstRow: number; readonly source: number },
): readonly ReleasedCode[] => {
  const findInvalidCodes = compileCodeCheck(resource.fields, 'error')
  return records.flatMap((record, index) => {
    const id = resource.key.map((name) => record[name]).join(' ')
    const of = { row: firstRow + index, id, source }
    return [
      ...checkRecord(resource, record)
        .filter(({ isBeyond }) => isBeyond)
        .map(({ pointer, value, reason }) => ({
          ...{ ...of, check: boundsCheck, pointer, reason },
          value: typeof value === 'string' ? value : JSON.stringify(value),
        })),
      ...findInvalidCodes(record).map(({ code, ...invalid }) => ({
        ...{ ...of, check: code },
        ...invalid,
      })),
    ]
  })
}
