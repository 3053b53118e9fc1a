import { useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { countText } from '../figures.ts'
import { texts } from '../texts/index.ts'
import { changed, type ListState, pageSizes } from './list-state.ts'

interface PagerProps {
  readonly state: ListState
  /** The number of records on the page, once loaded. */
  readonly count: number | null
  readonly total: number | null
  readonly next: string | null
  readonly linkTo: (state: ListState) => string
  readonly onSize: (size: number) => void
}

/** The cursors of previous pages for going back, since a cursor only leads forward. */
const trail = new Map<string, string>()

export const Pager = ({ state, count, total, next, linkTo, onSize }: PagerProps) => {
  const { before, cursor, limit } = state
  const t = texts().explorer
  const here = linkTo(state)
  const nextLink =
    next === null
      ? null
      : linkTo({ ...state, cursor: next, before: before === null ? null : before + (count ?? 0) })
  if (nextLink !== null) trail.set(nextLink, here)
  const first = linkTo(changed(state, {}))
  const previous = cursor === null ? null : (trail.get(here) ?? null)
  usePagingKeys(nextLink, previous)
  const sizes = pageSizes.includes(limit) ? pageSizes : [limit, ...pageSizes].sort((a, b) => a - b)

  return (
    <nav className="pager" aria-label={t.pages}>
      <p role="status">{total === null ? ' ' : positionOf(before, count, total)}</p>
      <PageLink to={cursor === null ? null : first}>{t.first}</PageLink>
      <PageLink to={previous}>{t.previous}</PageLink>
      <PageLink to={nextLink}>{t.next}</PageLink>
      <label>
        {t.rows}{' '}
        <select value={limit} onChange={(event) => onSize(Number(event.target.value))}>
          {sizes.map((size) => (
            <option key={size}>{size}</option>
          ))}
        </select>
      </label>
    </nav>
  )
}

const positionOf = (before: number | null, count: number | null, total: number): string => {
  const t = texts().explorer
  if (total === 0) return t.noRecords
  const [from, to] =
    before === null
      ? ['…', '…']
      : [countText(before + 1), count === null ? '…' : countText(before + count)]
  return t.position(from, to, countText(total))
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
