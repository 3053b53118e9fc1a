import type { Api } from './api.ts'

/**
 * The figures of the day, for TanStack Query: `useQuery(todayQuery(api))`. The first page, the totals of
 * the navigation and the freshness in the header share one request. Another day has figures of its own.
 */
export const todayQuery = (api: Api, asOf: string | null = null) => ({
  queryKey: ['today', api.brand, asOf],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.today({ signal, ...(asOf !== null && { asOf }) }),
  staleTime: 60_000,
})
