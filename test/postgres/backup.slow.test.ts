/** The command `selvedge backup` on PostgreSQL: its archive, and where it is known. */
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { readLastBackup } from '#backup'
import { openDatabase, openPostgresState } from '#database'
import { resultOf, unpack } from '../support/backup.ts'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'
import { copyOnPostgres } from '../support/prepared-database.ts'

describe('selvedge backup of PostgreSQL', () => {
  let postgres: PostgresDatabases
  let place: Sandbox
  before(async () => {
    postgres = await openPostgresDatabases()
    place = openSandbox(await copyOnPostgres(postgres, 'story', 'backed_up'))
    const { code, stderr } = await place.run(['keys', 'issue', '--brand', 'aldermoor'])
    assert.equal(code, 0, stderr)
  })
  after(async () => {
    place?.close()
    await postgres?.close()
  })

  it('writes a verified archive, and is in the audit log and in the database', async () => {
    const folder = join(place.folder, 'backups')
    mkdirSync(folder)
    const made = resultOf(await place.run(['backup', folder, '--keep', '1', '--json']))
    const { manifest } = await unpack(made.place)
    assert.deepEqual([manifest.engine, manifest.change], ['postgres', made.change])
    assert.ok((manifest.counts['aldermoor']?.['orders'] ?? 0) > 0)
    const database = openDatabase(place.databaseUrl)
    const last = await readLastBackup(database).finally(() => database.close())
    assert.deepEqual(
      [last?.place, last?.takenAt, last?.bytes, last?.everySeconds],
      [made.place, made.takenAt, made.bytes, null],
    )
    const { stdout } = await place.run(['audit', '--json', '--action', 'backup.made'])
    assert.match(stdout, new RegExp(`"subject":"${made.place}"`))
    const next = resultOf(await place.run(['backup', folder, '--keep', '1', '--json']))
    assert.deepEqual(
      readdirSync(folder).map((name) => join(folder, name)),
      [next.place],
    )
  })

  it('has the rows of a table that a migration rewrites meanwhile', async () => {
    const url = await postgres.url('rewritten')
    const migration = new pg.Client(url)
    const watcher = new pg.Client(url)
    await Promise.all([migration.connect(), watcher.connect()])
    try {
      await migration.query('create table selvedge_probe as select 7 as number')
      await migration.query('begin')
      await migration.query('alter table selvedge_probe alter column number type bigint')
      const opening = openPostgresState(url, (table) => table === 'selvedge_probe')
      const waiting =
        "select 1 from pg_locks where not granted and relation = 'selvedge_probe'::regclass"
      while ((await watcher.query(waiting)).rowCount === 0) await wait(5)
      await migration.query('commit')
      const state = await opening
      try {
        const [table] = state.tables
        assert.ok(table)
        assert.deepEqual(table.columns, [{ name: 'number', type: 'bigint' }])
        assert.equal(Buffer.concat(await Array.fromAsync(state.rows(table))).toString(), '7\n')
      } finally {
        await state.close()
      }
    } finally {
      await Promise.all([migration.end(), watcher.end()])
    }
  })
})
