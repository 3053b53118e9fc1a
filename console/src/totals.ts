import type { Api, Filters } from './api.ts'

/**
 * The number of records of a list, for TanStack Query: `useQuery(totalQuery(…))`. All views share
 * the cached counts. Requests stay below the sustained rate of a key, so that counting never delays
 * a user who waits for a page.
 */
export const totalQuery = (api: Api, collection: string, filters: Filters = {}) => ({
  queryKey: ['total', api.brand, collection, filters],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    spaced(async () => {
      signal.throwIfAborted()
      return totalOf(api, collection, filters, signal)
    }),
  staleTime: 5 * 60_000,
})

/** The exact number of records in a list. */
export const totalOf = async (
  api: Api,
  collection: string,
  filters: Filters = {},
  signal?: AbortSignal,
): Promise<number> =>
  (await api.list(collection, { filters, limit: 1, ...(signal && { signal }) })).total

const spacingMs = 60

let lastStart = 0

/** Runs tasks with a minimum interval between their starts. */
export const spaced = async <T>(task: () => Promise<T>): Promise<T> => {
  const now = Date.now()
  lastStart = Math.max(now, lastStart + spacingMs)
  if (lastStart > now) await new Promise((done) => setTimeout(done, lastStart - now))
  return task()
}
