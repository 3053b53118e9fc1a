import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import type { Figure, Today } from '../../../client/src/index.ts'
import type { Api } from '../api.ts'
import { today as todayIn, useBrand } from '../brand.ts'
import { Skeleton } from '../charts/part.tsx'
import { groupAt } from '../contract.ts'
import { DayChoice } from '../day-choice.tsx'
import { countText, dayText, weekdayText } from '../figures.ts'
import { brandLink, todayLink, trendsLink } from '../links.ts'
import { Attention } from '../sources/attention.tsx'
import { Failure } from '../states.tsx'
import { groupTitle } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { useTitle } from '../title.ts'
import { todayQuery } from '../today-data.ts'
import { Ageing, Arrivals, Stages } from './charts.tsx'
import { Lead, Row, Target } from './figure.tsx'
import { FirstRecords } from './first-records.tsx'
import { FirstSteps, isEmpty } from './first-steps.tsx'
import { QualityLead } from './quality-lead.tsx'
import { amountsOf, leftOutTexts, quantityOf, sumTexts } from './sums.ts'
import '../charts/charts.css'
import './today.css'

/** Today's figures of a brand, from one request. The URL can name another day. */
export const TodayPage = ({ api }: { api: Api }) => {
  const { name } = useBrand()
  const [, navigate] = useLocation()
  const asOf = new URLSearchParams(useSearch()).get('asOf')
  const { data, error, refetch } = useQuery(todayQuery(api, asOf))
  const words = texts().today
  const { day } = todayIn()
  const isToday = asOf === null || asOf === day
  const hasEnded = asOf !== null && asOf < day
  useTitle(isToday || !data ? words.title : dayText(data.asOf), name)
  return (
    <div className="today">
      <header className="today-header">
        <h1>{isToday || !data ? words.title : weekdayText(data.asOf)}</h1>
        {data && <p>{isToday ? weekdayText(data.asOf) : meaningOf(data, hasEnded)}</p>}
        {data && !isEmpty(data.totals) && (
          <>
            <Link className="today-trends" href={trendsLink(api.brand)}>
              {words.trends}
            </Link>
            <DayChoice
              day={data.asOf}
              today={day}
              todayLink={brandLink(api.brand)}
              onDay={(next) =>
                navigate(next === day ? brandLink(api.brand) : todayLink(api.brand, next))
              }
            />
          </>
        )}
      </header>
      {isToday && <Attention api={api} />}
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={12} />}
      {data &&
        (isEmpty(data.totals) ? (
          <FirstSteps brand={api.brand} />
        ) : (
          <Figures
            api={api}
            today={isToday || hasEnded ? data : withoutChanges(data)}
            isToday={isToday}
          />
        ))}
    </div>
  )
}

/** What the figures of another day are. */
const meaningOf = ({ figures }: Today, hasEnded: boolean): string => {
  const words = texts().today
  if (!hasEnded) return words.asOfMeaning
  const isKept = Object.values(figures).every(({ items }) => items !== null)
  return isKept ? words.pastDay : words.unknownDay
}

/**
 * Removes the weekly changes: figures for a later day use the current records, so there is no
 * earlier state to compare with.
 */
const withoutChanges = (today: Today): Today => ({
  ...today,
  figures: Object.fromEntries(
    Object.entries(today.figures).map(([name, figure]) => [
      name,
      { ...figure, weekAgo: { items: null } },
    ]),
  ),
})

interface PartProps {
  readonly api: Api
  readonly today: Today
}

interface PanelProps {
  readonly id: string
  readonly title: string
  /** What the figures cover: a period or a number of records. */
  readonly scope?: string | false
  readonly children: ReactNode
}

const Panel = ({ id, title, scope, children }: PanelProps) => (
  <section className="today-panel" aria-labelledby={id}>
    <h2 id={id}>
      {title}
      {scope && (
        <>
          {' '}
          <span className="today-scope">{scope}</span>
        </>
      )}
    </h2>
    {children}
  </section>
)

const Figures = ({ api, today, isToday }: PartProps & { isToday: boolean }) => (
  <>
    <Leads today={today}>{isToday && <QualityLead api={api} />}</Leads>
    <div className="today-panels">
      <Orders api={api} today={today} />
      <Cash api={api} today={today} />
      <Shipments api={api} today={today} />
      <div className="today-column">
        <Receiving today={today} />
        <Stock today={today} />
        <Changed today={today} />
      </div>
    </div>
  </>
)

/** The pieces and the total cost of the orders of a figure. */
const orderNote = (figure: Figure): string =>
  [
    texts().today.pieces(quantityOf(figure, 'totalQuantity')),
    ...sumTexts(figure, 'totalAmount'),
  ].join(' · ')

/** The median and maximum delay of the records of a figure. */
const latenessNote = ({ days }: Figure): string | null => {
  const words = texts().today
  return days ? words.daysLate(words.daysOf(days.median), words.daysOf(days.max)) : null
}

/** A figure that every server sends. */
const figureOf = ({ figures }: Today, name: string): Figure => figures[name] as Figure

const Leads = ({ today, children }: { today: Today; children: ReactNode }) => {
  const words = texts().today
  const [late, onTheWay, arriving] = [
    figureOf(today, 'ordersLate'),
    figureOf(today, 'shipmentsOnTheWay'),
    figureOf(today, 'shipmentsArrivingThisWeek'),
  ]
  const [overdue, out] = [figureOf(today, 'invoicesOverdue'), figureOf(today, 'stockOut')]
  const nothingIncoming = figureOf(today, 'stockOutNothingIncoming')
  const nowhere = figureOf(today, 'skusOutEverywhere')
  return (
    <ul className="today-leads">
      <Lead
        label={words.late}
        figure={late}
        tone={late.items ? 'bad' : 'plain'}
        notes={[orderNote(late), latenessNote(late)]}
      />
      <Lead
        label={words.onTheWay}
        figure={onTheWay}
        notes={[
          `${words.pieces(quantityOf(onTheWay, 'totalQuantity'))} · ${words.cartons(quantityOf(onTheWay, 'totalCartons'))}`,
          words.arriving(arriving.items ?? 0),
        ]}
      />
      <Lead
        label={words.overdue}
        figure={overdue}
        amounts={amountsOf(overdue, 'balanceAmount')}
        tone={overdue.items ? 'bad' : 'plain'}
        notes={[
          words.invoicesOf(overdue.items ?? 0),
          ...leftOutTexts(overdue, 'balanceAmount'),
          latenessNote(overdue),
        ]}
      />
      <Lead
        label={words.stockOutNothingIncoming}
        figure={nothingIncoming}
        tone={nothingIncoming.items ? 'warn' : 'plain'}
        notes={[
          nowhere.items !== null && words.skusOutEverywhere(nowhere.items),
          out.items !== null && words.stockLevelsOut(out.items),
        ]}
      />
      {children}
    </ul>
  )
}

const Orders = ({ api, today }: PartProps) => {
  const words = texts().today
  const late = figureOf(today, 'ordersLate')
  const row = (label: string, name: string) => {
    const figure = figureOf(today, name)
    return <Row label={label} figure={figure} note={orderNote(figure)} />
  }
  return (
    <Panel id="today-orders" title={words.orders}>
      <Stages today={today} />
      <ul className="today-rows">
        {row(words.open, 'ordersOpen')}
        {row(words.dueThisWeek, 'ordersDueThisWeek')}
        <Row label={words.behindPlan} figure={figureOf(today, 'productionBehindPlan')} />
      </ul>
      <FirstRecords
        brand={api.brand}
        group="orders"
        figure={late}
        title={words.latestOrders}
        none={words.noneLate}
        all={words.allLate}
      />
    </Panel>
  )
}

const Shipments = ({ api, today }: PartProps) => {
  const words = texts().today
  const pieces = (name: string) => words.pieces(quantityOf(figureOf(today, name), 'totalQuantity'))
  return (
    <Panel id="today-shipments" title={words.shipments}>
      <Arrivals today={today} />
      <ul className="today-rows">
        <Row
          label={words.arrivingThisWeek}
          figure={figureOf(today, 'shipmentsArrivingThisWeek')}
          note={pieces('shipmentsArrivingThisWeek')}
        />
        <Row
          label={words.delayed}
          figure={figureOf(today, 'shipmentsDelayed')}
          note={pieces('shipmentsDelayed')}
          tone="bad"
        />
      </ul>
      <FirstRecords
        brand={api.brand}
        group="shipments"
        figure={figureOf(today, 'shipmentsDelayed')}
        title={words.latestShipments}
        none={words.noneDelayed}
        all={words.allDelayed}
      />
    </Panel>
  )
}

const Cash = ({ api, today }: PartProps) => {
  const words = texts().today
  const overdue = figureOf(today, 'invoicesOverdue')
  const row = (name: string, label: string, field: string, noteOf: (items: number) => string) => {
    const figure = figureOf(today, name)
    const note = [noteOf(figure.items ?? 0), ...leftOutTexts(figure, field)].join(' · ')
    return <Row label={label} figure={figure} amounts={amountsOf(figure, field)} note={note} />
  }
  return (
    <Panel id="today-cash" title={words.cash}>
      <Ageing today={today} />
      <ul className="today-rows">
        {row('invoicesDueThisWeek', words.dueThisWeek, 'balanceAmount', words.invoicesOf)}
        {row('invoicesDueIn30Days', words.dueIn30Days, 'balanceAmount', words.invoicesOf)}
        {row('milestonesReachedUnpaid', words.milestones, 'amount', words.milestonesOf)}
      </ul>
      <FirstRecords
        brand={api.brand}
        group="invoices"
        figure={overdue}
        title={words.latestInvoices}
        none={words.noneOverdue}
        all={words.allOverdue}
      />
    </Panel>
  )
}

const Receiving = ({ today }: { today: Today }) => {
  const words = texts().today
  return (
    <Panel id="today-receiving" title={words.receiving} scope={words.lastSevenDays}>
      <ul className="today-rows">
        <Row label={words.short} figure={figureOf(today, 'receiptsShort')} tone="bad" isPeriod />
        <Row
          label={words.damaged}
          figure={figureOf(today, 'receiptsDamaged')}
          tone="bad"
          isPeriod
        />
      </ul>
    </Panel>
  )
}

const Stock = ({ today }: { today: Today }) => {
  const words = texts().today
  const [out, incoming] = [figureOf(today, 'stockOut'), figureOf(today, 'stockIncoming')]
  const pieces = words.pieces(quantityOf(out, 'incomingQuantity'))
  return (
    <Panel id="today-stock" title={words.stock}>
      <ul className="today-rows">
        <Row
          label={words.outEverywhere}
          figure={figureOf(today, 'skusOutEverywhere')}
          tone="warn"
        />
        <Row label={words.stockOut} figure={out} note={words.incomingPieces(pieces)} tone="warn" />
        <Row
          label={words.belowReserved}
          figure={figureOf(today, 'stockBelowReserved')}
          tone="warn"
        />
        <Row
          label={words.incoming}
          figure={incoming}
          note={words.pieces(quantityOf(incoming, 'incomingQuantity'))}
        />
      </ul>
    </Panel>
  )
}

/** Groups listed initially. */
const changedMax = 6

const Changed = ({ today: { changed, asOf } }: { today: Today }) => {
  const words = texts().today
  const groups = changed.groups.toSorted((one, other) => other.items - one.items)
  const list = (shown: typeof groups) => (
    <ul className="today-rows">
      {shown.map(({ group, items, url }) => (
        <li key={group}>
          <Target className="today-row" url={url}>
            <span className="today-row-label">{titleOf(group)}</span>
            <span className="today-row-value">{countText(items)}</span>
          </Target>
        </li>
      ))}
    </ul>
  )
  return (
    <Panel
      id="today-changed"
      title={asOf < todayIn().day ? words.changedThen : words.changed}
      scope={changed.items !== null && changed.items > 0 && words.changedRecords(changed.items)}
    >
      {groups.length === 0 && (
        <p className="part-empty">{changed.items === null ? words.unknown : words.noChanges}</p>
      )}
      {list(groups.slice(0, changedMax))}
      {groups.length > changedMax && (
        <details className="today-more">
          <summary>{words.moreGroups(groups.length - changedMax)}</summary>
          {list(groups.slice(changedMax))}
        </details>
      )}
    </Panel>
  )
}

const titleOf = (path: string): string => {
  const group = groupAt(path)
  return group ? groupTitle(group) : path
}
