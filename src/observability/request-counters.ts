import { type MetricRow, metricTable } from './metric-table.ts'

/**
 * Counts responses in plain numbers, because it runs for every request, and converts them to the
 * metrics library's form when they are scraped.
 */
export interface RequestCounters {
  add(operation: CountedOperation, method: string, status: number, seconds: number): void
  readonly metrics: readonly RequestMetric[]
}

/** Responses are counted by operation, and timed by kind, since a histogram has many lines. */
export interface CountedOperation {
  readonly operation: string
  readonly operationKind: string
}

/** The part of a metric that the library's registry uses. */
export interface RequestMetric {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly aggregator: string
  get(): Promise<object>
}

interface Times {
  /** Responses within each bound, and beyond the last one. */
  readonly within: number[]
  seconds: number
  total: number
}

const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** The value of a key, created on first use. */
const valueAt = <Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value => {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const value = create()
  map.set(key, value)
  return value
}

const createTimes = (): Times => ({
  within: Array.from({ length: bounds.length + 1 }, () => 0),
  seconds: 0,
  total: 0,
})

export const createRequestCounters = (): RequestCounters => {
  /** By operation, method and status. */
  const counts = new Map<string, Map<string, Map<number, number>>>()
  const times = new Map<string, Times>()

  const metric = ({ name, help, type }: MetricRow, values: () => readonly Value[]) => {
    const described = { name, help, type, aggregator: 'sum' }
    return { ...described, get: async () => ({ ...described, values: values() }) }
  }

  const counted = () =>
    [...counts].flatMap(([operation, byMethod]) =>
      [...byMethod].flatMap(([method, byStatus]) =>
        [...byStatus].map(([status, value]) => ({
          labels: { operation, method, status: String(status) },
          value,
        })),
      ),
    )

  const timed = () =>
    [...times].flatMap(([kind, { within, seconds, total }]) => {
      let sum = 0
      const buckets = [...bounds, '+Inf'].map((le, index) => {
        sum += within[index] ?? 0
        return { labels: { le, kind }, value: sum, metricName: `${timeName}_bucket` }
      })
      return [
        ...buckets,
        { labels: { kind }, value: seconds, metricName: `${timeName}_sum` },
        { labels: { kind }, value: total, metricName: `${timeName}_count` },
      ]
    })

  return {
    add: ({ operation, operationKind }, method, status, seconds) => {
      const byMethod = valueAt(counts, operation, () => new Map())
      const byStatus = valueAt(byMethod, method, () => new Map())
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
      const timed = valueAt(times, operationKind, createTimes)
      let bucket = 0
      while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket += 1
      timed.within[bucket] = (timed.within[bucket] ?? 0) + 1
      timed.seconds += seconds
      timed.total += 1
    },
    metrics: [metric(metricTable.requests, counted), metric(metricTable.requestSeconds, timed)],
  }
}

interface Value {
  readonly labels: object
  readonly value: number
  readonly metricName?: string
}

const { name: timeName } = metricTable.requestSeconds
