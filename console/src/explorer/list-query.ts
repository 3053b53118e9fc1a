import { keepPreviousData, usePrefetchQuery, useQuery } from '@tanstack/react-query'
import type { Api, Filters } from '../api.ts'
import type { Group } from '../contract.ts'
import { includesForNames } from '../names.ts'
import { includesOf } from '../values.ts'
import type { Column } from './column.ts'
import type { ListState } from './list-state.ts'
import { filteredIncludes } from './reference-names.ts'

export type ListQuery = ReturnType<typeof useList>

/** One request for the rows and the records that name their references and filters. */
export const useList = (
  api: Api,
  group: Group,
  { limit, cursor }: ListState,
  columns: readonly Column[],
  { include: requested = '', ...parameters }: Filters,
) => {
  const include = [
    ...new Set([
      ...requested.split(',').filter((name) => name !== ''),
      ...includesOf(columns.flatMap(({ fields }) => fields)),
      ...includesForNames(group),
      ...filteredIncludes(group, parameters),
    ]),
  ]
  const query = {
    queryKey: ['query', api.brand, group.path, parameters, limit, cursor, include],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api.query(group.path, parameters, { limit, include, signal, ...(cursor && { cursor }) }),
  }
  // Sends the request while the page renders.
  usePrefetchQuery(query)
  return useQuery({ ...query, placeholderData: keepPreviousData })
}
