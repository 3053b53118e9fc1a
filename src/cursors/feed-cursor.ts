import type { FeedPosition } from '#store'
import { createCursors } from './cursor.ts'

/** What a cursor of the feed is bound to. */
export interface FeedWalk {
  readonly brand: string
  /** The collection that was asked for; null for all of them. */
  readonly collection: string | null
}

/** Makes and opens cursors of the feed. Those of lists are none of them, and the other way round. */
export interface FeedCursors {
  seal(walk: FeedWalk, position: FeedPosition): string
  /** The position that a cursor names. Throws what is wrong with it. */
  open(walk: FeedWalk, cursor: string): FeedPosition
}

export const createFeedCursors = (secret: string): FeedCursors => {
  const cursors = createCursors(`feed ${secret}`)
  const bound = ({ brand, collection }: FeedWalk) => ({
    brand,
    collection: collection ?? '',
    filters: new Map<string, string>(),
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
