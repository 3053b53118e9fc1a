import type { Api } from '../api.ts'
import { today as todayIn } from '../brand.ts'
import { Call } from '../call/call.tsx'
import type { Group } from '../contract.ts'
import { groupTitle } from '../texts/contract.ts'
import { language, texts } from '../texts/index.ts'
import { useTitle } from '../title.ts'
import type { Column } from './column.ts'
import { ColumnChoice } from './column-choice.tsx'
import { useDensity } from './density.ts'
import { EmptyColumnsChoice, useEmptyColumns } from './empty-columns.tsx'
import { useColumns } from './list-columns.ts'
import { useListNavigation } from './list-navigation.ts'
import { useList } from './list-query.ts'
import { ListRecords } from './list-records.tsx'
import { changed, type Sorting, sortingOf } from './list-state.ts'
import { ListTools } from './list-tools.tsx'
import { ListViews } from './list-views.tsx'
import { useNarrow } from './narrow.ts'
import { Pager } from './pager.tsx'
import { resolveDays } from './relative-day.ts'
import { SortChoice } from './sort-choice.tsx'
import './explorer.css'

/** The list of a group. The URL is its state and uses the parameters of the query API. */
export const ListPage = ({ api, group }: { api: Api; group: Group }) => {
  const navigation = useListNavigation(api.brand, group)
  const { state, linkTo, go, sort } = navigation
  const { day: today, timezone } = todayIn()
  const { columns, choose } = useColumns(group, navigation)
  const sent = resolveDays(state.parameters, today)
  const day = sent['asOf'] ?? today
  const list = useList(api, group, state, columns, sent)
  const { data } = list
  const rows = data?.items ?? []
  const emptyColumns = useEmptyColumns(columns, rows)
  const density = useDensity()
  const isNarrow = useNarrow()
  const sorting = sortingOf(state.parameters)
  const shared = { api, group, navigation, columns }
  useTitle(...(state.saved === null ? [] : [state.saved]), groupTitle(group), api.brand)

  return (
    <section className="list-page" aria-labelledby="page-title">
      <header className="page-head">
        <h1 id="page-title">{groupTitle(group)}</h1>
        {language() === 'en' && <p className="quiet page-about">{group.description}</p>}
      </header>
      <ListViews {...{ ...shared, today, day }} />
      <ListTools {...{ ...shared, sent, data, today }}>
        {isNarrow ? (
          <SortChoice {...{ group, sorting }} onSort={sort} />
        ) : (
          <ColumnChoice {...{ group, columns, density }} onChoose={choose} />
        )}
      </ListTools>
      <SortStatus columns={columns} sorting={sorting} />
      <ListRecords
        {...{ ...shared, list, isNarrow }}
        columns={emptyColumns.shown}
        density={density[0]}
        today={{ day, timezone }}
      />
      <div className="list-end">
        <Pager
          {...{ state, linkTo }}
          {...positionOf(list)}
          onSize={(limit) => go(changed(state, { limit }))}
        />
        {rows.length > 0 && !isNarrow && <EmptyColumnsChoice {...emptyColumns} />}
      </div>
      <Call
        brand={api.brand}
        path={`/${group.path}`}
        query={{
          filters: { ...sent, ...(state.fields && { fields: state.fields.join(',') }) },
          limit: state.limit,
          ...(state.cursor && { cursor: state.cursor }),
        }}
        isList
      />
    </section>
  )
}

/** The position for the pager. Only the total is known while another page loads. */
const positionOf = ({ data, isPlaceholderData }: ReturnType<typeof useList>) => {
  const shown = isPlaceholderData ? undefined : data
  return {
    count: shown?.items.length ?? null,
    total: data?.total ?? null,
    next: shown?.next ?? null,
  }
}

/** Announces the sort order to screen readers. */
const SortStatus = ({
  columns,
  sorting,
}: {
  columns: readonly Column[]
  sorting: Sorting | null
}) => {
  const t = texts().explorer
  const label = columns.find(({ sort }) => sort === sorting?.field)?.label ?? sorting?.field ?? ''
  return (
    <p className="visually-hidden" role="status">
      {sorting ? t.sorted(label, sorting.isDescending ? t.descending : t.ascending) : t.notSorted}
    </p>
  )
}
