import type { Api } from '../api.ts'

/** The sources of a brand, for TanStack Query. The Sources page and the notice on Today share it. */
export const sourcesQuery = (api: Api) => ({
  queryKey: ['sources', api.brand],
  queryFn: ({ signal }: { signal: AbortSignal }) => api.sources({ signal }),
  refetchInterval: refreshMs,
})

/** Sources work while a page is open. */
const refreshMs = 30_000
