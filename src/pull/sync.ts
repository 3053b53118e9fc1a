/** Fills a copy's staging tables from the change feed, or from the lists if there is no feed. */
import type { CopyState, CopyStore } from './copy-store.ts'
import {
  changesRead,
  type FeedParts,
  type FeedProgress,
  feedStage,
  isEndless,
  isThin,
  newFeedProgress,
  stageFeed,
} from './feed.ts'
import { PullError } from './pull-error.ts'
import type { RowMapping } from './row-mapping.ts'
import type { FeedPage, Source } from './source.ts'
import { stageWalk } from './walk.ts'

export interface PullProgress {
  /** A collection, or `changes` for the feed. */
  readonly what: string
  readonly read: number
  /** From 0 to 1; null if unknown. */
  readonly share: number | null
  readonly done: boolean
}

/** Statistics of reading a collection. */
export interface CollectionRead {
  read: number
  seconds: number
  changedDuringRead: boolean
}

export interface SyncParts {
  readonly source: Source
  readonly store: CopyStore
  readonly mappings: ReadonlyMap<string, RowMapping>
  /** By collection. */
  readonly reads: Map<string, CollectionRead>
  /** Monotonic milliseconds. */
  readonly clock: () => number
  readonly log: (sentence: string) => void
  readonly onProgress: (progress: PullProgress) => void
}

/** Stages all changes. Returns the position in the change feed; null if there is no feed. */
export const stageChanges = async (parts: SyncParts, state: CopyState): Promise<string | null> => {
  const feedCursor = await stageByFeed(parts, state)
  if (feedCursor === null) await stageByWalk(parts, state)
  return feedCursor
}

/** The state of a copy without a position in the feed. */
const noPosition = { feedCursor: null, stagedCursor: null, stagedBy: null } as const

/**
 * Stages the changes since the last pull, or everything at first. Then compares the record counts
 * with the API's totals.
 */
const stageByFeed = async (parts: SyncParts, state: CopyState): Promise<string | null> => {
  const { source, store, mappings, log, onProgress } = parts
  const isResumed = state.stagedBy === 'feed'
  if (state.stagedBy === 'walk') {
    // Abandons a started walk only if there is a feed.
    if (!(await source.changes(null))) return null
    await store.unstage([...mappings.values()])
  }
  let kind: 'whole' | 'patch' = state.feedCursor === null ? 'whole' : 'patch'
  let page = await source.changes(isResumed ? state.stagedCursor : state.feedCursor)
  if (page === null) return null
  const progress = newFeedProgress()
  for (const mapping of mappings.values()) {
    const { stage } = await store.collection(mapping)
    if (stage && !stage.isDone) progress.incomplete.add(mapping)
  }
  const onPage = (read: number) => onProgress({ what: 'changes', read, share: null, done: false })
  const feed = { source, store, mappings, onPage }
  const reachedEnd = page !== 'invalid-cursor' && (await stageFeed(feed, page, kind, progress))
  if (isEndless(progress) || (!reachedEnd && isThin(progress)))
    return abandonFeed(parts, state, progress)
  if (!reachedEnd) {
    log("The change feed no longer recognises this copy's position; starting a full sync.")
    await store.unstage([...mappings.values()])
    await store.saveState({ ...state, ...noPosition })
    progress.incomplete.clear()
    kind = 'whole'
    page = await source.changes(null)
    // The feed was disabled meanwhile.
    if (page === null) return null
    const isWhole = page !== 'invalid-cursor' && (await stageFeed(feed, page, kind, progress))
    if (isEndless(progress) || (!isWhole && isThin(progress)))
      return abandonFeed(parts, state, progress)
    if (!isWhole) {
      throw new PullError('The change feed cannot be read from its beginning to its end.')
    }
  }
  if (kind === 'whole') await stageEmptyCollections(parts)
  await compareTotals(parts, kind, progress, feed)
  onProgress({ what: 'changes', read: changesRead(progress), share: null, done: true })
  for (const [path, changes] of progress.changes) readOf(parts, path).read += changes
  return progress.cursor
}

/** Drops the rows of a feed that does not end; the lists are read instead. */
const abandonFeed = async (
  { store, mappings, log }: SyncParts,
  state: CopyState,
  progress: FeedProgress,
) => {
  log(
    isThin(progress)
      ? `The change feed has ${progress.items} changes on ${progress.pages} pages, and more; reading the lists.`
      : 'The change feed has more changes than the brand has records; reading the lists.',
  )
  await store.unstage([...mappings.values()])
  await store.saveState({ ...state, ...noPosition })
  return null
}

/** A feed from its beginning has every record, so all other collections are empty. */
const stageEmptyCollections = async ({ store, mappings }: SyncParts): Promise<void> => {
  for (const mapping of mappings.values()) {
    const { stage } = await store.collection(mapping)
    if (!stage) await store.stage([{ mapping, rows: [], stage: feedStage('whole', true) }])
  }
}

const roundsMax = 4

/**
 * Compares the feed's result with the API's totals. If they differ, records may have been written
 * meanwhile, so more of the feed is read. Collections that still differ are walked.
 */
const compareTotals = async (
  parts: SyncParts,
  kind: 'whole' | 'patch',
  progress: FeedProgress,
  feed: FeedParts,
): Promise<void> => {
  const { source, store, mappings, log } = parts
  let unverified = [...mappings.values()].filter((each) => !progress.incomplete.has(each))
  for (let round = 1; unverified.length > 0; round += 1) {
    const differing: RowMapping[] = []
    for (const mapping of unverified) {
      const total = await source.total(mapping.resource)
      if ((await store.countAfterMerge(mapping)) !== total) differing.push(mapping)
    }
    unverified = differing.filter((mapping) => !progress.incomplete.has(mapping))
    if (round === roundsMax || unverified.length === 0) break
    const page: FeedPage | 'invalid-cursor' | null = await source.changes(progress.cursor)
    if (page === null || page === 'invalid-cursor') break
    if (!(await stageFeed(feed, page, kind, progress))) break
  }
  for (const mapping of unverified) {
    log(`${mapping.resource.path}: the change feed is incomplete; reading the list.`)
    await store.stage([{ mapping, rows: [], stage: feedStage('patch', false) }])
  }
  for (const mapping of new Set([...progress.incomplete, ...unverified])) {
    await walk(parts, mapping)
  }
}

/** Stages every changed collection from its list. */
const stageByWalk = async (parts: SyncParts, state: CopyState): Promise<void> => {
  const { store, mappings } = parts
  if (state.stagedBy === 'feed') await store.unstage([...mappings.values()])
  await store.saveState({ ...state, stagedCursor: null, stagedBy: 'walk' })
  for (const mapping of mappings.values()) await walk(parts, mapping)
}

const walk = async (parts: SyncParts, mapping: RowMapping): Promise<void> => {
  const { source, store, clock, log, onProgress } = parts
  const what = mapping.resource.path
  const startedAt = clock()
  const onPage = (read: number, staged: number, total: number) =>
    onProgress({ what, read, share: total === 0 ? null : staged / total, done: false })
  const result = await stageWalk({ source, store, log, onPage }, mapping)
  if (result.changedDuringRead) {
    log(`${what} changed during every read; the next pull will read it again.`)
  }
  const own = readOf(parts, what)
  own.read += result.read
  own.seconds += (clock() - startedAt) / 1_000
  own.changedDuringRead = result.changedDuringRead
  if (result.read > 0) onProgress({ what, read: result.read, share: 1, done: true })
}

const readOf = ({ reads }: SyncParts, path: string): CollectionRead => {
  const own = reads.get(path) ?? { read: 0, seconds: 0, changedDuringRead: false }
  reads.set(path, own)
  return own
}
