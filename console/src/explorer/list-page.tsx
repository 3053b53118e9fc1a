import { keepPreviousData, usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { Api, Filters } from '../api.ts'
import { today as todayIn, useBaseCurrency } from '../brand.ts'
import { Call } from '../call/call.tsx'
import type { Group } from '../contract.ts'
import { listLink } from '../links.ts'
import { includesForNames } from '../names.ts'
import { Empty, Failure } from '../states.tsx'
import { groupTitle } from '../texts/contract.ts'
import { language, texts } from '../texts/index.ts'
import { useTitle } from '../title.ts'
import { includesOf } from '../values.ts'
import { Cards } from './cards.tsx'
import { isEmptyIn } from './cell.tsx'
import { type Column, columnsFor, usualColumns } from './column.ts'
import { ColumnChoice } from './column-choice.tsx'
import { useDensity } from './density.ts'
import { Download } from './download.tsx'
import { FilterBar } from './filter-bar.tsx'
import { Grid } from './grid.tsx'
import {
  changed,
  type ListState,
  readListState,
  sortingOf,
  withParameters,
  writeListState,
} from './list-state.ts'
import { marksOn } from './mark.ts'
import { useNarrow } from './narrow.ts'
import { Pager } from './pager.tsx'
import { filteredIncludes, useReferenceNames } from './reference-names.ts'
import { resolveDays } from './relative-day.ts'
import { SaveView } from './save-view.tsx'
import { useSavedViews } from './saved-views.ts'
import { Skeleton } from './skeleton.tsx'
import { SortChoice } from './sort-choice.tsx'
import { fieldNames, useStoredColumns } from './stored-columns.ts'
import { ViewTabs } from './view-tabs.tsx'
import './explorer.css'

/** The records of a group. The URL is the state, with the parameters of the query API. */
export const ListPage = ({ api, group }: { api: Api; group: Group }) => {
  const state = readListState(useSearch())
  const [, navigate] = useLocation()
  const today = todayIn()
  const store = useSavedViews(api.brand)
  const { columns, choose } = useColumns(group, state, (next) => go(next))
  const sent = resolveDays(state.parameters, today.day)
  const day = sent['asOf'] ?? today.day
  const { data, error, isPending, isPlaceholderData, refetch } = useList(
    api,
    group,
    state,
    columns,
    sent,
  )
  const nameOfRecord = useReferenceNames(api, group, sent, data?.items)
  const density = useDensity()
  const isNarrow = useNarrow()
  const [showsEmpty, setShowsEmpty] = useState(false)
  const baseCurrency = useBaseCurrency()
  const markOf = useMemo(
    () => marksOn(group.path, { day, timezone: today.timezone }),
    [group.path, day, today.timezone],
  )
  const t = texts().explorer
  useTitle(...(state.saved === null ? [] : [state.saved]), groupTitle(group), api.brand)

  const linkTo = (next: ListState) => listLink(api.brand, group.path, writeListState(next))
  const go = (next: ListState) => navigate(linkTo(next))
  const change = (parameters: Filters) => go(changed(state, { parameters }))
  const sort = (next: string | null) => change(withParameters(state.parameters, { sort: next }))
  const rows = data?.items ?? []
  const empty = showsEmpty ? [] : columns.filter((column) => isEmptyIn(column, rows))
  const shown = columns.filter((column) => !empty.includes(column))
  const sorting = sortingOf(state.parameters)
  const cells = {
    api,
    group,
    baseCurrency,
    markOf,
    rows,
    columns: shown,
    isStale: isPlaceholderData,
  }
  /** With its columns, so that somebody else sees the same. */
  const shared = { ...state, fields: sharedFields(group, state, columns) }

  return (
    <section className="list-page" aria-labelledby="page-title">
      <header className="page-head">
        <h1 id="page-title">{groupTitle(group)}</h1>
        {language() === 'en' && <p className="quiet page-about">{group.description}</p>}
      </header>
      <div className="views">
        <ViewTabs
          {...{ group, state, linkTo, day }}
          today={today.day}
          saved={store.views}
          onChange={change}
        />
        <SaveView
          {...{ group, store }}
          brand={api.brand}
          state={shared}
          onName={(saved) => go({ ...shared, saved })}
        />
      </div>
      <div className="tools">
        <FilterBar
          {...{ api, group, nameOfRecord }}
          parameters={state.parameters}
          today={today.day}
          onChange={change}
        />
        <div className="tools-end">
          {isNarrow ? (
            <SortChoice {...{ group, sorting }} onSort={sort} />
          ) : (
            <ColumnChoice {...{ group, columns, density }} onChoose={choose} />
          )}
          <Download
            {...{ api, group }}
            parameters={sent}
            fields={fieldNames(columns)}
            total={data?.total ?? null}
          />
        </div>
      </div>
      <SortStatus columns={columns} sorting={sorting} />
      {error && !isPlaceholderData ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : isPending || !data ? (
        <Skeleton group={group} rows={Math.min(state.limit, 25)} density={density[0]} />
      ) : data.total === 0 ? (
        <NoRecords
          isFiltered={Object.keys(state.parameters).some((name) => name !== 'sort')}
          all={listLink(api.brand, group.path)}
        />
      ) : isNarrow ? (
        <Cards {...cells} />
      ) : (
        <Grid {...cells} density={density[0]} sorting={sorting} onSort={sort} />
      )}
      <div className="list-end">
        <Pager
          state={state}
          count={isPlaceholderData ? null : (data?.items.length ?? null)}
          total={data?.total ?? null}
          next={isPlaceholderData ? null : (data?.next ?? null)}
          linkTo={linkTo}
          onSize={(limit) => go(changed(state, { limit }))}
        />
        {rows.length > 0 && (empty.length > 0 || showsEmpty) && !isNarrow && (
          <p className="empty-columns quiet">
            {empty.length > 0 && `${t.emptyColumns(empty.length)} · `}
            <button
              type="button"
              className="plain show-empty"
              onClick={() => setShowsEmpty(!showsEmpty)}
            >
              {showsEmpty ? t.hideEmpty : t.showEmpty}
            </button>
          </p>
        )}
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

/** One request for everything: the rows, and the records that name their references and the filters. */
const useList = (
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
  // The request is on its way while the page is built.
  usePrefetchQuery(query)
  return useQuery({ ...query, placeholderData: keepPreviousData })
}

/**
 * The columns of the list: those of the URL; for a saved view without them the usual ones; otherwise
 * those that were chosen in this browser. A choice changes what they came from.
 */
const useColumns = (group: Group, state: ListState, go: (state: ListState) => void) => {
  const [stored, store] = useStoredColumns(group)
  const { fields, saved } = state
  const named = fields && columnsFor(group, fields)
  const columns = named && named.length > 0 ? named : saved === null ? stored : usualColumns(group)
  const choose = (next: readonly Column[] | null) => {
    if (fields === null && saved === null) store(next)
    else go({ ...state, fields: next && fieldNames(next) })
  }
  return { columns, choose }
}

const sharedFields = (group: Group, { fields }: ListState, columns: readonly Column[]) => {
  if (fields !== null) return fields
  const names = fieldNames(columns)
  return names.join() === fieldNames(usualColumns(group)).join() ? null : names
}

/** Says the order of the list to those who do not see the arrow. */
const SortStatus = ({
  columns,
  sorting,
}: {
  columns: readonly Column[]
  sorting: ReturnType<typeof sortingOf>
}) => {
  const t = texts().explorer
  const label = columns.find(({ sort }) => sort === sorting?.field)?.label ?? sorting?.field ?? ''
  return (
    <p className="visually-hidden" role="status">
      {sorting ? t.sorted(label, sorting.isDescending ? t.descending : t.ascending) : t.notSorted}
    </p>
  )
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
