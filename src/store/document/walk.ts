import type { Condition, DocumentCondition, DocumentPath } from '#contract'
import type { Key } from '../schema/tables.ts'
import { type DocumentRead, type Follow, type FollowedRow, follow, type Values } from './follow.ts'

/** A record on a path, and the record that the path started from. */
export interface WalkedRow {
  readonly origin: string
  readonly key: Key
  readonly values: Values
}

/** A read of one document. Resolves conditions for its record and its day. */
export interface DocumentWalk extends DocumentRead {
  readonly resolve: (where: DocumentCondition, group: string) => Condition
}

/** The field of a row that a path starts from; none if it starts from the identity. */
export const startFields = (path: DocumentPath): readonly string[] => {
  const [first] = path
  return first && 'of' in first ? [first.of] : []
}

/**
 * Yields the records at the end of a path in batches, with some of their fields. A record occurs
 * once for each path that leads to it. An empty path yields the rows themselves.
 */
export async function* walk(
  read: DocumentWalk,
  rows: readonly WalkedRow[],
  path: DocumentPath,
  fields: readonly string[],
): AsyncGenerator<readonly WalkedRow[]> {
  const [step, ...rest] = path
  if (!step) {
    yield rows
    return
  }
  const origins = Map.groupBy(
    rows.flatMap((row) => {
      const start = 'of' in step ? row.values[step.of] : row.key[0]
      return typeof start === 'string' ? [{ start, origin: row.origin }] : []
    }),
    ({ start }) => start,
  )
  const request: Follow = {
    group: step.to,
    column: 'by' in step ? step.by : 'id',
    values: [...origins.keys()],
    fields: rest.length === 0 ? fields : startFields(rest),
    where: step.where ? read.resolve(step.where, step.to) : null,
  }
  for await (const batch of follow(read, request)) {
    const next = batch.flatMap(({ from, key, values }: FollowedRow) => {
      const starts = new Set((origins.get(from) ?? []).map(({ origin }) => origin))
      return [...starts].map((origin): WalkedRow => ({ origin, key, values }))
    })
    yield* walk(read, next, rest, fields)
  }
}
