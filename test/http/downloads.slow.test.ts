/** Downloads of many records by a server of its own: its memory, other requests, and its end. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath, queryBasePath } from '#contract'
import { type Started, startServe, until } from '../support/cluster.ts'
import { openSandbox } from '../support/command.ts'
import { download, openDownload } from '../support/download.ts'
import { idOf, recordsAt } from '../support/model.ts'
import { cannotReadWorkbooks, countRows, readWorkbook } from '../support/xlsx.ts'

const total = 200_000

describe(`a server that has ${total} records`, () => {
  const sandbox = openSandbox()
  let server: Started
  let url = ''
  let key = ''

  const start = async (): Promise<void> => {
    server = startServe(sandbox.folder, { DATABASE_URL: sandbox.databaseUrl, WORKERS: '1' })
    await until(() => /http:\/\/127\.0\.0\.1:\d+/.test(server.said()))
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(server.said())?.[0] ?? ''
    await until(async () => (await fetch(`${url}/readyz`).catch(() => null))?.status === 200)
  }

  before(async () => {
    const [tag] = recordsAt('tags')
    const lines: string[] = []
    for (let index = 0; index < total; index += 1) {
      const name = `Tag ${index} ${'€'.repeat(index % 50)}`
      lines.push(JSON.stringify({ ...tag, id: idOf(index + 1), name, code: `T${index}` }))
    }
    writeFileSync(join(sandbox.folder, 'tags.ndjson'), `${lines.join('\n')}\n`)
    await sandbox.run(['brands', 'add', 'acme', '--name', 'Acme'])
    const imported = await sandbox.run(['import', 'tags.ndjson', '--brand', 'acme'])
    assert.equal(imported.code, 0, imported.stderr)
    key = (await sandbox.run(['keys', 'issue', '--brand', 'acme', '--name', 'test'])).stdout.trim()
    await start()
  })
  after(async () => {
    server.process.kill('SIGKILL')
    await server.ended
    sandbox.close()
  })

  const at = (rest: string) => `${url}${queryBasePath}/brands/acme/tags/download?${rest}`

  /** Megabytes of memory of the server, now and at most since the last reset. */
  const memory = (name: 'VmRSS' | 'VmHWM'): number => {
    const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8')
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024
  }

  for (const rest of ['format=ndjson', 'format=csv&sort=-name', 'format=xlsx']) {
    it(`sends all of them with ${rest}, with little memory, and serves others meanwhile`, {
      skip: process.platform === 'linux' ? cannotReadWorkbooks : 'needs /proc',
    }, async (test) => {
      const headers = { authorization: `Bearer ${key}` }
      const page = () => fetch(`${url}${basePath}/brands/acme/tags?limit=5`, { headers })
      for (let warm = 0; warm < 50; warm += 1) await (await page()).arrayBuffer()
      const before = memory('VmRSS')
      writeFileSync(`/proc/${server.process.pid}/clear_refs`, '5')
      let isDone = false
      const file = download(at(rest), { key }).finally(() => {
        isDone = true
      })
      const times: number[] = []
      while (!isDone) {
        const began = performance.now()
        const response = await page()
        await response.arrayBuffer()
        assert.equal(response.status, 200)
        times.push(performance.now() - began)
        await wait(5)
      }
      const { status, body, trailers, headers: sent } = await file
      assert.equal(status, 200)
      assert.equal(trailers['download-complete'], 'true')
      assert.equal(sent['total-items'], String(total))
      const rows = rest.includes('xlsx')
        ? countRows(body) - 1
        : body.toString().split('\n').length - 2
      assert.equal(rows, total)
      const grown = memory('VmHWM') - before
      assert.ok(grown < 200, `the memory grew by ${grown.toFixed()} MB`)
      times.sort((one, other) => one - other)
      const slow = times[Math.floor(times.length * 0.99)] ?? 0
      assert.ok(times.length > 20, `${times.length} requests`)
      test.diagnostic(
        `${grown.toFixed()} MB more, 99 % of ${times.length} requests within ${slow.toFixed()} ms`,
      )
      // The client reads in the same process, on a machine that others use too.
      assert.ok(slow < 500, `1 % of ${times.length} requests took more than ${slow.toFixed()} ms`)
    })
  }

  it('is noticed when it is killed in the middle, in every format', async () => {
    for (const format of ['ndjson', 'csv', 'xlsx']) {
      const reader = await openDownload(at(`format=${format}`), { key })
      assert.equal(reader.response.statusCode, 200)
      const read = reader.finish()
      await until(() => reader.receivedBytes > 0)
      server.process.kill('SIGKILL')
      await server.ended
      const { isComplete, body, trailers } = await read
      assert.equal(isComplete, false, format)
      assert.equal(trailers['download-complete'], undefined)
      if (format === 'ndjson') assert.ok(!body.toString().includes('"complete":true'))
      if (format === 'xlsx' && !cannotReadWorkbooks) {
        assert.throws(() => readWorkbook(body), /cannot be read/)
      }
      await start()
    }
  })
})
