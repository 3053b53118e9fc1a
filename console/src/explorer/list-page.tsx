import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { Api } from '../api.ts'
import { useBaseCurrency } from '../brand-record.ts'
import { Call } from '../call/call.tsx'
import type { Group } from '../contract.ts'
import { countText } from '../figures.ts'
import { listLink } from '../links.ts'
import { includesForNames } from '../names.ts'
import { domainTitles } from '../shell/groups.tsx'
import { Empty, Failure } from '../states.tsx'
import { useTitle } from '../title.ts'
import { includesOf } from '../values.ts'
import { ColumnChoice, useColumns } from './columns.tsx'
import { Download } from './download.tsx'
import { FilterBar } from './filter-bar.tsx'
import { Grid } from './grid.tsx'
import {
  type ListState,
  pageSizes,
  readListState,
  withFilters,
  writeListState,
} from './list-state.ts'
import { Skeleton } from './skeleton.tsx'
import './explorer.css'

/** The records of a group. The URL is the state: filters, page size and cursor. */
export const ListPage = ({ api, group }: { api: Api; group: Group }) => {
  const state = readListState(useSearch())
  const { filters, limit, cursor } = state
  const [columns, chooseColumns] = useColumns(group)
  const [, navigate] = useLocation()
  const fields = columns.flatMap((name) => group.fields.filter((each) => each.name === name))
  const include = [...new Set([...includesOf(fields), ...includesForNames(group)])]
  const baseCurrency = useBaseCurrency(api)
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery({
    queryKey: ['list', api.brand, group.path, filters, limit, cursor, include],
    queryFn: ({ signal }) =>
      api.list(group.path, { filters, limit, include, signal, ...(cursor && { cursor }) }),
    placeholderData: keepPreviousData,
  })
  useTitle(group.title, api.brand)

  const linkTo = (next: ListState) => listLink(api.brand, group.path, writeListState(next))
  const go = (next: ListState) => navigate(linkTo(next))
  const isFiltered = Object.keys(filters).length > 0

  return (
    <section className="list-page" aria-labelledby="page-title">
      <header className="page-head">
        <p className="crumbs">{domainTitles[group.domain]}</p>
        <h1 id="page-title">{group.title}</h1>
        <p className="quiet page-about">{group.description}</p>
      </header>
      <div className="tools">
        <FilterBar
          api={api}
          group={group}
          filters={filters}
          onChange={(next) => go(withFilters(state, next))}
        />
        <div className="tools-end">
          <ColumnChoice group={group} columns={columns} onChoose={chooseColumns} />
          <Download api={api} group={group} filters={filters} total={data?.total ?? null} />
        </div>
      </div>
      {error && !isPlaceholderData ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : isPending || !data ? (
        <Skeleton group={group} fields={fields} rows={Math.min(limit, 25)} />
      ) : data.total === 0 ? (
        <Empty>
          <p>
            {isFiltered
              ? 'No records match these filters.'
              : 'This brand has no records in this group.'}
          </p>
          {isFiltered && (
            <Link href={linkTo(withFilters(state, {}))}>Show all {group.title.toLowerCase()}</Link>
          )}
        </Empty>
      ) : (
        <Grid
          brand={api.brand}
          {...{ group, fields, baseCurrency }}
          rows={data.items}
          isStale={isPlaceholderData}
        />
      )}
      <Pager
        state={state}
        count={isPlaceholderData ? null : (data?.items.length ?? null)}
        total={data?.total ?? null}
        next={isPlaceholderData ? null : (data?.next ?? null)}
        linkTo={linkTo}
        onSize={(size) => go({ ...state, limit: size, cursor: null, before: 0 })}
      />
      <Call
        brand={api.brand}
        path={`/${group.path}`}
        query={{ filters, limit, ...(cursor && { cursor }) }}
        isList
      />
    </section>
  )
}

interface PagerProps {
  readonly state: ListState
  /** How many records the page has, once it is loaded. */
  readonly count: number | null
  readonly total: number | null
  readonly next: string | null
  readonly linkTo: (state: ListState) => string
  readonly onSize: (size: number) => void
}

/** The cursors of earlier pages, to go back a page: a cursor only leads forward. */
const trail = new Map<string, string>()

const Pager = ({ state, count, total, next, linkTo, onSize }: PagerProps) => {
  const { before, cursor, limit } = state
  const here = linkTo(state)
  const nextLink =
    next === null ? null : linkTo({ ...state, cursor: next, before: before + (count ?? 0) })
  if (nextLink !== null) trail.set(nextLink, here)
  const first = linkTo({ ...state, cursor: null, before: 0 })
  const previous = cursor === null ? null : (trail.get(here) ?? null)
  usePagingKeys(nextLink, previous)

  return (
    <nav className="pager" aria-label="Pages">
      <p role="status">{total === null ? ' ' : positionOf(before, count, total)}</p>
      <PageLink to={cursor === null ? null : first}>First</PageLink>
      <PageLink to={previous}>Previous</PageLink>
      <PageLink to={nextLink}>Next</PageLink>
      <label>
        Rows{' '}
        <select value={limit} onChange={(event) => onSize(Number(event.target.value))}>
          {pageSizes.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </select>
      </label>
    </nav>
  )
}

const positionOf = (before: number, count: number | null, total: number): string => {
  if (total === 0) return 'No records'
  const last = count === null ? '…' : countText(before + count)
  return `${countText(before + 1)}–${last} of ${countText(total)}`
}

const PageLink = ({ to, children }: { to: string | null; children: string }) =>
  to === null ? (
    <span className="button" aria-disabled="true">
      {children}
    </span>
  ) : (
    <Link className="button" href={to}>
      {children}
    </Link>
  )

const usePagingKeys = (next: string | null, previous: string | null) => {
  const [, navigate] = useLocation()
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target } = event
      const typing = target instanceof HTMLElement && target.matches('input, select, textarea')
      if (typing || event.ctrlKey || event.metaKey || event.altKey) return
      const to = { n: next, p: previous }[event.key]
      if (to) navigate(to)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [next, previous, navigate])
}
