/** The alert rules, by the checker of Prometheus: their form, and when they fire. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { stringify } from 'yaml'
import { alerts } from '../../tools/monitoring/alerts.ts'
import { grafanaDashboard } from '../../tools/monitoring/grafana.ts'
import { findPromtool } from '../support/promtool.ts'
import { openTestService } from '../support/service.ts'

const run = promisify(execFile)
const rules = join(import.meta.dirname, '../../deploy/alerts.yaml')
const promtool = await findPromtool()
const program = typeof promtool === 'string' ? promtool : ''

/** Series that make an alert fire, and the labels of the alert. */
const firing: {
  readonly [name: string]: readonly [
    series: { readonly [name: string]: string },
    labels: { readonly [name: string]: string },
  ]
} = {
  SelvedgeNotScraped: [{}, {}],
  SelvedgeErrors: [
    {
      'selvedge_requests_total{instance="a",operation="listTags",status="200"}': '0+60x60',
      'selvedge_requests_total{instance="a",operation="listTags",status="500"}': '0+2x60',
    },
    { instance: 'a' },
  ],
  SelvedgeStoreFailing: [
    { 'selvedge_store_failures_total{instance="a"}': '0+1x60' },
    { instance: 'a' },
  ],
  SelvedgeSlow: [
    {
      'selvedge_request_seconds_bucket{instance="a",kind="list",le="0.5"}': '0+0x60',
      'selvedge_request_seconds_bucket{instance="a",kind="list",le="1"}': '0+60x60',
      'selvedge_request_seconds_bucket{instance="a",kind="list",le="+Inf"}': '0+60x60',
    },
    { instance: 'a', kind: 'list' },
  ],
  SelvedgeDatabaseServerAway: [
    { 'selvedge_database_host_up{host="db:5432"}': '0x60' },
    { host: 'db:5432' },
  ],
  SelvedgeDatabaseServerLeftOut: [
    { 'selvedge_database_host_left_out{host="db:5432",role="primary"}': '1x60' },
    { host: 'db:5432', role: 'primary' },
  ],
  SelvedgeReplicaLag: [
    { 'selvedge_database_host_lag_seconds{host="db:5432",role="replica"}': '9x60' },
    { host: 'db:5432', role: 'replica' },
  ],
  SelvedgePoolExhausted: [
    {
      'selvedge_database_pool_waiting{pool="long"}': '3x60',
      'selvedge_database_pool_waiting{pool="requests"}': '3x60',
    },
    { pool: 'long' },
  ],
  SelvedgeWalGrows: [
    { 'selvedge_sqlite_wal_bytes{database="records"}': '3e9x60' },
    { database: 'records' },
  ],
  SelvedgeDownloadsEnded: [
    { 'selvedge_held_snapshots_ended_total{instance="a"}': '0+1x60' },
    { instance: 'a' },
  ],
  SelvedgeBackupLate: [
    {
      'selvedge_backup_age_seconds{instance="a"}': '9000x60',
      'selvedge_backup_interval_seconds{instance="a"}': '3600x60',
      'selvedge_backup_age_seconds{instance="b"}': '7000x60',
      'selvedge_backup_interval_seconds{instance="b"}': '3600x60',
      'selvedge_backup_age_seconds{instance="c"}': '9000x60',
    },
    { instance: 'a' },
  ],
  SelvedgeSourceLag: [
    { 'selvedge_source_lag_seconds{brand="acme",source="erp"}': '7200x60' },
    { brand: 'acme', source: 'erp' },
  ],
  SelvedgeQuarantine: [
    { 'selvedge_source_quarantined{brand="acme",source="erp"}': '2x60' },
    { brand: 'acme', source: 'erp' },
  ],
  SelvedgeQuarantinedRows: [
    { 'selvedge_source_quarantined_rows{brand="acme",source="erp"}': '2x90' },
    { brand: 'acme', source: 'erp' },
  ],
  SelvedgeUnusualUsage: [
    { 'selvedge_usage_warnings_total{kind="surge"}': '0+1x60' },
    { kind: 'surge' },
  ],
  SelvedgeUsageNotWritten: [
    { 'selvedge_usage_failures_total{instance="a"}': '0+1x60' },
    { instance: 'a' },
  ],
  SelvedgeLimitsLocal: [{ 'selvedge_quota_local{instance="a"}': '1x60' }, { instance: 'a' }],
  SelvedgeRowSecurityMissing: [
    { 'selvedge_row_security_missing{instance="a"}': '1x60' },
    { instance: 'a' },
  ],
  SelvedgeLogLinesDropped: [
    { 'selvedge_log_lines_dropped_total{instance="a"}': '0+1x60' },
    { instance: 'a' },
  ],
}

describe('promtool', { skip: typeof promtool === 'string' ? false : promtool.missing }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-alerts-'))
  after(() => rmSync(folder, { recursive: true }))

  it('accepts the alert rules', async () => {
    const { stdout } = await run(program, ['check', 'rules', '--lint=all', '--lint-fatal', rules])
    assert.match(stdout, new RegExp(`SUCCESS: ${alerts.length} rules found`))
  })

  it('finds that every alert fires, with its labels', async () => {
    assert.deepEqual(Object.keys(firing).sort(), alerts.map(({ name }) => name).sort())
    const file = join(folder, 'tests.yaml')
    const tests = Object.entries(firing).map(([alert, [series, labels]]) => {
      const { severity } = alerts.find(({ name }) => name === alert) ?? {}
      return {
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        // Compared without the texts, whose form is that of the rules.
        promql_expr_test: [
          {
            expr: `ALERTS{alertname="${alert}", alertstate="firing"}`,
            eval_time: alert === 'SelvedgeQuarantinedRows' ? '70m' : '40m',
            exp_samples: [
              { labels: seriesName(alert, { severity: severity ?? '', ...labels }), value: 1 },
            ],
          },
        ],
      }
    })
    writeFileSync(file, stringify({ rule_files: [rules], evaluation_interval: '1m', tests }))
    const { stdout } = await run(program, ['test', 'rules', file])
    assert.match(stdout, /SUCCESS/)
  })

  it('accepts the metrics of a server and the queries of the dashboard', async () => {
    const service = await openTestService({ METRICS_PORT: '0' })
    try {
      const text = await (await fetch(service.metricsUrl ?? '')).text()
      const check = run(program, ['check', 'metrics', '--extended'])
      check.child.stdin?.end(text.replace(/^.*\b(nodejs|process)_.*\n/gm, ''))
      const { stderr } = await check
      assert.equal(stderr, '')
    } finally {
      await service.close()
    }
    // Each query as a recording rule: the same parser reads both.
    const { panels } = grafanaDashboard() as {
      readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[]
    }
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    assert.ok(expressions.length > 20)
    const file = join(folder, 'queries.yaml')
    const recorded = expressions.map((expr, index) => ({
      record: `query_${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }))
    writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules: recorded }] }))
    const { stdout } = await run(program, ['check', 'rules', file])
    assert.match(stdout, new RegExp(`SUCCESS: ${expressions.length} rules found`))
  })
})

const seriesName = (alert: string, labels: { readonly [name: string]: string }): string => {
  const all = { alertname: alert, alertstate: 'firing', ...labels }
  const pairs = Object.entries(all).map(([name, value]) => `${name}="${value}"`)
  return `ALERTS{${pairs.join(', ')}}`
}
