import type { Shelf, Stage, Staged } from './copy-store.ts'
import type { FeedItem, FeedPage, Source } from './pages.ts'
import type { Form } from './row-mapping.ts'

export interface FeedParts {
  readonly source: Source
  readonly shelf: Shelf
  readonly forms: ReadonlyMap<string, Form>
  readonly onPage: (read: number) => void
}

/** What was read of a feed in this run. */
export interface FeedRead {
  /** Changes of all collections, known or not. */
  items: number
  /** Changes, by collection. */
  readonly changes: Map<string, number>
  /** Collections that have to be walked, because the feed did not say enough. */
  readonly unclear: Set<Form>
  /** Where it ends. */
  cursor: string
  /** How many changes the brand can have in all; not known before it matters. */
  changesMax?: number
}

/** Changes that are read before it is asked how many there can be. */
const unquestionedChanges = 100_000

/** A stage of a feed. One that is not done is not to be believed: the collection has to be walked. */
export const feedStage = (kind: Stage['kind'], isDone: boolean): Stage => ({
  kind,
  etag: null,
  cursor: null,
  total: null,
  isDone,
})

/**
 * Stages what a change feed tells, from a page of it up to its end. `kind` is `whole` when it is
 * read from its beginning, which gives everything, and `patch` otherwise. Says whether the feed
 * could be followed to its end; one that has far more changes than the brand has records is not.
 */
export const stageFeed = async (
  { source, shelf, forms, onPage }: FeedParts,
  begin: FeedPage,
  kind: Stage['kind'],
  seen: FeedRead,
): Promise<boolean> => {
  for (let page = begin; ; ) {
    const rows = new Map<Form, Staged[]>()
    for (const item of page.items) {
      const form = forms.get(item.collection)
      // A newer server may have collections that this release knows nothing of.
      if (!form) continue
      seen.changes.set(item.collection, (seen.changes.get(item.collection) ?? 0) + 1)
      const row = stagedOf(form, item)
      if (!row) seen.unclear.add(form)
      const known = rows.get(form)
      if (!known) rows.set(form, row ? [row] : [])
      else if (row) known.push(row)
    }
    const parts = [...rows].map(([form, each]) =>
      seen.unclear.has(form)
        ? { form, rows: [], stage: feedStage('patch', false) }
        : { form, rows: each, stage: feedStage(kind, true) },
    )
    await shelf.stage(parts, { stagedCursor: page.nextCursor, stagedBy: 'feed' })
    seen.cursor = page.nextCursor
    seen.items += page.items.length
    onPage([...seen.changes.values()].reduce((sum, each) => sum + each, 0))
    if (!page.hasMore) return true
    if (seen.items > unquestionedChanges) {
      seen.changesMax ??= unquestionedChanges + 2 * (await recordsOf(source, forms))
      if (isEndless(seen)) return false
    }
    const next = await source.changes(page.nextCursor)
    if (next === 'lost' || next === null) return false
    page = next
  }
}

/** Whether a feed was given up because it has more changes than the brand can have. */
export const isEndless = ({ items, changesMax = Infinity }: FeedRead): boolean => items > changesMax

/** All records that the lists count. */
const recordsOf = async (source: Source, forms: ReadonlyMap<string, Form>): Promise<number> => {
  let records = 0
  for (const { resource } of forms.values()) records += await source.total(resource)
  return records
}

/** Null when it is not said which record went. */
const stagedOf = (form: Form, item: FeedItem): Staged | null => {
  if (item.operation === 'put') return { put: item.record }
  const gone = goneKey(form, item.id)
  return gone && { gone }
}

/** The identity of a record that went. Where it has several parts, commas are between them. */
const goneKey = ({ resource }: Form, id: unknown): readonly string[] | null => {
  if (typeof id !== 'string') return null
  if (resource.key.length === 1) return [id]
  const parts = id.split(',').map((part) => part.replaceAll('%2C', ',').replaceAll('%25', '%'))
  return parts.length === resource.key.length ? parts : null
}
