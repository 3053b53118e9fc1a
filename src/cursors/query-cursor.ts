import type { PlainValue, Position, Sort } from '#store'
import { type BoundPart, type Cursors, createBoundCursors } from './cursor.ts'

/** What a cursor of the query API is bound to. Another page size or other fields are the same walk. */
export interface QueryWalk {
  readonly brand: string
  readonly collection: string
  /** Every condition, in a canonical form, and the day that a view takes for today. */
  readonly conditions: string
  readonly sort: Sort | null
}

/** Makes and opens cursors of the query API. Those of other lists are none of them. */
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
