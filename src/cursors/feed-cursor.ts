import type { GroupScope } from '#contract'
import type { FeedPosition } from '#store'
import { createCursors } from './cursor.ts'

/** What a feed cursor is bound to. */
export interface FeedWalk {
  readonly brand: string
  /** The requested collection; null for all. */
  readonly collection: string | null
  /**
   * The groups of the key. A key that may read more groups than before starts again: the changes in
   * them before its position were left out.
   */
  readonly scope: GroupScope
}

/** Seals and opens feed cursors. List cursors are not valid here, nor feed cursors for lists. */
export interface FeedCursors {
  seal(walk: FeedWalk, position: FeedPosition): string
  /** The position of a cursor. Throws an `ApiError` for an invalid cursor. */
  open(walk: FeedWalk, cursor: string): FeedPosition
}

export const createFeedCursors = (secret: string): FeedCursors => {
  const cursors = createCursors(`feed ${secret}`)
  const bound = ({ brand, collection, scope }: FeedWalk) => ({
    brand,
    collection: collection ?? '',
    filters: new Map(collection !== null || scope.isWhole ? [] : [['groups', scope.id]]),
  })
  return {
    seal: (walk, { change, collection, key }) =>
      cursors.seal(bound(walk), [String(change), collection, ...key]),
    open: (walk, cursor) => {
      const [change = '0', collection = '', ...key] = cursors.open(bound(walk), cursor)
      return { change: Number(change), collection, key }
    },
  }
}
