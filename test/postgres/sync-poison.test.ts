/** A row of a source that the database of the records refuses. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { catalog } from '#contract'
import { openDatabase } from '#database'
import { createStore } from '#store'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { type Erp, openErp } from '../support/erp.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'
import { refuseValue } from '../support/refuse-value.ts'

const seen = 'createdAt: first-seen\n      updatedAt: last-changed'

const mapping = (url: string): string => `version: 1
brand: halden
database: ${url}
collections:
  partners:
    from: { sql: select * from labels, cursor: version }
    id: { key: [no] }
    fields:
      slug: { column: label, apply: [slug] }
      name: label
      relationship.id: { key: [no] }
      relationship.status: { value: active }
      ${seen}
  suppliers:
    from: { sql: select * from labels, cursor: version }
    id: { key: [no] }
    fields:
      partnerId: { ref: { collection: partners, key: [no] } }
      code: label
      name: label
      kind: { value: finished_goods }
      status: { value: approved }
      ${seen}
`

describe('a row that the database refuses', () => {
  let postgres: PostgresDatabases
  let source: Erp
  const places: Sandbox[] = []
  before(async () => {
    postgres = await openPostgresDatabases()
    source = await openErp(postgres, 'poison')
    await source.run('create table labels (no integer, label text, version integer)')
  })
  after(async () => {
    for (const place of places) place.close()
    await postgres.close()
  })

  for (const engine of ['sqlite', 'postgres'] as const) {
    it(`is left out with what refers to it, and the source continues (${engine})`, async () => {
      const place = openSandbox(engine === 'postgres' ? await postgres.url('poisoned') : undefined)
      places.push(place)
      await source.run('delete from labels', "insert into labels values (1, 'wool', 1)")
      place.put({ 'shop.map.yaml': mapping(source.url) })
      const sync = () => place.run(['sync', '--map', 'shop.map.yaml', '--once', '--no-check'])
      const run = async (...args: string[]) => {
        const { code, stdout, stderr } = await place.run([...args, '--json'])
        assert.equal(code, 0, stderr)
        return JSON.parse(stdout)
      }
      const added = await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
      assert.equal(added.code, 0, added.stderr)
      const database = openDatabase(place.databaseUrl)
      const { leases } = await createStore(catalog, database)
      const lease = { work: 'sync shop', holder: 'another process' }
      const until = Date.now() + 60_000
      await leases.take('halden', { ...lease, now: 0, until, hasEnded: () => false })
      const other = await sync()
      assert.deepEqual([other.code, other.stdout], [1, ''])
      assert.match(other.stderr, /Another process reads the source shop: another process\. Stop /)
      await leases.release('halden', lease)
      const first = await sync()
      assert.equal(first.code, 0, first.stderr)
      await refuseValue(database, ['partners', 'slug', 'poison'])
      await database.close()
      await source.run(
        "insert into labels values (2, 'poison', 2), (3, 'silk', 3), (4, 'linen', 4)",
      )
      const { code, stdout, stderr } = await sync()
      assert.equal(code, 0, stderr)
      assert.match(stdout, /partners 2 new, 1 in quarantine; suppliers 2 new, 1 parked\.\n/)
      assert.match(stderr, /error: partners no "2": column .*is refused by the database: /)
      const exported = await place.run(['export', 'out', '--brand', 'halden'])
      assert.equal(exported.code, 0, exported.stderr)
      for (const file of ['partners', 'suppliers']) {
        const text = readFileSync(join(place.folder, `out/${file}.ndjson`), 'utf8')
        assert.deepEqual([...text.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name).sort(), [
          ...['linen', 'silk', 'wool'],
        ])
      }
      const [state] = await run('sources')
      assert.deepEqual([state.failed, state.waiting, state.quarantined], [1, 0, 0])
      assert.deepEqual([state.state, state.quarantinedRows], ['idle', 2])
      assert.match(state.error, /^1 problem: partners no "2": .*refused by the database/)
      assert.match((await sync()).stdout, /: no changes\.\n$/)
      const units = await run('intake')
      assert.deepEqual(
        units.map((unit: { state: string; lastError: string | null }) => [
          unit.state,
          unit.lastError !== null,
        ]),
        [
          ['done', false],
          ['done', true],
          ['done', false],
        ],
      )
    })

    it(`keeps the stored version of a bad row when all keys are compared (${engine})`, async () => {
      const place = openSandbox(engine === 'postgres' ? await postgres.url('compared') : undefined)
      places.push(place)
      await source.run(
        'delete from labels',
        "insert into labels values (1, 'wool', 1), (2, 'silk', 2), (3, 'hemp', 3)",
      )
      const compared = mapping(source.url).replaceAll(
        'cursor: version',
        'cursor: version, reconcile: 1h',
      )
      place.put({ 'shop.map.yaml': compared })
      const added = await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
      assert.equal(added.code, 0, added.stderr)
      const sync = async (...args: string[]) => {
        const ran = await place.run([
          'sync',
          '--map',
          'shop.map.yaml',
          '--once',
          '--no-check',
          ...args,
        ])
        assert.equal(ran.code, 0, ran.stderr)
        return ran
      }
      const rows = async () => {
        const { stdout } = await place.run(['intake', 'rows', '--brand', 'halden', '--json'])
        return JSON.parse(stdout)
          .rows.map((row: { collection: string }) => row.collection)
          .sort()
      }
      await sync()
      await source.run("update labels set label = '', version = 4 where no = 2")
      await sync()
      assert.deepEqual(await rows(), ['partners', 'suppliers'])
      await source.run('delete from labels where no = 3')
      assert.match(
        (await sync('--reconcile')).stdout,
        /partners 1 removed, 1 in quarantine; suppliers 1 removed/,
      )
      assert.deepEqual(await rows(), ['partners', 'suppliers'], 'the source still has it')
      await source.run('delete from labels where no = 2')
      await sync('--reconcile', '--allow-removals')
      assert.deepEqual(await rows(), [])
    })
  }
})
