import type { Totals } from './generated/responses.ts'

/** One page of a list, as the server sends it. */
export interface PageBody<R> {
  /** At most `limit` records. */
  readonly items: readonly R[]
  /**
   * The cursor of the next page, or null on the last page. It does not expire and can be stored.
   */
  readonly nextCursor: string | null
  /** The exact number of matching records on all pages, from the same snapshot as the items. */
  readonly totalItems: number
  /** Set for a query with `ids`: the ids that were not found. */
  readonly missingIds?: readonly string[]
  /** Set for a query with a view: the day that the view treated as today. */
  readonly asOf?: string
  /** Set for a query with `totals`: sums of all matching records, from the same snapshot. */
  readonly totals?: Totals
}

/** A page that can load the next page. */
export class Page<R> implements PageBody<R> {
  readonly items: readonly R[]
  readonly nextCursor: string | null
  readonly totalItems: number
  declare readonly missingIds?: readonly string[]
  declare readonly asOf?: string
  declare readonly totals?: Totals
  readonly #read: (cursor: string) => Promise<Page<R>>

  constructor(body: PageBody<R>, read: (cursor: string) => Promise<Page<R>>) {
    this.items = body.items
    this.nextCursor = body.nextCursor
    this.totalItems = body.totalItems
    if (body.missingIds) this.missingIds = body.missingIds
    if (body.asOf) this.asOf = body.asOf
    if (body.totals) this.totals = body.totals
    this.#read = read
  }

  /** The next page, or null after the last page. */
  async next(): Promise<Page<R> | null> {
    return this.nextCursor === null ? null : this.#read(this.nextCursor)
  }
}
