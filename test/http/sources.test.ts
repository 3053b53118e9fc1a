/** The sources of records, in the metrics and on the page that says whether the server is ready. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { IntakeSource } from '#intake'
import { createSourceMonitor } from '../../src/server/source-monitor.ts'
import { openTestService, type TestService } from '../support/service.ts'

const orders = { kind: 'sync', name: 'erp orders' } as const
const files = { kind: 'watch', name: '/srv/"drop"' } as const

describe('a service whose records come from sources', () => {
  let service: TestService
  before(async () => {
    service = await openTestService({ METRICS_PORT: '0' })
    const { sources } = service.records.store
    await sources.update('aldermoor', orders, {
      succeededAt: '2026-11-16T06:00:00.000Z',
      behindSince: new Date(Date.now() - 90_000).toISOString(),
      processed: 12,
    })
    await sources.update('aldermoor', files, {
      state: 'failing',
      error: 'a private reason',
      waiting: 3,
      failed: 2,
    })
  })
  after(() => service.close())

  it('has the figures of each source in its metrics, with the brand and the source as labels', async () => {
    const text = await (await fetch(service.metricsUrl ?? '')).text()
    const sync = 'brand="aldermoor",source="erp orders",kind="sync"'
    const watch = String.raw`brand="aldermoor",source="/srv/\"drop\"",kind="watch"`
    const lines = text.split('\n')
    for (const line of [
      `selvedge_source_last_success_timestamp_seconds{${sync}} ${Date.UTC(2026, 10, 16, 6) / 1_000}`,
      `selvedge_source_waiting{${sync}} 0`,
      `selvedge_source_waiting{${watch}} 3`,
      `selvedge_source_processed_total{${sync}} 12`,
      `selvedge_source_processed_total{${watch}} 0`,
      `selvedge_source_failed_total{${watch}} 2`,
      `selvedge_source_lag_seconds{${watch}} 0`,
    ]) {
      assert.ok(lines.includes(line), line)
    }
    const lag = lines.find((line) => line.startsWith(`selvedge_source_lag_seconds{${sync}} `))
    assert.ok(Number(lag?.split(' ').at(-1)) >= 90, `${lag}`)
    assert.ok(!text.includes(`last_success_timestamp_seconds{${watch}}`))
    assert.ok(!text.includes('a private reason'))
  })

  it('is ready however its sources are, and tells everybody how many there are and no more', async () => {
    const { status, body, text } = await service.get('/readyz', { key: null })
    assert.equal(status, 200)
    const { lagSeconds, ...counts } = body.sources
    assert.deepEqual(counts, { total: 2, failing: 1, waiting: 3, quarantined: 0 })
    assert.ok(lagSeconds >= 90 && Number.isInteger(lagSeconds), text)
    assert.deepEqual(Object.keys(body), ['status', 'sources'])
    assert.equal(body.status, 'ready')
  })
})

describe('the monitor of sources', () => {
  const state: IntakeSource = {
    ...orders,
    brand: 'acme',
    state: 'idle',
    cursor: null,
    startedAt: null,
    succeededAt: null,
    failedAt: null,
    error: null,
    waiting: 1,
    quarantined: 0,
    behindSince: null,
    processed: 0,
    failed: 0,
    quarantinedRows: 0,
  }

  it('reads once for all that is asked within two seconds', async () => {
    let reads = 0
    let now = 0
    const monitor = createSourceMonitor({
      read: async () => {
        reads += 1
        return [{ ...state, waiting: reads }]
      },
      now: () => now,
      onError: assert.ifError,
    })
    await Promise.all([monitor.figures(), monitor.summary(), monitor.figures()])
    now = 1_999
    assert.equal((await monitor.summary())?.waiting, 1)
    now = 2_000
    assert.equal((await monitor.summary())?.waiting, 2)
  })

  it('shows what it read last while the states cannot be read, and reports that once', async () => {
    let now = 0
    let fails = false
    const errors: unknown[] = []
    const monitor = createSourceMonitor({
      read: async () => {
        if (fails) throw new RangeError('away')
        return [state]
      },
      now: () => now,
      onError: (error) => errors.push(error),
    })
    assert.equal((await monitor.figures()).length, 1)
    fails = true
    for (const later of [5_000, 10_000]) {
      now = later
      assert.equal((await monitor.figures()).length, 1)
    }
    assert.equal(errors.length, 1)
  })
})
