import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Api, Filters } from '../api.ts'
import { type Field, type Group, groupAt, shortId } from '../contract.ts'
import { countText } from '../figures.ts'
import { includesForNames, nameOf } from '../names.ts'
import { Empty, Failure } from '../states.tsx'
import type { Sums } from '../summary.ts'
import { fieldLabel, groupTitle, valueLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import type { Column } from './column.ts'
import { groupFilter, groupingParameters, shownGroupsMax } from './grouping.ts'
import type { ListNavigation } from './list-navigation.ts'
import { changed } from './list-state.ts'
import { identityOf } from './selection.ts'
import { summedFields } from './sums.ts'
import { Money } from './sums-line.tsx'
import './list-sums.css'

export type Grouped = ReturnType<typeof useGrouped>

/** One request for the groups of a list and their sums. It is not sent without a field. */
export const useGrouped = (
  api: Api,
  group: Group,
  columns: readonly Column[],
  sent: Filters,
  by: Field | null,
) => {
  const sums = summedFields(columns)
  const parameters = groupingParameters(sent, by?.name ?? '', sums)
  const query = useQuery({
    queryKey: ['grouped', api.brand, group.path, parameters],
    queryFn: ({ signal }) => api.summary(group.path, parameters, { signal }),
    enabled: by !== null,
  })
  return { query, sums, parameters }
}

interface GroupedListProps {
  readonly api: Api
  readonly group: Group
  readonly navigation: ListNavigation
  readonly grouped: Grouped
  readonly by: Field
}

/** The groups of a list by a reference or a status. Each leads to its records. */
export const GroupedList = ({ api, group, navigation, grouped, by: field }: GroupedListProps) => {
  const t = texts().explorer
  const { query, sums: fields } = grouped
  const { data, error } = query
  const values = (data?.groups ?? []).map(({ by }) => (by[field.name] ?? null) as string | null)
  const names = useNames(api, field, values)
  if (error) return <Failure error={error} onRetry={() => void query.refetch()} />
  if (!data) return <p role="status">{t.loading(groupTitle(group))}</p>
  if (data.items === 0) {
    return (
      <Empty>
        <p>{t.noMatch}</p>
      </Empty>
    )
  }
  const { state, linkTo } = navigation
  return (
    <>
      <div className="grid-scroll grouped-scroll" role="region" aria-label={t.groups} tabIndex={0}>
        <table className="grouped">
          <thead>
            <tr>
              <th scope="col">{fieldLabel(field)}</th>
              <th scope="col" className="right">
                {t.records}
              </th>
              {fields.map((each) => (
                <th key={each.name} scope="col" className="right">
                  {fieldLabel(each)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.groups.map((each, index) => {
              const value = values[index] ?? null
              const filter = groupFilter(group, state.parameters, field, value)
              const name = nameOfGroup(field, value, names)
              return (
                <tr key={value ?? ''}>
                  <th scope="row">
                    {filter === null ? (
                      name
                    ) : (
                      <Link href={linkTo(changed(state, { by: null, parameters: filter }))}>
                        {name}
                      </Link>
                    )}
                  </th>
                  <td className="right number">{countText(each.items)}</td>
                  <SumCells {...{ fields }} sums={each.sum} />
                </tr>
              )
            })}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t.wholeList(data.items)}</th>
              <td className="right number">{countText(data.items)}</td>
              <SumCells {...{ fields }} sums={data.sum} />
            </tr>
          </tfoot>
        </table>
      </div>
      {data.groupCount > data.groups.length && (
        <p className="quiet">{t.firstGroups(shownGroupsMax, data.groupCount)}</p>
      )}
    </>
  )
}

interface SumCellsProps {
  readonly fields: readonly Field[]
  readonly sums: Sums
}

const SumCells = ({ fields, sums }: SumCellsProps) =>
  fields.map(({ name }) => {
    const sum = sums[name]
    return (
      <td key={name} className="right number">
        {typeof sum === 'object' ? <Money sum={sum} /> : countText(Number(sum ?? 0))}
      </td>
    )
  })

const nameOfGroup = (
  field: Field,
  value: string | null,
  names: ReadonlyMap<string, string>,
): string => {
  if (value === null) return texts().explorer.withoutValue
  return field.to === null ? valueLabel(value) : (names.get(value) ?? shortId(value))
}

/** The names of the groups, by their values. */
const useNames = (api: Api, { to }: Field, values: readonly (string | null)[]) => {
  const target = to === null ? undefined : groupAt(to)
  const ids = values.filter((each) => each !== null)
  const { data } = useQuery({
    queryKey: ['group names', api.brand, to, ids],
    queryFn: async ({ signal }) => {
      if (!target) return new Map<string, string>()
      const include = includesForNames(target)
      const limit = shownGroupsMax
      const { items } = await api.query(
        to ?? '',
        { ids: ids.join(',') },
        { include, limit, signal },
      )
      return new Map(items.map((row) => [identityOf(target, row), nameOf(target, row)]))
    },
    enabled: target !== undefined && ids.length > 0,
    staleTime: 5 * 60_000,
  })
  return data ?? new Map<string, string>()
}
