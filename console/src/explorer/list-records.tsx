import { useMemo } from 'react'
import { Link } from 'wouter'
import type { Today } from '../../../src/contract/index.ts'
import type { Api } from '../api.ts'
import { useBaseCurrency } from '../brand.ts'
import type { Group } from '../contract.ts'
import { listLink } from '../links.ts'
import { Empty, Failure } from '../states.tsx'
import { texts } from '../texts/index.ts'
import { Cards } from './cards.tsx'
import type { Column } from './column.ts'
import type { Density } from './density.ts'
import { Grid } from './grid.tsx'
import type { ListNavigation } from './list-navigation.ts'
import type { ListQuery } from './list-query.ts'
import { sortingOf } from './list-state.ts'
import { marksOn } from './mark.ts'
import { Skeleton } from './skeleton.tsx'

interface ListRecordsProps {
  readonly api: Api
  readonly group: Group
  readonly navigation: ListNavigation
  readonly list: ListQuery
  readonly columns: readonly Column[]
  readonly density: Density
  readonly isNarrow: boolean
  /** The day that is treated as today. */
  readonly today: Today
}

/** The records of a page, or a message if there are none. */
export const ListRecords = (props: ListRecordsProps) => {
  const { api, group, navigation, list, columns, density, isNarrow, today } = props
  const { data, error, isPlaceholderData: isStale } = list
  const { state, sort } = navigation
  const baseCurrency = useBaseCurrency()
  const { day, timezone } = today
  const markOf = useMemo(() => marksOn(group.path, { day, timezone }), [group.path, day, timezone])
  if (error && !isStale) return <Failure error={error} onRetry={() => void list.refetch()} />
  if (list.isPending || !data) {
    return <Skeleton group={group} rows={Math.min(state.limit, 25)} density={density} />
  }
  if (data.total === 0) {
    const isFiltered = Object.keys(state.parameters).some((name) => name !== 'sort')
    return <NoRecords isFiltered={isFiltered} all={listLink(api.brand, group.path)} />
  }
  const cells = { api, group, baseCurrency, markOf, rows: data.items, columns, isStale }
  if (isNarrow) return <Cards {...cells} />
  const sorting = sortingOf(state.parameters)
  return <Grid {...cells} density={density} sorting={sorting} onSort={sort} />
}

const NoRecords = ({ isFiltered, all }: { isFiltered: boolean; all: string }) => {
  const t = texts().explorer
  return (
    <Empty>
      <p>{isFiltered ? t.noMatch : t.none}</p>
      {isFiltered && <Link href={all}>{t.showAll}</Link>}
    </Empty>
  )
}
