import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useAdmin } from '../admin.ts'

/** How often a page that is looked at reads again. */
const refreshMs = 10_000
/** A page that is left open for longer stops: it would keep asking for days. */
const refreshesForMs = 1_800_000

/** Reads `/api` + path, and again while the page is visible, for half an hour. */
export const useLive = <T>(path: string) => {
  const { api } = useAdmin()
  const [until, setUntil] = useState(() => Date.now() + refreshesForMs)
  const { data, error, dataUpdatedAt, refetch } = useQuery({
    queryKey: [path, {}],
    queryFn: ({ signal }) => api.get<T>(path, { signal }),
    // Not while the tab is hidden.
    refetchInterval: () => (Date.now() < until ? refreshMs : false),
  })
  return {
    data,
    error,
    /** Null until something was read. */
    readAt: dataUpdatedAt === 0 ? null : new Date(dataUpdatedAt).toISOString(),
    isLive: Date.now() < until,
    refresh: () => {
      setUntil(Date.now() + refreshesForMs)
      void refetch()
    },
  }
}
