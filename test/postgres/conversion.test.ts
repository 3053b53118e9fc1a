/** The conversion of a database on PostgreSQL beside programs that read it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { openDatabase } from '#database'
import { createStore } from '../../src/store/store.ts'
import { crate, crates, small } from '../conformance/store/samples.ts'
import { until } from '../support/cluster.ts'
import { rewriteAsLayout1 } from '../support/layout-1.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

describe('the conversion of a database that is being read', () => {
  let postgres: PostgresDatabases
  before(async () => {
    postgres = await openPostgresDatabases()
  })
  after(() => postgres.close())

  it('waits for a reader of the old tables, blocks no other one, and copies nothing twice', async () => {
    const url = await postgres.url('read')
    const database = openDatabase(url)
    const readers = [new pg.Client(url), new pg.Client(url)] as const
    try {
      const older = await createStore(small, database)
      await older.write('m', async (writer) => {
        await writer.stage(crates, [crate(1), crate(2)] as never)
        await writer.merge(crates)
      })
      await rewriteAsLayout1(database, { catalog: small })
      for (const reader of readers) await reader.connect()
      const [holding, other] = readers
      const count = async (reader: pg.Client) =>
        Number((await reader.query('select count(*) from crates')).rows[0]?.count)
      await holding.query('begin')
      assert.equal(await count(holding), 2)

      const logged: string[] = []
      let isConverted = false
      const converting = createStore(small, database, {
        log: (sentence) => logged.push(sentence),
      }).finally(() => {
        isConverted = true
      })
      await until(() => logged.includes('Conversion: crates, 2 rows.'))
      for (let reads = 0; reads < 20; reads += 1) {
        const began = performance.now()
        assert.equal(await count(other), 2)
        assert.ok(performance.now() - began < 5_000)
      }
      assert.ok(!isConverted)
      assert.equal(await count(holding), 2)
      await holding.query('commit')

      const store = await converting
      assert.equal(logged.filter((each) => each.startsWith('Conversion: crates')).length, 1)
      assert.equal(store.missingSecurity, null)
      const page = { filters: new Map(), limit: 5, after: null, include: [] }
      assert.equal((await store.list({ resource: crates, brand: 'm', ...page })).total, 2)
      assert.equal((await store.list({ resource: crates, brand: 'n', ...page })).total, 0)
    } finally {
      for (const reader of readers) await reader.end()
      await database.close()
    }
  })
})
