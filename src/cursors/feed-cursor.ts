import type { GroupScope } from '#contract'
import type { FeedPosition } from '#store'
import { type BoundPart, createBoundCursors } from './cursor.ts'

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

/** Texts of walks without a scope are those of versions that had none, whose cursors stay valid. */
const feedParts: readonly BoundPart<FeedWalk>[] = [
  { name: 'brand', other: 'another brand', textOf: ({ brand }) => brand },
  {
    name: 'collection',
    other: 'another collection',
    textOf: ({ collection }) => collection ?? '',
  },
  {
    name: 'groups',
    other: 'a key with other groups',
    textOf: ({ collection, scope }) =>
      JSON.stringify(collection !== null || scope.isWhole ? [] : [['groups', scope.id]]),
  },
]

export const createFeedCursors = (secret: string): FeedCursors => {
  const cursors = createBoundCursors<FeedWalk, readonly string[]>(
    `feed ${secret}`,
    feedParts,
    'the same path, collection and groups',
  )
  return {
    seal: (walk, { change, collection, key }) =>
      cursors.seal(walk, [String(change), collection, ...key]),
    open: (walk, cursor) => {
      const [change = '0', collection = '', ...key] = cursors.open(walk, cursor)
      return { change: Number(change), collection, key }
    },
  }
}
