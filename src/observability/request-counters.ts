/**
 * Counts responses in plain numbers, because it runs for every request, and converts them to the
 * metrics library's form when they are scraped.
 */
export interface RequestCounters {
  add(operation: string, method: string, status: number, seconds: number): void
  readonly metrics: readonly RequestMetric[]
}

/** The part of a metric that the library's registry uses. */
export interface RequestMetric {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly aggregator: string
  get(): Promise<object>
}

interface Counters {
  /** By method and status. */
  readonly counts: Map<string, Map<number, number>>
  /** Responses within each bound, and beyond the last one. */
  readonly within: number[]
  seconds: number
  total: number
}

const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

export const createRequestCounters = (): RequestCounters => {
  const byOperation = new Map<string, Counters>()

  const countersOf = (operation: string): Counters => {
    const existing = byOperation.get(operation)
    if (existing) return existing
    const counters = {
      counts: new Map(),
      within: Array.from({ length: bounds.length + 1 }, () => 0),
      seconds: 0,
      total: 0,
    }
    byOperation.set(operation, counters)
    return counters
  }

  const metric = (name: string, help: string, type: string, values: () => readonly Value[]) => {
    const described = { name, help, type, aggregator: 'sum' }
    return { ...described, get: async () => ({ ...described, values: values() }) }
  }

  const counted = () =>
    [...byOperation].flatMap(([operation, { counts }]) =>
      [...counts].flatMap(([method, byStatus]) =>
        [...byStatus].map(([status, value]) => ({
          labels: { operation, method, status: String(status) },
          value,
        })),
      ),
    )

  const timed = () =>
    [...byOperation].flatMap(([operation, { within, seconds, total }]) => {
      let sum = 0
      const buckets = [...bounds, '+Inf'].map((le, index) => {
        sum += within[index] ?? 0
        return { labels: { le, operation }, value: sum, metricName: `${timeName}_bucket` }
      })
      return [
        ...buckets,
        { labels: { operation }, value: seconds, metricName: `${timeName}_sum` },
        { labels: { operation }, value: total, metricName: `${timeName}_count` },
      ]
    })

  return {
    add: (operation, method, status, seconds) => {
      const counters = countersOf(operation)
      let byStatus = counters.counts.get(method)
      if (!byStatus) {
        byStatus = new Map()
        counters.counts.set(method, byStatus)
      }
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
      let bucket = 0
      while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket += 1
      counters.within[bucket] = (counters.within[bucket] ?? 0) + 1
      counters.seconds += seconds
      counters.total += 1
    },
    metrics: [
      metric(countName, 'Responses sent, by operation, method and status.', 'counter', counted),
      metric(
        timeName,
        'Time from the request line to the end of the response.',
        'histogram',
        timed,
      ),
    ],
  }
}

interface Value {
  readonly labels: object
  readonly value: number
  readonly metricName?: string
}

const countName = 'selvedge_requests_total'
const timeName = 'selvedge_request_seconds'
