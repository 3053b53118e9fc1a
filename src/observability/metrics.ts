import { droppedLogLines } from './log.ts'
import { createRequestCounters, type RequestCounters } from './request-counters.ts'

/**
 * Counters and gauges. Labels contain no keys and no request text, and a brand only if an operator
 * has named a source of its records.
 */
export interface Metrics {
  /** A response was sent. */
  answered: RequestCounters['add']
  /** An error response was sent, by its code. */
  refused(code: string): void
  /** The store was unreachable. */
  storeFailed(): void
  inFlight(change: 1 | -1): void
  /** A connection was cut before everything was sent, with the reason. */
  connectionCut(reason: string): void
  /** Sets the function that counts bytes written for clients but not received yet. */
  countUnsent(count: () => number): void
  /** Whether this process counts rate limits alone, because the shared limiter is unreachable. */
  rateLimitsLocal(local: boolean): void
  /** Sets the function that reads the source states. An error counts as no sources. */
  watchSources(read: () => Promise<readonly SourceFigures[]>): void
  /** Sets the function that returns the states of the database servers. */
  watchDatabase(read: () => readonly HostFigures[]): void
  /** A key reads more than it used to, by the kind of warning. */
  usageWarned(kind: 'surge' | 'whole'): void
  /** Usage could not be written. */
  usageFailed(): void
  /** The engine supports row-level security, but it is not in place. */
  rowSecurityMissing(): void
  text(): Promise<MetricsText>
  /** All figures, to be combined with those of other processes. */
  snapshot(): Promise<MetricsSnapshot>
}

/** The figures of a record source. */
export interface SourceFigures {
  readonly brand: string
  readonly source: string
  readonly kind: string
  /** Seconds since 1970; null if it has never succeeded. */
  readonly lastSuccessSeconds: number | null
  readonly lagSeconds: number
  readonly waiting: number
  readonly quarantined: number
  readonly processed: number
  readonly failed: number
}

/** The figures of a database server. */
export interface HostFigures {
  readonly name: string
  readonly role: string
  readonly timeline: number | null
  readonly lagSeconds: number
  readonly leftOut: string | null
}

/** The exposition text and its content type. */
export interface MetricsText {
  readonly body: string
  readonly contentType: string
}

/** The figures of one process, in a form that JSON can represent. */
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
  const usageWarnings = new Counter({
    name: 'selvedge_usage_warnings_total',
    help: 'Keys that read more than five times their average (surge), or a whole collection for the first time (whole).',
    labelNames: ['kind'],
    registers,
  })
  for (const kind of ['surge', 'whole']) usageWarnings.inc({ kind }, 0)
  const usageFailures = new Counter({
    name: 'selvedge_usage_failures_total',
    help: 'Failed attempts to write usage. It is kept in memory and written later.',
    registers,
  })
  let readSources: () => Promise<readonly SourceFigures[]> = async () => []
  /** Every process reads the same states, so they are not summed over processes. */
  const sourceMetric = (name: string, help: string) => ({
    name,
    help,
    labelNames: ['brand', 'source', 'kind'],
    aggregator: 'max' as const,
    registers,
  })
  const collectSources =
    (read: (figures: SourceFigures) => number | null) =>
    async (add: (labels: Labels, value: number) => void) => {
      for (const figures of await readSources().catch(() => [])) {
        const { brand, source, kind } = figures
        const value = read(figures)
        if (value !== null) add({ brand, source, kind }, value)
      }
    }
  for (const [name, help, read] of sourceGauges) {
    const collect = collectSources(read)
    new Gauge({
      ...sourceMetric(name, help),
      async collect() {
        this.reset()
        await collect((labels, value) => this.set(labels, value))
      },
    })
  }
  for (const [name, help, read] of sourceCounters) {
    const collect = collectSources(read)
    new Counter({
      ...sourceMetric(name, help),
      async collect() {
        this.reset()
        await collect((labels, value) => this.inc(labels, value))
      },
    })
  }
  let readHosts: () => readonly HostFigures[] = () => []
  for (const [name, help, read] of hostGauges) {
    new Gauge({
      ...{ name, help, registers },
      labelNames: ['host', 'role'],
      // Every process reads the same servers.
      aggregator: 'max',
      collect() {
        this.reset()
        for (const figures of readHosts()) {
          const value = read(figures)
          if (value !== null) this.set({ host: figures.name, role: figures.role }, value)
        }
      },
    })
  }
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
    watchSources: (read) => {
      readSources = read
    },
    watchDatabase: (read) => {
      readHosts = read
    },
    usageWarned: (kind) => usageWarnings.inc({ kind }),
    usageFailed: () => usageFailures.inc(),
    rowSecurityMissing: () => rowSecurityMissing.set(1),
    text: async () => ({ body: await registry.metrics(), contentType: registry.contentType }),
    snapshot: async () => (await registry.getMetricsAsJSON()) as unknown as MetricsSnapshot,
  }
}

const hostGauges: readonly (readonly [
  name: string,
  help: string,
  read: (figures: HostFigures) => number | null,
])[] = [
  [
    'selvedge_database_host_timeline',
    'Timeline of a database server, by its role; 0 if it is not known.',
    ({ timeline }) => timeline ?? 0,
  ],
  [
    'selvedge_database_host_lag_seconds',
    'For how long a replica has not reached what the primary had.',
    ({ role, lagSeconds }) => (role === 'replica' ? lagSeconds : null),
  ],
  [
    'selvedge_database_host_left_out',
    '1 if a database server answers and is not used, because of its timeline or its system identifier.',
    ({ leftOut }) => (leftOut === null ? 0 : 1),
  ],
]

type Labels = Record<'brand' | 'source' | 'kind', string>

type SourceMetric = readonly [
  name: string,
  help: string,
  read: (figures: SourceFigures) => number | null,
]

const sourceGauges: readonly SourceMetric[] = [
  [
    'selvedge_source_last_success_timestamp_seconds',
    'When records of the source were last taken in, as seconds since 1970.',
    ({ lastSuccessSeconds }) => lastSuccessSeconds,
  ],
  [
    'selvedge_source_lag_seconds',
    'For how long something of the source may have been waiting.',
    ({ lagSeconds }) => lagSeconds,
  ],
  [
    'selvedge_source_waiting',
    'Files, rows or batches of the source that wait.',
    ({ waiting }) => waiting,
  ],
  [
    'selvedge_source_quarantined',
    'Files, rounds or batches of the source that failed too often and wait for an operator.',
    ({ quarantined }) => quarantined,
  ],
]

const sourceCounters: readonly SourceMetric[] = [
  [
    'selvedge_source_processed_total',
    'Files, rows or batches of the source that were taken in.',
    ({ processed }) => processed,
  ],
  [
    'selvedge_source_failed_total',
    'Files, rows or batches of the source that were refused.',
    ({ failed }) => failed,
  ],
]
