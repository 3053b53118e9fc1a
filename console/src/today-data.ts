import type { Api } from './api.ts'

/**
 * Today's figures, for TanStack Query: `useQuery(todayQuery(api))`. The Today page, the totals in
 * the navigation and the freshness in the header share one request. Another day has separate
 * figures.
 */
export const todayQuery = (api: Api, asOf: string | null = null) => ({
  queryKey: ['today', api.brand, asOf],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.today({ signal, ...(asOf !== null && { asOf }) }),
  staleTime: 60_000,
})
