import type { JsonValue } from '#contract'
import { cutValue, type RecordMerge, type RowProblem, type Source } from '#ingest'

/**
 * What merges have sent, by line. The other fields of a merged record are the stored ones, or those of
 * a row in quarantine, and an ingest key cannot read records.
 */
export interface SentFields {
  /** The value of a field that a merge has sent; undefined if it has sent none. */
  valueAt(line: number, pointer: string): JsonValue | undefined
  /** A problem of a record, with no value and no name that a merge has not sent. */
  problem(problem: RowProblem): RowProblem
}

export const sentFields = (sources: readonly Source[]): SentFields => {
  const changes = new Map<number, RecordMerge['changes']>()
  for (const { merges = [] } of sources) {
    for (const merge of merges) {
      // A record is reported at the last line that changes it.
      for (const { line } of merge.changes.slice(-1)) changes.set(line, merge.changes)
    }
  }
  /** The records of the last line, which may have many problems. */
  let parsed: { readonly line: number; readonly records: readonly JsonValue[] } | undefined
  const recordsAt = (line: number): readonly JsonValue[] => {
    if (parsed?.line !== line) {
      const own = changes.get(line) ?? []
      parsed = { line, records: own.map(({ json }) => JSON.parse(json)) }
    }
    return parsed.records
  }
  const valueAt = (line: number, pointer: string): JsonValue | undefined =>
    recordsAt(line)
      .map((record) => valueIn(record, pointer))
      .findLast((value) => value !== undefined)
  return {
    valueAt,
    problem: (problem) => {
      const { line, field } = problem
      if (!changes.has(line)) return problem
      const { key: _, ...rest } = problem
      // Without a field, the value is the identity.
      if (field === '') return rest
      const sent = valueAt(line, field)
      return { ...rest, value: sent === undefined ? '' : cutValue(sent) }
    },
  }
}

const valueIn = (record: JsonValue, pointer: string): JsonValue | undefined => {
  let value: unknown = record
  for (const part of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as { readonly [name: string]: unknown })[part]
  }
  return value as JsonValue
}
