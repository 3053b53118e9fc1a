/** Rounds of a sync as units of work: one collection that fails does not stop the others. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SourceError } from '#ingest'
import type { Unit, UnitResult } from '#intake'
import type { Store } from '#store'
import { createRoundUnits, SourceDatabaseError, type SyncQuery } from '#sync'
import { until } from '../support/cluster.ts'
import { openImportSandbox } from '../support/import-sandbox.ts'
import { openFileUnits, openUnitReader } from '../support/watching.ts'

const { store, database } = await openImportSandbox().openRecords('rounds.db')

const query = (collection: string, version = ''): SyncQuery =>
  ({ name: collection, digest: `${collection}${version}`, mapping: { collection } }) as SyncQuery

let sources = 0

/** A source of three collections. `fails` decides what a round throws, `added` what it adds. */
const openRounds = (
  fails: (collections: readonly string[], write: Store['write']) => unknown,
  added: readonly number[] = [],
) => {
  sources += 1
  const source = { kind: 'sync', name: `source ${sources}` } as const
  const read: string[] = []
  const events: string[] = []
  const stopping = new AbortController()
  const effect = (): UnitResult => {
    const counts = { read: 0, changed: 0, unchanged: 0, removed: 0, parked: 0, unparked: 0 }
    const collections = [{ ...counts, collection: 'tags', added: added[read.length - 1] ?? 0 }]
    return { collections, problems: [], problemCount: 0 }
  }
  /** Like a process of its own. */
  const start = async (version = '') =>
    createRoundUnits({
      units: await openFileUnits(store),
      store,
      brand: 'acme',
      source,
      queries: ['tags', 'orders', 'suppliers'].map((name) => query(name, version)),
      round: async (queries, write) => {
        const collections = queries.map(({ name }) => name)
        const error = await fails(collections, write)
        if (error) throw error
        read.push(collections.join(' '))
      },
      endOf: () => ({ isWritten: true, problem: null, effect: effect() }),
      onRound: async () => undefined,
      onEvent: (sentence) => void events.push(sentence),
      signal: stopping.signal,
    })
  const units = async (): Promise<readonly Unit[]> =>
    (await openFileUnits(store)).list({ source: source.name, limit: 100 })
  return { start, read, events, units, stopping }
}

/** A failure that a collection causes whenever it is read. */
const poison = (collections: readonly string[]) =>
  collections.includes('orders') ? new RangeError('too slow') : null

describe('the rounds of a source', () => {
  it('are one unit while they read nothing new', async () => {
    const { start, units, read } = openRounds(() => null)
    const rounds = await start()
    for (let round = 0; round < 3; round += 1) await rounds.run()
    assert.equal(read.length, 3)
    assert.deepEqual(
      (await units()).map(({ state, attempts, lastError }) => [state, attempts, lastError]),
      [['done', 1, null]],
    )
  })

  it('stay to be seen if they changed something', async () => {
    const { start, units } = openRounds(() => null, [0, 2, 0, 0, 1])
    const rounds = await start()
    for (let round = 0; round < 5; round += 1) await rounds.run()
    const all = (await units()).map(({ id }) => id)
    const ended = await openUnitReader(store).ended('acme', 100)
    assert.deepEqual(
      ended.filter(({ id }) => all.includes(id)).map(({ collections }) => collections[0]?.added),
      [1, 2],
    )
  })

  it('count no attempt while they wait for the lock of the records', async () => {
    const { start, units } = openRounds((_, write) => write('acme', async () => null))
    const rounds = await start()
    let running: Promise<void> | undefined
    await store.write('acme', async () => {
      running = rounds.run()
      await until(async () => {
        const [unit] = await units()
        return unit?.state === 'working' && unit.attempts === 0
      })
    })
    await running
    assert.deepEqual(
      (await units()).map(({ state, attempts }) => [state, attempts]),
      [['done', 1]],
    )
  })

  it('set a collection aside after three attempts, and read the others at once', async () => {
    const { start, units, read, events } = openRounds(poison)
    const rounds = await start()
    await assert.rejects(rounds.run(), /too slow/)
    assert.deepEqual(read, ['tags', 'suppliers'])
    await assert.rejects(rounds.run(), /too slow/)
    await rounds.run()
    assert.equal(events[0], 'too slow Each collection is read alone.')
    assert.match(
      events[1] ?? '',
      /^orders is set aside after 3 attempts, .*: too slow\. .*: selvedge intake retry [0-9a-f-]{36}$/,
    )
    read.length = 0
    await rounds.run()
    assert.deepEqual(read, ['tags suppliers'])
    const [aside, ...more] = await rounds.aside()
    assert.deepEqual([aside?.collection, aside?.unit.lastError, more], ['orders', 'too slow', []])
    const states = Map.groupBy(await units(), ({ state }) => state)
    assert.deepEqual([states.get('quarantined')?.length, states.get('working')], [1, undefined])
  })

  it('read a collection again that is taken out of quarantine', async () => {
    let isPoisoned = true
    const { start, read } = openRounds((all) => (isPoisoned ? poison(all) : null))
    const rounds = await start()
    for (let round = 0; round < 2; round += 1) await assert.rejects(rounds.run())
    await rounds.run()
    isPoisoned = false
    const [aside] = await rounds.aside()
    assert.ok(await (await openFileUnits(store)).retry(aside?.unit.id ?? ''))
    read.length = 0
    await rounds.run()
    assert.deepEqual(read, ['tags suppliers orders'])
    assert.deepEqual(await rounds.aside(), [])
    await rounds.run()
    assert.equal(read.length, 2)
  })

  it('set a collection aside in the middle of which processes died', async () => {
    let reached = Promise.withResolvers<void>()
    const { start } = openRounds((all) => {
      if (!poison(all)) return null
      reached.resolve()
      return new Promise(() => undefined)
    })
    // One death in the round as a whole, and three in the collection alone.
    for (let deaths = 0; deaths < 4; deaths += 1) {
      void (await start()).run()
      await reached.promise
      reached = Promise.withResolvers()
    }
    const rounds = await start()
    await rounds.run()
    assert.deepEqual(
      (await rounds.aside()).map(({ collection }) => collection),
      ['orders'],
    )
  })

  it('end the unit of a process that died before the mapping changed', async () => {
    const reached = Promise.withResolvers<void>()
    let isDying = true
    const { start, units } = openRounds(() => {
      reached.resolve()
      return isDying ? new Promise(() => undefined) : null
    })
    void (await start()).run()
    await reached.promise
    isDying = false
    await (await start('changed')).run()
    assert.deepEqual(
      (await units()).map(({ state, lastError }) => [state, lastError?.slice(0, 11)]),
      [
        ['refused', 'Its mapping'],
        ['done', undefined],
      ],
    )
  })

  for (const moment of ['hold', 'release'] as const) {
    it(`keep the log for a unit that is quarantined at the ${moment} of another`, async () => {
      const brand = `logged-${moment}`
      const units = await openFileUnits(store)
      const quarantine = async (position: string, by = units): Promise<Unit> => {
        for (;;) {
          const unit = await by.begin({ brand, kind: 'round', source: 'logged', position })
          const failed = await by.fail(unit, new RangeError('always'), 'unit')
          if (failed.state === 'quarantined') return failed
        }
      }
      const { id } = await quarantine('first')
      const { hold, release } = store.rewrites
      const rewrites = {
        hold: async (slug: string) => {
          const number = await hold(slug)
          await units.discard(id)
          return number
        },
        release: async (...parts: Parameters<typeof release>) => {
          await quarantine('second')
          await release(...parts)
        },
      }
      const racing = await openFileUnits({
        ...store,
        rewrites: { ...store.rewrites, [moment]: rewrites[moment] },
      })
      if (moment === 'hold') await quarantine('second', racing)
      else await racing.discard(id)
      const text = `select 1 from "selvedge_collections" as c join "selvedge_owners" as o
        on o."owner" = c."owner" where o."slug" = ?1 and c."collection" = '-rewrites'`
      const [rows] = await database.read([{ text, values: [brand] }])
      assert.equal(rows?.length, 1)
    })
  }

  it('are forgotten after three days, also without a server', async () => {
    let now = Date.now()
    const units = await openFileUnits(store, () => now)
    const place = { brand: 'forgetful', kind: 'round', source: 'old' } as const
    for (const position of ['first', 'second']) {
      await units.finish(await units.begin({ ...place, position }), 'done')
    }
    now += 4 * 86_400_000
    await units.begin({ ...place, position: 'third' })
    const left = await units.list({ brand: 'forgetful', limit: 10 })
    // The last number stays, and the next one follows it.
    assert.deepEqual(left.map(({ position }) => position).slice(-2), ['second', 'third'])
    assert.equal(left.length, 2)
  })

  it('count no attempt that the source, a database that is away or a stop has ended', async () => {
    const errors = [
      new SourceDatabaseError('away', true),
      new SourceError('has no column'),
      new RangeError('stopped'),
    ]
    const { start, units, stopping } = openRounds(() => {
      const error = errors.shift()
      if (errors.length === 0) stopping.abort()
      return error
    })
    const rounds = await start()
    for (const message of [/away/, /no column/, /stopped/]) {
      await assert.rejects(rounds.run(), message)
    }
    assert.deepEqual(
      (await units()).map(({ state, attempts }) => [state, attempts]),
      [
        ['refused', 1],
        ['waiting', 0],
      ],
    )
  })
})
