import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode, Ref } from 'react'
import { Link } from 'wouter'
import type { Api, Filters } from '../api.ts'
import { brandQuery } from '../brand-record.ts'
import { type Bar, Bars, type Tone } from '../charts/bars.tsx'
import { type Column, Columns } from '../charts/columns.tsx'
import { NotShown } from '../charts/not-shown.tsx'
import { Part } from '../charts/part.tsx'
import { groupAt } from '../contract.ts'
import {
  amountText,
  countOf,
  countText,
  dayText,
  monthText,
  signedText,
  words,
} from '../figures.ts'
import { type ReadRows, readRows } from '../lineage/rows.ts'
import { lineageLink, listLink } from '../links.ts'
import { domainTitles } from '../shell/groups.tsx'
import { useTitle } from '../title.ts'
import { totalQuery } from '../totals.ts'
import { toneOf } from '../values.ts'
import { useVisibility } from '../visibility.ts'
import {
  type CountRecords,
  type Due,
  domainTotals,
  lists,
  type Month,
  openInvoices,
  orderToFollow,
  type Phase,
  phases,
  shipmentMonths,
  statusCounts,
  statusesOf,
  type Units,
  unitTotals,
} from './counts.ts'
import '../charts/charts.css'
import './overview.css'

/** A brand's records at a glance, and where to start. */
export const OverviewPage = ({ api }: { api: Api }) => (
  <div className="overview">
    <Welcome api={api} />
    <Figures api={api} />
    <UnitsCard api={api} />
    <StatusCard api={api} collection="orders" title="Orders by status" />
    <StatusCard api={api} collection="shipments" title="Shipments by status" />
    <MonthsCard api={api} />
    <InvoicesCard api={api} />
    <DomainsCard api={api} />
  </div>
)

const steps = ['Quote', 'Order', 'Run', 'Shipment', 'Receipt', 'Invoice', 'Payment']

const Welcome = ({ api }: { api: Api }) => {
  const brand = useQuery(brandQuery(api))
  const order = useQuery({
    queryKey: ['order-to-follow', api.brand],
    queryFn: ({ signal }) => orderToFollow(api, signal),
  })
  useTitle(String(brand.data?.['name'] ?? api.brand))
  const { name, legalName, countryCode, baseCurrencyCode, timezone } = brand.data ?? {}
  const facts = [
    legalName,
    countryCode,
    baseCurrencyCode && `books in ${baseCurrencyCode}`,
    timezone,
  ]
  return (
    <header className="overview-welcome">
      <div className="overview-welcome-brand">
        <h1>{String(name ?? api.brand)}</h1>
        <p className="overview-welcome-facts">{facts.filter(Boolean).join(' · ') || '\u00a0'}</p>
        <p>
          Every record of the brand’s supply chain, from the first sketch to the last payment: read,
          follow and copy. The console never changes a record.
        </p>
      </div>
      <div className="thread">
        <h2>Follow one order to its payment</h2>
        <ol className="thread-steps">
          {steps.map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        <Part
          query={order}
          lines={1}
          empty="There are no orders yet."
          isEmpty={(row) => row === null}
        >
          {(row) =>
            row && (
              <p className="thread-order">
                <Link
                  className="thread-go"
                  href={lineageLink(api.brand, 'orders', String(row['id']))}
                >
                  Follow {String(row['orderNumber'])}
                </Link>
                <span>
                  {countOf(Number(row['totalQuantity']), 'piece')},{' '}
                  {amountText(String(row['totalAmount']))} {String(row['currency'])}, ordered{' '}
                  {dayText(String(row['orderDate']))}
                </span>
              </p>
            )
          }
        </Part>
      </div>
    </header>
  )
}

/** The lists whose totals show the size of a brand. */
const figures = [
  'parent-products',
  'skus',
  'suppliers',
  'quotes',
  'orders',
  'shipments',
  'invoices',
  'payments',
]

const Figures = ({ api }: { api: Api }) => {
  const queries = useQueries({ queries: figures.map((path) => totalQuery(api, path)) })
  return (
    <ul className="overview-figures" aria-label="Totals">
      {figures.map((path, place) => (
        <li key={path}>
          <Link href={listLink(api.brand, path)}>
            <span className="overview-figure">{figureText(queries[place]?.data)}</span>{' '}
            {groupAt(path)?.title}
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** Counts through the cache that all views share, slower than the key's rate limit. */
const useCountRecords = (api: Api): CountRecords => {
  const queries = useQueryClient()
  return (collection, filters) => queries.fetchQuery(totalQuery(api, collection, filters))
}

/** Reads a list once for all charts that use it. */
const useReadRows = (): ReadRows => {
  const queries = useQueryClient()
  return (api, collection, filters, { max, include = [] }) =>
    queries.fetchQuery({
      queryKey: ['rows', api.brand, collection, filters, max, include],
      queryFn: ({ signal }) => readRows(api, collection, filters, { max, include, signal }),
    })
}

const figureText = (total: number | undefined): string =>
  total === undefined ? '…' : countText(total)

type CardProps = {
  place?: Ref<HTMLElement>
  title: string
  className?: string
  /** What the figures are based on, and where the bars link to. */
  note?: ReactNode
  children: ReactNode
}

const Card = ({ place, title, className = '', note, children }: CardProps) => (
  <section ref={place} className={`overview-card ${className}`}>
    <h2>{title}</h2>
    <div className="overview-card-body">{children}</div>
    <p className="overview-card-note">{note ?? '\u00a0'}</p>
  </section>
)

const StatusCard = ({
  api,
  collection,
  title,
}: {
  api: Api
  collection: 'orders' | 'shipments'
  title: string
}) => {
  const count = useCountRecords(api)
  const query = useQuery({
    queryKey: ['status-counts', api.brand, collection],
    queryFn: () => statusCounts(count, collection),
  })
  const bars = (query.data?.counts ?? []).map(
    ({ name, count, filters }): Bar => ({
      key: name,
      label: words(name),
      value: count,
      tone: toneOf(name),
      href: listLink(api.brand, collection, filters),
    }),
  )
  const one = collection.slice(0, -1)
  return (
    <Card
      title={title}
      note={query.data && `${countOf(query.data.total, one)}, counted with filters.`}
    >
      <Part
        query={query}
        lines={statusesOf(collection).length}
        empty={`There are no ${collection} yet.`}
        isEmpty={({ total }) => total === 0}
      >
        {() => <Bars bars={bars} label={title} />}
      </Part>
    </Card>
  )
}

const unitWords: Record<Units['name'], readonly [label: string, collection: string, Filters]> = {
  ordered: ['Ordered', 'orders', {}],
  shipped: ['Shipped', 'shipments', {}],
  received: ['Received', 'goods-receipt-lines', {}],
}

const UnitsCard = ({ api }: { api: Api }) => {
  const read = useReadRows()
  const query = useQuery({
    queryKey: ['unit-totals', api.brand],
    queryFn: ({ signal }) => unitTotals(api, signal, read),
  })
  const { units = [], tooLong = [] } = query.data ?? {}
  const bars = units.flatMap(({ name, units: count }, place): Bar[] => {
    if (count === null) return []
    const [label, collection, filters] = unitWords[name]
    const before = units[place - 1]?.units ?? null
    return [
      {
        key: name,
        label,
        value: count,
        href: listLink(api.brand, collection, filters),
        ...(before !== null && before !== count && { note: signedText(count - before) }),
      },
    ]
  })
  const missing = units.filter((each) => each.units === null).map(({ name }) => unitWords[name][0])
  return (
    <Card
      title="Units ordered, shipped, received"
      className="overview-card-full"
      note="Shipped counts pieces that have departed, received counts pieces on receipts. Cancelled records are excluded."
    >
      <Part
        query={query}
        lines={3}
        empty="Nothing has been ordered yet."
        isEmpty={({ empty }) => empty}
      >
        {() => (
          <>
            {bars.length > 0 && <Bars bars={bars} label="Units" />}
            <NotShown brand={api.brand} tooLong={tooLong} what={missing.join(', ')} />
          </>
        )}
      </Part>
    </Card>
  )
}

const phaseTones: Record<Phase, Tone> = {
  planned: 'quiet',
  'under way': 'plain',
  arrived: 'good',
  cancelled: 'bad',
}

const MonthsCard = ({ api }: { api: Api }) => {
  const read = useReadRows()
  const query = useQuery({
    queryKey: ['shipment-months', api.brand],
    queryFn: ({ signal }) => shipmentMonths(api, signal, read),
  })
  return (
    <Card
      title="Shipments by month of departure"
      className="overview-card-full"
      note="Lists cannot be filtered by month. A column links to the shipments with its status if they all share one, otherwise to all shipments."
    >
      <ul className="chart-legend">
        {phases.map((phase) => (
          <li key={phase}>
            <span className={`chart-legend-dot tone-${phaseTones[phase]}`} aria-hidden="true" />
            {words(phase)}
          </li>
        ))}
      </ul>
      <Part
        query={query}
        lines={7}
        empty="There are no shipments yet."
        isEmpty={({ months, tooLong }) => months.length === 0 && tooLong.length === 0}
      >
        {({ months, tooLong }) =>
          tooLong.length > 0 ? (
            <NotShown brand={api.brand} tooLong={tooLong} />
          ) : (
            <Columns
              label="Shipments by month of departure"
              columns={months.map((month) => monthColumn(api.brand, month))}
            />
          )
        }
      </Part>
    </Card>
  )
}

const monthColumn = (brand: string, { month, count, byPhase, filters }: Month): Column => {
  const parts = phases.filter((phase) => byPhase[phase] > 0)
  const name = month === null ? 'No date' : monthText(month)
  return {
    key: month ?? 'none',
    label: month === null ? 'No date' : monthText(month, false),
    under: month === null ? '' : month.slice(0, 4),
    title: `${name}: ${countOf(count, 'shipment')}${
      parts.length > 0 ? ` (${parts.map((phase) => `${byPhase[phase]} ${phase}`).join(', ')})` : ''
    }`,
    value: count,
    layers: parts.map((phase) => ({ tone: phaseTones[phase], value: byPhase[phase] })),
    href: listLink(brand, 'shipments', filters),
  }
}

const InvoicesCard = ({ api }: { api: Api }) => {
  const today = new Date().toISOString().slice(0, 10)
  const query = useQuery({
    queryKey: ['open-invoices', api.brand, today],
    queryFn: ({ signal }) => openInvoices(api, today, signal),
  })
  const isWhole = query.data?.tooLong.length === 0
  const byCurrency = Map.groupBy(query.data?.dues ?? [], ({ currency }) => currency)
  return (
    <Card
      title="Open invoices by due date"
      className="overview-card-full"
      note={
        <>
          {query.data && isWhole && `${countOf(query.data.invoices, 'invoice')} with a balance. `}
          Lists cannot be filtered by date. A bar links to the invoices in its currency
          {' and, if they all share one, with its status.'}
        </>
      }
    >
      <Part
        query={query}
        lines={3}
        empty="There are no open invoices."
        isEmpty={({ dues, tooLong }) => dues.length === 0 && tooLong.length === 0}
      >
        {({ tooLong }) => (
          <div className="overview-dues">
            <NotShown brand={api.brand} tooLong={tooLong} />
            {[...byCurrency].map(([currency, dues]) => (
              <div key={currency}>
                <h3>{currency}</h3>
                <Bars
                  label={`Open invoices in ${currency}`}
                  bars={dues.map((due) => dueBar(api.brand, due))}
                />
              </div>
            ))}
          </div>
        )}
      </Part>
    </Card>
  )
}

const dueBar = (brand: string, { currency, month, overdue, amount, filters }: Due): Bar => ({
  key: `${currency} ${month} ${overdue}`,
  label: month === null ? 'No date' : monthText(month),
  // Only the length of the bar is a floating point number; the figure is exact.
  value: Math.max(0, Number(amount)),
  text: amountText(amount),
  ...(overdue && { note: 'overdue', tone: 'bad' }),
  href: listLink(brand, 'invoices', filters),
})

/** Ninety counts that few people look at: they are loaded once the card is visible. */
const DomainsCard = ({ api }: { api: Api }) => {
  const [place, isVisible] = useVisibility<HTMLElement>()
  const queries = useQueries({
    queries: lists.map((group) => ({ ...totalQuery(api, group.path), enabled: isVisible })),
  })
  const totals = new Map(lists.map(({ path }, place) => [path, queries[place]?.data]))
  const failed = queries.find(({ error }) => error)
  const counted = domainTotals(totals)
  const most = Math.max(1, ...counted.map(({ total }) => total))
  const all = counted.reduce((sum, { total }) => sum + total, 0)
  const whole = counted.every((each) => each.whole)
  return (
    <Card
      place={place}
      title="Records by domain"
      className="overview-card-full"
      note={
        failed?.error
          ? failed.error.message
          : // The brand's own record is one more group, which has no list.
            `${countText(all + 1)} records in ${countText(lists.length + 1)} groups, including shared records${whole ? '' : ', still counting …'}`
      }
    >
      <div className="domains">
        {counted.map(({ domain, groups, total, whole: isWhole }) => (
          <details key={domain} className="domain">
            <summary>
              <span className="domain-title">{domainTitles[domain]}</span>
              <span className="domain-groups">{countOf(groups.length, 'group')}</span>
              <span className="domain-total">{isWhole ? countText(total) : '…'}</span>
              <span className="chart-bar-track" aria-hidden="true">
                <span
                  className="chart-bar-fill tone-plain"
                  style={{ width: `${(total / most) * 100}%` }}
                />
              </span>
            </summary>
            <Bars
              label={domainTitles[domain]}
              bars={groups.map(({ group, total: one }) => ({
                key: group.path,
                label: group.title,
                value: one ?? 0,
                text: one === undefined ? '…' : countText(one),
                href: listLink(api.brand, group.path),
              }))}
            />
          </details>
        ))}
      </div>
    </Card>
  )
}
