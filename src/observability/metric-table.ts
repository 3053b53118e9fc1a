/** One metric of the program. */
export interface MetricRow {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels: readonly string[]
  /** How the values of several processes are combined; absent for the sum. */
  readonly combined?: 'max' | 'min'
}

const row = (
  type: MetricRow['type'],
  name: string,
  help: string,
  labels: readonly string[] = [],
  combined?: MetricRow['combined'],
): MetricRow => ({ name, type, help, labels, ...(combined && { combined }) })

/** Every process reads the same states, so they are not summed over processes. */
const ofSource = (type: MetricRow['type'], name: string, help: string): MetricRow =>
  row(type, name, help, ['brand', 'source', 'kind'], 'max')

const ofHost = (name: string, help: string): MetricRow =>
  row('gauge', name, help, ['host', 'role'], 'max')

const ofBackup = (name: string, help: string): MetricRow => row('gauge', name, help, [], 'max')

/**
 * The table of all metrics. The reference, the alert rules and the dashboard are generated from it.
 * Labels contain no keys and no request text, and a brand only if an operator has named a source of
 * its records.
 */
export const metricTable = {
  requests: row(
    'counter',
    'selvedge_requests_total',
    'Responses sent, by operation, method and status.',
    ['operation', 'method', 'status'],
  ),
  requestSeconds: row(
    'histogram',
    'selvedge_request_seconds',
    'Time from the request line to the end of the response, by kind of operation.',
    ['kind'],
  ),
  requestsInFlight: row('gauge', 'selvedge_requests_in_flight', 'Requests being answered.'),
  errors: row('counter', 'selvedge_errors_total', 'Errors answered, by their code.', ['code']),
  storeFailures: row(
    'counter',
    'selvedge_store_failures_total',
    'Requests that the store could not serve.',
  ),
  logLinesDropped: row(
    'counter',
    'selvedge_log_lines_dropped_total',
    'Log lines that could not be written, because standard output failed or was too slow.',
  ),
  unsentBytes: row(
    'gauge',
    'selvedge_unsent_bytes',
    'Bytes of responses that clients have not taken yet.',
  ),
  connectionsCut: row(
    'counter',
    'selvedge_connections_cut_total',
    'Connections cut because the client did not read, by reason: `stalled` (nothing read for `SEND_TIMEOUT_SECONDS`), `memory` (too many unread bytes in total), `pipelined` (too many concurrent requests on one connection), `download` (a download took longer than `DOWNLOAD_SECONDS`), `snapshot` (too much was written during a download).',
    ['reason'],
  ),
  rateLimitsLocal: row(
    'gauge',
    'selvedge_quota_local',
    'Processes that count limits on their own because what is shared cannot be reached.',
  ),
  rowSecurityMissing: row(
    'gauge',
    'selvedge_row_security_missing',
    'Processes that serve from PostgreSQL without row-level security.',
  ),
  usageWarnings: row(
    'counter',
    'selvedge_usage_warnings_total',
    'Keys that read more than five times their average (`surge`), or a whole collection for the first time (`whole`).',
    ['kind'],
  ),
  usageFailures: row(
    'counter',
    'selvedge_usage_failures_total',
    'Failed attempts to write usage. It is kept in memory and written later.',
  ),
  hostUp: row(
    'gauge',
    'selvedge_database_host_up',
    '1 if a database server answers all processes, 0 if it does not.',
    ['host'],
    'min',
  ),
  hostTimeline: ofHost(
    'selvedge_database_host_timeline',
    'Timeline of a database server, by its role; 0 if it is not known.',
  ),
  hostLagSeconds: ofHost(
    'selvedge_database_host_lag_seconds',
    'For how long a replica has not reached what the primary had, counted up to twice `lag-ms`.',
  ),
  hostLeftOut: ofHost(
    'selvedge_database_host_left_out',
    '1 if a database server answers and is not used, because of its timeline or its system identifier.',
  ),
  poolSize: row(
    'gauge',
    'selvedge_database_pool_size',
    'Most connections, or slots, that a pool may have. `requests` is shared by the requests of clients, `long` has the slots of slow queries, `writers` is for imports and batches, `commands` for the rest.',
    ['host', 'pool'],
  ),
  poolInUse: row(
    'gauge',
    'selvedge_database_pool_in_use',
    'Connections, or slots, of a pool that are in use.',
    ['host', 'pool'],
  ),
  poolWaiting: row(
    'gauge',
    'selvedge_database_pool_waiting',
    'Reads or writers that wait for a connection, or a slot, of a pool.',
    ['host', 'pool'],
  ),
  heldSnapshots: row(
    'gauge',
    'selvedge_held_snapshots',
    'Downloads in progress. The database keeps the state that each of them reads.',
  ),
  heldSnapshotSeconds: row(
    'gauge',
    'selvedge_held_snapshot_age_seconds',
    'Age of the oldest state that a download keeps; 0 without one.',
    [],
    'max',
  ),
  heldSnapshotsEnded: row(
    'counter',
    'selvedge_held_snapshots_ended_total',
    'Downloads that were ended because too much was written during them.',
  ),
  walBytes: row(
    'gauge',
    'selvedge_sqlite_wal_bytes',
    'Size of the write-ahead log of a SQLite file: `records`, `keys` or `queue`.',
    ['database'],
    'max',
  ),
  backupAgeSeconds: ofBackup(
    'selvedge_backup_age_seconds',
    'Age of the state in the last verified backup; missing without one.',
  ),
  backupIntervalSeconds: ofBackup(
    'selvedge_backup_interval_seconds',
    'Interval of the schedule that made it; missing if it was made by hand.',
  ),
  backupBytes: ofBackup('selvedge_backup_size_bytes', 'Size of it.'),
  backupDurationSeconds: ofBackup(
    'selvedge_backup_duration_seconds',
    'Time that it took, with its verification.',
  ),
  sourceLastSuccess: ofSource(
    'gauge',
    'selvedge_source_last_success_timestamp_seconds',
    'When records of the source were last taken in, as seconds since 1970.',
  ),
  sourceLagSeconds: ofSource(
    'gauge',
    'selvedge_source_lag_seconds',
    'For how long something of the source may have been waiting.',
  ),
  sourceWaiting: ofSource(
    'gauge',
    'selvedge_source_waiting',
    'Files, rounds or batches of the source that wait or are being stored.',
  ),
  sourceQuarantined: ofSource(
    'gauge',
    'selvedge_source_quarantined',
    'Files, rounds or batches of the source that failed too often and wait for an operator.',
  ),
  sourceQuarantinedRows: ofSource(
    'gauge',
    'selvedge_source_quarantined_rows',
    'Bad rows of the source that wait in quarantine.',
  ),
  sourceProcessed: ofSource(
    'counter',
    'selvedge_source_processed_total',
    'Files, rounds or batches of the source that were taken in.',
  ),
  sourceFailed: ofSource(
    'counter',
    'selvedge_source_failed_total',
    'Files, rounds or batches of the source that were refused.',
  ),
} satisfies { readonly [key: string]: MetricRow }

export type MetricKey = keyof typeof metricTable
