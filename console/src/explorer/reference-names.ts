import { useQueries } from '@tanstack/react-query'
import type { Api, Filters, Row } from '../api.ts'
import { type Group, groupAt } from '../contract.ts'
import { includesForNames, nameOf, recordBehind } from '../names.ts'
import { filterFieldsOf } from './filter-field.ts'

/** Ids per request. */
const idsMax = 100

/** The names of the records that filter a list. Most come with the rows; the rest are requested. */
export const useReferenceNames = (
  api: Api,
  group: Group,
  parameters: Filters,
  rows: readonly Row[] | undefined,
) => {
  const loaded = namesIn(group, rows ?? [])
  const wanted = Map.groupBy(
    referencesIn(group, parameters).filter((each) => !loaded.has(keyOf(each.to, each.id))),
    ({ to }) => to,
  )
  const requested = useQueries({
    queries: [...wanted].flatMap(([to, references]) => {
      const target = groupAt(to)
      const ids = [...new Set(references.map(({ id }) => id))].slice(0, idsMax)
      if (!target?.hasList || target.idField === null) return []
      return [
        {
          queryKey: ['names', api.brand, to, ids],
          queryFn: async ({ signal }: { signal: AbortSignal }) => {
            const include = includesForNames(target)
            const { items } = await api.query(to, { ids: ids.join(',') }, { include, signal })
            return items.map((row) => [keyOf(to, idOf(target, row)), nameOf(target, row)] as const)
          },
          enabled: rows !== undefined,
          staleTime: 5 * 60_000,
        },
      ]
    }),
  })
  const names = new Map([...loaded, ...requested.flatMap(({ data }) => data ?? [])])
  return (to: string, id: string): string | null => names.get(keyOf(to, id)) ?? null
}

/** The references that filter a list. Including them makes the rows contain their names. */
export const filteredIncludes = (group: Group, parameters: Filters): readonly string[] =>
  group.fields.flatMap(({ name, include }) =>
    include !== null && (Object.hasOwn(parameters, name) || Object.hasOwn(parameters, `${name}.in`))
      ? [include]
      : [],
  )

const referencesIn = (group: Group, parameters: Filters) =>
  filterFieldsOf(group).flatMap(({ name, to }) => {
    const value = parameters[`${name}.in`] ?? parameters[name]
    if (to === null || value === undefined) return []
    return value.split(',').map((id) => ({ to, id }))
  })

const namesIn = (group: Group, rows: readonly Row[]): ReadonlyMap<string, string> =>
  new Map(
    rows.flatMap((row) =>
      group.fields.flatMap((field) => {
        const record = recordBehind(row, field)
        if (!record) return []
        const id = idOf(record.group, record.row)
        return [[keyOf(record.group.path, id), nameOf(record.group, record.row)] as const]
      }),
    ),
  )

const idOf = (group: Group, row: Row): string => String(row[group.idField ?? 'id'])

const keyOf = (group: string, id: string): string => `${group} ${id}`
