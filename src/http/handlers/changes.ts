import { ApiError, feedVersion, resourceAt, writeIdentity } from '#contract'
import type { FeedCursors } from '#cursors'
import { feedParameters } from '#request'
import { afterNumber, type Change, type FeedPosition, feedStart, type Store } from '#store'
import { allGroups, type FeedRead } from '#usage'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'

export interface ChangesParts {
  readonly store: Store
  readonly cursors: FeedCursors
  readonly etags: Etags
}

/** The records of a brand that changed after a cursor or a number. */
export const changesHandler = ({ store, cursors, etags }: ChangesParts): KeyedHandler => {
  const { catalog, feed } = store
  const parse = feedParameters(catalog)
  return async ({ ctx, match, grant, brand, reserve, isCancelled }) => {
    const { scope } = grant
    const { collection, limit, cursor, after: number } = parse(match.query, scope)
    const walk = { brand, collection, scope }
    // A client that starts after a number sends both from its second page on; the cursor is
    // further.
    const start = number ? afterNumber(number) : feedStart
    const after = cursor === null ? start : cursors.open(walk, cursor)
    const resource = collection === null ? null : resourceAt(catalog, collection)
    endStage(ctx, 'read')

    const lostPosition = () => lost(cursor === null ? 'number' : 'cursor')
    if (!(await feed.isKept(brand, after))) throw lostPosition()

    const target = JSON.stringify(['feed', feedVersion, collection, limit, after, scope.id])
    const tagAt = (version: string) => etags.of(brand, target, version)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch) {
      const state = await feed.state({ brand, resource, scope })
      const tag = tagAt(state.version)
      const { readState } = state
      if (matchesEtag(ifNoneMatch, tag)) {
        return { notModified: tag, readState, feed: feedRead(collection, after, null) }
      }
      if (matchesAny(ifNoneMatch)) return { notModified: tag, readState }
    }
    const page = await feed.page({ brand, resource, scope, after, limit, reserve, isCancelled })
    endStage(ctx, 'run')

    if (!page.isKnown) throw lostPosition()
    const nextCursor = cursors.seal(walk, page.next)
    const end = `],"nextCursor":"${nextCursor}","hasMore":${page.hasMore}}`
    const body = [itemsStart, ...page.changes.flatMap(writeChange), Buffer.from(end, 'latin1')]
    return {
      body,
      tag: tagAt(page.version),
      readState: page.readState,
      records: page.changes.length,
      groups: [collection ?? allGroups],
      feed: feedRead(collection, page.next, !page.hasMore),
    }
  }
}

/** Always the same text for a position: `isAtEnd` of null compares it with the stored one. */
const feedRead = (
  collection: string | null,
  position: FeedPosition,
  isAtEnd: FeedRead['isAtEnd'],
): FeedRead => ({
  collection,
  change: position.change,
  position: JSON.stringify(position, ['change', 'collection', 'key']),
  isAtEnd,
})

/** The JSON of a change, in pieces. Inserts the stored record byte for byte. */
const writeChange = (
  { number, collection, key, body }: Change,
  index: number,
): readonly Uint8Array[] => {
  const start = index === 0 ? '' : ','
  const id = JSON.stringify(writeIdentity(key))
  const head = `${start}{"number":${number},"collection":"${collection}","id":${id},`
  return body === null
    ? [Buffer.from(`${head}"operation":"remove"}`)]
    : [Buffer.from(`${head}"operation":"put","record":`), body, changeEnd]
}

const itemsStart = Buffer.from('{"items":[')
const changeEnd = Buffer.from('}')

const lost = (what: 'cursor' | 'number'): ApiError =>
  new ApiError(
    'invalid_cursor',
    `This ${what} is no longer valid because the database was restored from a backup. Start again without a ${what}.`,
  )
