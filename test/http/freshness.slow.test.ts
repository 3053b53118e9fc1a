/** Cached responses are as fresh as promised, never another brand's, and never sent to a revoked key. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { catalog, resourceAt } from '#contract'
import { type Database, openDatabase } from '#database'
import { createStore } from '#store'
import { reachMs } from '../../src/database/database.ts'
import { createResponseCache } from '../../src/http/response-cache.ts'
import { cachedMatch } from '../support/cached-match.ts'
import { measureFreshness, staleMsMax } from '../support/freshness.ts'
import { openPostgresDatabases } from '../support/postgres.ts'
import { openTestService, patient, type TestService } from '../support/service.ts'

const ms = Number(process.env['SELVEDGE_FRESHNESS_MS'] ?? 4_000)

const isCached = (headers: Headers): boolean =>
  !/run;dur/.test(headers.get('server-timing') ?? 'run;dur')

/** A cache for responses of one page each, and a request for one of them. */
const openCache = (bytesMax: number, isStale?: () => boolean) => {
  const cache = createResponseCache(bytesMax, isStale)
  const readState = { change: 1, dependencies: ['acme tags'] }
  const request = (target: string, length = 14_600): 'hit' | 'cached' | 'not cached' => {
    const cached = cache.get(target)
    if (cached) {
      cache.hit(cached)
      return 'hit'
    }
    if (!cache.shouldCache(target)) return 'not cached'
    const counted = { records: 0, groups: null }
    const encoded = { encodedBody: [Buffer.alloc(length)], length, lines: '', ...counted }
    cache.put(target, {
      match: cachedMatch,
      tag: 'x',
      readState,
      size: length,
      encoding: null,
      encoded,
    })
    return cache.get(target) ? 'cached' : 'not cached'
  }
  return { cache, request }
}

describe('cached responses', () => {
  it('on SQLite are of one state, the newest but for two milliseconds, under an importing process', async (t) => {
    const service = await openTestService()
    after(() => service.close())
    const databaseUrl = `sqlite:${join(service.folder, 'selvedge.db')}`
    const seen = await measureFreshness(service, { databaseUrl, ms })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(seen.cached > 20, `${seen.cached} of ${seen.answers} were cached`)
    assert.ok(seen.afterWrite > 20, `${seen.afterWrite} had a token`)
    assert.ok(seen.oldestMs <= staleMsMax.sqlite, `${seen.oldestMs} ms: ${seen.oldest}`)
  })

  it('on PostgreSQL are as fresh as its notifications', async (t) => {
    const postgres = await openPostgresDatabases()
    after(() => postgres.close())
    const databaseUrl = await postgres.url('freshness')
    const service = await openTestService({ DATABASE_URL: databaseUrl })
    after(() => service.close())
    const seen = await measureFreshness(service, { databaseUrl, ms })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(seen.cached > 20, `${seen.cached} of ${seen.answers} were cached`)
    assert.ok(seen.afterWrite > 20, `${seen.afterWrite} had a token`)
    assert.ok(seen.oldestMs <= staleMsMax.postgres, `${seen.oldestMs} ms: ${seen.oldest}`)
    // Without notifications it is a third of a second.
    assert.ok(seen.cachedMedianMs < 100, `${seen.cachedMedianMs} ms at the median`)
  })

  it('on PostgreSQL are replaced in time after a commit whose notification is lost', async (t) => {
    const postgres = await openPostgresDatabases()
    after(() => postgres.close())
    const databaseUrl = patient(await postgres.url('unnoticed'))
    const service = await openTestService({ DATABASE_URL: databaseUrl })
    after(() => service.close())
    const database = openDatabase(databaseUrl)
    after(() => database.close())
    // A commit under this lock sends no notification.
    const silent: Database = { ...database, write: (work) => database.write(work, 'states') }
    const store = await createStore(catalog, silent)
    const tags = resourceAt(catalog, 'tags')
    const [brand = ''] = await brandsOf(service)
    const nameNow = async () => (await service.get('tags?limit=3')).body.items[0].name
    const [tag] = (await service.get('tags?limit=3')).body.items
    let oldestMs = 0
    for (const name of ['One', 'Two', 'Three', 'Four']) {
      // The page is cached.
      for (let count = 0; count < 3; count += 1) await nameNow()
      await store.write(brand, async (writer) => {
        await writer.stage(tags, [{ ...tag, name }])
        await writer.merge(tags)
      })
      const committedAt = performance.now()
      for (;;) {
        const requestedAt = performance.now()
        if ((await nameNow()) === name) break
        const staleMs = requestedAt - committedAt
        assert.ok(staleMs <= staleMsMax.postgres, `${staleMs} ms after ${name} was committed`)
        oldestMs = Math.max(oldestMs, staleMs)
      }
    }
    t.diagnostic(`${oldestMs} ms`)
    assert.ok(oldestMs > 0, 'the cache was notified')
  })

  it('may be as old as the documentation says, and contain a write whose token the request has', () => {
    const page = readFileSync(
      new URL('../../docs/explanation/performance.md', import.meta.url),
      'utf8',
    ).replaceAll(/\s+/g, ' ')
    assert.ok(page.includes(`| SQLite | ${staleMsMax.sqlite} ms |`))
    assert.ok(page.includes(`| PostgreSQL | ${staleMsMax.postgres / 1_000} s |`))
    assert.ok(
      page.includes('A request with the token of a write in `After-Write` is answered from'),
    )
    assert.ok(page.includes(`not known within ${reachMs / 1_000} s`))
  })

  it('are not given to a key after it was revoked for a second', async () => {
    const service = await openTestService()
    after(() => service.close())
    const [brand = ''] = await brandsOf(service)
    const rights = { global: false, expiresAt: null, perSecond: null, burst: null }
    const issued = await Promise.all(
      Array.from({ length: 6 }, () =>
        service.records.keys.issue({ name: 'To be revoked', brands: [brand], ...rights }),
      ),
    )
    // The service knows every key once it knows one that was issued after them.
    await service.key(brand)
    const revokedAt = new Map<string, number>()
    const late: string[] = []
    const until = performance.now() + 3_500
    const lane = async (key: string) => {
      while (performance.now() < until) {
        const requestedAt = performance.now()
        const { status } = await service.get('tags?limit=2', { key })
        const revoked = revokedAt.get(key)
        if (status === 200 && revoked !== undefined && requestedAt > revoked + 1_000) late.push(key)
        if (status === 401) assert.ok(revoked !== undefined, 'a good key was refused')
        await wait(1)
      }
    }
    const revoke = async () => {
      for (const { key, id } of issued.slice(0, 4)) {
        await wait(400)
        await service.records.keys.revoke(id)
        revokedAt.set(key, performance.now())
      }
    }
    await Promise.all([...issued.map(({ key }) => lane(key)), revoke()])
    assert.deepEqual(late, [])
  })

  it('are forgotten when they take more room than there is, whatever is walked through', () => {
    const bytesMax = 32 * 2 ** 20
    const { cache, request } = openCache(bytesMax)
    request('/hot')
    request('/hot')
    for (let page = 0; page < 1_000_000; page += 1) {
      request(`/walk?cursor=${page}`)
      if (page % 100 === 0) assert.ok(cache.get('/hot'), `pushed out by page ${page}`)
    }
    assert.ok(cache.bytes < 100_000, `${cache.bytes} bytes of pages asked for once`)
    for (let page = 0; page < 20_000; page += 1) {
      request(`/again?cursor=${page}`)
      request(`/again?cursor=${page}`)
      if (page % 10 === 0) request('/hot')
      assert.ok(cache.bytes <= bytesMax)
    }
    assert.ok(cache.get('/hot'), 'what is asked for again and again was pushed out')
  })

  it('stay when a walk with more pages than there is room for comes again and again', () => {
    let isStale = false
    const { cache, request } = openCache(2 * 2 ** 20, () => isStale)
    const pages = Array.from({ length: 500 }, (_, page) => `/walk?cursor=${page}`)
    /** How many of the pages were cached before, and how many are added to the cache. */
    const walk = () => {
      const added = new Set(pages.filter((page) => request(page) === 'cached'))
      return { cached: pages.filter((page) => cache.get(page)).length, added: added.size }
    }
    for (let round = 0; round < 3; round += 1) walk()
    const { cached, added } = walk()
    assert.ok(cached > 100 && cached < 150, `${cached} cached`)
    assert.equal(added, 0)
    // What many ask for gets in all the same.
    for (let time = 0; time < 40; time += 1) request('/hot')
    assert.ok(cache.get('/hot'))
    // What cannot be given any more makes room.
    isStale = true
    request('/new')
    request('/new')
    assert.ok(cache.get('/new'))
  })

  it('that are requested often stay when longer ones are requested rarely', () => {
    const { cache, request } = openCache(2 * 2 ** 20)
    const hot = Array.from({ length: 600 }, (_, n) => `/hot/${n}`)
    for (let time = 0; time < 20; time += 1) for (const target of hot) request(target, 500)
    for (let time = 0; time < 2; time += 1) request('/cold', 500)
    const before = hot.filter((target) => cache.get(target)).length
    for (let round = 0; round < 5; round += 1) {
      for (let page = 0; page < 100; page += 1) request(`/walk?cursor=${page}`, 60_000)
    }
    const after = hot.filter((target) => cache.get(target)).length
    assert.ok(before > 500, `${before} kept`)
    assert.equal(after, before)
  })

  it('are given from the second time on, and from the newest state after a change', async () => {
    const service = await openTestService()
    after(() => service.close())
    const ask = async () => isCached((await service.get('tags?limit=3')).headers)
    assert.deepEqual(
      [await ask(), await ask(), await ask(), await ask()],
      [false, false, true, true],
    )
    const { body, headers } = await service.get('tags?limit=3')
    const [tag] = body.items
    const [brand = ''] = await brandsOf(service)
    await service.write(brand, { tags: [{ ...tag, name: 'Another name' }] })
    const fresh = await service.get('tags?limit=3')
    assert.equal(fresh.body.items[0].name, 'Another name')
    const etag = fresh.headers.get('etag')
    assert.ok(etag)
    assert.notEqual(etag, headers.get('etag'))
  })
})

const brandsOf = async (service: TestService): Promise<readonly string[]> =>
  (await service.records.store.brands()).map(({ slug }) => slug)
