import type { Api, Brand, Row } from './api.ts'

/** The brand's record. All views share this query. */
export const brandQuery = (api: Api) => ({
  queryKey: ['record', api.brand, 'brand', api.brand],
  queryFn: ({ signal }: { signal: AbortSignal }) => api.get('brand', api.brand, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Converts a brand record to the form of `/whoami`. */
export const brandOf = (record: Row): Brand => ({
  slug: String(record['slug']),
  name: String(record['name']),
  timezone: String(record['timezone']),
  baseCurrency: String(record['baseCurrencyCode']),
})
