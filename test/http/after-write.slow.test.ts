/** A request with the token of a write is answered from a state that contains it. */
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { basePath, catalog, feedBasePath, queryBasePath, resourceAt } from '#contract'
import { createCursors, createWriteTokens } from '#cursors'
import { type Database, openDatabase } from '#database'
import type { DemoRecord } from '#demo'
import { createStore, sharedOwner } from '#store'
import { httpAgent } from '../support/agent.ts'
import {
  openTestIngest,
  putItem,
  recordOf,
  storyBrand,
  type TestIngest,
} from '../support/ingest-service.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'
import { openTestService, patient, type TestService } from '../support/service.ts'

const order = recordOf('orders')

/** Another process that imports. Its commits send no notification, as if that arrived late. */
const openWriter = async (databaseUrl: string) => {
  const database = openDatabase(databaseUrl)
  const silent: Database = { ...database, write: (work) => database.write(work, 'states') }
  const store = await createStore(catalog, silent)
  const write = async (owner: string, collection: string, record: DemoRecord): Promise<number> => {
    const change = await store.write(owner, async (writer) => {
      await writer.stage(resourceAt(catalog, collection), [record])
      await writer.merge(resourceAt(catalog, collection))
      return writer.change
    })
    return Number(change())
  }
  return { write, close: () => database.close() }
}

/** Every kind of request, and what its response contains of the order. */
const readsOf = (id: string): { readonly [path: string]: 'orderNumber' | 'totalQuantity' } => {
  const [api, query, feed] = [basePath, queryBasePath, feedBasePath].map(
    (base) => `${base}/brands/${storyBrand}`,
  )
  return {
    [`${api}/orders`]: 'orderNumber',
    [`${api}/orders/${id}`]: 'orderNumber',
    [`${api}/order-items?include=order`]: 'orderNumber',
    [`${query}/orders?sort=-orderDate`]: 'orderNumber',
    [`${query}/orders/summary?sum=totalQuantity`]: 'totalQuantity',
    [`${query}/orders/${id}/document`]: 'orderNumber',
    [`${query}/orders/${id}/lineage`]: 'orderNumber',
    [`${query}/orders/download?format=ndjson`]: 'orderNumber',
    [`${query}/search?q=written`]: 'orderNumber',
    [`${feed}/changes?collection=orders`]: 'orderNumber',
  }
}

const engines = {
  SQLite: async () => ({ databaseUrl: undefined, postgres: null }),
  PostgreSQL: async () => {
    const postgres = await openPostgresDatabases()
    return { databaseUrl: patient(await postgres.url('after_write')), postgres }
  },
}

for (const [engine, openEngine] of Object.entries(engines)) {
  describe(`a token of a write on ${engine}`, () => {
    let postgres: PostgresDatabases | null
    let databaseUrl: string
    let service: TestService
    let ingest: TestIngest
    let writer: Awaited<ReturnType<typeof openWriter>>
    before(async () => {
      const opened = await openEngine()
      postgres = opened.postgres
      service = await openTestService({
        CHANGE_FEED: 'on',
        ...(opened.databaseUrl && { DATABASE_URL: opened.databaseUrl }),
      })
      databaseUrl = opened.databaseUrl ?? `sqlite:${join(service.folder, 'selvedge.db')}`
      ingest = await openTestIngest({ DATABASE_URL: databaseUrl })
      writer = await openWriter(databaseUrl)
    })
    after(async () => {
      await writer.close()
      await ingest.close()
      await service.close()
      await postgres?.close()
    })

    const seal = (owner: string, change: number) =>
      createWriteTokens(service.records.secret).seal({ owner, change })
    const get = (path: string, token: string, headers: { readonly [name: string]: string } = {}) =>
      service.get(path, { headers: { 'after-write': token, ...headers } })
    const isCached = (headers: Headers) => !/run;dur/.test(headers.get('server-timing') ?? '')

    let written = 0
    const write = async () => {
      written += 1
      const changed = {
        ...order,
        orderNumber: `WRITTEN-${written}`,
        totalQuantity: 70_000 + written,
      }
      const change = await writer.write(storyBrand, 'orders', changed as DemoRecord)
      return { changed, token: seal(storyBrand, change) }
    }

    it('makes the response of every operation contain it, whatever is cached', async () => {
      const reads = Object.entries(readsOf(String(order['id'])))
      let stale = 0
      for (let round = 0; round < 2; round += 1) {
        for (const [path] of reads) for (let n = 0; n < 2; n += 1) await service.get(path)
        const { changed, token } = await write()
        const [first = ''] = reads[0] ?? []
        if (!(await service.get(first)).text.includes(changed.orderNumber)) stale += 1
        for (const [path, field] of reads) {
          const { status, text } = await get(path, token)
          assert.equal(status, 200, text)
          assert.ok(text.includes(String(changed[field])), `${path}: ${text.slice(0, 500)}`)
        }
      }
      // Without it, a page may be from before the write until the server knows of the write.
      if (postgres) assert.ok(stale > 0)
    })

    it('is returned for a batch once it is committed, and for no other', async () => {
      const tag: DemoRecord = { ...recordOf('tags'), name: `Sent to ${engine}` }
      const dry = { query: 'dry-run=true', headers: { prefer: 'wait=60' } }
      assert.equal((await ingest.send([putItem('tags', tag)], dry)).body.writeToken, null)
      const sent = await ingest.send([putItem('tags', tag)])
      assert.equal(sent.status, 202)
      const location = sent.headers.get('location') ?? ''
      const { body } = await ingest.get(location).then(async (first) => {
        let answer = first
        while (answer.body.state !== 'committed') answer = await ingest.get(location)
        return answer
      })
      const read = await get(`tags/${tag['id']}`, body.writeToken)
      assert.equal(read.body.name, tag['name'])
      // It changes nothing, and what it sends is stored.
      const again = await ingest.send([putItem('tags', tag)], { headers: { prefer: 'wait=60' } })
      assert.equal((await get(`tags/${tag['id']}`, again.body.writeToken)).body.name, tag['name'])
      const wrong = [putItem('tags', { ...tag, name: 5 } as unknown as DemoRecord)]
      const refused = await ingest.send(wrong, { headers: { prefer: 'wait=60' } })
      assert.equal(refused.status, 422)
      assert.equal(refused.body.details.writeToken, null)
    })

    it('of shared records is valid for every brand', async () => {
      const [country] = (await service.get('countries?limit=1')).body.items
      const changed = { ...country, name: `Shared on ${engine}` }
      const token = seal(sharedOwner, await writer.write(sharedOwner, 'countries', changed))
      assert.equal((await get('countries?limit=1', token)).body.items[0].name, changed.name)
    })

    it('takes a cached response that is known to contain it', async () => {
      const { token } = await write()
      for (;;) {
        const { headers } = await get('orders?limit=7', token)
        if (isCached(headers)) break
      }
      const { headers } = await get('orders?limit=7', token)
      assert.ok(headers.get('etag'))
    })

    it('answers 304 for the validator of a state that contains it only', async () => {
      const path = 'orders?limit=9'
      for (let n = 0; n < 3; n += 1) await service.get(path)
      const before = (await service.get(path)).headers.get('etag') ?? ''
      const { token } = await write()
      const fresh = await get(path, token, { 'if-none-match': before })
      assert.equal(fresh.status, 200)
      const etag = fresh.headers.get('etag') ?? ''
      assert.equal((await get(path, token, { 'if-none-match': etag })).status, 304)
    })

    it('makes the results of tools contain it', async () => {
      const { changed, token } = await write()
      const key = await service.key(storyBrand)
      const agent = await httpAgent(service.url, key, 'handshake', { 'after-write': token })
      const records = await agent.ask('list_records', { group: 'orders' })
      assert.ok(JSON.stringify(records).includes(changed.orderNumber))
      await agent.close()
    })

    it('is refused with 400 if it is malformed, of another brand or of another installation', async () => {
      const { token } = await write()
      const change = createWriteTokens(service.records.secret).open(token).change
      const walk = { brand: storyBrand, collection: 'orders', filters: new Map() }
      const last = token.at(-1) === 'A' ? 'B' : 'A'
      const bad = {
        'of another brand': seal('bellweather', change),
        'of another installation': createWriteTokens('another').seal({ owner: storyBrand, change }),
        empty: '',
        'a cursor': createCursors(service.records.secret).seal(walk, ['x']),
        'its version changed': `AA${token.slice(2)}`,
        'its end changed': token.slice(0, -1) + last,
        'sent twice': `${token}, ${token}`,
        long: token.repeat(60),
        ...Object.fromEntries(
          Array.from({ length: token.length }, (_, n) => [`cut at ${n}`, token.slice(0, n)]),
        ),
        ...Object.fromEntries(
          Array.from({ length: 100 }, (_, n) => [
            `random ${n}`,
            Buffer.from(
              Array.from(crypto.getRandomValues(new Uint8Array(1 + n)), (byte) => 33 + (byte % 94)),
            ).toString('latin1'),
          ]),
        ),
      }
      for (const [name, each] of Object.entries(bad)) {
        const { status, body } = await get('tags?limit=1', each)
        assert.equal(status, 400, `${name}: ${JSON.stringify(body)}`)
        assert.equal(body.errorCode, 'invalid_write_token', name)
      }
      assert.equal((await get('tags?limit=1', token)).status, 200)
      // The rights of a key come first.
      const other = await service.key('bellweather')
      const headers = { 'after-write': token }
      assert.equal((await service.get('tags?limit=1', { key: other, headers })).status, 401)
      const anywhere = await service.get('/whoami', { key: other, headers })
      assert.equal(anywhere.status, 400)
    })
  })

  it(`a token from before a restore is refused with 400 on ${engine}, also when more was written`, async () => {
    const { databaseUrl, postgres } = await openEngine()
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-restore-'))
    after(async () => {
      rmSync(folder, { recursive: true, force: true })
      await postgres?.close()
    })
    const original = databaseUrl ?? `sqlite:${join(folder, 'original.db')}`
    const secret = 'the secret of both'
    const write = async (url: string, collection: string, record: DemoRecord) => {
      const writer = await openWriter(url)
      const change = await writer.write(storyBrand, collection, record)
      await writer.close()
      return createWriteTokens(secret).seal({ owner: storyBrand, change })
    }
    await write(original, 'brand', recordOf('brand'))
    const early = await write(original, 'tags', recordOf('tags'))
    const restored = await copyDatabase(original)
    const lost = await write(original, 'tags', { ...recordOf('tags'), name: 'Lost' })
    const service = await openTestService({ DATABASE_URL: restored }, { story: false, secret })
    after(() => service.close())
    const key = await service.key(storyBrand)
    const get = (token: string) => service.get('tags', { key, headers: { 'after-write': token } })
    for (let count = 0; count < 4; count += 1) {
      assert.equal((await get(early)).status, 200)
      const { status, body } = await get(lost)
      assert.equal(status, 400)
      assert.match(body.error, /restored from a backup/)
      const later = await write(restored, 'tags', { ...recordOf('tags'), name: `After ${count}` })
      assert.equal((await get(later)).body.items[0].name, `After ${count}`)
    }
  })
}

/** Copies a database without connections; returns the address of the copy. */
const copyDatabase = async (url: string): Promise<string> => {
  if (url.startsWith('sqlite:')) {
    const copy = url.replace('original', 'restored')
    copyFileSync(url.slice('sqlite:'.length), copy.slice('sqlite:'.length))
    return copy
  }
  const { pathname } = new URL(url)
  const client = new pg.Client(url.replace(pathname, '/postgres'))
  await client.connect()
  const name = pathname.slice(1)
  await client.query(`create database "${name}_restored" template "${name}"`)
  await client.end()
  return url.replace(pathname, `${pathname}_restored`)
}
