import { hash } from 'node:crypto'
import type { CollectionMapping, SqlOrigin } from '#mapping'
import type { QueryColumns } from './source-columns.ts'
import type { QueryCursor } from './source-query.ts'

/** How far a source has been read: what the store keeps as its cursor. */
export interface SyncState {
  readonly queries: { readonly [name: string]: QueryState }
}

/** How far one query has been read. */
export interface QueryState {
  /** Tells whether the query is still the same. */
  readonly digest: string
  readonly cursor: QueryCursor | null
  /** Its columns in the last round that succeeded; earlier versions stored none. */
  readonly columns?: QueryColumns
  /** When all keys were last compared. */
  readonly reconciledAt: string | null
}

/** A query of a mapping that is synchronised. */
export interface SyncQuery {
  /** The collection; with a number where it has several mappings. */
  readonly name: string
  readonly mapping: CollectionMapping
  readonly origin: SqlOrigin
  readonly digest: string
}

/** The queries of a mapping, in the order of the file. */
export const queriesOf = (mappings: readonly CollectionMapping[]): readonly SyncQuery[] => {
  const counts = new Map<string, number>()
  return mappings.flatMap((mapping) => {
    const { collection, from } = mapping
    if (!from.sql) return []
    const count = (counts.get(collection) ?? 0) + 1
    counts.set(collection, count)
    const { sql, cursor } = from.sql
    // Records that another mapping would make are only made when all rows are read again.
    // Its formats are those of its expressions.
    const { file: _, line: __, formats: ___, ...meaning } = mapping
    const text = JSON.stringify([sql, cursor, meaning], (name, value) =>
      name === 'line' ? undefined : value,
    )
    const digest = hash('sha256', text, 'hex').slice(0, 16)
    return [
      {
        name: count === 1 ? collection : `${collection} ${count}`,
        mapping,
        origin: from.sql,
        digest,
      },
    ]
  })
}

/** Parses what the store has kept. Queries that have changed start from the beginning. */
export const parseSyncState = (
  text: string | null,
  queries: readonly SyncQuery[],
): ReadonlyMap<string, QueryState> => {
  const stored: SyncState = text === null ? { queries: {} } : JSON.parse(text)
  return new Map(
    queries.map(({ name, digest }) => {
      const state = Object.hasOwn(stored.queries, name) ? stored.queries[name] : undefined
      return [
        name,
        state?.digest === digest ? state : { digest, cursor: null, reconciledAt: null },
      ] as const
    }),
  )
}

export const formatSyncState = (states: ReadonlyMap<string, QueryState>): string =>
  JSON.stringify({ queries: Object.fromEntries(states) } satisfies SyncState)
