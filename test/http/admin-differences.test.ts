/** The operator page shows what imports changed, with values before and after, and rows with their cells. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { OperatorImport, OperatorImportDetails, OperatorPage, OperatorRows } from '#contract'
import { openTestAdmin, type SignedIn, type TestAdmin } from '../support/admin-service.ts'
import { ndjson, openSandbox, type Sandbox } from '../support/command.ts'
import { tag, vendorsMapping } from '../support/import-records.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`differences on the operator page on ${engine}`, () => {
    let postgres: PostgresDatabases | null = null
    let admin: TestAdmin
    let place: Sandbox
    let browser: SignedIn
    before(async () => {
      if (engine === 'PostgreSQL') postgres = await openPostgresDatabases()
      const url = await postgres?.url()
      admin = await openTestAdmin(url ? { DATABASE_URL: url } : {})
      place = openSandbox(admin.databaseUrl)
      browser = await admin.signIn('anna')
      for (const slug of ['one', 'two']) await run('brands', 'add', slug, '--name', slug)
    })
    after(async () => {
      await place.close()
      await admin.close()
      await postgres?.close()
    })

    const run = async (...args: string[]): Promise<void> => {
      const { code, stderr } = await place.run(args)
      assert.equal(code, 0, stderr)
    }
    const read = async <T>(path: string): Promise<T> => {
      const { status, text, body } = await browser.ask(`/api${path}`)
      assert.equal(status, 200, text)
      return body as T
    }
    const imports = (query = '') => read<OperatorPage<OperatorImport>>(`/imports${query}`)
    const importTags = async (file: string, names: readonly string[], ...options: string[]) => {
      const records = names.map((name, at) => tag(at + 1, { name }))
      place.put({ [file]: ndjson(records) })
      const own = ['--brand', 'one', '--collection', 'tags', '--no-check']
      await run('import', file, ...own, ...options)
      const { items } = await imports('?brand=one')
      return read<OperatorImportDetails>(`/imports/${items[0]?.id}`)
    }

    it('shows what an import added, changed and removed, with values before and after', async () => {
      const first = await importTags('a.ndjson', ['alpha', 'beta', 'gamma'])
      assert.deepEqual([first.added, first.changed, first.kind], [3, 0, 'import'])
      const long = 'x'.repeat(150)
      const second = await importTags('b.ndjson', ['alpha', long], '--replace')
      assert.deepEqual([second.added, second.changed, second.removed], [0, 1, 1])
      const [changed, removed] = second.changes ?? []
      assert.deepEqual([changed?.operation, changed?.collection], ['changed', 'tags'])
      const [name] = changed?.fields.filter(({ field }) => field === '/name') ?? []
      assert.equal(name?.before, 'beta')
      assert.ok(String(name?.after).length < long.length)
      assert.deepEqual([removed?.operation, removed?.title], ['removed', 'gamma'])
      assert.equal(second.hasMoreChanges, false)
      const same = await importTags('c.ndjson', ['alpha', long])
      assert.deepEqual([same.hasMoreChanges, same.collections[0]?.unchanged], [false, 2])
    })

    it('keeps the first hundred records', async () => {
      const names = Array.from({ length: 120 }, (_, at) => `tag ${at}`)
      const { changes, hasMoreChanges, added } = await importTags('d.ndjson', names)
      assert.equal(added, 118)
      assert.deepEqual([changes?.length, hasMoreChanges], [100, true])
    })

    it('shows the cells of a row in quarantine to those who name its brand', async () => {
      place.put({
        'shop.map.yaml': vendorsMapping('one'),
        'vendors.csv': 'NO,NAME,STATUS\n1,Wool,A\n2,Silk,X\n',
      })
      const options = ['--map', 'shop.map.yaml', '--on-error', 'quarantine', '--no-check']
      await run('import', 'vendors.csv', ...options)
      const { items, total } = await read<OperatorRows>('/rows?brand=one')
      assert.equal(total, 1)
      const path = `/api/rows/${items[0]?.id}`
      assert.deepEqual((await browser.ask(`${path}?brand=one`)).body, {
        hasMoreCells: false,
        cells: [
          { column: 'NO', text: '2' },
          { column: 'NAME', text: 'Silk' },
          { column: 'STATUS', text: 'X' },
        ],
      })
      assert.equal((await browser.ask(`${path}?brand=two`)).status, 404)
      assert.equal((await browser.ask(path)).status, 400)
      const discarded = await browser.ask('/api/rows/discard', {
        method: 'POST',
        body: { brand: 'two', ids: [items[0]?.id] },
      })
      assert.deepEqual(discarded.body, { discarded: 0 })
    })
  })
}
