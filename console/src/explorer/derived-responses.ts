import { useQueries } from '@tanstack/react-query'
import type { Api, Row } from '../api.ts'
import type { Group } from '../contract.ts'
import type { Column } from './column.ts'
import type { RowsRequest } from './derived-column.ts'
import { identityOf } from './selection.ts'

/** The responses of the requests of derived columns, by the names of the requests. */
export type DerivedResponses = ReadonlyMap<string, unknown>

/** Sends the requests of the shown derived columns, each once for the records of the page. */
export const useDerivedResponses = (
  api: Api,
  group: Group,
  columns: readonly Column[],
  rows: readonly Row[],
): DerivedResponses => {
  const requests = requestsOf(columns)
  const identities = rows.map((row) => identityOf(group, row))
  const results = useQueries({
    queries: requests.map(({ name, read }) => ({
      queryKey: ['derived', api.brand, group.path, name, identities],
      queryFn: ({ signal }: { signal: AbortSignal }) => read(api, rows, signal),
      enabled: rows.length > 0,
    })),
  })
  return new Map(
    requests.flatMap(({ name }, index) => {
      const data = results[index]?.data
      return data === undefined ? [] : [[name, data] as const]
    }),
  )
}

/** The same for rows that are not shown. */
export const readResponses = async (
  api: Api,
  columns: readonly Column[],
  rows: readonly Row[],
): Promise<DerivedResponses> => {
  const { signal } = new AbortController()
  const responses = requestsOf(columns).map(
    async ({ name, read }) => [name, await read(api, rows, signal)] as const,
  )
  return new Map(await Promise.all(responses))
}

const requestsOf = (columns: readonly Column[]): readonly RowsRequest[] => [
  ...new Map(
    columns.flatMap(({ derived }) =>
      derived?.request ? [[derived.request.name, derived.request] as const] : [],
    ),
  ).values(),
]
