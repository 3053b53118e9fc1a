import type { Api, Filters, Row } from '../api.ts'

/** The first records of a list, and how many it has. */
export type Rows = { rows: readonly Row[]; total: number }

const pageSize = 100

/** Reads a list page by page, up to a bound. */
export const readRows = async (
  api: Api,
  collection: string,
  filters: Filters,
  { max, include, signal }: { max: number; include?: string[]; signal?: AbortSignal },
): Promise<Rows> => {
  const rows: Row[] = []
  let cursor: string | undefined
  for (;;) {
    const { items, total, next } = await api.list(collection, {
      filters,
      limit: Math.min(pageSize, max - rows.length),
      ...(include && { include }),
      ...(cursor && { cursor }),
      ...(signal && { signal }),
    })
    rows.push(...items)
    if (next === null || rows.length >= max) return { rows, total }
    cursor = next
  }
}
