import type { FigurePart, Today } from '../../../client/src/index.ts'
import { type ChartColumn, ColumnChart } from '../charts/column-chart.tsx'
import { compactMoneyText, countText, shortDayText, weekText } from '../figures.ts'
import { linkOfQuery } from '../links.ts'
import { valueLabel } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { baseNumber, isPartial, quantityOf, sumTexts } from './sums.ts'

interface ChartProps {
  readonly today: Today
}

/** A part whose count is known. */
type KnownPart = FigurePart & { readonly items: number }

const partsOf = ({ series }: Today, name: string): readonly KnownPart[] =>
  (series[name] ?? []).filter((part): part is KnownPart => part.items !== null)

/** Null if no list has the records of a part. */
const hrefOf = ({ url }: FigurePart): string | null => (url === undefined ? null : linkOfQuery(url))

/** Stands for a chart of a day that no snapshot has. */
const UnknownChart = ({ label }: { label: string }) => (
  <figure className="chart">
    <figcaption className="chart-caption">{label}</figcaption>
    <p className="part-empty">{texts().today.unknown}</p>
  </figure>
)

/** Open orders by status. */
export const Stages = ({ today }: ChartProps) => {
  const words = texts().today
  const columns = partsOf(today, 'ordersByStage').map((part): ChartColumn => {
    const label = capitalized(valueLabel(part.name))
    return {
      key: part.name,
      label,
      title: label,
      layers: [
        {
          name: '',
          tone: 'plain',
          value: part.items,
          text: [
            words.ordersOf(part.items),
            words.pieces(quantityOf(part, 'totalQuantity')),
            ...sumTexts(part, 'totalAmount'),
          ].join(' · '),
          href: hrefOf(part),
        },
      ],
    }
  })
  if (columns.length === 0) return <UnknownChart label={words.ordersByStage} />
  return <ColumnChart label={words.ordersByStage} columns={columns} tick={countText} />
}

/** Tones by age; older invoices are worse. */
const ageTones = { notDue: 'plain', '1-30': 'warn', none: 'quiet' } as const

/** Unpaid invoices by days overdue: in the base currency, or their number if that is partial. */
export const Ageing = ({ today }: ChartProps) => {
  const words = texts().today
  const names: { readonly [name: string]: string } = {
    notDue: words.notDue,
    over90: words.over90,
    none: words.noDate,
  }
  const parts = partsOf(today, 'invoicesByAge')
  const isCounted = isPartial(parts, 'balanceAmount')
  const columns = parts
    .filter(({ name, items }) => name !== 'none' || items > 0)
    .map((part): ChartColumn => {
      const label = names[part.name] ?? words.agesOf(part.name.replace('-', '–'))
      return {
        key: part.name,
        label,
        title: label,
        layers: [
          {
            name: '',
            tone: ageTones[part.name as keyof typeof ageTones] ?? 'bad',
            value: isCounted ? part.items : baseNumber(part, 'balanceAmount'),
            text: [...sumTexts(part, 'balanceAmount'), words.invoicesOf(part.items)].join(' · '),
            href: hrefOf(part),
          },
        ],
      }
    })
  if (columns.length === 0) return <UnknownChart label={words.ageing} />
  return (
    <ColumnChart
      label={words.ageing}
      columns={columns}
      tick={(value) => (isCounted ? countText(value) : compactMoneyText(value, today.baseCurrency))}
    />
  )
}

/** Shipments by the week of their actual or expected arrival. */
export const Arrivals = ({ today }: ChartProps) => {
  const words = texts().today
  const arrived = new Map(partsOf(today, 'shipmentsArrived').map((part) => [part.name, part]))
  const expected = partsOf(today, 'shipmentsExpected')
  const weeks = expected.filter(({ from, to }) => from && to)
  const startAt = weeks.findIndex(({ from, to }) => isWithin(today.asOf, from, to))
  const textOf = (part: KnownPart) =>
    `${words.shipmentsOf(part.items)} · ${words.pieces(quantityOf(part, 'totalQuantity'))}`
  const columns = weeks.map((part, at): ChartColumn => {
    const from = part.from ?? ''
    const done = arrived.get(part.name)
    return {
      key: part.name,
      label: shortDayText(from),
      title: at === startAt ? `${words.thisWeek}, ${weekText(from)}` : weekText(from),
      isCurrent: at === startAt,
      layers: [
        ...(done && at <= startAt
          ? [
              {
                name: words.arrived,
                tone: 'good' as const,
                value: done.items,
                text: textOf(done),
                href: hrefOf(done),
              },
            ]
          : []),
        {
          name: at < startAt ? words.notArrived : words.expected,
          tone: at < startAt ? ('bad' as const) : ('plain' as const),
          value: part.items,
          text: textOf(part),
          href: hrefOf(part),
        },
      ],
    }
  })
  const outside = (name: string) => expected.find((part) => part.name === name)?.items ?? 0
  if (columns.length === 0) return <UnknownChart label={words.arrivalsByWeek} />
  const [earlier, later, none] = [outside('earlier'), outside('later'), outside('none')]
  return (
    <>
      <ColumnChart
        label={words.arrivalsByWeek}
        columns={columns}
        tick={countText}
        startAt={Math.max(0, startAt)}
      />
      {earlier + later + none > 0 && (
        <p className="today-outside">
          {words.outside(countText(earlier), countText(later), countText(none))}
        </p>
      )}
    </>
  )
}

const isWithin = (
  day: string,
  from: string | null | undefined,
  to: string | null | undefined,
): boolean => Boolean(from && to && from <= day && day <= to)

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
