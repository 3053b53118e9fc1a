import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import type { OperatorPage } from '../../../src/contract/index.ts'
import { useAdmin } from './admin.ts'
import type { Query } from './admin-api.ts'

/** Reads `/api` + path. */
export const useRead = <T>(path: string, query: Query = {}) => {
  const { api } = useAdmin()
  return useQuery({
    queryKey: [path, query],
    queryFn: ({ signal }) => api.get<T>(path, { query, signal }),
  })
}

/** A list that is read page by page. */
export interface Paged<Body extends OperatorPage<unknown>> {
  /** The first page, with what else it says; undefined until it is there. */
  readonly first: Body | undefined
  /** The rows of all pages that have been read. */
  readonly rows: readonly Body['items'][number][] | undefined
  readonly error: Error | null
  readonly isReadingMore: boolean
  /** Reads the next page; null if there is none. */
  readonly readMore: (() => void) | null
  readonly retry: () => void
}

/** Reads the pages of a list at `/api` + path. */
export const usePaged = <Body extends OperatorPage<unknown>>(
  path: string,
  query: Query = {},
): Paged<Body> => {
  const { api } = useAdmin()
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      // `useRead` keeps another form of the same response.
      queryKey: [path, query, 'pages'],
      queryFn: ({ signal, pageParam }) =>
        api.get<Body>(path, { query: { ...query, cursor: pageParam }, signal }),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    },
  )
  return {
    first: data?.pages[0],
    rows: data?.pages.flatMap(({ items }) => items),
    error,
    isReadingMore: isFetchingNextPage,
    readMore: hasNextPage ? () => void fetchNextPage() : null,
    retry: () => void refetch(),
  }
}

/** A function that reads again whatever of these paths is shown, after a change. */
export const useReload = (): ((...paths: readonly string[]) => Promise<void>) => {
  const queries = useQueryClient()
  return useCallback(
    async (...paths) => {
      await Promise.all(paths.map((path) => queries.invalidateQueries({ queryKey: [path] })))
    },
    [queries],
  )
}
