/** A backup of either engine takes the place of a database of either engine. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { basePath } from '#contract'
import { openDatabase } from '#database'
import { openSandbox } from '../support/command.ts'
import { findDebianPostgres, openDebianPostgres } from '../support/debian-postgres.ts'
import {
  assertSame,
  fillInstallation,
  makeArchive,
  readAllResponses,
  readAllRows,
  readTypes,
  readUnitAtWork,
  storeUnitAtWork,
  type Types,
} from '../support/installation.ts'
import { findPgbouncer, openPgbouncer } from '../support/pgbouncer.ts'
import { openPostgres, type Postgres } from '../support/postgres.ts'
import { openTestService, patient } from '../support/service.ts'
import { restoreVersion02 } from '../support/version-0-2.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-restore-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Restores in a process of its own: connections of this one are older than that. */
const restore = async (url: string, archive: string, ...options: string[]) => {
  const sandbox = openSandbox(url)
  try {
    return await sandbox.runProcess(['restore', archive, '--json', ...options])
  } finally {
    sandbox.close()
  }
}

describe('a backup restored into another database', () => {
  let postgres: Postgres
  let types: Types
  const keys = new Map<string, string>()
  /** As they were when the backup was made. */
  const rows = new Map<string, Awaited<ReturnType<typeof readAllRows>>>()
  const responses = new Map<string, Awaited<ReturnType<typeof readAllResponses>>>()
  before(async () => {
    postgres = await openPostgres()
    const origins = {
      sqlite: `sqlite:${join(folder, 'origin.db')}`,
      postgres: await postgres.url('origin'),
    }
    for (const [engine, url] of Object.entries(origins)) {
      keys.set(engine, await fillInstallation(url))
      await makeArchive(url, join(folder, `${engine}.backup`))
    }
    types = await readTypes(await postgres.url('origin'))
    for (const [engine, url] of Object.entries(origins)) {
      rows.set(engine, await readAllRows(url, types))
      responses.set(engine, await readAllResponses(patient(url), keys.get(engine) ?? ''))
    }
  })
  after(() => postgres?.close())

  for (const from of ['sqlite', 'postgres']) {
    for (const to of ['sqlite', 'postgres']) {
      it(`from ${from} to ${to} has all rows, and responds with the same bytes`, async () => {
        const url =
          to === 'sqlite'
            ? `sqlite:${join(folder, `${from}-to-sqlite.db`)}`
            : await postgres.url(`${from}_to_postgres`)
        const ran = await restore(url, join(folder, `${from}.backup`), '--verify')
        assert.equal(ran.code, 0, ran.stderr)
        assertSame(await readAllRows(url, types), rows.get(from) ?? {})
        const key = keys.get(from) ?? ''
        assertSame(await readAllResponses(patient(url), key), responses.get(from) ?? {})
        const sandbox = openSandbox(url)
        try {
          assert.equal((await sandbox.run(['audit', 'verify'])).code, 0)
          const { stdout } = await sandbox.run(['audit', 'list', '--action', 'database.restored'])
          assert.match(stdout, /database\.restored/)
          // Writes continue: the restored tables have all indexes and constraints.
          const again = await sandbox.run(['demo', '--orders', '5', '--as-of', '2026-05-04'])
          assert.equal(again.code, 0, again.stderr)
        } finally {
          sandbox.close()
        }
      })
    }
  }

  it('does not count the attempts that were under way in the backup', async () => {
    const [origin, url] = [await postgres.url('at_work'), await postgres.url('at_work_restored')]
    const sandbox = openSandbox(origin)
    const added = await sandbox.runProcess(['brands', 'add', 'halden', '--name', 'Halden'])
    sandbox.close()
    assert.equal(added.code, 0, added.stderr)
    await storeUnitAtWork(origin)
    await makeArchive(origin, join(folder, 'at-work.backup'))
    const ran = await restore(url, join(folder, 'at-work.backup'))
    assert.equal(ran.code, 0, ran.stderr)
    assert.deepEqual(await readUnitAtWork(url), ['waiting', 2, null])
  })

  it('has the indexes of the original, and hides rows of other brands', async () => {
    const [restored, original] = await Promise.all(
      ['sqlite_to_postgres', 'origin'].map(async (name) => {
        const database = openDatabase(await postgres.url(name))
        const indexes = [...(await database.indexes())].toSorted()
        const [rows = []] = await database.read([
          {
            text: `select tablename, policyname, qual from pg_policies order by tablename, policyname`,
            values: [],
          },
        ])
        await database.close()
        return { indexes, rows }
      }),
    )
    assert.ok((original?.rows.length ?? 0) > 100)
    // A restore also creates tables of servers, and none has served the original.
    const created = new Set(restored?.indexes)
    assert.deepEqual(
      original?.indexes.filter((each) => !created.has(each)),
      [],
    )
    assert.deepEqual(restored?.rows, original?.rows)
  })

  it('replaces no database that a server uses, nor one with brands without --yes', async () => {
    const url = await postgres.url('used')
    assert.equal((await restore(url, join(folder, 'postgres.backup'))).code, 0)
    const refused = await restore(url, join(folder, 'sqlite.backup'))
    assert.equal(refused.code, 1)
    assert.match(refused.stdout, /"brands":2,.*"restored":false/)
    const service = await openTestService({ DATABASE_URL: url }, { story: false })
    try {
      const busy = await restore(url, join(folder, 'sqlite.backup'), '--yes')
      assert.equal(busy.code, 1)
      assert.match(busy.stderr, /Servers or commands use the database: it has \d+ other conn/)
    } finally {
      await service.close()
    }
    const { run, close } = openSandbox(url)
    after(close)
    // A session that must not remain.
    const linked = await run(['admin', '--as', 'Ada'], '', { ADMIN_PORT: '8099' })
    assert.equal(linked.code, 0, linked.stderr)
    const ran = await restore(url, join(folder, 'sqlite.backup'), '--yes')
    assert.equal(ran.code, 0, ran.stderr)
    assertSame(await readAllRows(url, types), rows.get('sqlite') ?? {})
  })

  it('of an earlier version is migrated when it is opened; of a newer one it is refused', async () => {
    const url = await postgres.url('earlier')
    assert.equal((await restore(url, join(folder, 'postgres.backup'))).code, 0)
    const change = async (...texts: string[]) => {
      const database = openDatabase(url)
      await database.write((session) => session.runAll(texts))
      await database.close()
    }
    await change(
      'alter table "orders" drop column "orderNumber__sort"',
      'drop table "selvedge_brand_checks"',
    )
    const archive = join(folder, 'earlier.backup')
    await makeArchive(url, archive)
    for (const target of [`sqlite:${join(folder, 'earlier.db')}`, await postgres.url('migrated')]) {
      const ran = await restore(target, archive, '--verify')
      assert.equal(ran.code, 0, ran.stderr)
      const service = await openTestService({ DATABASE_URL: patient(target) }, { story: false })
      try {
        const key = keys.get('postgres') ?? ''
        const { status } = await service.get(`${basePath}/brands/aldermoor/orders?limit=7`, { key })
        assert.equal(status, 200)
      } finally {
        await service.close()
      }
    }
    await change('alter table "orders" add column "hovercraft" text')
    const newer = join(folder, 'newer.backup')
    await makeArchive(url, newer)
    for (const target of [`sqlite:${join(folder, 'newer.db')}`, await postgres.url('newer')]) {
      const ran = await restore(target, newer)
      assert.equal(ran.code, 1)
      assert.match(ran.stderr, /newer version of Selvedge, which has orders\.hovercraft\. Nothing/)
    }
  })

  it('of version 0.2.0 is converted, from either engine to the other', async () => {
    for (const from of ['sqlite', 'postgres'] as const) {
      const origin =
        from === 'sqlite' ? `sqlite:${join(folder, 'version-0-2.db')}` : await postgres.url('old')
      const { brand, records } = await restoreVersion02(from, origin, folder)
      const archive = join(folder, `${from}-0-2.backup`)
      await makeArchive(origin, archive)
      const targets = [
        `sqlite:${join(folder, `${from}-new.db`)}`,
        await postgres.url(`${from}_new`),
      ]
      for (const url of targets) {
        const ran = await restore(url, archive, '--verify')
        assert.equal(ran.code, 0, ran.stderr)
        const { counts } = JSON.parse(ran.stdout)
        const [path, stored] = Object.entries(records)[0] ?? ['', []]
        assert.ok(counts[brand][path] >= stored.length)
        const sandbox = openSandbox(url)
        try {
          const units = await sandbox.run(['intake', 'list', '--json'])
          assert.match(units.stdout, /"kind":"batch"/)
        } finally {
          sandbox.close()
        }
      }
    }
  })

  it('is the same through a pooler and with several hosts', async (t) => {
    const program = await findPgbouncer()
    if ('missing' in program) return t.skip(program.missing)
    const pooler = await openPgbouncer(program, postgres, [])
    try {
      const direct = await postgres.url('origin')
      const pooled = direct.replace(`:${postgres.port}`, `:${pooler.port}`)
      const several = direct.replace(/@([^/]+)/, '@127.0.0.1:1,$1')
      for (const [name, url] of Object.entries({ pooled, several })) {
        const archive = join(folder, `${name}.backup`)
        const { manifest } = await makeArchive(`${url}?connect-ms=5000`, archive)
        assert.equal(manifest.engine, 'postgres')
        const target = `sqlite:${join(folder, `${name}.db`)}`
        assert.equal((await restore(target, archive)).code, 0)
        assertSame(await readAllRows(target, types), await readAllRows(direct, types))
      }
    } finally {
      await pooler.close()
    }
  })
})

const program = await findDebianPostgres()
const skip = 'missing' in program ? program.missing : false

describe('a backup made by pg_dump', { skip }, () => {
  let postgres: Postgres
  before(async () => {
    if ('missing' in program) throw new Error(program.missing)
    postgres = await openDebianPostgres(program)
  })
  after(() => postgres?.close())

  it('is restored into either engine', async () => {
    const origin = await postgres.url('origin')
    const key = await fillInstallation(origin)
    const archive = join(folder, 'dump.backup')
    const before = await readAllRows(origin, await readTypes(origin))
    const { manifest } = await makeArchive(`${origin}?pool=3&query-ms=2000`, archive)
    assert.equal(manifest.method, 'pg_dump')
    assert.deepEqual(
      manifest.files.map(({ name }) => name),
      ['tables.json', 'tables.dump'],
    )
    const responses = await readAllResponses(patient(origin), key)
    const sqlite = `sqlite:${join(folder, 'dumped.db')}`
    for (const url of [sqlite, await postgres.url('dumped')]) {
      const ran = await restore(url, archive, '--verify')
      assert.equal(ran.code, 0, ran.stderr)
      assertSame(await readAllRows(url, await readTypes(origin)), before)
      assertSame(await readAllResponses(patient(url), key), responses)
    }
  })
})
