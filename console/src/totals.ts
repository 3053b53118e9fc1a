import type { Api, Filters } from './api.ts'

/**
 * How many records a list has, as a question for TanStack Query: `useQuery(totalQuery(…))`. Every
 * view that counts shares the answers. Questions go out slower than a key's sustained rate, so
 * that counting never uses up the requests of the person who waits for a page.
 */
export const totalQuery = (api: Api, collection: string, filters: Filters = {}) => ({
  queryKey: ['total', api.brand, collection, filters],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    inTurn(async () => {
      signal.throwIfAborted()
      return totalOf(api, collection, filters, signal)
    }),
  staleTime: 5 * 60_000,
})

/** Exactly how many records a list has. */
export const totalOf = async (
  api: Api,
  collection: string,
  filters: Filters = {},
  signal?: AbortSignal,
): Promise<number> =>
  (await api.list(collection, { filters, limit: 1, ...(signal && { signal }) })).total

const spacingMs = 60

let lastTurn = 0

/** Starts pieces of work one after the other, with a pause between their beginnings. */
export const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
  const now = Date.now()
  lastTurn = Math.max(now, lastTurn + spacingMs)
  if (lastTurn > now) await new Promise((done) => setTimeout(done, lastTurn - now))
  return work()
}
