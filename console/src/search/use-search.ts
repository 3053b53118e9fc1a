import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { SearchResult, SearchResults } from '../../../client/src/index.ts'
import { searchLimits } from '../../../src/contract/index.ts'
import type { Api } from '../api.ts'

/** Debounce: longer than the gap between keystrokes of a fast typist, too short to notice. */
const settleMs = 60

/** Almost every record contains a given character. */
const lengthMin = 2

export const resultsMax = 20

export type Search = {
  /** The results for this text or still for the previous one; null if nothing is searched. */
  results: SearchResults | null
  error: Error | null
  /** Whether the results belong to the text. */
  isCurrent: boolean
}

/** Searches while the user types: one request at a time, and none for a recent text. */
export const useSearch = (api: Api, text: string): Search => {
  const wanted = searchable(text)
  const settled = useSettled(wanted)
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['search', api.brand, settled],
    // A new text replaces the previous query, which aborts its request.
    queryFn: ({ signal }) => api.search(settled ?? '', { limit: resultsMax, signal }),
    enabled: settled !== null && wanted !== null,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 60_000,
  })
  if (wanted === null) return { results: null, error: null, isCurrent: true }
  const isSettled = wanted === settled
  return {
    results: data ?? null,
    error: isSettled ? error : null,
    isCurrent: isSettled && !isPlaceholderData && (data !== undefined || error !== null),
  }
}

/** The text to send to the server; null if it cannot be searched. */
const searchable = (text: string): string | null => {
  const wanted = [...text.trim().replace(/\s+/g, ' ')]
    .slice(0, searchLimits.query.maxLength)
    .join('')
  const letters = wanted.match(/[\p{L}\p{N}]/gu) ?? []
  return letters.length < lengthMin ? null : wanted
}

const useSettled = (text: string | null): string | null => {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settleMs)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

/** A reference to a partner of a record: its supplier, or else another partner. */
type PartnerReference = { group: string; id: string }

const partnerFields = [
  ['supplierId', 'suppliers'],
  ['partnerId', 'partners'],
  ['forwarderPartnerId', 'partners'],
] as const

const partnerOf = ({ record }: SearchResult): PartnerReference | null => {
  for (const [field, group] of partnerFields) {
    const id = record[field]
    if (typeof id === 'string') return { group, id }
  }
  return null
}

/** The names of the partners of results. Reads each once, together with others of its group. */
export const usePartnerNames = (
  api: Api,
  results: readonly SearchResult[],
): ((result: SearchResult) => string | null) => {
  const references = results.flatMap((result) => partnerOf(result) ?? [])
  const suppliers = useNames(api, 'suppliers', references)
  const partners = useNames(api, 'partners', references)
  return (result) => {
    const partner = partnerOf(result)
    if (!partner) return null
    return (partner.group === 'suppliers' ? suppliers : partners)(partner.id)
  }
}

const useNames = (
  api: Api,
  group: string,
  references: readonly PartnerReference[],
): ((id: string) => string | null) => {
  const queries = useQueryClient()
  const keyOf = (id: string) => ['name', api.brand, group, id]
  const nameOf = (id: string) => queries.getQueryData<string>(keyOf(id)) ?? null
  const own = references.filter((each) => each.group === group).map(({ id }) => id)
  const missing = [...new Set(own)].filter((id) => nameOf(id) === null).toSorted()
  useQuery({
    queryKey: ['names', api.brand, group, missing],
    enabled: missing.length > 0,
    queryFn: async ({ signal }) => {
      const { items } = await api.query(
        group,
        { ids: missing.join(','), fields: 'name' },
        { signal },
      )
      const names = new Map(items.map(({ id, name }) => [String(id), String(name)]))
      // Caches missing partners too, so that they are not requested again.
      for (const id of missing) queries.setQueryData(keyOf(id), names.get(id) ?? '')
      return names.size
    },
  })
  return nameOf
}
