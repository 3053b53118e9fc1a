import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { catalog, queryParametersOf } from '../../../src/contract/index.ts'
import type { Api, Filters } from '../api.ts'
import type { Group } from '../contract.ts'
import { includesForNames } from '../names.ts'
import { includesOf } from '../values.ts'
import type { Column } from './column.ts'
import type { ListState } from './list-state.ts'
import { filteredIncludes } from './reference-names.ts'
import { summedFields } from './sums.ts'

export type ListQuery = ReturnType<typeof useList>

/**
 * One request for the rows, the records that name their references and filters, and the totals of
 * the whole list.
 */
export const useList = (
  api: Api,
  group: Group,
  { limit, cursor }: ListState,
  columns: readonly Column[],
  sent: Filters,
  isShown: boolean,
) => {
  const { include: _, ...conditions } = sent
  const include = includesOfList(group, columns, sent)
  const totals = totalsOf(group, columns)
  const parameters = { ...conditions, ...(totals !== '' && { totals }) }
  const query = {
    queryKey: ['query', api.brand, group.path, parameters, limit, cursor, include],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      api.query(group.path, parameters, { limit, include, signal, ...(cursor && { cursor }) }),
    enabled: isShown,
  }
  // Sends the request while the page renders.
  const client = useQueryClient()
  if (isShown && !client.getQueryState(query.queryKey)) void client.prefetchQuery(query)
  return useQuery({ ...query, placeholderData: keepPreviousData })
}

/** The references whose records the list shows by their names. */
export const includesOfList = (
  group: Group,
  columns: readonly Column[],
  { include: requested = '', ...parameters }: Filters,
): string[] => [
  ...new Set([
    ...requested.split(',').filter((name) => name !== ''),
    ...includesOf(columns.flatMap(({ fields }) => fields)),
    ...includesForNames(group),
    ...filteredIncludes(group, parameters),
  ]),
]

/** The fields to add up over the whole list. */
const totalsOf = ({ path }: Group, columns: readonly Column[]): string => {
  const resource = catalog.byPath.get(path)
  const isOffered = resource && queryParametersOf(resource).some(({ name }) => name === 'totals')
  return isOffered
    ? summedFields(columns)
        .map(({ name }) => name)
        .join(',')
    : ''
}
