import { importOrder } from '#contract'
import {
  type ChangeCollector,
  firstProblem,
  givenSources,
  type IngestOptions,
  type IngestResult,
  ingest,
  type OnError,
  type Report,
  readStoredContext,
  type Source,
  SourceError,
} from '#ingest'
import { type CollectionMapping, contextNeeds, type MappingContext } from '#mapping'
import type { SourceName, Store, Writer } from '#store'
import { explainFailure, type StatedQuery } from './changed-source.ts'
import { requireReadingQueries } from './mapped-query.ts'
import { type QueryRows, readLookedUp, readQuery, type SpoolParts } from './query-rows.ts'
import { givenKeys, type QueryKeys, type Removed, readKeys, reconcile } from './reconcile.ts'
import { type Snapshot, type SourceDatabase, SourceDatabaseError } from './source-database.ts'
import { openSpool } from './spool.ts'
import { formatSyncState, parseSyncState, type QueryState, type SyncQuery } from './sync-state.ts'

export interface RoundParts {
  readonly store: Store
  readonly database: SourceDatabase
  readonly brand: string
  readonly source: SourceName
  /** The queries of some collections, and those of the whole mapping. */
  readonly queries: readonly SyncQuery[]
  readonly mappedQueries: readonly SyncQuery[]
  /** The mappings of given rows, which are written in every round. */
  readonly given?: readonly CollectionMapping[]
  readonly report: Report
  readonly options: RoundOptions
  readonly now: () => number
  /** Receives the changes. */
  readonly changes?: ChangeCollector | undefined
  /** Writes the records. */
  readonly write: Store['write']
  /** Ends reading, with nothing written. */
  readonly signal?: AbortSignal
}

export interface RoundOptions {
  readonly allowRemovals: boolean
  readonly allowDangling: boolean
  readonly onError: OnError
  readonly badRowsPercentMax?: number | undefined
  readonly dryRun: boolean
  /** Compare all keys now, whenever that was done last. */
  readonly reconcile: boolean
}

export interface RoundResult extends IngestResult {
  /** Null where nothing was compared. */
  readonly reconciled: Removed | null
}

/**
 * Reads what has changed in a source, from one state of it, and then writes that with the new cursors
 * in one transaction: the source is not read while the records are locked. A round that is cut off at
 * any moment has no effect, and the next one reads the same again. A row that is read twice is the same
 * record, and changes nothing.
 */
export const runRound = async (parts: RoundParts): Promise<RoundResult> => {
  const { store, database, brand, source, options, now, signal } = parts
  requireReadingQueries(parts.queries, database.dialect)
  const startedAt = now()
  const order = importOrder(store.catalog).flat()
  const placeOf = ({ mapping }: SyncQuery) => order.indexOf(mapping.collection)
  const queries = parts.queries.toSorted((one, other) => placeOf(one) - placeOf(other))
  const stored = await store.sources.find(brand, source)
  const before = parseSyncState(stored?.cursor ?? null, parts.mappedQueries)
  const stated = queries.map((query) => ({ query, state: before.get(query.name) as QueryState }))
  const compared = comparedQueries(stated, options, startedAt)
  const spool = openSpool()
  try {
    const read = async (snapshot: Snapshot) => {
      const { dialect } = database
      const { catalog } = store
      const given = givenOf(parts, startedAt)
      const contextOf = createContexts(store, brand, given)
      const reading = { catalog, snapshot, spool, dialect, brand, startedAt, signal }
      const rows = await readRows({ ...reading, contextOf }, stated)
      const sources = rows.flatMap(({ read }) => read.sources)
      const keysOf = (mapping: CollectionMapping) => contextOf(mapping, sources)
      const keyed = { ...reading, contextOf: keysOf }
      return { rows, keys: await readAllKeys(keyed, compared, given) }
    }
    const { rows, keys } = await database.snapshot(read, signal).catch(async (error) => {
      throw await explainFailure(database, stated, error)
    })
    const states = new Map(before)
    for (const { query, state, read } of rows) {
      const { cursor, columns } = read
      const reconciledAt = state.reconciledAt ?? timestamp(startedAt)
      states.set(query.name, { ...state, cursor, columns, reconciledAt })
    }
    let rehearsed: Removed | null = null
    const beforeRollback = async (writer: Writer, isRefused: boolean) => {
      if (isRefused || compared.length === 0) return
      rehearsed = await rehearseReconcile(parts, keys, stored?.cursor ?? null, writer)
    }
    // What was left out is read again.
    const statesAfter = (collections: IngestResult['collections']) =>
      withHeldCursors(states, before, rows, collections)
    const result = await writeRows(parts, rows, { statesAfter, startedAt, beforeRollback })
    if (!result.written || compared.length === 0) return { ...result, reconciled: rehearsed }
    if (keys instanceof Error) throw keys
    reportUnreadKeys(parts, keys)
    const written = statesAfter(result.collections)
    const next = new Map(written)
    for (const { name } of compared) {
      const state = written.get(name)
      if (state) next.set(name, { ...state, reconciledAt: timestamp(startedAt) })
    }
    const reconciled = await reconcile({
      ...{ store, brand, source, signal, keys },
      ...removalsOf(parts),
      cursor: formatSyncState(written),
      nextCursor: formatSyncState(next),
    })
    return {
      ...result,
      change: reconciled?.change() ?? result.change,
      reconciled: reconciled?.removed ?? null,
    }
  } finally {
    await spool.close()
  }
}

/** Says that a collection is not compared, because a key of it cannot be read. */
const reportUnreadKeys = ({ report, options }: RoundParts, keys: readonly QueryKeys[]): void => {
  for (const { problem, collection } of keys) {
    if (problem === null) continue
    if (options.onError !== 'quarantine') throw new SourceError(`${problem}. Nothing was removed.`)
    const reason = `${problem}, so that nothing was removed from ${collection}`
    report.add({ file: '', line: 0, field: '', value: '', reason, severity: 'warning' })
  }
}

type States = ReadonlyMap<string, QueryState>

/** Queries whose removals were left out continue where they were. */
const withHeldCursors = (
  states: States,
  before: States,
  rows: readonly ReadRows[],
  collections: IngestResult['collections'],
): States => {
  const held = new Set(
    collections.filter(({ heldRemovals }) => heldRemovals > 0).map(({ collection }) => collection),
  )
  const names = rows.flatMap(({ query: { name, mapping } }) =>
    held.has(mapping.collection) ? [name] : [],
  )
  const result = new Map(states)
  for (const name of names) {
    const [state, earlier] = [states.get(name), before.get(name)]
    if (state && earlier) result.set(name, { ...state, cursor: earlier.cursor })
  }
  return result
}

/** What comparing keys may remove, and how it is reported. */
const removalsOf = ({ options, report, mappedQueries }: RoundParts) => ({
  allowRemovals: options.allowRemovals,
  holdsRemovals: options.onError === 'quarantine',
  report,
  reconciled: new Set(
    mappedQueries
      .filter(({ origin }) => origin.reconcile !== null)
      .map(({ mapping }) => mapping.collection),
  ),
})

const timestamp = (at: number): string => new Date(at).toISOString()

/** The queries whose keys are compared in this round. */
const comparedQueries = (
  stated: readonly StatedQuery[],
  { reconcile: isForced }: RoundOptions,
  startedAt: number,
): readonly SyncQuery[] => {
  const due = stated.filter(
    ({ query: { origin }, state: { reconciledAt } }) =>
      origin.reconcile !== null &&
      (isForced ||
        (reconciledAt !== null &&
          startedAt - Date.parse(reconciledAt) >= origin.reconcile.everyMs)),
  )
  const collections = new Set(due.map(({ query }) => query.mapping.collection))
  // Records of a collection may come from several queries.
  return stated
    .map(({ query }) => query)
    .filter(({ mapping }) => collections.has(mapping.collection))
}

/** The rows that the mapping has itself. */
const givenOf = ({ given = [], store }: RoundParts, startedAt: number): readonly Source[] =>
  givenSources(given, { catalog: store.catalog, importedAt: timestamp(startedAt) })

interface ReadRows extends StatedQuery {
  readonly read: QueryRows
}

/** What a mapping takes from stored records and from those of some sources. */
type ContextOf = (mapping: CollectionMapping, sources: readonly Source[]) => Promise<MappingContext>

const createContexts =
  (store: Store, owner: string, given: readonly Source[]): ContextOf =>
  (mapping, own) => {
    const sources = [...given, ...own]
    const parts = { catalog: store.catalog, owner, sources }
    return readStoredContext(contextNeeds([mapping]), parts, store)
  }

const readRows = async (
  { contextOf, ...parts }: Omit<SpoolParts, 'contextOf'> & { readonly contextOf: ContextOf },
  stated: readonly StatedQuery[],
): Promise<readonly ReadRows[]> => {
  const all: ReadRows[] = []
  for (const { query, state } of stated) {
    const sources = all.flatMap(({ read }) => read.sources)
    const before = {
      ...parts,
      contextOf: (mapping: CollectionMapping) => contextOf(mapping, sources),
    }
    // Rows of earlier queries are there, and those of this collection are not.
    const { lookups } = contextNeeds([query.mapping])
    const own = lookups.filter(({ collection }) => collection === query.mapping.collection)
    sources.push(...(await readLookedUp(before, own, stated)))
    all.push({ query, state, read: await readQuery(before, query, state) })
  }
  return all
}

/** The keys, or why they cannot be read: the rows are written nevertheless. */
const readAllKeys = async (
  parts: SpoolParts,
  queries: readonly SyncQuery[],
  given: readonly Source[],
): Promise<readonly QueryKeys[] | Error> => {
  const keys: QueryKeys[] = []
  const compared = new Set(queries.map(({ mapping }) => mapping.collection))
  try {
    for (const query of queries) keys.push(await readKeys(parts, query))
    for (const source of given) {
      if (compared.has(source.resource.path)) keys.push(await givenKeys(parts, source))
    }
  } catch (error) {
    parts.signal?.throwIfAborted()
    if (error instanceof SourceDatabaseError || error instanceof SourceError) return error
    throw error
  }
  return keys
}

/** What comparing the keys would remove. A dry run compares them before its rows are rolled back. */
const rehearseReconcile = async (
  parts: RoundParts,
  keys: readonly QueryKeys[] | Error,
  cursor: string | null,
  writer: Writer,
): Promise<Removed | null> => {
  const { store, brand, source, changes, signal } = parts
  if (keys instanceof Error) throw keys
  reportUnreadKeys(parts, keys)
  const reconciled = await reconcile({
    ...{ store, brand, source, changes, signal, keys, cursor },
    ...removalsOf(parts),
    nextCursor: cursor ?? '',
    write: (_brand, work) => work(writer),
  })
  return reconciled?.removed ?? null
}

interface RoundWrite extends Required<Pick<IngestOptions, 'beforeRollback'>> {
  /** The states of the queries after the round. */
  readonly statesAfter: (collections: IngestResult['collections']) => States
  readonly startedAt: number
}

const writeRows = (
  parts: RoundParts,
  rows: readonly ReadRows[],
  { statesAfter, startedAt, beforeRollback }: RoundWrite,
): Promise<IngestResult> => {
  const { store, brand, source, report, options, changes, write, now } = parts
  const { reconcile: _, ...ingestOptions } = options
  return ingest({
    store,
    sources: [...givenOf(parts, startedAt), ...rows.flatMap(({ read }) => read.sources)],
    owner: brand,
    replace: false,
    ...ingestOptions,
    holdsRemovals: options.onError === 'quarantine',
    source,
    mappings: [...parts.mappedQueries.map(({ mapping }) => mapping), ...(parts.given ?? [])],
    report,
    changes,
    write,
    now,
    beforeRollback,
    beforeCommit: (writer, collections) =>
      writer.updateSource(source, {
        state: 'idle',
        cursor: formatSyncState(statesAfter(collections)),
        succeededAt: timestamp(now()),
        behindSince: timestamp(startedAt),
        error: firstProblem(report),
        processed: collections.reduce((sum, each) => sum + each.read - each.refused, 0),
        failed: collections.reduce((sum, each) => sum + each.refused, 0),
      }),
  })
}
