import { useMemo } from 'react'
import { type Api, sortedByField } from '../api.ts'
import { today as todayIn, useBaseCurrency } from '../brand.ts'
import { Call } from '../call/call.tsx'
import type { Group } from '../contract.ts'
import { groupTitle } from '../texts/contract.ts'
import { language, texts } from '../texts/index.ts'
import { useTitle } from '../title.ts'
import { type Column, columnsOf, fieldNames } from './column.ts'
import { ColumnChoice } from './column-choice.tsx'
import { useDensity } from './density.ts'
import { EmptyColumnsChoice, useEmptyColumns } from './empty-columns.tsx'
import { GroupChoice } from './group-choice.tsx'
import { GroupedList, useGrouped } from './grouped-list.tsx'
import { groupingFields } from './grouping.ts'
import { useColumns } from './list-columns.ts'
import { useListNavigation } from './list-navigation.ts'
import { columnsInView, ordered, usualSort } from './list-order.ts'
import { useList } from './list-query.ts'
import { ListRecords } from './list-records.tsx'
import { changed, type Sorting, sortingOf } from './list-state.ts'
import { ListSums } from './list-sums.tsx'
import { ListTools } from './list-tools.tsx'
import { ListViews } from './list-views.tsx'
import { marksOn } from './mark.ts'
import { useNarrow } from './narrow.ts'
import { Pager } from './pager.tsx'
import { resolveDays } from './relative-day.ts'
import { useSelection } from './selection.ts'
import { SortChoice } from './sort-choice.tsx'
import './explorer.css'

/** The list of a group. The URL is its state and uses the parameters of the query API. */
export const ListPage = ({ api, group }: { api: Api; group: Group }) => {
  const navigation = useListNavigation(api.brand, group)
  const { state, linkTo, go, sort } = navigation
  const { day: today, timezone } = todayIn()
  const baseCurrency = useBaseCurrency()
  const chosen = useColumns(group, navigation)
  const inView = (columns: readonly Column[]) => columnsInView(group, state.parameters, columns)
  const columns = inView(chosen.columns)
  const usual = usualSort(group, state.parameters)
  const sent = resolveDays(ordered(group, state.parameters), today)
  const day = sent['asOf'] ?? today
  const groupings = groupingFields(group)
  const by = groupings.find(({ name }) => name === state.by && !('ids' in sent)) ?? null
  const grouped = useGrouped(api, group, columns, sent, by)
  const list = useList(api, group, state, columns, sent, by === null)
  const data = by === null ? list.data : undefined
  const rows = data?.items ?? []
  const total = (by === null ? data?.total : grouped.query.data?.items) ?? null
  const emptyColumns = useEmptyColumns(columns, rows)
  const density = useDensity()
  const isNarrow = useNarrow()
  const sorting = sortingOf(sent)
  const [selection, onSelect] = useSelection(JSON.stringify([group.path, { ...sent, sort: '' }]))
  const shared = { api, group, navigation, columns }
  const marks = useMarks(group, day, timezone)
  useTitle(...(state.saved === null ? [] : [state.saved]), groupTitle(group), api.brand)

  return (
    <section className="list-page" aria-labelledby="page-title">
      <header className="page-head">
        <h1 id="page-title">{groupTitle(group)}</h1>
        {language() === 'en' && <p className="quiet page-about">{group.description}</p>}
      </header>
      <ListViews {...{ ...shared, today, day }} />
      <ListTools {...{ ...shared, sent, total, today }} rows={by === null ? data?.items : []}>
        <GroupChoice
          {...{ by }}
          fields={'ids' in sent ? [] : groupings}
          onGroup={(next) => go(changed(state, { by: next }))}
        />
        {isNarrow ? (
          by === null && (
            <SortChoice
              columns={inView(columnsOf(group))}
              sort={state.parameters['sort'] ?? null}
              onSort={sort}
            />
          )
        ) : (
          <ColumnChoice {...{ group, columns, density }} onChoose={chosen.choose} />
        )}
      </ListTools>
      {by === null ? (
        <>
          <SortStatus columns={columns} sorting={sorting} />
          <ListRecords
            {...{ ...shared, list, isNarrow, sorting, usual, selection, onSelect, baseCurrency }}
            markOf={marks}
            columns={emptyColumns.shown}
            density={density[0]}
          />
          {data && total !== null && total > 0 && (
            <ListSums
              {...{ api, group, baseCurrency, selection, onSelect, total, sent }}
              markOf={marks}
              columns={emptyColumns.shown}
              sums={data.sums ?? null}
            />
          )}
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
              filters: {
                ...sortedByField(group.path, sent),
                ...(state.fields && { fields: fieldNames(columns).join(',') }),
              },
              limit: state.limit,
              ...(state.cursor && { cursor: state.cursor }),
            }}
            isList
          />
        </>
      ) : (
        <>
          <GroupedList {...{ api, group, navigation, grouped, by }} />
          <Call
            brand={api.brand}
            path={`/${group.path}/summary`}
            api="query"
            query={{ filters: grouped.parameters }}
            isFolded
          />
        </>
      )}
    </section>
  )
}

/** What is marked in a cell on a given day. */
const useMarks = ({ path }: Group, day: string, timezone: string) =>
  useMemo(() => marksOn(path, { day, timezone }), [path, day, timezone])

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
