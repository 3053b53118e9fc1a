/** How a server starts on PostgreSQL: with few connections, without it, and with several hosts. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { basePath } from '#contract'
import { DatabaseError, DatabaseUnreachableError, openDatabase } from '#database'
import { openRecords } from '#server'
import { startServe, until, workersOf } from '../support/cluster.ts'
import { freePort, openPostgres, type Postgres } from '../support/postgres.ts'
import { openTestService } from '../support/service.ts'

describe('a server on PostgreSQL', () => {
  let postgres: Postgres
  before(async () => {
    postgres = await openPostgres()
  })
  after(() => postgres.close())

  it('starts, writes and answers with a pool of one connection', async () => {
    const url = `${await postgres.url('one')}?pool=1&readers=1`
    const service = await openTestService({ DATABASE_URL: url })
    assert.equal((await service.get('/readyz')).status, 200)
    assert.equal((await service.get('orders')).status, 200)
    await service.close()
  })

  it('does not wait for a permanent error, and reports it', async () => {
    const url = await postgres.url('one')
    for (const [wrong, reason] of [
      [url.replace('/one', '/nowhere'), /database "nowhere" does not exist/],
      [url.replace('postgres@', 'absent@'), /role "absent" does not exist/],
      [
        url
          .replace('/one', '/nowhere')
          .replace(`:${postgres.port}`, `:${postgres.port},127.0.0.1:${postgres.port}`),
        /takes writes.*"nowhere" does not exist.*"nowhere" does not exist/,
      ],
    ] as const) {
      await assert.rejects(
        openTestService({ DATABASE_URL: wrong }, { story: false }),
        (error) =>
          error instanceof DatabaseError &&
          !(error instanceof DatabaseUnreachableError) &&
          reason.test(error.message),
      )
    }
  })

  it('looks at all hosts before it gives up, whichever is listed first', async () => {
    const dead = await freePort()
    const ports = [`127.0.0.1:${dead}`, `127.0.0.1:${postgres.port}`]
    const { hostname, pathname } = new URL(await postgres.url('one'))
    assert.equal(hostname, '127.0.0.1')
    for (const hosts of [ports, ports.toReversed()]) {
      for (let time = 0; time < 5; time += 1) {
        const records = await openRecords({
          databaseUrl: `postgres://postgres@${hosts}${pathname}`,
        })
        assert.ok(Array.isArray(await records.store.brands()))
        await records.close()
      }
    }
    const none = openDatabase(`postgres://postgres@127.0.0.1:${dead},127.0.0.1:${dead}/one`)
    await assert.rejects(none.tables(), (error) => {
      assert.ok(error instanceof DatabaseUnreachableError)
      assert.match(
        error.message,
        /No server of the database takes writes .*ECONNREFUSED.*ECONNREFUSED/,
      )
      return true
    })
    await none.close()
  })

  const answers = async (url: string) => {
    const ask = async (path: string, method = 'GET') => {
      const response = await fetch(url + path, { method })
      const body = (await response.json().catch(() => null)) as { errorCode?: string } | null
      return [response.status, body?.errorCode, response.headers.get('retry-after')]
    }
    assert.deepEqual(await ask('/healthz'), [200, undefined, null])
    assert.deepEqual(await ask('/readyz'), [503, 'not_ready', '1'])
    assert.deepEqual(await ask(`${basePath}/brands/acme/orders`), [500, 'store_unavailable', '1'])
    assert.deepEqual(await ask(`${basePath}/brands/acme/nothing`), [404, 'not_found', null])
    assert.deepEqual(await ask(`${basePath}/brands/acme/orders`, 'POST'), [
      405,
      'method_not_allowed',
      null,
    ])
  }
  const isReady = async (url: string) =>
    (await fetch(`${url}/readyz`).catch(() => null))?.status === 200
  const isListening = async (url: string) =>
    (await fetch(`${url}/healthz`).catch(() => null))?.status === 200

  for (const workers of ['1', '2']) {
    it(`answers that it waits while PostgreSQL is away at its start, with WORKERS=${workers}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'selvedge-start-'))
      const databaseUrl = await postgres.url(`late_${workers}`)
      await postgres.stop()
      const port = String(await freePort())
      const environment = { DATABASE_URL: databaseUrl, WORKERS: workers, PORT: port }
      const { process: server, ended, said } = startServe(folder, environment)
      try {
        const url = `http://127.0.0.1:${port}`
        await until(() => isListening(url))
        await answers(url)
        assert.match(said(), /cannot be reached: connect ECONNREFUSED.*Waiting for it\./)
        await postgres.start()
        await until(() => isReady(url))
        // The listener that answered during the wait is closed by now.
        for (let count = 0; count < 20; count += 1) assert.ok(await isReady(url))
      } finally {
        server.kill('SIGTERM')
        await ended
        rmSync(folder, { recursive: true, force: true })
      }
    })
  }

  it('answers that it waits when all its workers have died and PostgreSQL is away', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-start-'))
    const port = String(await freePort())
    const {
      process: server,
      ended,
      said,
    } = startServe(folder, {
      DATABASE_URL: await postgres.url('replaced'),
      WORKERS: '2',
      STANDBY_WORKERS: '0',
      PORT: port,
      LOG_LEVEL: 'info',
    })
    try {
      const url = `http://127.0.0.1:${port}`
      // The second worker may still be starting when the first is ready.
      await until(async () => (await isReady(url)) && workersOf(server).length === 2)
      await postgres.stop()
      for (const pid of workersOf(server)) process.kill(pid, 'SIGKILL')
      await until(() => /Waiting for it/.test(said()))
      await until(() => isListening(url))
      await answers(url)
      await postgres.start()
      await until(() => isReady(url))
    } finally {
      server.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
