import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client'

/** What is counted and measured. Labels carry no brand, no key and nothing of a request's text. */
export interface Metrics {
  /** An answer went out. */
  answered(operation: string, method: string, status: number, seconds: number): void
  /** An error was answered, by its code. */
  refused(code: string): void
  /** The store could not be reached. */
  storeFailed(): void
  inFlight(change: 1 | -1): void
  /** Whether this process counts requests against limits on its own, as what is shared is away. */
  quotaLocal(local: boolean): void
  text(): Promise<MetricsText>
  /** All figures, to be put together with those of other processes. */
  snapshot(): Promise<MetricsSnapshot>
}

/** The exposition text and its content type. */
export interface MetricsText {
  readonly body: string
  readonly contentType: string
}

/** Figures of one process as JSON can carry them. */
export type MetricsSnapshot = readonly {
  readonly name: string
  readonly type: string
  readonly aggregator?: string
}[]

export const openMetrics = (): Metrics => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requests = new Counter({
    name: 'selvedge_requests_total',
    help: 'Answers sent, by operation, method and status.',
    labelNames: ['operation', 'method', 'status'],
    registers,
  })
  const seconds = new Histogram({
    name: 'selvedge_request_seconds',
    help: 'Time from the request line to the end of the answer.',
    labelNames: ['operation'],
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  })
  const errors = new Counter({
    name: 'selvedge_errors_total',
    help: 'Errors answered, by their code.',
    labelNames: ['code'],
    registers,
  })
  const store = new Counter({
    name: 'selvedge_store_failures_total',
    help: 'Requests that the store could not serve.',
    registers,
  })
  const inFlight = new Gauge({
    name: 'selvedge_requests_in_flight',
    help: 'Requests being answered.',
    registers,
  })
  const quotaLocal = new Gauge({
    name: 'selvedge_quota_local',
    help: 'Processes that count limits on their own because what is shared cannot be reached.',
    registers,
  })
  return {
    answered: (operation, method, status, took) => {
      requests.inc({ operation, method, status: String(status) })
      seconds.observe({ operation }, took)
    },
    refused: (code) => errors.inc({ code }),
    storeFailed: () => store.inc(),
    inFlight: (change) => inFlight.inc(change),
    quotaLocal: (local) => quotaLocal.set(local ? 1 : 0),
    text: async () => ({ body: await registry.metrics(), contentType: registry.contentType }),
    snapshot: async () => (await registry.getMetricsAsJSON()) as unknown as MetricsSnapshot,
  }
}
