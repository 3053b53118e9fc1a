/** The business rules find the same on PostgreSQL as on SQLite, and what they find is kept the same. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { checkOutdated, qualityJson, rules } from '#check'
import { catalog, resourceAt } from '#contract'
import { type Database, openDatabase } from '#database'
import { type DemoRecord, openStory, season } from '#demo'
import { followWithChecks } from '#server'
import { createStore, ownerNumber, type Store, sharedOwner } from '#store'
import { checkChanged } from '../../src/check/quality.ts'
import { until } from '../support/cluster.ts'
import { seeded } from '../support/model.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const brand = 'kowhai'
const day = '2026-07-10'

interface Engine {
  readonly database: Database
  readonly store: Store
}

type Records = { readonly [path: string]: readonly DemoRecord[] }

/** A season in which a number, a date or a code of every twentieth record is wrong. */
const drawRecords = (): Records => {
  const random = seeded(7)
  const wrong = (record: DemoRecord): DemoRecord => {
    const fields = Object.entries(record).filter(
      ([name, value]) => typeof value === 'number' || /(Amount|Date|Code|currency)$/.test(name),
    )
    const [name, value] = fields[random(Math.max(1, fields.length))] ?? []
    if (name === undefined || value === null) return record
    if (typeof value === 'number') return { ...record, [name]: value + 1 }
    if (/Date$/.test(name)) return { ...record, [name]: '2024-02-29' }
    return { ...record, [name]: /Amount$/.test(name) ? '12345.67' : 'Dollar' }
  }
  const items = [...season({ brand, orders: 12, seed: 5 })].map(({ path, record }) => ({
    path: path as string,
    record: random(20) === 0 ? wrong(record) : record,
  }))
  const byPath = Map.groupBy(items, ({ path }) => path)
  return Object.fromEntries(
    [...byPath].map(([path, all]) => [path, all.map((each) => each.record)]),
  )
}

describe('the quality of records on PostgreSQL', () => {
  let postgres: PostgresDatabases
  let folder: string
  let engines: readonly Engine[]
  let urls: readonly string[]
  const records = drawRecords()

  const write = ({ store }: Engine, owner: string, set: Records) =>
    store.write(owner, async (writer) => {
      for (const [path, all] of Object.entries(set)) {
        await writer.stage(resourceAt(catalog, path), all)
        await writer.merge(resourceAt(catalog, path))
      }
    })
  const onBoth = async <T>(act: (engine: Engine) => Promise<T>): Promise<readonly [T, T]> => {
    const results: T[] = []
    for (const engine of engines) results.push(await act(engine))
    return results as [T, T] as readonly [T, T]
  }
  const check = (engine: Engine, checkedAt: string, of = brand) =>
    checkChanged({ ...engine, catalog, brand: of, today: day, checkedAt, isOver: () => false })
  const quality = async ({ store }: Engine, of = brand) => qualityJson(await store.quality.read(of))

  before(async () => {
    postgres = await openPostgresDatabases()
    folder = mkdtempSync(join(tmpdir(), 'selvedge-quality-'))
    urls = [await postgres.url('quality'), `sqlite:${join(folder, 'quality.db')}`]
    const { shared } = await openStory()
    engines = await Promise.all(
      urls.map(async (url) => {
        const database = openDatabase(url)
        return { database, store: await createStore(catalog, database) }
      }),
    )
    await onBoth((engine) => write(engine, sharedOwner, shared))
    await onBoth((engine) => write(engine, brand, records))
  })
  after(async () => {
    for (const { database } of engines ?? []) await database.close()
    await postgres?.close()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  it('has the findings, records and words of SQLite', async () => {
    const [own, other] = await onBoth((engine) => check(engine, '2026-07-10T06:00:00.000Z'))
    assert.equal(own.results.length, rules.length)
    assert.deepEqual(
      own.results.map(({ rule, reads, usesToday }) => [rule.id, reads, usesToday]),
      other.results.map(({ rule, reads, usesToday }) => [rule.id, reads, usesToday]),
    )
    // A rule without them would never be checked again.
    assert.deepEqual(
      own.results.filter(({ reads }) => reads.length === 0).map(({ rule }) => rule.id),
      [],
    )
    const [onPostgres, onSqlite] = await onBoth((engine) => quality(engine))
    assert.deepEqual(onPostgres, onSqlite)
    assert.ok(onPostgres.isCurrent)
    assert.ok(onPostgres.findings.length > 10, `${onPostgres.findings.length} findings`)
    const codes = onPostgres.findings.filter(({ rule }) => rule.startsWith('COD-'))
    assert.ok(codes.length > 2, `${codes.length} findings about codes`)
    assert.ok(onPostgres.findings.every((each) => each.records.length > 0))
  })

  it('is checked again for the rules that read what has changed, and for no others', async () => {
    const [order] = records['orders'] ?? []
    const changed = { ...order, totalQuantity: 123_456 } as DemoRecord
    await onBoth((engine) => write(engine, brand, { orders: [changed] }))
    const [stale] = await onBoth((engine) => quality(engine))
    assert.ok(!stale.isCurrent && stale.rules.outdated < rules.length)
    const [own, other] = await onBoth((engine) => check(engine, '2026-07-10T07:00:00.000Z'))
    assert.equal(own.results.length, stale.rules.outdated)
    assert.equal(other.results.length, stale.rules.outdated)
    const [onPostgres, onSqlite] = await onBoth((engine) => quality(engine))
    assert.deepEqual(onPostgres, onSqlite)
    assert.equal(onPostgres.history.length, 2)
    const [again] = await onBoth((engine) => check(engine, '2026-07-10T08:00:00.000Z'))
    assert.deepEqual(again, { results: [], left: 0 })
  })

  it('of a brand is not seen by another one', async () => {
    const [{ database }] = engines as readonly [Engine, Engine]
    for (const table of ['selvedge_findings', 'selvedge_checks']) {
      const text = `select count(*) from "${table}"`
      const rowsFor = async (name: string) => {
        const [rows = []] = await database.read([{ text, values: [] }], ownerNumber(name))
        return Number(rows[0]?.[0])
      }
      assert.ok((await rowsFor(brand)) > 0, table)
      assert.equal(await rowsFor('rimu'), 0, table)
    }
    const [other] = await onBoth((engine) => quality(engine, 'rimu'))
    assert.deepEqual([other.checkedAt, other.findings], [null, []])
  })

  it('is stored while an import writes, and delays none', async () => {
    const [engine] = engines as readonly [Engine, Engine]
    const { store } = engine
    const before = await quality(engine)
    await store.write(brand, async () => {
      await store.quality.store(brand, (await store.quality.read(brand)).findings, true)
    })
    const after = await quality(engine)
    assert.deepEqual(after.findings, before.findings)
  })

  /** A brand with nothing but its own record. */
  const addBrand = (engine: Engine, slug: string) =>
    write(engine, slug, { brand: [{ ...records['brand']?.[0], slug } as DemoRecord] })

  it('is checked by one process at a time', async () => {
    await onBoth(async (engine) => {
      const { store } = engine
      await addBrand(engine, 'miro')
      const now = Date.now()
      const lease = { work: 'check', holder: 'another machine process 1' }
      const until = now + 60_000
      await store.leases.take('miro', { ...lease, now, until, hasEnded: () => false })
      const parts = { ...engine, catalog, brand: 'miro', now, isOver: () => false }
      assert.deepEqual(await checkOutdated(parts), { holder: lease.holder })
      assert.equal((await quality(engine, 'miro')).rules.unchecked, rules.length)
      await store.leases.release('miro', lease)
      assert.ok('left' in (await checkOutdated(parts)))
      assert.equal((await quality(engine, 'miro')).rules.unchecked, 0)
    })
  })

  it('is checked in the background in slices, also after a restart, until every rule was', async () => {
    for (const [index, engine] of engines.entries()) {
      await addBrand(engine, 'rata')
      const follow = (sliceMs: number) =>
        followWithChecks({
          database: engine.database,
          config: { databaseUrl: urls[index] ?? '' },
          ...{ sliceMs, delayMs: 0, lookMs: 5 },
          onError: (error) => assert.fail(String(error)),
        })
      const unchecked = async () => (await quality(engine, 'rata')).rules.unchecked
      // One rule at a time.
      const before = follow(0)
      await until(async () => (await unchecked()) < rules.length - 2)
      await before.close()
      const left = await unchecked()
      assert.ok(left > 0, 'all rules were checked at once')
      const after = follow(10_000)
      await until(async () => (await unchecked()) === 0)
      assert.ok((await quality(engine, 'rata')).isCurrent)
      // What another process changes is noticed.
      await addBrand(engine, 'totara')
      await until(async () => (await quality(engine, 'totara')).rules.unchecked === 0)
      await after.close()
    }
  })
})
