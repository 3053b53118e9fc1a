/** deploy/grafana.json: a dashboard with a panel for every metric. */
import { type MetricKey, metricTable } from '../../src/observability/metric-table.ts'

interface Query {
  readonly metric: MetricKey
  /** What is drawn of the metric, in PromQL. */
  readonly draw: (name: string) => string
  /** The name of a line: text with labels as `{{host}}`. */
  readonly legend: string
}

interface Panel {
  readonly title: string
  /** A unit that Grafana knows. */
  readonly unit: string
  readonly queries: readonly Query[]
}

interface Section {
  readonly title: string
  readonly panels: readonly Panel[]
}

/** The servers that are chosen at the top of the dashboard. */
const chosen = 'instance=~"$instance"'

const value = (metric: MetricKey, legend: string): Query => ({
  metric,
  draw: (name) => `${name}{${chosen}}`,
  legend,
})
const sumOf = (metric: MetricKey, by: string, legend: string): Query => ({
  metric,
  draw: (name) => `sum by (${by}) (${name}{${chosen}})`,
  legend,
})
const rateOf = (metric: MetricKey, by: string, legend: string): Query => ({
  metric,
  draw: (name) => `sum by (${by}) (rate(${name}{${chosen}}[$__rate_interval]))`,
  legend,
})
const quantile = (part: number): Query => ({
  metric: 'requestSeconds',
  draw: (name) =>
    `histogram_quantile(${part}, sum by (kind, le) (rate(${name}_bucket{${chosen}}[$__rate_interval])))`,
  legend: `{{kind}} ${part * 100} %`,
})

const panel = (title: string, unit: string, ...queries: readonly Query[]): Panel => ({
  title,
  unit,
  queries,
})

const source = '{{brand}} {{source}}'
/** All servers read the same states. */
const maxOfSource = (metric: MetricKey, legend = source): Query => ({
  metric,
  draw: (name) => `max by (brand, source) (${name}{${chosen}})`,
  legend,
})
const rateOfSource = (metric: MetricKey): Query => ({
  metric,
  draw: (name) => `max by (brand, source) (rate(${name}{${chosen}}[$__rate_interval]))`,
  legend: source,
})

export const sections: readonly Section[] = [
  {
    title: 'Requests',
    panels: [
      panel('Responses per second', 'reqps', rateOf('requests', 'status', '{{status}}')),
      panel('Latency', 's', quantile(0.5), quantile(0.99)),
      panel('Errors per second', 'reqps', rateOf('errors', 'code', '{{code}}')),
      panel('Requests in flight', 'short', value('requestsInFlight', '{{instance}}')),
      panel('Unread bytes of responses', 'bytes', value('unsentBytes', '{{instance}}')),
      panel(
        'Keys that read more than usual, per hour',
        'short',
        {
          metric: 'usageWarnings',
          draw: (name) => `sum by (kind) (increase(${name}{${chosen}}[1h]))`,
          legend: '{{kind}}',
        },
        rateOf('usageFailures', 'instance', '{{instance}} failures to write usage per second'),
      ),
      panel('Connections cut per second', 'cps', rateOf('connectionsCut', 'reason', '{{reason}}')),
      panel('Limits that are counted alone', 'short', value('rateLimitsLocal', '{{instance}}')),
      panel(
        'Log lines lost per second',
        'short',
        rateOf('logLinesDropped', 'instance', '{{instance}}'),
      ),
    ],
  },
  {
    title: 'Database',
    panels: [
      panel(
        'Requests that were not served',
        'reqps',
        rateOf('storeFailures', 'instance', '{{instance}}'),
      ),
      panel('Servers that answer', 'short', value('hostUp', '{{host}} from {{instance}}')),
      panel('Lag of replicas', 's', value('hostLagSeconds', '{{host}} from {{instance}}')),
      panel(
        'Timelines and servers that are left out',
        'short',
        value('hostTimeline', '{{host}} {{role}} timeline'),
        value('hostLeftOut', '{{host}} left out'),
      ),
      panel(
        'Pools',
        'short',
        sumOf('poolInUse', 'instance, host, pool', '{{pool}} {{host}} in use'),
        sumOf('poolSize', 'instance, host, pool', '{{pool}} {{host}} size'),
      ),
      panel(
        'Waiting for a pool',
        'short',
        sumOf('poolWaiting', 'instance, host, pool', '{{pool}} {{host}}'),
      ),
      panel(
        'Write-ahead log of SQLite',
        'bytes',
        value('walBytes', '{{database}} on {{instance}}'),
      ),
      panel(
        'States that downloads keep',
        'short',
        value('heldSnapshots', '{{instance}}'),
        rateOf('heldSnapshotsEnded', 'instance', '{{instance}} ended per second'),
      ),
      panel('Age of the oldest of them', 's', value('heldSnapshotSeconds', '{{instance}}')),
      panel(
        'Age of the last backup',
        's',
        value('backupAgeSeconds', '{{instance}}'),
        value('backupIntervalSeconds', '{{instance}} interval'),
      ),
      panel('Duration of the last backup', 's', value('backupDurationSeconds', '{{instance}}')),
      panel('Size of the last backup', 'bytes', value('backupBytes', '{{instance}}')),
      panel('Without row-level security', 'short', value('rowSecurityMissing', '{{instance}}')),
    ],
  },
  {
    title: 'Sources of records',
    panels: [
      panel('Lag', 's', maxOfSource('sourceLagSeconds')),
      panel('Time since the last success', 's', {
        metric: 'sourceLastSuccess',
        draw: (name) => `time() - max by (brand, source) (${name}{${chosen}})`,
        legend: source,
      }),
      panel('Waiting', 'short', maxOfSource('sourceWaiting')),
      panel(
        'In quarantine',
        'short',
        maxOfSource('sourceQuarantined'),
        maxOfSource('sourceQuarantinedRows', `${source} rows`),
      ),
      panel('Taken in per second', 'short', rateOfSource('sourceProcessed')),
      panel('Refused per second', 'short', rateOfSource('sourceFailed')),
    ],
  },
]

const datasource = { type: 'prometheus', uid: '$datasource' }
const [columns, width, height] = [24, 12, 8]

export const grafanaDashboard = (): object => {
  const panels: object[] = []
  let id = 0
  let y = 0
  for (const section of sections) {
    panels.push(rowPanel(++id, section.title, y))
    y += 1
    section.panels.forEach((each, index) => {
      const x = (index * width) % columns
      panels.push(
        drawnPanel(++id, each, { x, y: y + height * Math.floor((index * width) / columns) }),
      )
    })
    y += height * Math.ceil((section.panels.length * width) / columns)
  }
  return {
    title: 'Selvedge',
    uid: 'selvedge',
    description: 'Generated by tools/generate.ts from the table of metrics.',
    tags: ['selvedge'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    templating: { list: [datasourceVariable, instanceVariable] },
    annotations: { list: [] },
    panels,
  }
}

const datasourceVariable = {
  name: 'datasource',
  label: 'Data source',
  type: 'datasource',
  query: 'prometheus',
}

const instanceVariable = {
  name: 'instance',
  label: 'Server',
  type: 'query',
  datasource,
  query: {
    query: `label_values(${metricTable.requestsInFlight.name}, instance)`,
    refId: 'instance',
  },
  multi: true,
  includeAll: true,
  current: { text: ['All'], value: ['$__all'] },
  refresh: 2,
  sort: 1,
}

const rowPanel = (id: number, title: string, y: number): object => ({
  ...{ id, type: 'row', title, collapsed: false, panels: [] },
  gridPos: { x: 0, y, w: columns, h: 1 },
})

const drawnPanel = (
  id: number,
  { title, unit, queries }: Panel,
  place: { readonly x: number; readonly y: number },
): object => ({
  id,
  type: 'timeseries',
  title,
  description: [...new Set(queries.map(({ metric }) => metricTable[metric].help))].join(' '),
  datasource,
  gridPos: { ...place, w: width, h: height },
  fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10 } }, overrides: [] },
  options: {
    legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  targets: queries.map(({ metric, draw, legend }, index) => ({
    refId: String.fromCharCode(65 + index),
    datasource,
    expr: draw(metricTable[metric].name),
    legendFormat: legend,
  })),
})
