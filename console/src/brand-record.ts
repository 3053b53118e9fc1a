import { useQuery } from '@tanstack/react-query'
import type { Api } from './api.ts'

/** The brand's own record, shared by all views. */
export const brandQuery = (api: Api) => ({
  queryKey: ['record', api.brand, 'brand', api.brand],
  queryFn: ({ signal }: { signal: AbortSignal }) => api.get('brand', api.brand, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** The brand's base currency, for amounts without a currency of their own. */
export const useBaseCurrency = (api: Api): string | null => {
  const { data } = useQuery(brandQuery(api))
  const currency = data?.['baseCurrencyCode']
  return typeof currency === 'string' ? currency : null
}
