/** Usage on both engines, written by two processes, with a clock that only the tests move. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { type Database, openDatabase, openKeyDatabase } from '#database'
import {
  type CountedRequest,
  createUsageLog,
  openUsageWriter,
  type UsageLog,
  type UsageWarning,
  type UsageWriter,
} from '#usage'
import { createUsageCounter } from '../../src/usage/usage-counter.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const start = Date.parse('2026-03-01T10:00:00.000Z')
const dayMs = 86_400_000
const wide = { since: '2000-01-01', until: '2100-01-01' }

const request = (change: Partial<CountedRequest> = {}): CountedRequest => ({
  keyId: 'k1',
  brand: 'aldermoor',
  operation: 'listOrders',
  errorCode: null,
  records: 25,
  bytes: 1_000,
  groups: null,
  address: '192.0.2.1',
  ...change,
})

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`usage on ${engine}`, () => {
    const clock = { at: start }
    let postgres: PostgresDatabases | null = null
    let folder = ''
    const opened: Database[] = []
    let [database, other]: Database[] = []
    let usage: UsageLog
    let writers: UsageWriter[] = []
    let warnings: UsageWarning[] = []
    /** Whether each failed attempt was the first of several. */
    let failures: boolean[] = []
    const missing = new Set<string>()
    let isDown = false

    const openWriter = async (at: Database): Promise<UsageWriter> => {
      const failing: Database = {
        ...at,
        write: (work, lock) => {
          if (isDown) return Promise.reject(new Error('The database is down.'))
          return at.write(work, lock)
        },
      }
      const writer = await openUsageWriter({
        database: failing,
        now: () => clock.at,
        keptDays: 400,
        hasBrand: async (brand) => !missing.has(brand),
        countRecords: async (_, collection) => (collection === null ? 9_000 : 3_000),
        onWarning: (warning) => warnings.push(warning),
        onError: (_, isFirst) => failures.push(isFirst),
        // Only the tests write.
        intervalMs: 1_000_000,
      })
      writers.push(writer)
      return writer
    }

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'selvedge-usage-'))
      postgres = engine === 'PostgreSQL' ? await openPostgresDatabases() : null
      const url = (await postgres?.url('usage')) ?? `sqlite:${join(folder, 'selvedge.db')}`
      const open = () => {
        const records = openDatabase(url)
        const own = openKeyDatabase(url, records)
        opened.push(own, records)
        return own
      }
      database = open()
      other = open()
      usage = createUsageLog(database)
    })
    beforeEach(() => {
      clock.at = start
      isDown = false
      missing.clear()
      warnings = []
      failures = []
    })
    afterEach(async () => {
      if (writers.length === 0) return
      for (const each of writers) await each.close()
      writers = []
      await database?.write((session) =>
        session.runAll([
          'delete from "selvedge_usage"',
          'delete from "selvedge_usage_notices"',
          'delete from "selvedge_feed_readers"',
        ]),
      )
    })
    after(async () => {
      for (const each of opened) await each.close()
      await postgres?.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const openBoth = async () =>
      [await openWriter(database as Database), await openWriter(other as Database)] as const
    const advance = (ms: number) => {
      clock.at += ms
    }

    it('is nothing before a server has run', async () => {
      assert.deepEqual(await usage.totals(['key'], wide), [])
      assert.equal(await usage.removeBrand('aldermoor'), 0)
    })

    it('adds up what several processes write', async () => {
      const [one, two] = await openBoth()
      one.add(request())
      advance(1_000)
      two.add(request({ errorCode: 'rate_limited', records: 0, bytes: 90 }))
      await Promise.all([one.flush(), two.flush()])
      advance(1_000)
      one.add(request({ address: '192.0.2.2', errorCode: 'rate_limited', records: 0, bytes: 90 }))
      two.add(request({ operation: 'getOrder', records: 1, bytes: 40, groups: ['suppliers'] }))
      await Promise.all([one.flush(), two.flush()])
      const common = { otherAddresses: 0 }
      assert.deepEqual(await usage.totals(['key', 'brand', 'operation', 'day'], wide), [
        {
          ...common,
          parts: ['k1', 'aldermoor', 'getOrder', '2026-03-01'],
          requests: 1,
          records: 1,
          bytes: 40,
          refusals: {},
          firstAt: '2026-03-01T10:00:02.000Z',
          lastAt: '2026-03-01T10:00:02.000Z',
          addresses: { '192.0.2.1': 1 },
          groups: ['suppliers'],
        },
        {
          ...common,
          parts: ['k1', 'aldermoor', 'listOrders', '2026-03-01'],
          requests: 3,
          records: 25,
          bytes: 1_180,
          refusals: { rate_limited: 2 },
          firstAt: '2026-03-01T10:00:00.000Z',
          lastAt: '2026-03-01T10:00:02.000Z',
          addresses: { '192.0.2.1': 2, '192.0.2.2': 1 },
          groups: [],
        },
      ])
      const [total] = await usage.totals(['group'], wide)
      assert.deepEqual([total?.parts, total?.requests, total?.records], [['orders'], 4, 26])
    })

    it('adds up many rows that two processes write at the same time', async () => {
      const [one, two] = await openBoth()
      for (let n = 0; n < 350; n += 1) {
        one.add(request({ keyId: `k${n}` }))
        two.add(request({ keyId: `k${349 - n}` }))
      }
      await Promise.all([one.flush(), two.flush()])
      const totals = await usage.totals(['key'], wide)
      assert.equal(totals.length, 350)
      assert.ok(totals.every(({ requests }) => requests === 2))
    })

    it('keeps twenty addresses, and counts requests from others', async () => {
      const [one, two] = await openBoth()
      for (let n = 0; n < 25; n += 1) one.add(request({ address: `192.0.2.${n}` }))
      await one.flush()
      two.add(request({ address: '192.0.2.3' }))
      for (let n = 0; n < 30; n += 1) two.add(request({ address: `198.51.100.${n}` }))
      await two.flush()
      const [total] = await usage.totals(['key'], wide)
      assert.equal(Object.keys(total?.addresses ?? {}).length, 20)
      assert.equal(total?.addresses['192.0.2.3'], 2)
      assert.equal(total?.otherAddresses, 5 + 30)
      assert.equal(total?.requests, 56)
    })

    it('belongs to the day of the request in UTC', async () => {
      const [one] = await openBoth()
      clock.at = Date.parse('2026-03-01T23:59:59.999Z')
      one.add(request())
      advance(1)
      one.add(request())
      one.add(request())
      await one.flush()
      const totals = await usage.totals(['day'], wide)
      assert.deepEqual(
        totals.map(({ parts, requests }) => [...parts, requests]),
        [
          ['2026-03-01', 1],
          ['2026-03-02', 2],
        ],
      )
      const only = await usage.totals(['day'], { since: '2026-03-02', until: '2026-03-02' })
      assert.deepEqual(
        only.map(({ parts }) => parts[0]),
        ['2026-03-02'],
      )
    })

    it('is written later if the database is down', async () => {
      const [one] = await openBoth()
      one.add(request())
      isDown = true
      await one.flush()
      await one.flush()
      assert.deepEqual(failures, [true, false], 'both are counted, and the first is logged')
      one.add(request())
      isDown = false
      await one.flush()
      assert.equal((await usage.totals([], wide))[0]?.requests, 2)
    })

    it('lets requests in between while it takes over what was counted', async () => {
      const [one] = await openBoth()
      for (let n = 0; n < 2_000; n += 1) one.add(request({ keyId: `k${n}` }))
      isDown = true
      let immediates = 0
      let immediate = setImmediate(function count() {
        immediates += 1
        immediate = setImmediate(count)
      })
      await one.flush()
      clearImmediate(immediate)
      assert.ok(immediates >= 19, `${immediates} immediates`)
      isDown = false
    })

    it('has refusals without a key, and no other requests without one', async () => {
      const [one] = await openBoth()
      one.add(request({ keyId: null, brand: null, errorCode: 'invalid_api_key', records: 0 }))
      one.add(request({ keyId: null, brand: null, operation: 'health', records: 0 }))
      await one.flush()
      const totals = await usage.totals(['key', 'operation'], wide)
      assert.deepEqual(
        totals.map(({ parts, requests, refusals }) => [parts, requests, refusals]),
        [[['', 'listOrders'], 1, { invalid_api_key: 1 }]],
      )
    })

    it('is removed with its brand, and not written for a removed one', async () => {
      const [one] = await openBoth()
      for (let n = 0; n < 700; n += 1) one.add(request({ keyId: `k${n}` }))
      one.add(request({ brand: 'kelder' }))
      await one.flush()
      one.add(request())
      missing.add('aldermoor')
      assert.equal(await usage.countBrand('aldermoor'), 700)
      assert.equal(await usage.removeBrand('aldermoor'), 700)
      await one.flush()
      assert.deepEqual(
        (await usage.totals(['brand'], wide)).map(({ parts }) => parts),
        [['kelder']],
      )
    })

    it('is removed after USAGE_DAYS', async () => {
      const [one, two] = await openBoth()
      for (let n = 0; n < 1_200; n += 1) one.add(request({ keyId: `k${n}` }))
      await one.flush()
      advance(400 * dayMs)
      two.add(request())
      await two.flush()
      assert.equal((await usage.totals(['day'], wide)).length, 2, 'the 400th day is kept')
      advance(dayMs)
      await two.flush()
      assert.deepEqual(
        (await usage.totals(['day'], wide)).map(({ parts }) => parts),
        [['2027-04-05']],
      )
    })

    it('lets other work continue while it adds up', async (context) => {
      const [one] = await openBoth()
      for (let day = 0; day < 2; day += 1) {
        for (let n = 0; n < 510; n += 1) one.add(request({ operation: `operation${n}` }))
        await one.flush()
        advance(dayMs)
      }
      let loops = 0
      const turn = () => {
        loops += 1
        counting = setImmediate(turn)
      }
      let counting = setImmediate(turn)
      context.after(() => clearImmediate(counting))
      for (const add of [() => usage.totals(['day'], wide), () => usage.keyUses('2000-01-01')]) {
        const before = loops
        await add()
        assert.ok(loops - before >= 4, `${loops - before} loops`)
      }
    })

    it('has the last position of each reader of the change feed', async () => {
      const [one, two] = await openBoth()
      const read = (change: number, isAtEnd: boolean | null, more: Partial<CountedRequest> = {}) =>
        request({
          feed: { collection: null, change, position: `{"change":${change}}`, isAtEnd },
          ...more,
        })
      const positions = async () =>
        (await usage.feedReaders({ limit: 100 })).map(
          ({ keyId, brand, change, caughtUpAt }) =>
            `${brand} ${keyId} ${change} ${caughtUpAt?.slice(11, 19) ?? 'never'}`,
        )
      one.add(read(7, false))
      one.add(read(7, true, { keyId: null, errorCode: 'missing_api_key' }))
      await one.flush()
      assert.deepEqual(await positions(), ['aldermoor k1 7 never'])
      advance(1_000)
      two.add(read(9, true))
      two.add(read(3, false, { brand: 'birkholm' }))
      await two.flush()
      // The page of another process that was served before.
      advance(-1_000)
      one.add(read(8, false))
      await one.flush()
      advance(2_000)
      isDown = true
      one.add(read(11, false))
      await one.flush()
      assert.deepEqual(await positions(), ['aldermoor k1 9 10:00:01', 'birkholm k1 3 never'])
      isDown = false
      await one.flush()
      assert.deepEqual(await positions(), ['aldermoor k1 11 10:00:01', 'birkholm k1 3 never'])
      await usage.removeBrand('birkholm')
      missing.add('birkholm')
      two.add(read(4, false, { brand: 'birkholm' }))
      await two.flush()
      assert.deepEqual(await positions(), ['aldermoor k1 11 10:00:01'])
      // An unchanged page after another position than the stored one, then after that.
      advance(1_000)
      one.add(read(8, null))
      await one.flush()
      assert.deepEqual(await positions(), ['aldermoor k1 11 10:00:01'])
      two.add(read(11, null))
      two.add(read(11, null, { brand: 'northwind' }))
      await two.flush()
      assert.deepEqual(await positions(), ['aldermoor k1 11 10:00:03'])
      advance(1_000)
      two.add(read(12, true))
      advance(1_000)
      two.add(read(12, null))
      two.add(read(9, null))
      await two.flush()
      assert.deepEqual(await positions(), ['aldermoor k1 12 10:00:05'])
      advance(402 * dayMs)
      await one.flush()
      assert.deepEqual(await positions(), [])
    })

    it('warns once of a key that reads five times its average', async () => {
      const [one, two] = await openBoth()
      for (const records of [3_000, 2_000, 1_000]) {
        one.add(request({ records }))
        one.add(request({ keyId: 'k2', records: 10 }))
        await one.flush()
        advance(dayMs)
      }
      const surges = () => warnings.filter(({ kind }) => kind === 'surge')
      one.add(request({ records: 9_999 }))
      one.add(request({ keyId: 'k2', records: 9_000 }))
      await one.flush()
      assert.deepEqual(surges(), [])
      two.add(request({ records: 1_000 }))
      await two.flush()
      one.add(request({ records: 1_000 }))
      await Promise.all([one.flush(), two.flush()])
      const surge = { kind: 'surge', keyId: 'k1', records: 10_999, average: 2_000 }
      assert.deepEqual(surges(), [surge])
      warnings = []
      advance(dayMs)
      one.add(request({ records: 40_000 }))
      await one.flush()
      assert.deepEqual(
        surges().map(({ records }) => records),
        [40_000],
      )
    })

    it('warns of a collection that a key reads whole for the first time', async () => {
      const [one, two] = await openBoth()
      one.add(request({ records: 1_500 }))
      one.add(request({ operation: 'listOrderItems', records: 2_000 }))
      await one.flush()
      assert.deepEqual(warnings, [])
      two.add(request({ operation: 'downloadOrders', records: 1_500 }))
      await two.flush()
      const whole = { kind: 'whole', keyId: 'k1', brand: 'aldermoor', total: 3_000 }
      assert.deepEqual(warnings, [{ ...whole, collection: 'orders', records: 3_000 }])
      warnings = []
      advance(dayMs)
      one.add(request({ records: 4_000 }))
      one.add(request({ operation: 'readChanges', records: 9_000 }))
      await one.flush()
      assert.deepEqual(warnings, [{ ...whole, collection: null, records: 9_000, total: 9_000 }])
    })

    it('says what each key has used', async () => {
      const [one] = await openBoth()
      one.add(request({ groups: ['suppliers'] }))
      one.add(request({ brand: 'kelder', operation: 'mcp.find_records', groups: ['shipments'] }))
      one.add(request({ operation: 'listInvoices', errorCode: 'out_of_scope' }))
      one.add(request({ keyId: 'k2', operation: 'search', groups: ['*'] }))
      await one.flush()
      advance(90 * dayMs)
      one.add(request({ keyId: 'k3' }))
      await one.flush()
      const uses = await usage.keyUses('2026-03-01')
      assert.deepEqual([...uses.keys()], ['k1', 'k2', 'k3'])
      assert.deepEqual(uses.get('k1'), {
        brands: new Set(['aldermoor', 'kelder']),
        groups: new Set(['orders', 'suppliers', 'shipments']),
        hasReadAcross: false,
        lastDay: '2026-03-01',
      })
      assert.equal(uses.get('k2')?.hasReadAcross, true)
      assert.deepEqual([...(await usage.keyUses('2026-03-02')).keys()], ['k3'])
    })
  })
}

it('usage beyond the maximum of entries is added up as other', () => {
  const counter = createUsageCounter(() => start, 3)
  for (const keyId of ['k1', 'k2', 'k3', 'k4', 'k5', 'k1']) counter.add(request({ keyId }))
  const usages = [...counter.take()]
  const all = usages.map(({ keyId, operation, requests }) => [keyId, operation, requests])
  assert.deepEqual(all, [
    ['k1', 'listOrders', 2],
    ['k2', 'listOrders', 1],
    ['k3', 'listOrders', 1],
    ['other', 'other', 2],
  ])
  assert.deepEqual([...counter.take()], [])
})
