import { formatCount, type Resource, recordName, resourceAt } from '#contract'
import {
  type ChangeCollector,
  plainText,
  type Referenced,
  ReferencedError,
  type Report,
  repetitionsMax,
  requireUnreferenced,
  type Source,
  SourceError,
} from '#ingest'
import { type Cell, type CollectionMapping, columnsOf, compileRowNamer } from '#mapping'
import type { Orphans, SourceName, Store, Writer } from '#store'
import { runMappedQuery } from './mapped-query.ts'
import {
  columnNames,
  compile,
  keyMapping,
  named,
  type ReadParts,
  type SpoolParts,
} from './query-rows.ts'
import { keysQuery } from './source-query.ts'
import type { SpooledRows } from './spool.ts'
import type { SyncQuery } from './sync-state.ts'

export interface ReconcileParts {
  readonly store: Store
  readonly brand: string
  readonly source: SourceName
  readonly allowRemovals: boolean
  /** Whether records stay that stored ones refer to, with a warning. Otherwise they are an error. */
  readonly holdsRemovals: boolean
  readonly report: Report
  readonly signal?: AbortSignal | undefined
  /** The keys of the source, of all queries of the collections that are compared. */
  readonly keys: readonly QueryKeys[]
  /** The collections whose keys are compared at some time. */
  readonly reconciled: ReadonlySet<string>
  /** Receives the removals. */
  readonly changes?: ChangeCollector | undefined
  /** The transaction to write in, instead of a new one. */
  readonly write?: Store['write']
  /** The state of the source that the keys belong to, and the one after comparing. */
  readonly cursor: string | null
  readonly nextCursor: string
}

/** The identities of all records of a query. */
export interface QueryKeys {
  readonly collection: string
  /** Why the key of a row cannot be read: nothing of its collection is removed. Null if all can. */
  readonly problem: string | null
  readonly identities: SpooledRows<readonly string[]>
}

/** Records that are gone from the source were removed, by collection. */
export type Removed = readonly { readonly collection: string; readonly removed: number }[]

export interface Reconciled {
  readonly removed: Removed
  /** See `Writer`. */
  readonly change: () => number | null
}

/**
 * Removes records whose keys are not in the source any more. The keys of the source are written to a
 * table beside the stored ones, which the database compares along their index: however many there
 * are, memory holds a batch of them. Returns null where another process has read the source since.
 */
export const reconcile = async (parts: ReconcileParts): Promise<Reconciled | null> => {
  const warnings: string[] = []
  let heldBack: Referenced = new Map()
  for (let repetitions = 0; ; repetitions += 1) {
    const holds = parts.holdsRemovals && repetitions < repetitionsMax
    try {
      const reconciled = await compareKeys(parts, heldBack, { holds, warnings })
      for (const reason of warnings) {
        const place = { file: '', line: 0, field: '', value: '' }
        parts.report.add({ ...place, reason, severity: 'warning' })
      }
      return reconciled
    } catch (error) {
      if (!(error instanceof ReferencedError)) throw error
      heldBack = error.referenced
    }
  }
}

interface Comparison {
  /** Whether records stay that others refer to. */
  readonly holds: boolean
  /** Receives why they stay. */
  readonly warnings: string[]
}

const compareKeys = (
  parts: ReconcileParts,
  heldBack: Referenced,
  { holds, warnings }: Comparison,
): Promise<Reconciled | null> => {
  const { store, brand, source, allowRemovals, signal, changes, write = store.write } = parts
  return write(brand, async (writer) => {
    // What another process has added since is not in this snapshot, and would be removed.
    const state = await store.sources.find(brand, source)
    if ((state?.cursor ?? null) !== parts.cursor) return null
    const results: { collection: string; removed: number }[] = []
    for (const [collection, queries] of Map.groupBy(parts.keys, (each) => each.collection)) {
      const resource = resourceAt(store.catalog, collection)
      if (queries.some(({ problem }) => problem !== null)) continue
      for (const { identities } of queries) {
        for await (const batch of identities.batches()) {
          signal?.throwIfAborted()
          await writer.stageKept(resource, batch)
        }
      }
      const referenced = [...(heldBack.get(collection) ?? [])]
      if (referenced.length > 0) {
        await writer.stageKept(
          resource,
          referenced.map((id) => [id]),
        )
      }
      const stored = await writer.count(resource)
      const { removed } = await writer.merge(resource, {
        replace: true,
        onChange: changes && ((change) => changes.add(resource, change)),
      })
      if (removed * 2 > stored && !allowRemovals) {
        const [of, all] = [removed, stored].map((count) => count.toLocaleString('en'))
        throw new SourceError(
          `Comparing all keys would remove ${of} of the ${all} stored records of ${collection}, more than half. Nothing was removed. Check the query, or add --allow-removals to remove them.`,
        )
      }
      results.push({ collection, removed })
    }
    for await (const orphans of writer.orphans()) {
      const who = orphanNames(parts, orphans)
      const { from, to } = orphans
      const advice = orphanAdvice(parts, from, to)
      if (!holds) {
        throw new SourceError(
          `Comparing all keys would remove records of ${to} that ${who}. Nothing was removed. ${advice}`,
        )
      }
      warnings.push(
        `Records of ${to} are gone from the source that ${who}. They stay until no record refers to them. ${advice}`,
      )
    }
    // A rehearsal cannot be repeated. It counts what the first comparison would keep.
    if (parts.write)
      return { removed: await withoutReferenced(results, writer), change: writer.change }
    await requireUnreferenced(writer, heldBack)
    await writer.updateSource(source, { cursor: parts.nextCursor })
    return { removed: results, change: writer.change }
  })
}

const withoutReferenced = async (results: Removed, writer: Writer): Promise<Removed> => {
  const ids = new Map<string, Set<string>>()
  for await (const { to, ids: own } of writer.referenced()) {
    ids.set(to, new Set([...(ids.get(to) ?? []), ...own]))
  }
  return results.map(({ collection, removed }) => ({
    collection,
    removed: removed - (ids.get(collection)?.size ?? 0),
  }))
}

/** Who refers to removed records: `2 stored records of suppliers refer to by partnerId: …`. */
const orphanNames = ({ store }: ReconcileParts, { from, field, count, first }: Orphans): string => {
  const names = first.slice(0, namedMax).map(({ key, body }) => {
    const name = body && recordName(resourceAt(store.catalog, from), JSON.parse(body))
    return plainText(name || key.join(' '))
  })
  return `${formatCount(count, 'stored record')} of ${from} refer to by ${field}: ${names.join('; ')}${count > names.length ? '; …' : ''}`
}

/** Referring records that a message names. */
const namedMax = 3

const orphanAdvice = ({ keys, reconciled }: ReconcileParts, from: string, to: string): string => {
  if (keys.some(({ collection }) => collection === from)) {
    return `The source still has these rows of ${from}, and no longer the rows of ${to} that they refer to: correct or delete them in the source.`
  }
  return reconciled.has(from)
    ? `The keys of ${from} are compared less often: add --reconcile to compare all now, or give both the same interval in the mapping.`
    : `Compare the keys of ${from} too: add reconcile to its mapping.`
}

/** Reads the identities of the records of a query into the spool. */
export const readKeys = async (parts: SpoolParts, query: SyncQuery): Promise<QueryKeys> => {
  const name = `The keys of ${query.name}`
  let problem: string | null = null
  const onProblem = (reason: string) => {
    problem ??= `${name} ${reason}`
  }
  const identities = await named(name, () =>
    parts.spool.fill(identitiesOf(parts, query, onProblem)),
  )
  return { collection: query.mapping.collection, problem, identities }
}

/** The identities of the rows that a mapping has itself. */
export const givenKeys = async (
  parts: SpoolParts,
  { mapping, resource }: Source,
): Promise<QueryKeys> => {
  const { columns = [], rows = [] } = mapping?.from.given ?? {}
  const batch = rows.map(({ cells }) => cells)
  const own = {
    mapping: mapping as CollectionMapping,
    table: { columns, batches: [batch] },
    name: `The keys of ${mapping?.file}`,
  }
  let problem: string | null = null
  const onProblem = (reason: string) => {
    problem ??= `${own.name} ${reason}`
  }
  const keys = keyMapping(own.mapping, resource)
  const wanted = { ...keys, where: own.mapping.where, remove: own.mapping.remove }
  const identities = await named(own.name, () =>
    parts.spool.fill(identitiesIn(parts, wanted, resource, own.table, onProblem)),
  )
  return { collection: resource.path, problem, identities }
}

async function* identitiesOf(
  parts: ReadParts,
  query: SyncQuery,
  onProblem: (reason: string) => void,
): AsyncIterable<readonly (readonly string[])[]> {
  const { mapping, origin } = query
  const resource = resourceAt(parts.catalog, mapping.collection)
  const keys = keyMapping(mapping, resource)
  // A query of its own has the keys of all that is to stay, and perhaps no other columns.
  const wanted = origin.reconcile?.sql
    ? keys
    : { ...keys, where: mapping.where, remove: mapping.remove }
  const sql = keysQuery(origin, columnsOf(wanted), parts.dialect)
  const { columns, batches } = await runMappedQuery(parts, sql, query)
  const table = { columns: columnNames({ columns }), batches }
  yield* identitiesIn(parts, wanted, resource, table, onProblem)
}

interface KeyRows {
  readonly columns: readonly string[]
  readonly batches:
    | AsyncIterable<readonly (readonly Cell[])[]>
    | Iterable<readonly (readonly Cell[])[]>
}

async function* identitiesIn(
  parts: ReadParts,
  mapping: CollectionMapping,
  resource: Resource,
  { columns, batches }: KeyRows,
  onProblem: (reason: string) => void,
): AsyncIterable<readonly (readonly string[])[]> {
  const context = await parts.contextOf(mapping)
  const mapper = compile(parts, mapping, resource, columns, context)
  const namer = compileRowNamer(mapping, resource.key, columns)
  for await (const batch of batches) {
    const identities: (readonly string[])[] = []
    for (const cells of batch) {
      const result = mapper.map(cells)
      if (result === null || 'removal' in result) continue
      const [problem] = 'problems' in result ? result.problems : []
      if (problem) {
        const key = plainText(namer.keyOf(cells))
        onProblem(`of the row ${key}, column ${problem.column} ${problem.reason}`)
      }
      if ('value' in result) {
        const { value } = result
        identities.push(resource.key.map((field) => String(value[field])))
      }
    }
    yield identities
  }
}

/** What prevents a collection from being compared; null where nothing does. */
export const reconcileProblem = (
  queries: readonly SyncQuery[],
  others: ReadonlySet<string>,
): string | null => {
  for (const { mapping, origin } of queries) {
    const { collection, file } = mapping
    if (!origin.reconcile) continue
    const all = queries.filter((query) => query.mapping.collection === collection)
    if (others.has(collection) || all.some((query) => !query.origin.reconcile)) {
      return `${file}:${origin.line} ${collection} has another mapping without reconcile, whose records would be removed. Add reconcile to all of them, or remove it here.`
    }
  }
  return null
}
