import { useQuery } from '@tanstack/react-query'
import type { Api } from './api.ts'

/** The currency of amounts that are kept in the brand's own. */
export const useBaseCurrency = (api: Api): string | null => {
  const { data } = useQuery({
    queryKey: ['record', api.brand, 'brand', api.brand],
    queryFn: ({ signal }) => api.get('brand', api.brand, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const currency = data?.['baseCurrencyCode']
  return typeof currency === 'string' ? currency : null
}
