import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { shortDayText } from '../figures.ts'
import { usePrinting } from '../printing.ts'
import { texts } from '../texts/index.ts'
import { linesOf, type OrderGroup } from './calendar.ts'
import { GroupLine, lineHeight, OrderLine } from './calendar-line.tsx'
import { mondaysOf, placeOf, type Weeks, weekAt } from './weeks.ts'

interface CalendarViewProps {
  readonly brand: string
  readonly groups: readonly OrderGroup[]
  readonly weeks: Weeks
  readonly today: string
  readonly isOpen: (group: OrderGroup) => boolean
  readonly onToggle: (group: OrderGroup) => void
}

/** Lines above and below those in sight, so that the next ones are there when they come in sight. */
const overscanLines = 8
/** Paper does not scroll, so all lines are printed, up to this number. */
const printedMax = 1_000

/** Lines over weeks. Only the lines in sight are in the page. */
export const CalendarView = ({
  brand,
  groups,
  weeks,
  today,
  isOpen,
  onToggle,
}: CalendarViewProps) => {
  const words = texts().calendar
  const scroller = useRef<HTMLElement>(null)
  const isPrinting = usePrinting()
  const lines = useMemo(() => linesOf(groups, isOpen), [groups, isOpen])
  const [range, setRange] = useState({ from: 0, to: 40 })
  const mondays = useMemo(() => mondaysOf(weeks), [weeks])
  const currentWeek = weekAt(weeks, today)

  useLayoutEffect(() => {
    const { current } = scroller
    if (!current) return
    const onScroll = () => {
      // In steps, so that most scrolling renders nothing.
      const step = overscanLines / 2
      const first = Math.floor(current.scrollTop / lineHeight / step) * step
      const shown = Math.ceil(current.clientHeight / lineHeight)
      const next = {
        from: Math.max(0, first - overscanLines),
        to: first + shown + 2 * overscanLines,
      }
      setRange((last) => (last.from === next.from && last.to === next.to ? last : next))
    }
    onScroll()
    current.addEventListener('scroll', onScroll, { passive: true })
    const observer = new ResizeObserver(onScroll)
    observer.observe(current)
    return () => {
      current.removeEventListener('scroll', onScroll)
      observer.disconnect()
    }
  }, [])

  // Begins two weeks before this one.
  useLayoutEffect(() => {
    const { current } = scroller
    const week = current?.querySelector<HTMLElement>('.calendar-week')
    if (!current || !week) return
    current.scrollLeft = Math.max(0, (currentWeek ?? 0) - 2) * week.offsetWidth
  }, [currentWeek])

  const [from, to] = isPrinting ? [0, printedMax] : [range.from, range.to]
  return (
    <section
      ref={scroller}
      className="calendar-scroll"
      aria-label={words.title}
      // The keyboard scrolls it, too.
      tabIndex={0}
      style={{ '--weeks': weeks.count, '--lines': lines.length } as Record<string, number>}
    >
      <div className="calendar-head">
        <span className="calendar-corner">{words.weekOf}</span>
        <div className="calendar-weeks">
          {mondays.map((monday, at) => (
            <span
              key={monday}
              className={
                at === currentWeek ? 'calendar-week calendar-week-current' : 'calendar-week'
              }
            >
              {shortDayText(monday)}
            </span>
          ))}
        </div>
      </div>
      <ul className="calendar-lines">
        {lines.slice(from, to).map((line, at) => {
          const { group } = line
          const key = line.kind === 'group' ? group.id : `${group.id} ${line.shown.order.id}`
          return (
            <li
              key={`${line.kind} ${key}`}
              className="calendar-line"
              style={{ '--line-at': from + at } as Record<string, number>}
            >
              {line.kind === 'group' ? (
                <GroupLine
                  group={group}
                  weeks={weeks}
                  isOpen={isOpen(group)}
                  onToggle={() => onToggle(group)}
                />
              ) : (
                <OrderLine brand={brand} shown={line.shown} weeks={weeks} today={today} />
              )}
            </li>
          )
        })}
      </ul>
      <span
        className="calendar-today"
        title={words.today}
        style={{ '--at': placeOf(weeks, today) } as Record<string, number>}
      />
    </section>
  )
}
