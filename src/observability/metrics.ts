import { droppedLogLines } from './log.ts'
import { createRequestCounters } from './request-counters.ts'

/** What is counted and measured. Labels carry no brand, no key and nothing of a request's text. */
export interface Metrics {
  /** An answer went out. */
  answered(operation: string, method: string, status: number, seconds: number): void
  /** An error was answered, by its code. */
  refused(code: string): void
  /** The store could not be reached. */
  storeFailed(): void
  inFlight(change: 1 | -1): void
  /** A connection was cut before all was sent, with the reason. */
  connectionCut(reason: string): void
  /** Says how the bytes are counted that were written for clients and not taken by them yet. */
  countUnsent(count: () => number): void
  /** Whether this process counts requests against limits on its own, as what is shared is away. */
  rateLimitsLocal(local: boolean): void
  /** The engine has row-level security, and it is not in place. */
  rowSecurityMissing(): void
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

/** Loads the metrics library, which only servers need. */
export const openMetrics = async (): Promise<Metrics> => {
  const { Counter, collectDefaultMetrics, Gauge, Registry } = await import('@prometheus-io/client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requestCounters = createRequestCounters()
  for (const metric of requestCounters.metrics) registry.registerMetric(metric as never)
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
  let flying = 0
  new Gauge({
    name: 'selvedge_requests_in_flight',
    help: 'Requests being answered.',
    registers,
    collect() {
      this.set(flying)
    },
  })
  new Counter({
    name: 'selvedge_log_lines_dropped_total',
    help: 'Log lines that could not be written, because standard output failed or was too slow.',
    registers,
    collect() {
      this.reset()
      this.inc(droppedLogLines())
    },
  })
  let unsent = () => 0
  new Gauge({
    name: 'selvedge_unsent_bytes',
    help: 'Bytes of responses that clients have not taken yet.',
    registers,
    collect() {
      this.set(unsent())
    },
  })
  const cuts = new Counter({
    name: 'selvedge_connections_cut_total',
    help: 'Connections cut because the client did not read, by reason.',
    labelNames: ['reason'],
    registers,
  })
  const rateLimitsLocal = new Gauge({
    name: 'selvedge_quota_local',
    help: 'Processes that count limits on their own because what is shared cannot be reached.',
    registers,
  })
  const rowSecurityMissing = new Gauge({
    name: 'selvedge_row_security_missing',
    help: 'Processes that serve from PostgreSQL without row-level security.',
    registers,
  })
  return {
    answered: requestCounters.add,
    refused: (code) => errors.inc({ code }),
    storeFailed: () => store.inc(),
    inFlight: (change) => {
      flying += change
    },
    connectionCut: (reason) => cuts.inc({ reason }),
    countUnsent: (count) => {
      unsent = count
    },
    rateLimitsLocal: (local) => rateLimitsLocal.set(local ? 1 : 0),
    rowSecurityMissing: () => rowSecurityMissing.set(1),
    text: async () => ({ body: await registry.metrics(), contentType: registry.contentType }),
    snapshot: async () => (await registry.getMetricsAsJSON()) as unknown as MetricsSnapshot,
  }
}
