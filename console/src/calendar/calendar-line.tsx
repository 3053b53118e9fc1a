import { memo } from 'react'
import type { CalendarShipment } from '../../../client/src/index.ts'
import { addDays } from '../../../src/contract/index.ts'
import { countText, daysText, dayText, shortDayText } from '../figures.ts'
import { recordLink } from '../links.ts'
import { texts } from '../texts/index.ts'
import { dayOf, leavingByWeek, type OrderGroup, type ShownOrder } from './calendar.ts'
import { isWithin, placeOf, type Weeks } from './weeks.ts'

/** The height of every line in pixels, as in the style sheet. */
export const lineHeight = 36

/** A place from one day to the end of another, in weeks. */
const span = (weeks: Weeks, from: string, to: string) => {
  const left = placeOf(weeks, from)
  const right = placeOf(weeks, to) + 1 / 7
  return { '--at': left, '--long': Math.max(right - left, 0) } as Record<string, number>
}

interface GroupLineProps {
  readonly group: OrderGroup
  readonly weeks: Weeks
  readonly isOpen: boolean
  readonly onToggle: () => void
}

/** A supplier or collection, with the number of its orders that leave in each week. */
export const GroupLine = ({ group, weeks, isOpen, onToggle }: GroupLineProps) => {
  const words = texts().calendar
  const { name, orders, late } = group
  return (
    <>
      <button
        type="button"
        className="calendar-name calendar-group"
        aria-expanded={isOpen}
        onClick={onToggle}
      >
        <span className="calendar-title">{name ?? words.none}</span>{' '}
        <span className="calendar-note">
          {words.ordersOf(orders.length)}
          {late > 0 && (
            <>
              {' · '}
              <span className="calendar-late">{words.lateOf(late)}</span>
            </>
          )}
        </span>
      </button>
      <div className="calendar-track" aria-hidden="true">
        {[...leavingByWeek(group, weeks)].map(([week, count]) => (
          <span
            key={week}
            className={count.late > 0 ? 'calendar-count calendar-count-late' : 'calendar-count'}
            style={{ '--at': week } as Record<string, number>}
          >
            {countText(count.items)}
          </span>
        ))}
      </div>
    </>
  )
}

interface OrderLineProps {
  readonly brand: string
  readonly shown: ShownOrder
  readonly weeks: Weeks
  readonly today: string
}

/** An order from its factory to its arrival: one bar for the order, one for each shipment. */
export const OrderLine = memo(({ brand, shown, weeks, today }: OrderLineProps) => {
  const words = texts().calendar
  const { order, exFactory, shipments, windows } = shown
  const departures = shipments.flatMap(({ departure }) => dayOf(departure) ?? [])
  const leaves = departures.length > 0 ? departures.reduce(earlier) : exFactory
  const ends = order.daysLate > 0 ? later(leaves ?? today, today) : leaves
  const href = recordLink(brand, 'orders', order.id)
  const facts = spoken(shown)
  const note = order.daysLate > 0 ? daysText(order.daysLate) : null
  return (
    <>
      <a className="calendar-name calendar-order" href={href}>
        <span className="calendar-title">{order.orderNumber}</span>{' '}
        <span className="calendar-note">
          {note ? (
            <span className="calendar-late">{note}</span>
          ) : (
            exFactory && shortDayText(exFactory)
          )}
        </span>
        <span className="unseen">, {facts.join(', ')}</span>
      </a>
      <div className="calendar-track">
        {windows
          .filter(({ from, to }) => isWithin(weeks, from, to))
          .map(({ id, name, from, to }) => (
            <span
              key={id}
              className="calendar-window"
              style={span(weeks, from, to)}
              title={words.window(name, dayText(from), dayText(to))}
            />
          ))}
        {exFactory !== null &&
          ends !== null &&
          isWithin(weeks, exFactory, later(ends, exFactory)) && (
            // biome-ignore lint/a11y/useAnchorContent: the name at the beginning of the line is the same link.
            <a
              className={
                order.daysLate > 0
                  ? 'calendar-bar calendar-making calendar-bar-late'
                  : 'calendar-bar calendar-making calendar-bar-made'
              }
              href={href}
              style={span(weeks, exFactory, later(ends, exFactory))}
              tabIndex={-1}
              aria-hidden="true"
              title={[order.orderNumber, ...facts].join('\n')}
            />
          )}
        {shipments.map((shipment, at) => {
          const from = dayOf(shipment.departure) ?? dayOf(shipment.arrival)
          const to = dayOf(shipment.arrival) ?? from
          if (from === null || to === null || !isWithin(weeks, from, later(to, from))) return null
          const { id, shipmentNumber, isDelayed, arrival } = shipment
          const tone = isDelayed ? 'late' : arrival.actual === null ? 'way' : 'done'
          const moved = [
            shipmentNumber,
            ...(isDelayed ? [words.delayed] : []),
            ...moment(words.departure, shipment.departure),
            ...moment(words.arrival, arrival),
          ]
          return (
            <a
              key={id}
              className={`calendar-bar calendar-shipment calendar-bar-${tone}`}
              href={recordLink(brand, 'shipments', id)}
              style={span(weeks, from, later(to, from))}
              // Another bar covers this one. The page of the order has all of them.
              tabIndex={
                shipments.slice(0, at).some((each) => isNear(each, from, to)) ? -1 : undefined
              }
              title={moved.join('\n')}
            >
              <span className="unseen">{moved.join(', ')}</span>
            </a>
          )
        })}
      </div>
    </>
  )
})

const earlier = (one: string, other: string): string => (one < other ? one : other)
const later = (one: string, other: string): string => (one > other ? one : other)

/** Bars this near to each other may overlap: a short bar takes the space of four days. */
const nearDays = 4

const isNear = ({ departure, arrival }: CalendarShipment, from: string, to: string): boolean => {
  const own = dayOf(departure) ?? dayOf(arrival)
  if (own === null) return false
  const end = later(dayOf(arrival) ?? own, own)
  return own <= addDays(to, nearDays) && from <= addDays(end, nearDays)
}

/** What a line says of its order. */
const spoken = ({ order, windows }: ShownOrder): readonly string[] => {
  const words = texts().calendar
  const { requested, confirmed, actual } = order.exFactory
  return [
    words.pieces(order.pieces),
    ...(order.daysLate > 0 ? [daysText(order.daysLate)] : []),
    ...(actual ? [`${words.left} ${dayText(actual)}`] : []),
    ...(confirmed ? [`${words.confirmed} ${dayText(confirmed)}`] : []),
    ...(requested ? [`${words.requested} ${dayText(requested)}`] : []),
    ...windows.map(({ name, from, to }) => words.window(name, dayText(from), dayText(to))),
  ]
}

const moment = (
  name: string,
  { planned, actual }: { readonly planned: string | null; readonly actual: string | null },
): readonly string[] => {
  const words = texts().calendar
  if (actual) return [`${name} ${dayText(actual)}`]
  return planned ? [`${name} ${words.plannedFor(dayText(planned))}`] : []
}
