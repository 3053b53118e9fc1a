import { useLayoutEffect, useRef } from 'react'
import { useLocation, useSearch } from 'wouter'

interface Position {
  readonly page: number
  /** The scroll position of the table. */
  readonly top: number
  readonly left: number
}

const positions = new Map<string, Position>()
const positionsMax = 100
let wentBack = false
/**
 * The scroll position of the page as of the last scroll event. Reading it now would force a layout
 * of an incomplete page.
 */
let pageTop = 0

const here = (): string => location.pathname + location.search
const pageBox = () => document.getElementById('content')
const tableBox = () => document.querySelector('.grid-scroll')

const savePosition = (): void => {
  const place = here()
  const [page, table] = [pageBox(), tableBox()]
  pageTop = page?.scrollTop ?? 0
  positions.delete(place)
  positions.set(place, {
    page: pageTop,
    top: table?.scrollTop ?? 0,
    left: table?.scrollLeft ?? 0,
  })
  const [oldest] = positions.keys()
  if (positions.size > positionsMax && oldest !== undefined) positions.delete(oldest)
}

/** Whether the page was reached by Back or Forward, which restore the scroll position. */
export const isReturning = (): boolean => wentBack

addEventListener('popstate', () => {
  wentBack = true
})
document.addEventListener('scroll', savePosition, { capture: true, passive: true })

/** A new page starts at the top; Back and Forward restore the scroll position. */
export const useScrollPosition = (): void => {
  const [path] = useLocation()
  const search = useSearch()
  const before = useRef(path)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the URL changes
  useLayoutEffect(() => {
    const saved = wentBack ? positions.get(here()) : undefined
    const top = saved?.page ?? 0
    const isMoved = wentBack || before.current !== path
    if (isMoved && top !== pageTop) pageBox()?.scrollTo(0, top)
    if (saved) tableBox()?.scrollTo(saved.left, saved.top)
    before.current = path
    wentBack = false
  }, [path, search])
}
