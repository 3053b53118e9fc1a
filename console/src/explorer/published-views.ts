import { useQuery } from '@tanstack/react-query'
import type { PublishedView } from '../../../src/contract/index.ts'
import type { Api } from '../api.ts'
import { groupAt } from '../contract.ts'

/** Operators seldom publish views. */
const staleMs = 300_000

/** The views that an operator has published for the brand; undefined until they are there. */
export const usePublishedViews = (api: Api): readonly PublishedView[] | undefined => {
  const { data, isError } = useQuery({
    queryKey: ['published views', api.brand],
    queryFn: ({ signal }) => api.views({ signal }),
    staleTime: staleMs,
  })
  // Pages work without them. A newer server may have groups that this page does not know.
  return isError ? none : data?.filter(({ group }) => groupAt(group) !== undefined)
}

const none: readonly PublishedView[] = []
