import type { Api, Filters, Row } from '../api.ts'

/** A list with too many records for a figure. */
export type TooLong = {
  collection: string
  filters: Filters
  max: number
  /** The list itself is not long, but too many records would have to be looked up in it. */
  isLookup?: true
}

/** All records of a list; null if there are too many to read, and nothing is counted. */
export type Rows = { rows: readonly Row[] | null; total: number }

export type ReadRows = (
  api: Api,
  collection: string,
  filters: Filters,
  options: { max: number; include?: string[]; signal?: AbortSignal },
) => Promise<Rows>

const pageSize = 100

/** Reads a whole list page by page. A list that is too long costs one request. */
export const readRows: ReadRows = async (
  api,
  collection,
  filters,
  { max, include, signal },
): Promise<Rows> => {
  const rows: Row[] = []
  let cursor: string | undefined
  for (;;) {
    const { items, total, next } = await api.list(collection, {
      filters,
      limit: pageSize,
      ...(include && { include }),
      ...(cursor && { cursor }),
      ...(signal && { signal }),
    })
    rows.push(...items)
    if (total > max || rows.length > max) return { rows: null, total }
    if (next === null) return { rows, total }
    cursor = next
  }
}
