import { metricTable } from '../../src/observability/metric-table.ts'
import { alerts } from '../monitoring/alerts.ts'
import { code, page, table } from './markdown.ts'

export const metricsPage = (): string =>
  page(
    '# Metrics and alerts',
    [
      'If `METRICS_PORT` is set, a server has these metrics at `/metrics` on that port, beside those of its',
      'process and of Node (`process_` and `nodejs_`). Values are those of all workers of the server.',
      '`deploy/alerts.yaml` has the alerts below as rules for Prometheus, and `deploy/grafana.json` is a',
      'dashboard with all metrics.',
    ].join('\n'),
    '## Metrics',
    table(
      ['Metric', 'Type', 'Labels', 'Description'],
      Object.values(metricTable).map(({ name, type, labels, help }) => [
        code(name),
        type,
        labels.map(code).join(', '),
        help,
      ]),
    ),
    '## Alerts',
    ...alerts.flatMap(({ name, expression, lasts, severity, action, page: more }) => [
      `### ${name}`,
      `A ${severity} alert if this holds${lasts === '0m' ? '' : ` for ${lasts}`}:`,
      ['```text', expression, '```'].join('\n'),
      `${action} See [${headingOf(more)}](../${more}).`,
    ]),
  )

/** `run-on-postgresql.md#row-level-security` as a text: `row-level security`. */
const headingOf = (address: string): string => address.replace(/^.*#/, '').replaceAll('-', ' ')
