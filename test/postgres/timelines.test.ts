/** Which timeline a server has, read from a real one, and what a process does about it. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { DatabaseUnreachableError, type HostMemory, openDatabase } from '#database'
import { openServiceDatabase } from '#server'
import { openHostMemory } from '../../src/server/host-memory.ts'
import { until } from '../support/cluster.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const one = { text: 'select 1', values: [] }

describe('the timeline of a PostgreSQL server', () => {
  let postgres: PostgresDatabases
  let url: string
  let system: string
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-timeline-'))
  const ask = async (text: string) => {
    const client = new pg.Client(url)
    await client.connect()
    const { rows } = await client.query({ text, rowMode: 'array' })
    await client.end()
    return String(rows[0]?.[0])
  }
  before(async () => {
    postgres = await openPostgresDatabases()
    url = await postgres.url('timeline')
    system = await ask('select system_identifier from pg_control_system()')
  })
  after(async () => {
    await postgres.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('is refused once another process has seen a higher one, until it is accepted', async () => {
    const config = { databaseUrl: url, imagesUrl: `file:${join(folder, 'images')}` }
    const said: string[] = []
    const database = openServiceDatabase(config, {
      onNotice: (_level, sentence) => said.push(sentence),
    })
    const memory = openHostMemory({ redisUrl: null, folder }) as HostMemory
    const write = () => database.write((session) => session.all(one))
    const reads = [
      () => database.read([one]),
      () => database.read([one], 1),
      () => database.snapshot((all) => all(one)),
    ]
    await write()
    const [state] = database.hosts?.states() ?? []
    assert.deepEqual([state?.role, state?.timeline, state?.leftOut], ['primary', 1, null])
    await memory.raise(`system ${system}`, { accepts: 0, highest: 7, value: '7' })
    await until(() => database.hosts?.states()[0]?.leftOut === 'timeline')
    for (const work of [write, ...reads]) {
      await assert.rejects(work, (error) => {
        assert.ok(error instanceof DatabaseUnreachableError)
        assert.match(error.message, /on timeline 1, and the database is on timeline 7/)
        return true
      })
    }
    assert.match(said.join('\n'), /is left out.*selvedge database accept/)
    const command = openServiceDatabase(config)
    assert.equal((await command.hosts?.accept())?.timeline, 1)
    await command.close()
    await until(() => database.hosts?.states()[0]?.leftOut === null)
    for (const work of [write, ...reads]) await work()
    await memory.close()
    await database.close()
  })

  it('is not needed where the user may not read it; the log says so', async () => {
    await ask('revoke execute on function pg_control_system() from public')
    await ask(`do $$ begin
      if not exists (select from pg_roles where rolname = 'selvedge_plain') then
        create role selvedge_plain login;
      end if;
    end $$`)
    const { port } = postgres
    const name = new URL(url).pathname
    const said: string[] = []
    const database = openDatabase(
      `postgres://selvedge_plain@127.0.0.1:${port},localhost:${port}${name}`,
      { onNotice: (_level, sentence) => said.push(sentence) },
    )
    assert.deepEqual(await database.read([one]), [[[1]]])
    await database.write((session) => session.all(one))
    assert.match(said.join('\n'), /The timeline of the database is not kept.*Set REDIS_URL/)
    assert.match(said.join('\n'), /The timeline of 127.0.0.1:\d+ cannot be read.*permission denied/)
    await database.close()
  })
})
