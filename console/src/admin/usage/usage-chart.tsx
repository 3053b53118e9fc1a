import type { OperatorUsage, OperatorUsageItem } from '../../../../src/contract/index.ts'
import { type ChartColumn, ColumnChart } from '../../charts/column-chart.tsx'
import { Skeleton } from '../../charts/part.tsx'
import { countText, dayText, monthText, shortDayText } from '../../figures.ts'
import { numberFormat } from '../../locale.ts'
import { Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import type { Query } from '../admin-api.ts'
import { useRead } from '../reading.ts'

/** The requests of each day, or of each month if there are many days. */
export const UsageChart = ({ query }: { query: Query }) => {
  const words = adminTexts().usage
  const { data, error, refetch } = useRead<OperatorUsage>('/usage', { ...query, by: 'day' })
  if (error && !data) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={5} />
  if (data.items.length === 0) return <p className="quiet">{words.noRequests}</p>
  const columns = columnsOf(data)
  return (
    <ColumnChart
      label={words.requestsFrom(dayText(data.since), dayText(data.until))}
      columns={columns}
      tick={(value) => numberFormat({ notation: 'compact' }).format(value)}
      startAt={columns.length}
    />
  )
}

/** Requests that were refused, with whatever error. */
export const refusedOf = ({ refusals }: Pick<OperatorUsageItem, 'refusals'>): number =>
  Object.values(refusals).reduce((sum, count) => sum + count, 0)

/** More days than this are shown as months. */
const daysMax = 100
const dayMs = 86_400_000

const columnsOf = ({ since, until, items }: OperatorUsage): readonly ChartColumn[] => {
  const days = daysBetween(since, until)
  const isByMonth = days.length > daysMax
  const keyOf = (day: string) => (isByMonth ? day.slice(0, 7) : day)
  const sums = new Map(days.map((day) => [keyOf(day), { answered: 0, refused: 0 }]))
  for (const item of items) {
    const sum = sums.get(keyOf(item.day ?? ''))
    if (!sum) continue
    sum.refused += refusedOf(item)
    sum.answered += item.requests - refusedOf(item)
  }
  const words = adminTexts().usage
  return [...sums].map(([key, { answered, refused }]) => ({
    key,
    label: isByMonth ? monthText(key) : shortDayText(key),
    title: isByMonth ? monthText(key) : dayText(key),
    layers: [layer(words.answered, 'plain', answered), layer(words.refused, 'bad', refused)],
  }))
}

const layer = (name: string, tone: 'plain' | 'bad', value: number) => ({
  ...{ name, tone, value, text: countText(value), href: null },
})

const daysBetween = (first: string, last: string): readonly string[] => {
  const count = Math.round((Date.parse(last) - Date.parse(first)) / dayMs) + 1
  return Array.from({ length: Math.max(1, count) }, (_, at) =>
    new Date(Date.parse(first) + at * dayMs).toISOString().slice(0, 10),
  )
}
