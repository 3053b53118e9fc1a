import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { printable } from '#client'
import { type Catalog, importOrder, patterns } from '#contract'
import { parseBrandAddress } from './address.ts'
import { type CopyState, type CopyStore, openCopyStore } from './copy-store.ts'
import { prepareFolder, publish, stateName } from './folder.ts'
import { acquireLock } from './lock.ts'
import { PullError } from './pull-error.ts'
import { bodyMapping, columnMapping, type RowMapping } from './row-mapping.ts'
import { limitTransport, type RunLimits, runLimits } from './run-limits.ts'
import { createServerTransport } from './server-transport.ts'
import { createSource } from './source.ts'
import type { Merged } from './staging.ts'
import { type CollectionRead, type PullProgress, stageChanges } from './sync.ts'

export type { PullProgress } from './sync.ts'

export interface PullOptions {
  readonly catalog: Catalog
  /** The URL of a server, of its API, or of the brand. */
  readonly url: string
  readonly brand: string
  readonly key: string
  /** A folder, or a SQLite file that ends with .sqlite, .sqlite3 or .db. */
  readonly to: string
  /** Reads everything, ignoring the state of the copy. */
  readonly full: boolean
  /** Allows sending the key to other machines over plain HTTP. */
  readonly allowHttp: boolean
  /** The id of this process, for the lock on the copy. */
  readonly process: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Monotonic milliseconds. */
  readonly clock: () => number
  readonly random: () => number
  readonly log: (sentence: string) => void
  readonly onProgress: (progress: PullProgress) => void
  /** The first backoff after a failed request. */
  readonly firstPauseMs?: number
  /** Maximum time without progress of a response. Default: 30 seconds. */
  readonly idleTimeoutMs?: number
  /** Lower limits of the run. */
  readonly limits?: Partial<RunLimits>
}

export interface PulledCollection {
  readonly collection: string
  /** Records or changes read from the server. */
  readonly read: number
  readonly new: number
  readonly changed: number
  readonly removed: number
  readonly unchanged: number
  /** The records of the copy, which match the API's total. */
  readonly records: number
  readonly seconds: number
  /** Whether it changed during every read; the next pull reads it again. */
  readonly moving: boolean
}

export interface Pulled {
  readonly brand: string
  readonly url: string
  readonly to: string
  readonly format: 'ndjson' | 'sqlite'
  /** Whether the pull used the server's change feed. */
  readonly feed: boolean
  readonly records: number
  readonly requests: number
  readonly seconds: number
  readonly collections: readonly PulledCollection[]
}

const defaultIdleTimeoutMs = 30_000
/** Maximum length of a logged sentence. */
const sentenceMax = 500

/** Copies a brand over the public API, or updates an existing copy. */
export const pullBrand = async (options: PullOptions): Promise<Pulled> => {
  const { brand, key, to, random, clock, onProgress, firstPauseMs } = options
  const { idleTimeoutMs = defaultIdleTimeoutMs } = options
  const startedAt = clock()
  const log = (sentence: string) => options.log(printable(sentence, sentenceMax))
  if (!new RegExp(patterns.brand).test(brand))
    throw new PullError(`"${brand}" is not a valid slug.`)
  const address = parseBrandAddress(options.url, brand, options.allowHttp)
  const unlimited = createServerTransport({
    key,
    random,
    log,
    idleTimeoutMs,
    ...(firstPauseMs !== undefined && { firstPauseMs }),
  })
  const limits = { ...runLimits, ...options.limits, idleTimeoutMs, clock }
  const transport = limitTransport(unlimited, limits)
  const source = createSource(transport, address, brand)
  await source.requireBrand()
  const groups = await source.groups()
  if (groups) log(`The key is limited to ${groups.size} groups; the others are not copied.`)

  const { isFolder, file } = await resolveTarget(to)
  const releaseLock = await acquireLock(`${file}.lock`, options.process)
  try {
    const store = await openCopyStore(file)
    try {
      const every = createMappings(options.catalog, isFolder, log)
      const mappings = new Map([...every].filter(([path]) => groups?.has(path) ?? true))
      const all = [...mappings.values()]
      if (!isFolder) await store.addNumbers(all)
      await store.addMissingColumns(all)
      const state = await checkTarget(options, store, all, {
        url: address.origin,
        brand,
        layout: isFolder ? 'bodies' : 'typed columns',
        feedCursor: null,
        stagedCursor: null,
        stagedBy: null,
      })
      const reads = new Map<string, CollectionRead>()
      const parts = { source, store, mappings, reads, clock, log, onProgress }
      const feedCursor = await stageChanges(parts, state)
      const merged = await commit(store, all, feedCursor)
      const resultIn = async (mapping: RowMapping) => {
        const { path } = mapping.resource
        return resultOf(path, await store.count(mapping), reads.get(path), merged.get(path))
      }
      if (isFolder) {
        const pulledAt = new Date(options.now()).toISOString()
        await publish(store, all, to, { brand, url: address.origin, pulledAt })
      }
      const collections = await Promise.all(
        options.catalog.resources.flatMap(({ path }) => {
          const mapping = mappings.get(path)
          return mapping ? [resultIn(mapping)] : []
        }),
      )
      return {
        brand,
        url: address.origin,
        to,
        format: isFolder ? 'ndjson' : 'sqlite',
        feed: feedCursor !== null,
        records: collections.reduce((sum, { records }) => sum + records, 0),
        requests: transport.requests,
        seconds: (clock() - startedAt) / 1_000,
        collections,
      }
    } finally {
      await store.close()
    }
  } finally {
    await releaseLock()
  }
}

interface Target {
  readonly isFolder: boolean
  /** The SQLite file: the copy itself, or the state for a folder's next pull. */
  readonly file: string
}

const resolveTarget = async (to: string): Promise<Target> => {
  const present = await stat(to).catch(() => null)
  if (/\.(sqlite3?|db)$/i.test(to)) {
    if (present && !present.isFile()) throw new PullError(`${to} is not a file.`)
    return { isFolder: false, file: to }
  }
  if (present && !present.isDirectory()) {
    throw new PullError(
      `${to} is a file. Name a folder, or a SQLite file that ends with .sqlite, .sqlite3 or .db.`,
    )
  }
  await prepareFolder(to)
  return { isFolder: true, file: join(to, stateName) }
}

/** Maximum number of unknown fields to report; a newer release adds only a few. */
const unknownFieldsMax = 50

/**
 * The mappings of all collections, in reverse import order: the targets of a record exist when the
 * record is read, so reading their collections afterwards finds them.
 */
const createMappings = (
  catalog: Catalog,
  isFolder: boolean,
  log: PullOptions['log'],
): ReadonlyMap<string, RowMapping> => {
  const reported = new Set<string>()
  const onUnknownField = ({ path }: { readonly path: string }, field: string) => {
    const entry = `${path} ${field}`
    if (reported.size >= unknownFieldsMax || reported.has(entry)) return
    reported.add(entry)
    log(`${path}: the field ${printable(field, 100)} is unknown to this release; it is not copied.`)
    if (reported.size === unknownFieldsMax) log('Further unknown fields are not reported.')
  }
  const paths = importOrder(catalog).flat().reverse()
  return new Map(
    paths.flatMap((path) => {
      const resource = catalog.byPath.get(path)
      if (!resource) return []
      return [[path, isFolder ? bodyMapping(resource) : columnMapping(resource, onUnknownField)]]
    }),
  )
}

/** Checks that the target is a copy of this brand from this server. Returns its state. */
const checkTarget = async (
  { to, full }: PullOptions,
  store: CopyStore,
  mappings: readonly RowMapping[],
  initial: CopyState,
): Promise<CopyState> => {
  const { brand, layout, url } = initial
  const state = await store.state()
  if (state && state.brand !== brand) {
    throw new PullError(`${to} is a copy of the brand ${state.brand}, not of ${brand}.`)
  }
  if (state && state.layout !== layout) {
    throw new PullError(`${to} belongs to another copy. Choose another file or folder.`)
  }
  if (state && state.url !== url && !full) {
    throw new PullError(
      `${to} is a copy from ${state.url}, not from ${url}. Use --full to replace it with a copy from ${url}.`,
    )
  }
  if (state && !full) return state
  if (state) {
    await store.unstage(mappings)
    await store.invalidate()
  }
  await store.saveState(initial)
  return initial
}

/** Merges everything that was staged into the copy, in one transaction. */
const commit = (
  store: CopyStore,
  mappings: readonly RowMapping[],
  feedCursor: string | null,
): Promise<ReadonlyMap<string, Merged>> =>
  store.merge(mappings, { feedCursor, stagedCursor: null, stagedBy: null })

const resultOf = (
  collection: string,
  records: number,
  { read, seconds, changedDuringRead }: CollectionRead = {
    read: 0,
    seconds: 0,
    changedDuringRead: false,
  },
  { added, changed, removed }: Merged = { added: 0, changed: 0, removed: 0 },
): PulledCollection => ({
  collection,
  read,
  new: added,
  changed,
  removed,
  unchanged: records - added - changed,
  records,
  seconds,
  moving: changedDuringRead,
})
