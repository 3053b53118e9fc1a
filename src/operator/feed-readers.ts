import { catalog, groupScopeOf, type OperatorFeed, type OperatorFeedReader } from '#contract'
import type { KeyRecord } from '#keys'
import type { FeedPosition } from '#store'
import { createUsageLog, type FeedReader } from '#usage'
import { readCursor, writeCursor } from './cursor.ts'
import type { OperatorParts } from './parts.ts'

/** Readers of a page. */
const pageReaders = 50

/** Changes that are counted for a reader: a few milliseconds. Merging those of many groups takes longer. */
const countedMax = { whole: 10_000, groups: 1_000 }

/** The keys that read the change feed, by brand, and how far they are behind. */
export const listFeedReaders = async (
  parts: Pick<OperatorParts, 'keyDatabase' | 'keys' | 'store' | 'now'>,
  { brand, cursor }: { readonly brand?: string | undefined; readonly cursor?: string | undefined },
): Promise<OperatorFeed> => {
  const [from = '', keyId = '', collection = ''] =
    cursor === undefined ? [] : readCursor(cursor, 3).map(String)
  const after = cursor === undefined ? undefined : { brand: from, keyId, collection }
  const isRecording = await parts.store.feed.isRecording()
  const readers = await createUsageLog(parts.keyDatabase).feedReaders({
    ...{ brand, after, limit: pageReaders },
  })
  const keys = new Map((await parts.keys.list()).map((key) => [key.id, key]))
  const items: OperatorFeedReader[] = []
  for (const reader of isRecording ? readers : []) {
    items.push(await describeReader(parts, reader, keys.get(reader.keyId)))
  }
  const last = readers.at(-1)
  return {
    items,
    nextCursor:
      last && readers.length === pageReaders
        ? writeCursor([last.brand, last.keyId, last.collection ?? ''])
        : null,
    isRecording,
  }
}

const describeReader = async (
  { store, now }: Pick<OperatorParts, 'store' | 'now'>,
  { keyId, brand, collection, change, position, readAt, caughtUpAt }: FeedReader,
  key: KeyRecord | undefined,
): Promise<OperatorFeedReader> => {
  const scope = key && groupScopeOf(key)
  const isWhole = collection !== null || scope === undefined || scope.isWhole
  const lag = await store.feed.lag({
    ...{
      brand,
      scope,
      resource: collection === null ? null : (catalog.byPath.get(collection) ?? null),
    },
    after: JSON.parse(position) as FeedPosition,
    limit: isWhole ? countedMax.whole : countedMax.groups,
  })
  const behindMs = caughtUpAt === null ? null : Math.max(0, now() - Date.parse(caughtUpAt))
  return {
    ...{ keyId, keyName: key?.name ?? null, brand, collection, position: change },
    ...{ readAt, caughtUpAt },
    // A position from before a restore leads nowhere: its reader has to start again.
    lagChanges: lag?.changes ?? 0,
    hasMoreChanges: lag === null || lag.hasMore,
    lagSeconds: lag?.changes === 0 ? 0 : behindMs === null ? null : Math.round(behindMs / 1_000),
  }
}
