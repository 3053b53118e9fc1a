import { importOrder } from '#contract'
import { type IngestResult, ingest, type Report } from '#ingest'
import type { SourceName, Store } from '#store'
import { type QueryRows, readQuery } from './query-rows.ts'
import { type Removed, reconcile } from './reconcile.ts'
import type { SourceDatabase } from './source-database.ts'
import { formatSyncState, parseSyncState, type QueryState, type SyncQuery } from './sync-state.ts'

export interface RoundParts {
  readonly store: Store
  readonly database: SourceDatabase
  readonly brand: string
  readonly source: SourceName
  readonly queries: readonly SyncQuery[]
  readonly report: Report
  readonly options: RoundOptions
  readonly now: () => number
  /** Ends the round at the next batch, with nothing written. */
  readonly signal?: AbortSignal
}

export interface RoundOptions {
  readonly allowRemovals: boolean
  readonly allowDangling: boolean
  readonly skipInvalid: boolean
  readonly park: boolean
  readonly dryRun: boolean
  /** Compare all keys now, whenever that was done last. */
  readonly reconcile: boolean
}

export interface RoundResult extends IngestResult {
  /** Null where nothing was compared. */
  readonly reconciled: Removed | null
}

/**
 * So many rows are read before anything is written. Few rows change between two rounds: the records
 * are locked for the time of writing them, and not for the time that the source takes.
 */
const rowsAhead = 5_000

/**
 * Reads what has changed in a source, from one state of it, and writes that with the new cursors in
 * one transaction. A round that is cut off at any moment has no effect, and the next one reads the
 * same again. A row that is read twice is the same record, and changes nothing.
 */
export const runRound = async (parts: RoundParts): Promise<RoundResult> => {
  const { store, database, brand, source, report, options, now, signal } = parts
  const { catalog } = store
  const startedAt = now()
  const timestamp = (at: number) => new Date(at).toISOString()
  const order = importOrder(catalog).flat()
  const placeOf = ({ mapping }: SyncQuery) => order.indexOf(mapping.collection)
  const queries = parts.queries.toSorted((one, other) => placeOf(one) - placeOf(other))
  const stored = await store.sources.find(brand, source)
  const before = parseSyncState(stored?.cursor ?? null, queries)

  return database.snapshot(async (snapshot) => {
    const { dialect } = database
    const reading = { catalog, snapshot, dialect, brand, startedAt, signal }
    const read = queries.map((query) => {
      const state = before.get(query.name) as QueryState
      return { query, state, rows: readQuery(reading, query, state.cursor) }
    })
    await readAhead(read.map(({ rows }) => rows))
    const states = () =>
      new Map(
        read.map(({ query, state, rows }) => [
          query.name,
          {
            ...state,
            cursor: rows.cursor(),
            reconciledAt: state.reconciledAt ?? timestamp(startedAt),
          },
        ]),
      )
    const { reconcile: isForced, ...ingestOptions } = options
    const result = await ingest({
      store,
      sources: read.flatMap(({ rows }) => rows.sources),
      owner: brand,
      replace: false,
      ...ingestOptions,
      report,
      now,
      beforeCommit: (writer, collections) =>
        writer.updateSource(source, {
          state: 'idle',
          cursor: formatSyncState(states()),
          succeededAt: timestamp(now()),
          behindSince: timestamp(startedAt),
          error: null,
          processed: collections.reduce((sum, each) => sum + each.read - each.refused, 0),
          failed: collections.reduce((sum, each) => sum + each.refused, 0),
        }),
    })
    if (!result.written) return { ...result, reconciled: null }
    const due = read.filter(
      ({ query: { origin }, state: { reconciledAt } }) =>
        origin.reconcile !== null &&
        (isForced ||
          (reconciledAt !== null &&
            startedAt - Date.parse(reconciledAt) >= origin.reconcile.everyMs)),
    )
    if (due.length === 0) return { ...result, reconciled: null }
    const current = states()
    const next = new Map(current)
    const collections = new Set(due.map(({ query }) => query.mapping.collection))
    // Records of a collection may come from several queries.
    const compared = queries.filter(({ mapping }) => collections.has(mapping.collection))
    for (const { name } of compared) {
      const state = current.get(name)
      if (state) next.set(name, { ...state, reconciledAt: timestamp(startedAt) })
    }
    const reconciled = await reconcile({
      ...reading,
      store,
      source,
      allowRemovals: options.allowRemovals,
      queries: compared,
      cursor: formatSyncState(current),
      reconciled: formatSyncState(next),
    })
    return {
      ...result,
      change: reconciled?.change() ?? result.change,
      reconciled: reconciled?.removed ?? null,
    }
  }, signal)
}

/** Reads rows of one query after the other, for as long as all rows of a query fit. */
const readAhead = async (queries: readonly QueryRows[]): Promise<void> => {
  let left = rowsAhead
  for (const { fill } of queries) {
    const { rows, isComplete } = await fill(left)
    left -= rows
    if (!isComplete || left <= 0) return
  }
}
