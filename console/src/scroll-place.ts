import { useLayoutEffect, useRef } from 'react'
import { useLocation, useSearch } from 'wouter'

interface Position {
  readonly page: number
  /** Of the table, which scrolls in a box of its own. */
  readonly top: number
  readonly left: number
}

const positions = new Map<string, Position>()
const positionsMax = 100
let wentBack = false

const here = (): string => location.pathname + location.search
const pageBox = () => document.getElementById('content')
const tableBox = () => document.querySelector('.grid-scroll')

const note = (): void => {
  const place = here()
  const [page, table] = [pageBox(), tableBox()]
  positions.delete(place)
  positions.set(place, {
    page: page?.scrollTop ?? 0,
    top: table?.scrollTop ?? 0,
    left: table?.scrollLeft ?? 0,
  })
  const [oldest] = positions.keys()
  if (positions.size > positionsMax && oldest !== undefined) positions.delete(oldest)
}

addEventListener('popstate', () => {
  wentBack = true
})
document.addEventListener('scroll', note, { capture: true, passive: true })

/** A new page begins at its top; Back and Forward find the place that was left. */
export const useScrollPlace = (): void => {
  const [path] = useLocation()
  const search = useSearch()
  const before = useRef(path)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is what sets it off
  useLayoutEffect(() => {
    const kept = wentBack ? positions.get(here()) : undefined
    if (wentBack || before.current !== path) pageBox()?.scrollTo(0, kept?.page ?? 0)
    if (kept) tableBox()?.scrollTo(kept.left, kept.top)
    before.current = path
    wentBack = false
  }, [path, search])
}
