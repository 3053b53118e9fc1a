import type { PlainValue, Position, Sort } from '#store'
import { type BoundPart, type Cursors, createBoundCursors } from './cursor.ts'

/** What a query API cursor is bound to. The page size and fields may change during a walk. */
export interface QueryWalk {
  readonly brand: string
  readonly collection: string
  /** All conditions in canonical form, and the day that a view uses as today. */
  readonly conditions: string
  readonly sort: Sort | null
}

/** Seals and opens query API cursors. Cursors of other lists are not valid here. */
export type QueryCursors = Cursors<QueryWalk, Position>

const queryParts: readonly BoundPart<QueryWalk>[] = [
  { name: 'brand', other: 'another brand', textOf: ({ brand }) => brand },
  { name: 'collection', other: 'another collection', textOf: ({ collection }) => collection },
  {
    name: 'conditions',
    other: 'other conditions or another day',
    textOf: ({ conditions }) => conditions,
  },
  { name: 'sort', other: 'another order', textOf: ({ sort }) => JSON.stringify(sort) },
]

export const createQueryCursors = (secret: string): QueryCursors => {
  const cursors = createBoundCursors<QueryWalk, readonly [PlainValue, ...string[]]>(
    `query ${secret}`,
    queryParts,
    'the same path and parameters',
  )
  return {
    seal: (walk, { value, key }) => cursors.seal(walk, [value, ...key]),
    open: (walk, cursor) => {
      const [value, ...key] = cursors.open(walk, cursor)
      return { value, key }
    },
  }
}
