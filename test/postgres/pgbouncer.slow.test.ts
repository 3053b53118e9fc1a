/** Debian's pgbouncer between the server and PostgreSQL: session mode works, others are refused. */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { basePath, catalog, operationsOf } from '#contract'
import { openDatabase } from '#database'
import { ownerNumber } from '#store'
import { startServe } from '../support/cluster.ts'
import { findPgbouncer, openPgbouncer, type Pgbouncer } from '../support/pgbouncer.ts'
import { openPostgres, type Postgres } from '../support/postgres.ts'
import { openTestService, patient } from '../support/service.ts'

const program = await findPgbouncer()
const skip = 'missing' in program ? program.missing : false

describe('pgbouncer in front of PostgreSQL', { skip }, () => {
  let postgres: Postgres
  before(async () => {
    postgres = await openPostgres({ settings: ['max_connections=100'] })
  })
  after(() => postgres?.close())

  const open = (...settings: string[]): Promise<Pgbouncer> => {
    if ('missing' in program) throw new Error(program.missing)
    return openPgbouncer(program, postgres, settings)
  }
  const through = async ({ port }: Pgbouncer, database: string): Promise<string> =>
    (await postgres.url(database)).replace(`:${postgres.port}`, `:${port}`)

  it('works in session mode with the defaults, slow statements included', async () => {
    const pooler = await open()
    const url = await through(pooler, 'session')
    const service = await openTestService({ DATABASE_URL: patient(url) })
    try {
      assert.equal((await service.get('/readyz')).status, 200)
      const lists = operationsOf(catalog).filter(({ path }) => !path.includes('{id}'))
      assert.ok(lists.length > 90)
      for (const { path } of lists) {
        const { status } = await service.get(basePath + path.replace('{brand}', 'aldermoor'))
        assert.equal(status, 200, path)
      }
      const requests = Array.from({ length: 500 }, (_, at) =>
        service.get(`orders?limit=${(at % 100) + 1}`),
      )
      for (const { status } of await Promise.all(requests)) assert.equal(status, 200)
      const database = openDatabase(`${url}?query-ms=500`)
      const began = performance.now()
      const slow = { text: 'select pg_sleep(60)', values: [] }
      await assert.rejects(database.read([slow], ownerNumber('aldermoor')), /too slow/)
      assert.ok(performance.now() - began < 10_000)
      await database.close()
    } finally {
      await service.close()
      await pooler.close()
    }
  })

  for (const [mode, settings] of [
    ['transaction', []],
    ['transaction', ['default_pool_size = 1']],
  ] as const) {
    it(`is refused at the start in ${mode} mode, with the reason ${settings}`, async () => {
      const pooler = await open(`pool_mode = ${mode}`, ...settings)
      const folder = mkdtempSync(join(tmpdir(), 'selvedge-pooler-'))
      // The tables are there, as they are with a server that ran without the pooler before.
      await (await openTestService({ DATABASE_URL: await postgres.url('shared') })).close()
      const started = startServe(folder, {
        DATABASE_URL: await through(pooler, 'shared'),
        WORKERS: '1',
      })
      try {
        assert.equal(await started.ended, 1)
        assert.match(started.said(), /pool_mode = session/)
      } finally {
        started.process.kill('SIGKILL')
        await pooler.close()
        rmSync(folder, { recursive: true, force: true })
      }
    })
  }

  it('is waited for in statement mode, where nothing can be read, with the reason', async () => {
    const pooler = await open('pool_mode = statement')
    const database = openDatabase(await through(pooler, 'statement'))
    try {
      await assert.rejects(database.checkServing(), /statement pooling/)
    } finally {
      await database.close()
      await pooler.close()
    }
  })

  it('is refused in transaction mode while other clients keep its sessions busy', async () => {
    const pooler = await open('pool_mode = transaction', 'default_pool_size = 8')
    const url = await through(pooler, 'busy')
    const others = openDatabase(url)
    await others.tables()
    let busy = true
    const asking = Array.from({ length: 4 }, async () => {
      while (busy) await others.tables().catch(() => undefined)
    })
    try {
      for (let time = 0; time < 10; time += 1) {
        const database = openDatabase(url)
        await assert.rejects(database.checkServing(), /pool_mode = session/)
        await database.close()
      }
    } finally {
      busy = false
      await Promise.all(asking)
      await others.close()
      await pooler.close()
    }
  })
})
