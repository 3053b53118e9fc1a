/** Import, export, check, demo and keys on PostgreSQL: the same promises as on SQLite. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { catalog, resourceAt } from '#contract'
import { openDatabase } from '#database'
import { openStore } from '#store'
import { openWorkplace, type Workplace } from './support/command.ts'
import { recordsOf } from './support/page.ts'
import { openPostgres, type Postgres } from './support/postgres.ts'

const kills = Number(process.env['SELVEDGE_KILLS'] ?? 12)

describe('commands on PostgreSQL', () => {
  let postgres: Postgres
  let onPostgres: Workplace
  let onSqlite: Workplace
  before(async () => {
    postgres = await openPostgres()
    onPostgres = openWorkplace(await postgres.url('commands'))
    onSqlite = openWorkplace()
  })
  after(async () => {
    onPostgres.close()
    onSqlite.close()
    await postgres.close()
  })

  const json = async (place: Workplace, ...args: string[]) => {
    const { code, stdout, stderr } = await place.run([...args, '--json'])
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }

  it('fill a brand with the same records', async () => {
    const args = ['demo', '--brand', 'acme', '--orders', '20']
    const [one, two] = [await json(onSqlite, ...args), await json(onPostgres, ...args)]
    assert.deepEqual(two.collections, one.collections)
    assert.ok(one.records > 3_000)
  })

  it('find the same breaches of the same rules', async () => {
    const found = async (place: Workplace) => {
      const { rules } = await json(place, 'check', '--brand', 'acme', '--today', '2026-06-01')
      assert.equal(rules.length, 92)
      return rules.map(({ id, count, breaches }: { [name: string]: unknown }) => ({
        id,
        count,
        breaches,
      }))
    }
    assert.deepEqual(await found(onPostgres), await found(onSqlite))
  })

  it('find what is broken on purpose, alike', async () => {
    for (const place of [onSqlite, onPostgres]) {
      const database = openDatabase(place.databaseUrl)
      const store = await openStore(catalog, database)
      const orders = resourceAt(catalog, 'orders')
      const page = {
        filters: new Map([['orderNumber', 'PO-5512']]),
        limit: 1,
        after: null,
        include: [],
      }
      const [order] = recordsOf(await store.list({ resource: orders, brand: 'acme', ...page }))
      await store.write('acme', async (writer) => {
        await writer.stage(orders, [{ ...order, totalQuantity: 641 }])
        await writer.merge(orders)
      })
      await database.close()
      const { code, stdout } = await place.run(['check', '--brand', 'acme', '--json'])
      assert.equal(code, 1)
      const broken = JSON.parse(stdout).rules.filter(
        ({ count, severity }: { count: number; severity: string }) =>
          count > 0 && severity === 'error',
      )
      assert.ok(broken.length > 0)
      assert.ok(JSON.stringify(broken).includes(order.id))
    }
  })

  it('export the same bytes, and import them again as unchanged', async () => {
    const folders = [join(onSqlite.folder, 'out'), join(onPostgres.folder, 'out')] as const
    const digests = async (place: Workplace, to: string) => {
      const { files } = await json(place, 'export', to, '--brand', 'acme')
      return files.map(({ file, sha256, records }: { [name: string]: unknown }) => ({
        file,
        sha256,
        records,
      }))
    }
    assert.deepEqual(await digests(onPostgres, folders[1]), await digests(onSqlite, folders[0]))
    const { collections, written } = await json(
      onPostgres,
      'import',
      folders[0],
      '--brand',
      'acme',
      '--replace',
    )
    assert.ok(written)
    for (const { read, unchanged, added, removed } of collections) {
      assert.deepEqual([unchanged, added, removed], [read, 0, 0])
    }
  })

  it('issue and list keys', async () => {
    const { key, id } = await json(onPostgres, 'keys', 'issue', '--brand', 'acme')
    assert.match(key, /^slv_/)
    const [listed] = await json(onPostgres, 'keys', 'list')
    assert.equal(listed.id, id)
    const revoked = await json(onPostgres, 'keys', 'revoke', id)
    assert.ok(revoked.revokedAt)
  })

  /** What a brand's order items add up to: which of the two states it is in. */
  const stateOf = async (place: Workplace) => {
    const database = openDatabase(place.databaseUrl)
    const [totals, counted, memos] = await database.read([
      {
        text: `select "total" from "selvedge_collections" where "brand" = ?1 and "collection" = 'order-items'`,
        values: ['acme'],
      },
      { text: 'select count(*) from "order_items" where "brand" = ?1', values: ['acme'] },
      {
        text: `select distinct ${database.dialect.jsonText('"body"', ['memo'])} from "order_items" where "brand" = ?1`,
        values: ['acme'],
      },
    ])
    await database.close()
    assert.equal(Number(totals?.[0]?.[0]), Number(counted?.[0]?.[0]))
    return memos?.map(([memo]) => memo)
  }

  /** Every order item with another memo, so that old and new cannot be mistaken for each other. */
  const changeAll = (memo: string): string => {
    const text = readFileSync(join(onPostgres.folder, 'out/order-items.ndjson'), 'utf8')
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.stringify({ ...JSON.parse(line), memo }))
    return onPostgres.put({ [`${memo}/order-items.ndjson`]: `${lines.join('\n')}\n` })
  }

  it(`are all or nothing when the importer is killed ${kills} times`, async () => {
    const settle = await onPostgres.run(['import', changeAll('settled'), '--brand', 'acme'])
    assert.equal(settle.code, 0, settle.stderr)
    const began = performance.now()
    await onPostgres.run(['import', changeAll('measured'), '--brand', 'acme'])
    const tookMs = performance.now() - began
    let state = 'measured'
    for (let round = 0; round < kills; round += 1) {
      const next = `round${round}`
      const { child, ended } = onPostgres.start(['import', changeAll(next), '--brand', 'acme'])
      await wait(tookMs * (0.3 + (0.8 * round) / kills))
      child.kill('SIGKILL')
      await ended
      const found = await stateOf(onPostgres)
      assert.equal(found?.length, 1, `half written: ${found}`)
      assert.ok(found?.[0] === state || found?.[0] === next, `${found} after ${state}`)
      state = String(found?.[0])
    }
    const last = await onPostgres.run(['import', changeAll('last'), '--brand', 'acme'])
    assert.equal(last.code, 0, last.stderr)
    assert.deepEqual(await stateOf(onPostgres), ['last'])
  })

  it('are all or nothing when the server is killed, and say why they failed', async () => {
    for (const share of [0.4, 0.7]) {
      const { ended, said } = onPostgres.start([
        'import',
        changeAll(`server${share}`),
        '--brand',
        'acme',
      ])
      await said('order-items')
      await wait(share * 100)
      await postgres.kill()
      const { code, stderr } = await ended
      await postgres.start()
      const found = await stateOf(onPostgres)
      assert.equal(found?.length, 1)
      if (code !== 0) assert.match(stderr, /The database failed/)
      else assert.deepEqual(found, [`server${share}`])
    }
    const again = await onPostgres.run(['import', changeAll('after'), '--brand', 'acme'])
    assert.equal(again.code, 0, again.stderr)
  })
})
