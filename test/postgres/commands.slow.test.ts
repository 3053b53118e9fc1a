/** Import, export, check, demo and keys on PostgreSQL: the same promises as on SQLite. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { rules as allRules } from '#check'
import { catalog, resourceAt } from '#contract'
import { openDatabase } from '#database'
import { createStore } from '#store'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { recordsOf } from '../support/page.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

describe('commands on PostgreSQL', () => {
  let postgres: PostgresDatabases
  let onPostgres: Sandbox
  let onSqlite: Sandbox
  before(async () => {
    postgres = await openPostgresDatabases()
    onPostgres = openSandbox(await postgres.url('commands'))
    onSqlite = openSandbox()
  })
  after(async () => {
    onPostgres.close()
    onSqlite.close()
    await postgres.close()
  })

  const json = async (place: Sandbox, ...args: string[]) => {
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

  it('find the same violations of the same rules', async () => {
    const violationsOn = async (place: Sandbox) => {
      const { rules } = await json(place, 'check', '--brand', 'acme', '--today', '2026-06-01')
      assert.equal(rules.length, allRules.length)
      return rules.map(({ id, count, breaches }: { [name: string]: unknown }) => ({
        id,
        count,
        breaches,
      }))
    }
    assert.deepEqual(await violationsOn(onPostgres), await violationsOn(onSqlite))
  })

  it('find what is broken on purpose, alike', async () => {
    for (const place of [onSqlite, onPostgres]) {
      const database = openDatabase(place.databaseUrl)
      const store = await createStore(catalog, database)
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
    const digests = async (place: Sandbox, to: string) => {
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
})
