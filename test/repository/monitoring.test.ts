/** The alert rules and the dashboard, against the table of metrics and the metrics of a server. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { metricTable } from '../../src/observability/metric-table.ts'
import { alerts } from '../../tools/monitoring/alerts.ts'
import { grafanaDashboard } from '../../tools/monitoring/grafana.ts'
import { anchorOf } from '../../tools/reference/markdown.ts'
import { until } from '../support/cluster.ts'
import { openTestService } from '../support/service.ts'

const root = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(root, file), 'utf8')

const rows = Object.values(metricTable)
/** The names of all series. A histogram has several. */
const seriesOf = ({ name, type }: (typeof rows)[number]): readonly string[] =>
  type === 'histogram' ? ['_bucket', '_sum', '_count'].map((part) => name + part) : [name]
const series = new Set(rows.flatMap(seriesOf))
const namesIn = (text: string): readonly string[] => text.match(/\bselvedge_\w+/g) ?? []

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: {
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }
  readonly targets?: readonly { readonly expr: string; readonly refId: string }[]
}

describe('the table of metrics', () => {
  it('has exactly the metrics of a server, with their types and labels', async () => {
    const service = await openTestService({ METRICS_PORT: '0' })
    try {
      await service.get('tags')
      let text = ''
      // A check after the start reads for a moment.
      await until(async () => {
        text = await (await fetch(service.metricsUrl ?? '')).text()
        return /^selvedge_database_pool_in_use\{pool="long"\} 0$/m.test(text)
      })
      const types = [...text.matchAll(/^# TYPE (selvedge_\w+) (\w+)$/gm)].map(
        ([, ...parts]) => parts,
      )
      assert.deepEqual(types.sort(), rows.map(({ name, type }) => [name, type]).sort())
      const labelsOf = new Map(
        rows.flatMap((row) => seriesOf(row).map((name) => [name, [...row.labels, 'le']] as const)),
      )
      let samples = 0
      for (const [, name = '', labels = ''] of text.matchAll(/^(selvedge_\w+)\{(.*)\} /gm)) {
        for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) {
          samples += 1
          assert.ok(labelsOf.get(name)?.includes(label), `${name} ${label}`)
        }
      }
      assert.ok(samples > 20)
      for (const line of [
        /^selvedge_sqlite_wal_bytes\{database="records"\} \d+$/m,
        /^selvedge_sqlite_wal_bytes\{database="keys"\} \d+$/m,
        /^selvedge_database_pool_size\{pool="long"\} 4$/m,
        /^selvedge_database_pool_waiting\{pool="long"\} 0$/m,
        /^selvedge_held_snapshots 0$/m,
        /^selvedge_held_snapshot_age_seconds 0$/m,
        /^selvedge_held_snapshots_ended_total 0$/m,
      ]) {
        assert.match(text, line)
      }
    } finally {
      await service.close()
    }
  })

  it('follows the naming rules of Prometheus', () => {
    for (const { name, type, help } of rows) {
      assert.equal(name.endsWith('_total'), type === 'counter', name)
      assert.match(help, /^[A-Z0-9].*\.$/, name)
    }
  })
})

describe('the alert rules', () => {
  it('name metrics and labels that are there', () => {
    for (const { name, expression, summary } of alerts) {
      const names = namesIn(expression)
      assert.ok(names.length > 0, name)
      for (const each of names) assert.ok(series.has(each), `${name}: ${each}`)
      const labels = rows
        .filter((row) => seriesOf(row).some((each) => names.includes(each)))
        .flatMap((row) => row.labels)
      for (const [, label = ''] of summary.matchAll(/\$labels\.(\w+)/g)) {
        assert.ok(label === 'instance' || labels.includes(label), `${name}: ${label}`)
        // A sum loses the labels that it is not grouped by.
        if (/\bsum\b/.test(expression))
          assert.match(expression, new RegExp(`by \\([^)]*\\b${label}\\b`))
      }
    }
  })

  it('say what to do, and lead to sections that are there', () => {
    const { groups } = parse(read('deploy/alerts.yaml')) as {
      readonly groups: readonly {
        readonly rules: readonly { annotations: { runbook: string } }[]
      }[]
    }
    const rules = groups.flatMap((group) => group.rules)
    assert.equal(rules.length, alerts.length)
    const hasHeading = (address: string) => {
      const [file = '', anchor] = address.split('#')
      const headings = [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
        anchorOf(heading),
      )
      assert.ok(anchor !== undefined && headings.includes(anchor), address)
    }
    for (const { annotations } of rules) hasHeading(annotations.runbook)
    for (const { name, action, page, summary } of alerts) {
      hasHeading(`docs/${page}`)
      for (const sentence of [action, summary]) assert.match(sentence, /^[A-Z{].*\.$/, name)
    }
    assert.equal(new Set(alerts.map(({ name }) => name)).size, alerts.length)
  })
})

describe('the dashboard', () => {
  const { panels, ...dashboard } = grafanaDashboard() as { readonly panels: readonly Panel[] }
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

  it('shows every metric, and none that is not there', () => {
    const names = new Set(expressions.flatMap(namesIn))
    for (const name of [...names, ...namesIn(JSON.stringify(dashboard))]) {
      assert.ok(series.has(name), name)
    }
    for (const row of rows)
      assert.ok(
        seriesOf(row).some((name) => names.has(name)),
        row.name,
      )
  })

  it('has panels that do not overlap, with unique ids', () => {
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    const cells = new Set<string>()
    for (const { title, gridPos, targets = [] } of panels) {
      const { x, y, w, h } = gridPos
      assert.ok(x >= 0 && x + w <= 24, title)
      for (let column = x; column < x + w; column += 1) {
        for (let line = y; line < y + h; line += 1) {
          const cell = `${column} ${line}`
          assert.ok(!cells.has(cell), `${title} covers another panel`)
          cells.add(cell)
        }
      }
      assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length, title)
    }
  })
})
