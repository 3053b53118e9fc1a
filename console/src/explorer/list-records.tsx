import { Link } from 'wouter'
import { listLink } from '../links.ts'
import { Empty, Failure } from '../states.tsx'
import { texts } from '../texts/index.ts'
import { Cards } from './cards.tsx'
import type { CellContext } from './cell-text.ts'
import type { Column } from './column.ts'
import type { Density } from './density.ts'
import { useDerivedResponses } from './derived-responses.ts'
import { Grid } from './grid.tsx'
import type { ListNavigation } from './list-navigation.ts'
import type { ListQuery } from './list-query.ts'
import type { Sorting } from './list-state.ts'
import type { Selection } from './selection.ts'
import { Skeleton } from './skeleton.tsx'

interface ListRecordsProps extends Omit<CellContext, 'responses'> {
  readonly navigation: ListNavigation
  readonly list: ListQuery
  readonly columns: readonly Column[]
  readonly density: Density
  readonly isNarrow: boolean
  readonly sorting: Sorting | null
  readonly usual: string | null
  readonly selection: Selection
  readonly onSelect: (selection: Selection) => void
}

/** The records of a page, or a message if there are none. */
export const ListRecords = (props: ListRecordsProps) => {
  const { api, group, navigation, list, columns, density, isNarrow, baseCurrency, markOf } = props
  const { data, error, isPlaceholderData: isStale } = list
  const { state, sort } = navigation
  const responses = useDerivedResponses(api, group, columns, data?.items ?? [])
  if (error && !isStale) return <Failure error={error} onRetry={() => void list.refetch()} />
  if (list.isPending || !data) {
    return <Skeleton group={group} rows={Math.min(state.limit, 25)} density={density} />
  }
  if (data.total === 0) {
    const isFiltered = Object.keys(state.parameters).some((name) => name !== 'sort')
    return <NoRecords isFiltered={isFiltered} all={listLink(api.brand, group.path)} />
  }
  const cells = { api, group, baseCurrency, markOf, responses, rows: data.items, columns, isStale }
  const { sorting, usual, selection, onSelect } = props
  if (isNarrow) return <Cards {...{ ...cells, selection, onSelect }} />
  return <Grid {...{ ...cells, density, sorting, usual, selection, onSelect }} onSort={sort} />
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
