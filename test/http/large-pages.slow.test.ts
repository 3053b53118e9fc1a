/** Pages of records that are larger than an import takes, in a server with little memory. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath, catalog, feedBasePath, limits, resourceAt } from '#contract'
import { openServingProcess, type ServingProcess } from '../../reliability/server-process.ts'
import { openBrandsModel, story } from '../support/brands.ts'
import { mainFile } from '../support/command.ts'
import { idOf } from '../support/model.ts'
import { patient } from '../support/service.ts'

const items = resourceAt(catalog, 'order-items')
const recordCount = 36
const recordBytes = 10_000_000
const heapMegabytes = 256

describe('36 records of 10 MB in a server with a heap of 256 MB', () => {
  const databaseFolder = mkdtempSync(join(tmpdir(), 'selvedge-large-'))
  let serving: ServingProcess
  const keys: string[] = []

  before(async () => {
    const environment = {
      NODE_OPTIONS: `--max-old-space-size=${heapMegabytes}`,
      CHANGE_FEED: 'on',
      // SQLite reads whole rows to compare identities, which takes long while others do the same.
      DATABASE_URL: patient(`sqlite:${join(databaseFolder, 'selvedge.db')}`),
    }
    serving = await openServingProcess(openBrandsModel(1), environment)
    const { store, keys: issuer } = serving.records
    const [item] = story['order-items'] ?? []
    // One by one and past all checks, as a database of an older release may hold them.
    for (let n = 0; n < recordCount; n += 1) {
      const record = { ...item, id: idOf(n + 1), step: 'large', memo: 'x'.repeat(recordBytes) }
      await store.write('aldermoor', async (writer) => {
        await writer.stage(items, [record] as never)
        await writer.merge(items)
      })
    }
    for (let n = 0; n < 3; n += 1) {
      const rights = { brands: ['aldermoor'], global: false, expiresAt: null }
      const limit = { perSecond: null, burst: null }
      keys.push((await issuer.issue({ name: `large ${n}`, ...rights, ...limit })).key)
    }
    for (const [n] of keys.entries()) while ((await ask('?limit=1', n))[0] === 401) await wait(20)
  })
  after(async () => {
    await serving.close()
    rmSync(databaseFolder, { recursive: true, force: true })
  })

  const ask = async (query: string, n: number): Promise<[status: number, text: string]> => {
    const path = `${basePath}/brands/aldermoor/order-items${query}&step=large`
    const response = await fetch(serving.url + path, {
      headers: { authorization: `Bearer ${keys[n % keys.length]}`, 'accept-encoding': 'identity' },
    })
    return [response.status, await response.text()]
  }

  it('are refused as one page, with a limit that works', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => ask(`?limit=${recordCount + 1 + n}`, n)),
    )
    for (const [status, text] of answers) {
      const { errorCode, error } = JSON.parse(text)
      assert.deepEqual([status, errorCode], [400, 'page_too_large'], error)
      assert.match(error, /use 3 or less/)
    }
  })

  it('are sent in smaller pages, or refused for lack of memory, and the server lives on', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => ask('?limit=3', n)))
    assert.ok(answers.some(([status]) => status === 200))
    for (const [status, text] of answers) {
      if (status === 200) assert.ok(text.length > 3 * recordBytes)
      else assert.match(JSON.parse(text).error, /^Too many (large )?responses are being sent/)
    }
    assert.equal((await ask('?limit=1', 0))[0], 200)
  })

  it('are sent by the feed in pages of at most 32 MiB', async () => {
    const seen: string[] = []
    let cursor = ''
    for (let pages = 0; pages < 100; pages += 1) {
      const query = `collection=order-items&limit=1000${cursor && `&cursor=${cursor}`}`
      const response = await fetch(
        `${serving.url}${feedBasePath}/brands/aldermoor/changes?${query}`,
        {
          headers: { authorization: `Bearer ${keys[0]}` },
        },
      )
      const text = await response.text()
      assert.equal(response.status, 200, text.slice(0, 1_000))
      const { items: changes, nextCursor, hasMore } = JSON.parse(text)
      assert.ok(text.length < 1.1 * limits.pageBytes, `${text.length} bytes`)
      for (const { id } of changes) seen.push(id)
      cursor = nextCursor
      if (!hasMore) break
    }
    const large = Array.from({ length: recordCount }, (_, n) => idOf(n + 1))
    assert.deepEqual(
      seen.filter((id) => large.includes(id)),
      large,
    )
  })

  it('are exported by a command with the same heap', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-large-'))
    const child = spawn(
      process.execPath,
      [mainFile, 'export', folder, '--brand', 'aldermoor', '--json'],
      { env: serving.variables, stdio: ['ignore', 'ignore', 'inherit'] },
    )
    const [code] = await once(child, 'close')
    assert.equal(code, 0)
    const { size } = statSync(join(folder, 'order-items.ndjson'))
    assert.ok(size > recordCount * recordBytes, `${size} bytes`)
    rmSync(folder, { recursive: true })
  })
})
