/** Units, rows in quarantine and imports on the operator page, as the commands show and change them. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type {
  OperatorCorrections,
  OperatorImport,
  OperatorImportDetails,
  OperatorPage,
  OperatorRows,
  OperatorUnit,
} from '#contract'
import { type Database, openQueueDatabase } from '#database'
import { openUnits, type Unit, type Units } from '#intake'
import { openTestAdmin, type SignedIn, type TestAdmin } from '../support/admin-service.ts'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const mapping = `version: 1
brand: halden
collections:
  partners:
    from: { files: ['vendors.csv'], delimiter: ';' }
    id: { key: [NO] }
    fields:
      slug: { column: NO, apply: [slug] }
      name: NAME
      relationship.id: { key: [NO] }
      relationship.status: { column: STATUS, values: { A: active } }
      createdAt: first-seen
      updatedAt: last-changed
`
const rows = ['NO;NAME;STATUS', 'V-1;One;A', 'V-2;Two;X', 'V-3;Three;Y', 'V-4;Four;A'].join('\n')

for (const engine of ['SQLite', 'PostgreSQL'] as const) {
  describe(`intake on the operator page on ${engine}`, () => {
    let postgres: PostgresDatabases | null = null
    let admin: TestAdmin
    let browser: SignedIn
    let place: Sandbox
    let queue: Database
    let units: Units
    before(async () => {
      if (engine === 'PostgreSQL') postgres = await openPostgresDatabases()
      const url = await postgres?.url()
      admin = await openTestAdmin({ CHANGE_FEED: 'on', ...(url && { DATABASE_URL: url }) })
      browser = await admin.signIn('anna')
      place = openSandbox(admin.databaseUrl)
      place.put({ 'brand.map.yaml': mapping, 'vendors.csv': rows })
      queue = openQueueDatabase(admin.databaseUrl, admin.records.database)
      units = await openUnits({
        ...{ database: queue, store: admin.records.store, now: Date.now, newId: randomUUID },
        holder: 'a test',
      })
      await run('brands', 'add', 'halden', '--name', 'Halden')
      const files = ['--map', join(place.folder, 'brand.map.yaml')]
      const quarantine = ['--on-error', 'quarantine', '--max-bad-rows', '90', '--no-check']
      await run('import', join(place.folder, 'vendors.csv'), ...files, ...quarantine)
    })
    after(async () => {
      place.close()
      await queue.close()
      await admin.close()
      await postgres?.close()
    })

    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await place.run(args)
      assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
      return stdout
    }
    const get = async <T>(path: string) => {
      const { status, body, text } = await browser.ask(path)
      assert.equal(status, 200, text)
      return body as T
    }
    const post = (path: string, body: object = {}) => browser.ask(path, { method: 'POST', body })
    const lastEntry = async () => (await admin.entries()).at(-1)
    const held = async (position: string): Promise<Unit> => {
      const at = { brand: 'halden', kind: 'file', source: '/in', position } as const
      return units.hold(await units.begin(at), 'It has few rows.')
    }

    it('has the rows in quarantine with their problems, by page', async () => {
      const page = await get<OperatorRows>('/api/rows?brand=halden')
      assert.deepEqual([page.total, page.items.length, page.nextCursor], [2, 2, null])
      const [first] = page.items.toSorted((one, other) => Number(one.line) - Number(other.line))
      assert.equal(first?.collection, 'partners')
      assert.equal(first?.line, 3)
      assert.deepEqual(
        first?.problems.map(({ column, value }) => [column, value]),
        [['STATUS', 'X']],
      )
      assert.deepEqual(
        page.counts.map(({ collection, rows }) => [collection, rows]),
        [['partners', 2]],
      )
      const other = await browser.ask('/api/rows?brand=none')
      assert.equal(other.status, 404)
      assert.equal((await browser.ask('/api/rows?brand=halden&collection=x')).status, 400)
      assert.equal((await browser.ask('/api/rows')).status, 400)
    })

    it('has correction files that equal those of the command', async () => {
      const folder = join(place.folder, 'corrections')
      await run('intake', 'rows', '--brand', 'halden', '--write', folder)
      const { files, unreadable } = await get<OperatorCorrections>(
        '/api/rows/corrections?brand=halden',
      )
      assert.equal(unreadable, 0)
      assert.deepEqual(
        files.map(({ name }) => name),
        readdirSync(folder),
      )
      const [{ name = '', remedy } = {}] = files
      assert.equal(remedy, 'import')
      const sent = await browser.ask(`/api/rows/corrections/${name}?brand=halden`)
      assert.equal(sent.text, readFileSync(join(folder, name), 'utf8'))
      assert.match(String(sent.headers['content-disposition']), /^attachment; /)
      const missing = await browser.ask('/api/rows/corrections/other.csv?brand=halden')
      assert.equal(missing.status, 404)
    })

    it('has what an import changed, and the first records that it stored', async () => {
      const { items } = await get<OperatorPage<OperatorImport>>('/api/imports?brand=halden')
      const [last] = items
      assert.deepEqual(
        [last?.kind, last?.state, last?.added, last?.changed, last?.quarantined],
        ['import', 'done', 2, 0, 2],
      )
      const details = await get<OperatorImportDetails>(`/api/imports/${last?.id}`)
      assert.deepEqual(
        details.collections.map(({ collection, read, added }) => [collection, read, added]),
        [['partners', 4, 2]],
      )
      assert.deepEqual(
        details.changes?.map((each) => `${each.operation} ${each.collection} ${each.title}`).sort(),
        ['added partners Four', 'added partners One'],
      )
      assert.equal(details.hasMoreChanges, false)
      const shown = JSON.parse(await run('intake', 'show', String(last?.id), '--json'))
      assert.deepEqual(shown.changes, details.changes)
      assert.match(await run('intake', 'show', String(last?.id)), /partners +4 +2 +0 +0 +2/)
      assert.equal((await browser.ask('/api/imports/none')).status, 404)
    })

    it('discards rows in the name of the operator, some or all', async () => {
      const { items } = await get<OperatorRows>('/api/rows?brand=halden')
      const body = { brand: 'halden', ids: [items[0]?.id] }
      assert.deepEqual((await post('/api/rows/discard', body)).body, { discarded: 1 })
      assert.equal((await post('/api/rows/discard', { brand: 'halden' })).status, 400)
      const all = await post('/api/rows/discard', { brand: 'halden', ids: null })
      assert.deepEqual(all.body, { discarded: 1 })
      assert.equal((await get<OperatorRows>('/api/rows?brand=halden')).total, 0)
      const entry = await lastEntry()
      assert.deepEqual([entry?.action, entry?.actor], ['rows.discarded', 'anna'])
    })

    it('retries a unit and discards another, each once', async () => {
      const [first, second] = [await held('a.csv'), await held('b.csv')]
      const query = '/api/units?brand=halden&state=quarantined'
      const page = await get<OperatorPage<OperatorUnit>>(query)
      assert.deepEqual(
        page.items.map(({ id, lastError }) => [id, lastError]),
        [second, first].map(({ id }) => [id, 'It has few rows.']),
      )
      const retried = await post(`/api/units/${first.id}/retry`, { accept: true })
      assert.deepEqual(retried.body, { retried: first.id }, retried.text)
      const shown = await get<OperatorUnit>(`/api/units/${first.id}`)
      assert.deepEqual([shown.state, shown.isAccepted], ['waiting', true])
      const entry = await lastEntry()
      assert.deepEqual(
        [entry?.action, entry?.subject, entry?.actor],
        ['unit.retried', first.id, 'anna'],
      )
      const again = await post(`/api/units/${first.id}/retry`)
      assert.deepEqual([again.status, again.body.errorCode], [409, 'operation_refused'])
      assert.match(again.body.error, /is waiting and cannot be retried/)
      const discarded = await post(`/api/units/${second.id}/discard`)
      assert.deepEqual(discarded.body, { discarded: second.id })
      assert.equal((await post(`/api/units/${second.id}/discard`)).status, 409)
      assert.equal((await post('/api/units/none/discard')).status, 404)
      assert.equal((await lastEntry())?.action, 'unit.discarded')
    })

    it('has units by page, the latest first', async () => {
      for (let number = 0; number < 105; number += 1) await held(`page ${number}.csv`)
      const listed: OperatorUnit[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const from: string = cursor === '' ? '' : `&cursor=${cursor}`
        const page = await get<OperatorPage<OperatorUnit>>(
          `/api/units?brand=halden&state=quarantined${from}`,
        )
        listed.push(...page.items)
        cursor = page.nextCursor
      }
      assert.deepEqual(
        listed.map(({ position }) => position),
        Array.from({ length: 105 }, (_, index) => `page ${104 - index}.csv`),
      )
      const imports: OperatorImport[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const from: string = cursor === '' ? '' : `?cursor=${cursor}`
        const page = await get<OperatorPage<OperatorImport>>(`/api/imports${from}`)
        imports.push(...page.items)
        cursor = page.nextCursor
      }
      assert.equal(new Set(imports.map(({ id }) => id)).size, imports.length)
      assert.equal(imports.filter(({ state }) => state === 'quarantined').length, 105)
    })
  })
}
