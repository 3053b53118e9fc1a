import { useQuery } from '@tanstack/react-query'
import type { Trend, TrendFigure } from '../../../client/src/index.ts'
import type { Api } from '../api.ts'
import { useBrand } from '../brand.ts'
import { Skeleton } from '../charts/part.tsx'
import type { Tone } from '../charts/tone.ts'
import { TrendChart, type TrendPoint } from '../charts/trend-chart.tsx'
import { compactMoneyText, countText, dayText, shortDayText } from '../figures.ts'
import { brandLink, todayLink } from '../links.ts'
import { Failure } from '../states.tsx'
import { texts } from '../texts/index.ts'
import { useTitle } from '../title.ts'
import { baseNumber, isPartial, quantityOf, sumTexts } from './sums.ts'
import '../charts/charts.css'
import './today.css'

const days = 90

/** The most important figures of the last days, from one request. Each day leads to Today. */
export const TrendsPage = ({ api }: { api: Api }) => {
  const words = texts().today
  useTitle(words.trends, useBrand().name)
  const { data, error, refetch } = useQuery({
    queryKey: ['trend', api.brand],
    queryFn: ({ signal }) => api.trend({ days, signal }),
  })
  return (
    <div className="today">
      <header className="today-header">
        <h1>{words.trends}</h1>
        <p>{words.trendsMeaning(days)}</p>
      </header>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={12} />}
      {data && (
        <div className="today-panels">
          {lines()
            .filter(({ group }) => api.canRead(group))
            .map((line) => (
              <Line key={line.name} brand={api.brand} trend={data} line={line} />
            ))}
        </div>
      )}
    </div>
  )
}

type KnownFigure = TrendFigure & { readonly items: number }

interface LineDefinition {
  readonly name: string
  readonly group: string
  readonly label: string
  readonly tone: Tone
  readonly textOf: (figure: KnownFigure) => string
  /** The amount whose sum in the base currency is drawn, unless it leaves out too much. */
  readonly amount?: string
}

const lines = (): readonly LineDefinition[] => {
  const words = texts().today
  return [
    {
      name: 'ordersLate',
      group: 'orders',
      label: words.late,
      tone: 'bad',
      textOf: (figure) =>
        [
          words.ordersOf(figure.items),
          words.pieces(quantityOf(figure, 'totalQuantity')),
          ...sumTexts(figure, 'totalAmount'),
        ].join(' · '),
    },
    {
      name: 'shipmentsOnTheWay',
      group: 'shipments',
      label: words.onTheWay,
      tone: 'plain',
      textOf: (figure) =>
        [words.shipmentsOf(figure.items), words.pieces(quantityOf(figure, 'totalQuantity'))].join(
          ' · ',
        ),
    },
    {
      name: 'invoicesOverdue',
      group: 'invoices',
      label: words.overdue,
      tone: 'bad',
      textOf: (figure) =>
        [...sumTexts(figure, 'balanceAmount'), words.invoicesOf(figure.items)].join(' · '),
      amount: 'balanceAmount',
    },
    {
      name: 'stockOut',
      group: 'inventory',
      label: words.stockOut,
      tone: 'warn',
      textOf: (figure) =>
        [
          countText(figure.items),
          words.incomingPieces(words.pieces(quantityOf(figure, 'incomingQuantity'))),
        ].join(' · '),
    },
  ]
}

interface LineProps {
  readonly brand: string
  readonly trend: Trend
  readonly line: LineDefinition
}

const Line = ({ brand, trend, line }: LineProps) => {
  const words = texts().today
  const { name, label, tone, textOf, amount } = line
  const figures = trend.days.map(({ day, figures: all }) => ({ day, figure: all[name] }))
  const isKnown = (figure: TrendFigure | undefined): figure is KnownFigure =>
    figure !== undefined && figure.items !== null
  const knownFigures = figures.flatMap(({ figure }) => (isKnown(figure) ? [figure] : []))
  const drawn = amount !== undefined && !isPartial(knownFigures, amount) ? amount : undefined
  const today = trend.days.at(-1)?.day
  const points = figures.map(
    ({ day, figure }): TrendPoint => ({
      key: day,
      label: shortDayText(day),
      title: dayText(day),
      ...(isKnown(figure)
        ? {
            value: drawn === undefined ? figure.items : baseNumber(figure, drawn),
            text: textOf(figure),
          }
        : { value: null, text: words.unknown }),
      href: day === today ? brandLink(brand) : todayLink(brand, day),
    }),
  )
  const gaps = points.length - knownFigures.length
  const id = `trend-${name}`
  return (
    <section className="today-panel" aria-labelledby={id}>
      <h2 id={id}>{label}</h2>
      <TrendChart
        label={label}
        tone={tone}
        points={points}
        tick={(value) =>
          drawn === undefined ? countText(value) : compactMoneyText(value, trend.baseCurrency)
        }
      />
      {gaps > 0 && <p className="today-outside">{words.trendGaps(gaps)}</p>}
    </section>
  )
}
