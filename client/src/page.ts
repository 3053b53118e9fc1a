/** One page of a list, as the server gives it. */
export interface PageBody<R> {
  /** At most as many as `limit` said. */
  readonly items: readonly R[]
  /** Where the next page begins; null on the last. It does not expire and can be stored. */
  readonly nextCursor: string | null
  /** All records that match, across pages: exact, and of the same moment as the items. */
  readonly totalItems: number
}

/** A page, and the way to the next. */
export class Page<R> implements PageBody<R> {
  readonly items: readonly R[]
  readonly nextCursor: string | null
  readonly totalItems: number
  readonly #readAt: (cursor: string) => Promise<Page<R>>

  constructor(body: PageBody<R>, readAt: (cursor: string) => Promise<Page<R>>) {
    this.items = body.items
    this.nextCursor = body.nextCursor
    this.totalItems = body.totalItems
    this.#readAt = readAt
  }

  /** The page that follows, or null after the last. */
  async next(): Promise<Page<R> | null> {
    return this.nextCursor === null ? null : this.#readAt(this.nextCursor)
  }
}
