import { formatCount, isJsonObject, type JsonValue, valueAt } from '#contract'
import { brandArgument } from './group.ts'
import { leftOutFigures } from './left-out.ts'
import type { JsonRecord } from './reader.ts'
import { queryArguments } from './records.ts'
import { tool } from './tool.ts'
import { resultMax, sizeOf } from './truncate.ts'

/** The figures of the day. */
export const showToday = tool({
  name: 'today',
  title: 'Show the figures of the day',
  description:
    'Shows what a morning needs, exactly: late orders, orders due this week, shipments on their way and delayed, receipts with missing or damaged pieces, cash that is due, stock at risk, and what changed since yesterday.',
  arguments: {
    asOf: queryArguments.asOf,
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    asOf: { type: 'string' },
    timezone: { type: 'string' },
    baseCurrency: { type: 'string' },
    figures: {
      type: 'object',
      description:
        'Each figure with its number of records and the path of the list behind it. What is unknown of a past day has items null and a reason.',
    },
    series: {
      type: 'object',
      description: 'Open orders by status, arrivals by week, unpaid invoices by age.',
    },
    changed: { type: 'object', description: 'How many records changed since, by group.' },
    records: { type: 'object', description: 'When records last changed, and the last import.' },
  },
  run: async ({ asOf, brand }, caller) => {
    const reader = await caller.open(brand)
    const today = await reader.today({ asOf })
    const { asOf: day, timezone, baseCurrency, figures, records } = today
    const all = Object.entries(isJsonObject(figures) ? figures : {})
    const sentences = all.flatMap(([name, figure]) => leftOutFigures(figure, `${name}.`))
    const unknown = all.filter(([, figure]) => valueAt(figure, 'items') === null).length
    const note = unknown > 0 ? ` (${unknown} unknown: each has its reason)` : ''
    const { shown, omitted } = fitToday(today, resultMax - overheadMax - sizeOf(sentences))
    return {
      summary: [
        `${formatCount(all.length, 'figure')} as of ${day}${note}; ${omitted.length > 0 ? `not shown for their length: ${omitted.join(', ')}` : 'nothing is truncated'}.`,
        'The url of a figure names its list: call list_records with its view and filters, or summarize for its sums.',
        ...sentences,
      ].join(' '),
      brand: reader.brand,
      ...{ asOf: day, timezone, baseCurrency, ...shown, records },
      next: null,
    }
  },
})

interface Shown {
  readonly figures: JsonValue
  readonly series: JsonValue
  readonly changed: JsonValue
}

/** What is not shown of a day that is too long, in this order, until it fits. */
const omissions: readonly (readonly [what: string, omit: (shown: Shown) => Shown])[] = [
  ['sums of a week ago', (shown) => ({ ...shown, figures: withoutEarlierSums(shown.figures) })],
  [
    'amounts by currency in series',
    (shown) => ({ ...shown, series: withoutCurrencies(shown.series) }),
  ],
  [
    'the first records of figures',
    (shown) => ({ ...shown, figures: without(shown.figures, 'first') }),
  ],
  [
    'amounts by currency in figures',
    (shown) => ({ ...shown, figures: withoutCurrencies(shown.figures) }),
  ],
  ['series', (shown) => ({ ...shown, series: {} })],
  ['groups of changed', (shown) => ({ ...shown, changed: without(shown.changed, 'groups') })],
]

/** Length for everything but the figures. */
const overheadMax = 1_500

const fitToday = (
  today: JsonRecord,
  room: number,
): { readonly shown: Shown; readonly omitted: readonly string[] } => {
  const { figures = {}, series = {}, changed = {} } = today
  let shown: Shown = {
    // Records and lists of changes follow from their ids and groups: their paths only take room.
    ...{ figures: withoutPaths(figures), series, changed: without(changed, 'url') },
  }
  const omitted: string[] = []
  for (const [what, omit] of omissions) {
    if (sizeOf(shown) <= room) break
    shown = omit(shown)
    omitted.push(what)
  }
  return { shown, omitted }
}

/** Figures without the paths of their first records. */
const withoutPaths = (figures: JsonValue): JsonValue =>
  mapValues(figures, (figure) =>
    isJsonObject(figure) && figure['first'] !== undefined
      ? { ...figure, first: without(figure['first'], 'url') }
      : figure,
  )

/** Figures with nothing but the number of records of a week ago. */
const withoutEarlierSums = (figures: JsonValue): JsonValue =>
  mapValues(figures, (figure) =>
    mapValues(figure, (value, key) => (key === 'weekAgo' ? without(value, 'sum') : value)),
  )

/** Sums in the base currency only. */
const withoutCurrencies = (value: JsonValue): JsonValue =>
  without(without(value, 'currencies'), 'leftOut')

/** A value without the properties of a name, at any depth. */
const without = (value: JsonValue, name: string): JsonValue =>
  Array.isArray(value)
    ? value.map((each) => without(each, name))
    : mapValues(value, (each, key) => (key === name ? undefined : without(each, name)))

/** An object with other values, without those that become undefined; anything else unchanged. */
const mapValues = (
  value: JsonValue,
  change: (each: JsonValue, key: string) => JsonValue | undefined,
): JsonValue =>
  isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([key, each]) => {
          const changed = change(each, key)
          return changed === undefined ? [] : [[key, changed]]
        }),
      )
    : value
