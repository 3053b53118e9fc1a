/** One page of a list, as the server sends it. */
export interface PageBody<R> {
  /** At most `limit` records. */
  readonly items: readonly R[]
  /** The cursor of the next page; null on the last one. It does not expire and can be stored. */
  readonly nextCursor: string | null
  /** How many records match, across all pages: exact, and of the same moment as the items. */
  readonly totalItems: number
  /** Of a query with `ids`: those that are not among the records. */
  readonly missingIds?: readonly string[]
  /** Of a query with a view: the day that it took for today. */
  readonly asOf?: string
}

/** A page that can read the next one. */
export class Page<R> implements PageBody<R> {
  readonly items: readonly R[]
  readonly nextCursor: string | null
  readonly totalItems: number
  declare readonly missingIds?: readonly string[]
  declare readonly asOf?: string
  readonly #read: (cursor: string) => Promise<Page<R>>

  constructor(body: PageBody<R>, read: (cursor: string) => Promise<Page<R>>) {
    this.items = body.items
    this.nextCursor = body.nextCursor
    this.totalItems = body.totalItems
    if (body.missingIds) this.missingIds = body.missingIds
    if (body.asOf) this.asOf = body.asOf
    this.#read = read
  }

  /** The next page, or null after the last one. */
  async next(): Promise<Page<R> | null> {
    return this.nextCursor === null ? null : this.#read(this.nextCursor)
  }
}
