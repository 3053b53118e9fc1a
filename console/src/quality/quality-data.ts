import type { Api } from '../api.ts'

/** The results of the rule checks, for TanStack Query. Today and the quality page share them. */
export const qualityQuery = (api: Api) => ({
  queryKey: ['quality', api.brand],
  queryFn: ({ signal }: { signal: AbortSignal }) => api.quality({ signal }),
})
