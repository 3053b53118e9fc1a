import { boundsCheck, checkRecord, compileCodeCheck } from '#contract'
import type { StoredRecord } from '../schema/record-body.ts'
import type { Table } from '../schema/tables.ts'
import type { CodeProblem } from './staging.ts'

/** An invalid code, or a value beyond a bound, of a row that was in quarantine. */
export interface ReleasedCode extends CodeProblem {
  /** The identity of its record. */
  readonly id: string
}

/**
 * Finds the invalid codes of records that are staged from number `firstRow` on. The checks of their
 * brand may be stricter than when they were quarantined.
 */
export const findReleasedCodes = (
  { resource }: Table,
  records: readonly StoredRecord[],
  firstRow: number,
): readonly ReleasedCode[] => {
  const findInvalidCodes = compileCodeCheck(resource.fields, 'error')
  return records.flatMap((record, index) => {
    const of = { row: firstRow + index, id: resource.key.map((name) => record[name]).join(' ') }
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
