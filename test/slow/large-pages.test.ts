/** Pages of records that are larger than an import takes, in a server with little memory. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { basePath, catalog, resourceAt } from '#contract'
import { openStory } from '#demo'
import { openRecords } from '#service'
import { mainFile } from '../support/command.ts'
import { idOf } from '../support/model.ts'

const items = resourceAt(catalog, 'order-items')
const recordCount = 60
const recordBytes = 10_000_000
const heapMegabytes = 256

describe('60 records of 10 MB in a server with a heap of 256 MB', () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-large-'))
  const databaseUrl = `sqlite:${join(folder, 'selvedge.db')}`
  let server: ChildProcess
  let url = ''
  const keys: string[] = []

  before(async () => {
    const { records: story } = await openStory()
    const records = await openRecords({ databaseUrl })
    const write = (path: string, of: readonly object[]) =>
      records.store.write('aldermoor', async (writer) => {
        await writer.stage(resourceAt(catalog, path), of as never)
        await writer.merge(resourceAt(catalog, path))
      })
    await write('brand', story['brand'] ?? [])
    const [item] = story['order-items'] ?? []
    // One by one and past all checks, as a database of an older release may hold them.
    for (let n = 0; n < recordCount; n += 1) {
      await write(items.path, [{ ...item, id: idOf(n + 1), memo: 'x'.repeat(recordBytes) }])
    }
    for (let n = 0; n < 3; n += 1) {
      keys.push(
        (
          await records.keys.issue({
            name: `large ${n}`,
            brands: ['aldermoor'],
            global: false,
            expiresAt: null,
            perSecond: null,
            burst: null,
          })
        ).key,
      )
    }
    await records.close()
    server = spawn(process.execPath, [`--max-old-space-size=${heapMegabytes}`, mainFile, 'serve'], {
      env: { DATABASE_URL: databaseUrl, PORT: '0', IMAGES_URL: `file:${join(folder, 'images')}` },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const lines = createInterface({ input: server.stderr as NodeJS.ReadableStream })
    for await (const line of lines) {
      url = /API +(http:\/\/[^/\s]+)/.exec(line)?.[1] ?? ''
      if (url) break
    }
  })
  after(async () => {
    if (server.exitCode === null && server.kill('SIGTERM')) await once(server, 'exit')
    rmSync(folder, { recursive: true, force: true })
  })

  const ask = async (query: string, n: number): Promise<[status: number, text: string]> => {
    const response = await fetch(`${url}${basePath}/brands/aldermoor/order-items${query}`, {
      headers: { authorization: `Bearer ${keys[n % keys.length]}`, 'accept-encoding': 'identity' },
    })
    return [response.status, await response.text()]
  }

  it('are refused as one page, with a limit that works', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => ask(`?limit=${61 + (n % 40)}`, n)),
    )
    for (const [status, text] of answers) {
      assert.equal(status, 400, text.slice(0, 300))
      assert.equal(JSON.parse(text).errorCode, 'page_too_large')
      assert.match(JSON.parse(text).error, /use 3 or less/)
    }
  })

  it('are sent in smaller pages, or refused for a moment, and the server lives on', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => ask('?limit=3', n)))
    assert.ok(answers.some(([status]) => status === 200))
    for (const [status, text] of answers) {
      if (status === 200) assert.ok(text.length > 3 * recordBytes)
      else assert.equal(JSON.parse(text).errorCode, 'store_unavailable')
    }
    assert.equal(server.exitCode, null)
    assert.equal((await ask('?limit=1', 0))[0], 200)
  })
})
