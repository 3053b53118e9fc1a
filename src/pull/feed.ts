import { parseIdentity } from '#contract'
import type { CopyStore, Stage, StagedRow } from './copy-store.ts'
import type { RowMapping } from './row-mapping.ts'
import type { FeedItem, FeedPage, Source } from './source.ts'

export interface FeedParts {
  readonly source: Source
  readonly store: CopyStore
  readonly mappings: ReadonlyMap<string, RowMapping>
  readonly onPage: (read: number) => void
}

/** The part of a feed that was read in this run. */
export interface FeedProgress {
  /** Changes of all collections, including unknown ones. */
  items: number
  pages: number
  /** Changes by collection. */
  readonly changes: Map<string, number>
  /** Collections whose list must be read, because the feed was not specific enough. */
  readonly incomplete: Set<RowMapping>
  /** The position after the last page. */
  cursor: string
  /** The maximum plausible number of changes; determined only after many were read. */
  changesMax?: number
}

export const newFeedProgress = (): FeedProgress => ({
  items: 0,
  pages: 0,
  changes: new Map(),
  incomplete: new Set(),
  cursor: '',
})

export const changesRead = ({ changes }: FeedProgress): number =>
  [...changes.values()].reduce((sum, each) => sum + each, 0)

/** Changes to read before comparing them with the number of records. */
const uncheckedChanges = 100_000

/** A stage from the feed. If it is not done, the collection's list must be read. */
export const feedStage = (kind: Stage['kind'], isDone: boolean): Stage => ({
  kind,
  etag: null,
  cursor: null,
  total: null,
  isDone,
})

/**
 * Stages a change feed from a page to its end. `kind` is `whole` for a feed from the beginning,
 * which returns every record, and `patch` otherwise. Returns false if it cannot reach the end: the
 * cursor is no longer valid, its pages are almost empty, or it has far more changes than the brand
 * has records.
 */
export const stageFeed = async (
  { source, store, mappings, onPage }: FeedParts,
  first: FeedPage,
  kind: Stage['kind'],
  progress: FeedProgress,
): Promise<boolean> => {
  for (let page = first; ; ) {
    const rowsOf = new Map<RowMapping, StagedRow[]>()
    for (const item of page.items) {
      const mapping = mappings.get(item.collection)
      // A newer server may have collections that this release does not know.
      if (!mapping) continue
      progress.changes.set(item.collection, (progress.changes.get(item.collection) ?? 0) + 1)
      const row = toStagedRow(mapping, item)
      if (!row) progress.incomplete.add(mapping)
      const rows = rowsOf.get(mapping) ?? []
      if (row) rows.push(row)
      rowsOf.set(mapping, rows)
    }
    const parts = [...rowsOf].map(([mapping, rows]) =>
      progress.incomplete.has(mapping)
        ? { mapping, rows: [], stage: feedStage('patch', false) }
        : { mapping, rows, stage: feedStage(kind, true) },
    )
    await store.stage(parts, { stagedCursor: page.nextCursor, stagedBy: 'feed' })
    progress.cursor = page.nextCursor
    progress.items += page.items.length
    progress.pages += 1
    onPage(changesRead(progress))
    if (!page.hasMore) return true
    if (isThin(progress)) return false
    if (progress.items > uncheckedChanges) {
      progress.changesMax ??= uncheckedChanges + 2 * (await countRecords(source, mappings))
      if (isEndless(progress)) return false
    }
    const next = await source.changes(page.nextCursor)
    if (next === 'invalid-cursor' || next === null) return false
    page = next
  }
}

/** Pages to read before comparing them with the number of changes, and changes of a page then. */
const [uncheckedPages, pageChangesMin] = [100, 50]

/** Whether a feed was abandoned because its pages have too few changes, with more to come. */
export const isThin = ({ items, pages }: FeedProgress): boolean =>
  pages > uncheckedPages && items < pages * pageChangesMin

/** Whether a feed was abandoned because it has implausibly many changes. */
export const isEndless = ({ items, changesMax = Infinity }: FeedProgress): boolean =>
  items > changesMax

const countRecords = async (
  source: Source,
  mappings: ReadonlyMap<string, RowMapping>,
): Promise<number> => {
  let records = 0
  for (const { resource } of mappings.values()) records += await source.total(resource)
  return records
}

/** Null if the deleted record cannot be identified. */
const toStagedRow = ({ resource }: RowMapping, item: FeedItem): StagedRow | null => {
  if (item.operation === 'put') return { put: item.record }
  const { id } = item
  const deleted = typeof id === 'string' ? parseIdentity(id, resource.key.length) : null
  return deleted && { deleted }
}
