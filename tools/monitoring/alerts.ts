/** deploy/alerts.yaml: what an operator should know, each with what to do. */
import { stringify } from 'yaml'
import { type MetricKey, metricTable } from '../../src/observability/metric-table.ts'
import { anchorOf } from '../reference/markdown.ts'

export interface Alert {
  readonly name: string
  /** The condition, in PromQL. */
  readonly expression: string
  /** How long the condition holds before the alert fires. */
  readonly lasts: string
  readonly severity: 'critical' | 'warning'
  /** What is wrong, with labels as `{{ $labels.host }}`. */
  readonly summary: string
  /** What to do about it. */
  readonly action: string
  /** The page of docs, and its heading, that says more. */
  readonly page: string
}

const nameOf = (key: MetricKey): string => metricTable[key].name

const production = 'how-to/run-in-production.md'
const postgres = 'how-to/run-on-postgresql.md'

export const alerts: readonly Alert[] = [
  {
    name: 'SelvedgeNotScraped',
    expression: `absent(${nameOf('requestsInFlight')})`,
    lasts: '5m',
    severity: 'critical',
    summary: 'No Selvedge server has metrics.',
    action:
      'Ask /healthz. If it fails, read the last lines of the log and start the server. If it answers, check METRICS_PORT and the scrape settings of Prometheus.',
    page: `${production}#health`,
  },
  {
    name: 'SelvedgeErrors',
    expression: `sum by (instance) (rate(${nameOf('requests')}{status=~"5..", operation!="ready"}[5m])) / sum by (instance) (rate(${nameOf('requests')}[5m])) > 0.01`,
    lasts: '10m',
    severity: 'critical',
    summary: 'More than 1 % of the responses of {{ $labels.instance }} are errors of the server.',
    action:
      'Find lines of level error in the log: they have the cause, with the requestId of the response.',
    page: `${production}#log`,
  },
  {
    name: 'SelvedgeStoreFailing',
    expression: `rate(${nameOf('storeFailures')}[5m]) > 0`,
    lasts: '5m',
    severity: 'critical',
    summary: 'The database does not serve all requests of {{ $labels.instance }}.',
    action:
      'Run selvedge config check on the server. If the database answers, it is too slow: look for long statements and for a machine without free CPU time or disk.',
    page: `${postgres}#time-limits-and-slow-queries`,
  },
  {
    name: 'SelvedgeSlow',
    expression: `histogram_quantile(0.99, sum by (instance, kind, le) (rate(${nameOf('requestSeconds')}_bucket{kind=~"list|get"}[10m]))) > 0.5`,
    lasts: '15m',
    severity: 'warning',
    summary:
      'One in a hundred responses of {{ $labels.instance }} ({{ $labels.kind }}) takes more than 0.5 s.',
    action:
      'Compare the CPU time of the machine with the sizing table. Add cores and workers, or PostgreSQL replicas. A long import on the same machine has the same effect for a while.',
    page: 'explanation/scale.md#sizing',
  },
  {
    name: 'SelvedgeDatabaseServerAway',
    expression: `${nameOf('hostUp')} == 0`,
    lasts: '2m',
    severity: 'critical',
    summary: 'The database server {{ $labels.host }} does not answer {{ $labels.instance }}.',
    action:
      'Start it, or remove it from DATABASE_URL. Before a former primary is started again, make it a replica of the new one.',
    page: `${postgres}#failover`,
  },
  {
    name: 'SelvedgeDatabaseServerLeftOut',
    expression: `${nameOf('hostLeftOut')} == 1`,
    lasts: '1m',
    severity: 'critical',
    summary:
      'The database server {{ $labels.host }} answers and is not used: it is an old primary, or another system.',
    action:
      'Stop it at once, so that nothing writes to it, and make it a replica. The log has its timeline. selvedge database accept continues with it, and loses what only the other server has.',
    page: `${postgres}#failover`,
  },
  {
    name: 'SelvedgeReplicaLag',
    expression: `${nameOf('hostLagSeconds')} > 5`,
    lasts: '10m',
    severity: 'warning',
    summary:
      'The replica {{ $labels.host }} is at least {{ $value | humanizeDuration }} behind the primary.',
    action:
      'Look at its disk, its CPU time and its network, and for long reads on it. Beyond lag-ms, the primary serves its reads. The value ends at twice lag-ms: lower the limit of this rule if lag-ms is below 3000.',
    page: `${postgres}#replicas`,
  },
  {
    name: 'SelvedgePoolExhausted',
    expression: `min_over_time(${nameOf('poolWaiting')}{pool!="requests"}[5m]) > 0`,
    lasts: '5m',
    severity: 'warning',
    summary:
      'Work waits for a connection or a slot of the pool {{ $labels.pool }} of {{ $labels.instance }}.',
    action:
      'For long: find the key with slow queries in the log, by ms and keyId. For writers or commands: find the import or the lock that others wait for.',
    page: `${postgres}#time-limits-and-slow-queries`,
  },
  {
    name: 'SelvedgeWalGrows',
    expression: `${nameOf('walBytes')} > 2e9`,
    lasts: '15m',
    severity: 'warning',
    summary:
      'The write-ahead log of {{ $labels.database }} on {{ $labels.instance }} has {{ $value | humanize1024 }}B.',
    action:
      'A process reads one state for too long: end exports and backups that hang. Check the free space of the disk. A large import also makes it grow, until it ends.',
    page: 'how-to/download.md#limits',
  },
  {
    name: 'SelvedgeDownloadsEnded',
    expression: `increase(${nameOf('heldSnapshotsEnded')}[1h]) > 0`,
    lasts: '0m',
    severity: 'warning',
    summary:
      'Downloads from {{ $labels.instance }} were ended because too much was written during them.',
    action: 'Let them run at another time than large imports, or lower DOWNLOAD_SECONDS.',
    page: 'how-to/download.md#limits',
  },
  {
    name: 'SelvedgeBackupLate',
    expression: `${nameOf('backupAgeSeconds')} > 2 * ${nameOf('backupIntervalSeconds')}`,
    lasts: '5m',
    severity: 'critical',
    summary: 'The last backup of {{ $labels.instance }} is {{ $value | humanizeDuration }} old.',
    action:
      'Find the process of selvedge backup --every. If it runs, its last lines say why backups fail: most often a full disk, or a bucket that cannot be reached.',
    page: 'how-to/back-up-and-restore.md#back-up',
  },
  {
    name: 'SelvedgeSourceLag',
    expression: `${nameOf('sourceLagSeconds')} > 3600`,
    lasts: '10m',
    severity: 'warning',
    summary:
      'Records of {{ $labels.source }} of {{ $labels.brand }} have been waiting for {{ $value | humanizeDuration }}.',
    action:
      'Run selvedge sources: it has the last error. If there is none, the command that reads the source is not running. Forget a source that is no longer used with selvedge sources remove.',
    page: `${production}#sources-of-records`,
  },
  {
    name: 'SelvedgeQuarantine',
    expression: `${nameOf('sourceQuarantined')} > 0`,
    lasts: '5m',
    severity: 'warning',
    summary:
      '{{ $value }} units of {{ $labels.source }} of {{ $labels.brand }} are in quarantine: their records are not stored.',
    action:
      'Run selvedge intake to list them and selvedge intake show for the error. Remove its cause, then retry or discard the unit.',
    page: `${production}#units-in-quarantine`,
  },
  {
    name: 'SelvedgeQuarantinedRows',
    expression: `${nameOf('sourceQuarantinedRows')} > 0`,
    lasts: '1h',
    severity: 'warning',
    summary: '{{ $value }} rows of {{ $labels.source }} of {{ $labels.brand }} are in quarantine.',
    action:
      'Run selvedge intake rows: it has the reason of each. Correct them at the source, or by a correction file.',
    page: 'how-to/import-records.md#quarantine',
  },
  {
    name: 'SelvedgeUnusualUsage',
    expression: `increase(${nameOf('usageWarnings')}[1h]) > 0`,
    lasts: '0m',
    severity: 'warning',
    summary: 'A key reads more than it used to ({{ $labels.kind }}).',
    action:
      'Find the warning in the log: it names the key. Compare its days with selvedge usage, ask its owner, and revoke it if the owner does not know why.',
    page: 'how-to/see-usage.md#warnings',
  },
  {
    name: 'SelvedgeUsageNotWritten',
    expression: `rate(${nameOf('usageFailures')}[5m]) > 0`,
    lasts: '15m',
    severity: 'warning',
    summary: 'The usage of keys on {{ $labels.instance }} is not stored.',
    action:
      'Run selvedge config check on the server. Usage waits in memory until the process ends.',
    page: 'how-to/see-usage.md#see-who-reads-what',
  },
  {
    name: 'SelvedgeLimitsLocal',
    expression: `${nameOf('rateLimitsLocal')} > 0`,
    lasts: '5m',
    severity: 'warning',
    summary: 'Processes of {{ $labels.instance }} count rate limits alone.',
    action:
      'Start Redis, or run selvedge config check to see why it cannot be reached. Until then, a key can use its limit on every process.',
    page: `${postgres}#shared-rate-limits`,
  },
  {
    name: 'SelvedgeRowSecurityMissing',
    expression: `${nameOf('rowSecurityMissing')} > 0`,
    lasts: '5m',
    severity: 'critical',
    summary: '{{ $labels.instance }} serves from PostgreSQL without row-level security.',
    action: 'Create the role that the log names, grant it, and restart the server.',
    page: `${postgres}#row-level-security`,
  },
  {
    name: 'SelvedgeLogLinesDropped',
    expression: `increase(${nameOf('logLinesDropped')}[15m]) > 0`,
    lasts: '0m',
    severity: 'warning',
    summary: 'Log lines of {{ $labels.instance }} are lost.',
    action: 'The program that reads standard output is too slow, or its disk is full.',
    page: `${production}#log`,
  },
]

const reference = 'docs/reference/metrics.md'

/** Rules in the format of Prometheus. The runbook is a file of the repository. */
export const alertsFile = (): string =>
  [
    '# Generated by tools/generate.ts. Do not edit: run npm run generate.',
    stringify(
      {
        groups: [
          {
            name: 'selvedge',
            rules: alerts.map(({ name, expression, lasts, severity, summary, action }) => ({
              alert: name,
              expr: expression,
              for: lasts,
              labels: { severity },
              annotations: {
                summary,
                description: action,
                runbook: `${reference}#${anchorOf(name)}`,
              },
            })),
          },
        ],
      },
      { lineWidth: 0 },
    ),
  ].join('\n')
