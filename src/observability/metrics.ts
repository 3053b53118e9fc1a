import { droppedLogLines } from './log.ts'
import { type MetricRow, metricTable } from './metric-table.ts'
import { createRequestCounters, type RequestCounters } from './request-counters.ts'

/** The counters and gauges of the table. */
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
  /** Sets the function that reads the figures of the last backup. An error counts as none. */
  watchBackup(read: () => Promise<BackupFigures | null>): void
  /** Sets the function that reads the figures of the database. */
  watchDatabase(read: () => DatabaseFigures): void
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
  readonly quarantinedRows: number
  readonly processed: number
  readonly failed: number
}

/** The figures of the last backup. */
export interface BackupFigures {
  readonly ageSeconds: number
  /** Null if it was made by hand. */
  readonly everySeconds: number | null
  readonly bytes: number
  readonly durationSeconds: number
}

/** The figures of a database, as this process sees them. */
export interface DatabaseFigures {
  readonly hosts: readonly HostFigures[]
  readonly pools: readonly PoolFigures[]
  readonly heldSnapshots: HeldFigures
  /** The size of each write-ahead log that is a file of this machine. */
  readonly walBytes: { readonly [database: string]: number }
}

interface PoolFigures {
  /** Null if it serves all servers of the database. */
  readonly host: string | null
  readonly pool: string
  readonly size: number
  readonly inUse: number
  readonly waiting: number
}

interface HeldFigures {
  readonly count: number
  readonly oldestSeconds: number
  /** Since the process started. */
  readonly ended: number
}

/** The figures of a database server. */
interface HostFigures {
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
  const requestCounters = createRequestCounters()
  for (const metric of requestCounters.metrics) registry.registerMetric(metric as never)
  const described = ({ name, help, labels, combined }: MetricRow) => ({
    ...{ name, help, labelNames: labels, registers: [registry] },
    ...(combined && { aggregator: combined }),
  })
  const counter = (row: MetricRow) => new Counter(described(row))
  const gauge = (row: MetricRow) => new Gauge(described(row))
  /** A metric whose values are read when it is scraped. */
  const collected = (row: MetricRow, read: () => Values | Promise<Values>): void => {
    if (row.type === 'counter') {
      new Counter({
        ...described(row),
        async collect() {
          const values = await read()
          this.reset()
          for (const [labels, value] of values) this.inc(labels, value)
        },
      })
      return
    }
    new Gauge({
      ...described(row),
      async collect() {
        const values = await read()
        this.reset()
        // A reset gives a metric without labels the value 0.
        if (row.labels.length === 0) this.remove()
        for (const [labels, value] of values) this.set(labels, value)
      },
    })
  }
  const errors = counter(metricTable.errors)
  const store = counter(metricTable.storeFailures)
  const cuts = counter(metricTable.connectionsCut)
  const rateLimitsLocal = gauge(metricTable.rateLimitsLocal)
  const rowSecurityMissing = gauge(metricTable.rowSecurityMissing)
  let flying = 0
  let unsent = () => 0
  const usageWarnings = counter(metricTable.usageWarnings)
  for (const kind of ['surge', 'whole']) usageWarnings.inc({ kind }, 0)
  const usageFailures = counter(metricTable.usageFailures)
  collected(metricTable.requestsInFlight, () => [[{}, flying]])
  collected(metricTable.logLinesDropped, () => [[{}, droppedLogLines()]])
  collected(metricTable.unsentBytes, () => [[{}, unsent()]])
  let readSources: () => Promise<readonly SourceFigures[]> = async () => []
  for (const [row, read] of sourceMetrics) {
    collected(row, async () =>
      (await readSources().catch(() => [])).flatMap((figures) => {
        const { brand, source, kind } = figures
        const value = read(figures)
        return value === null ? [] : [[{ brand, source, kind }, value]]
      }),
    )
  }
  let readBackup: () => Promise<BackupFigures | null> = async () => null
  for (const [row, read] of backupMetrics) {
    collected(row, async () => {
      const figures = await readBackup().catch(() => null)
      const value = figures && read(figures)
      return value === null ? [] : [[{}, value]]
    })
  }
  let readDatabase: () => DatabaseFigures = () => noFigures
  for (const [row, read] of hostMetrics) {
    collected(row, () =>
      readDatabase().hosts.flatMap((figures) => {
        const { name: host, role } = figures
        const value = read(figures)
        return value === null ? [] : [[{ host, role }, value]]
      }),
    )
  }
  // A server that has not been polled yet is not known to be away.
  collected(metricTable.hostUp, () =>
    readDatabase()
      .hosts.filter(({ role }) => role !== 'unknown')
      .map(({ name: host, role }) => [{ host }, role === 'away' ? 0 : 1]),
  )
  for (const [row, read] of poolMetrics) {
    collected(row, () =>
      readDatabase().pools.map((figures) => {
        const { host, pool } = figures
        return [{ ...(host !== null && { host }), pool }, read(figures)]
      }),
    )
  }
  for (const [row, read] of heldMetrics) {
    collected(row, () => [[{}, read(readDatabase().heldSnapshots)]])
  }
  collected(metricTable.walBytes, () =>
    Object.entries(readDatabase().walBytes).map(([database, bytes]) => [{ database }, bytes]),
  )
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
    watchBackup: (read) => {
      readBackup = read
    },
    watchDatabase: (read) => {
      readDatabase = read
    },
    usageWarned: (kind) => usageWarnings.inc({ kind }),
    usageFailed: () => usageFailures.inc(),
    rowSecurityMissing: () => rowSecurityMissing.set(1),
    text: async () => ({ body: await registry.metrics(), contentType: registry.contentType }),
    snapshot: async () => (await registry.getMetricsAsJSON()) as unknown as MetricsSnapshot,
  }
}

/** The values of a metric by their labels. */
type Values = readonly (readonly [labels: { readonly [name: string]: string }, value: number])[]

/** Metrics with the function that reads each from the figures. */
type Reads<Figures, Value = number> = readonly (readonly [
  row: MetricRow,
  read: (figures: Figures) => Value,
])[]

const noFigures: DatabaseFigures = {
  hosts: [],
  pools: [],
  heldSnapshots: { count: 0, oldestSeconds: 0, ended: 0 },
  walBytes: {},
}

const hostMetrics: Reads<HostFigures, number | null> = [
  [metricTable.hostTimeline, ({ timeline }) => timeline ?? 0],
  [metricTable.hostLagSeconds, ({ role, lagSeconds }) => (role === 'replica' ? lagSeconds : null)],
  [metricTable.hostLeftOut, ({ leftOut }) => (leftOut === null ? 0 : 1)],
]

const poolMetrics: Reads<PoolFigures> = [
  [metricTable.poolSize, ({ size }) => size],
  [metricTable.poolInUse, ({ inUse }) => inUse],
  [metricTable.poolWaiting, ({ waiting }) => waiting],
]

const heldMetrics: Reads<HeldFigures> = [
  [metricTable.heldSnapshots, ({ count }) => count],
  [metricTable.heldSnapshotSeconds, ({ oldestSeconds }) => oldestSeconds],
  [metricTable.heldSnapshotsEnded, ({ ended }) => ended],
]

const backupMetrics: Reads<BackupFigures, number | null> = [
  [metricTable.backupAgeSeconds, ({ ageSeconds }) => ageSeconds],
  [metricTable.backupIntervalSeconds, ({ everySeconds }) => everySeconds],
  [metricTable.backupBytes, ({ bytes }) => bytes],
  [metricTable.backupDurationSeconds, ({ durationSeconds }) => durationSeconds],
]

const sourceMetrics: Reads<SourceFigures, number | null> = [
  [metricTable.sourceLastSuccess, ({ lastSuccessSeconds }) => lastSuccessSeconds],
  [metricTable.sourceLagSeconds, ({ lagSeconds }) => lagSeconds],
  [metricTable.sourceWaiting, ({ waiting }) => waiting],
  [metricTable.sourceQuarantined, ({ quarantined }) => quarantined],
  [metricTable.sourceQuarantinedRows, ({ quarantinedRows }) => quarantinedRows],
  [metricTable.sourceProcessed, ({ processed }) => processed],
  [metricTable.sourceFailed, ({ failed }) => failed],
]
