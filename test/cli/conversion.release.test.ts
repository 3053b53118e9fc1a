/** `selvedge serve` on a database that has to be converted first. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { openDatabase } from '#database'
import { startServe, until } from '../support/cluster.ts'
import { rewriteAsLayout1 } from '../support/layout-1.ts'
import { freePort } from '../support/postgres.ts'

describe('a server that converts its database', () => {
  for (const workers of ['1', '2']) {
    it(`responds meanwhile that it is not ready, with ${workers} of its processes`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'selvedge-conversion-'))
      const file = join(folder, 'records.db')
      const port = await freePort()
      const environment = {
        DATABASE_URL: `sqlite:${file}`,
        LOG_LEVEL: 'info',
        PORT: String(port),
        WORKERS: workers,
      }
      const get = async (path: string, headers: Record<string, string> = {}) => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
        return { status: response.status, body: await response.text(), headers: response.headers }
      }
      const statusOf = (path: string) =>
        get(path).then(
          ({ status }) => status,
          () => 0,
        )
      try {
        const first = startServe(folder, environment, '--demo')
        await until(() => /Ctrl\+C stops/.test(first.said()))
        const key = /Demo key +(\S+)/.exec(first.said())?.[1] ?? ''
        const path = `${/API +http:\/\/[^/]+(\S+)/.exec(first.said())?.[1]}/orders?limit=5`
        const authorization = { authorization: `Bearer ${key}` }
        const expected = await get(path, authorization)
        assert.equal(expected.status, 200)
        first.process.kill('SIGTERM')
        await first.ended
        const database = openDatabase(environment.DATABASE_URL)
        await rewriteAsLayout1(database)
        await database.close()

        // While another program writes, the conversion cannot begin.
        const writer = new DatabaseSync(file)
        writer.exec('begin immediate')
        const second = startServe(folder, environment)
        await until(async () => (await statusOf('/healthz')) === 200)
        assert.equal(await statusOf('/readyz'), 503)
        const refused = await get(path, authorization)
        assert.equal(refused.status, 500)
        assert.equal(JSON.parse(refused.body).errorCode, 'store_unavailable')
        assert.equal(refused.headers.get('retry-after'), '1')
        assert.doesNotMatch(second.said(), /is being converted/)
        writer.exec('rollback')
        writer.close()

        await until(() => /ready in/.test(second.said()))
        assert.equal(second.said().match(/is being converted/g)?.length, 1)
        const answered = await get(path, authorization)
        assert.equal(answered.body, expected.body)
        assert.equal(answered.headers.get('etag'), expected.headers.get('etag'))
        second.process.kill('SIGTERM')
        assert.equal(await second.ended, 0)
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
  }
})
