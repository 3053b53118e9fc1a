/** What is remembered is never old, never another's, and never given to a revoked key. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openRemembered } from '../../src/http/remembered.ts'
import { proveFreshness } from '../support/freshness.ts'
import { openPostgres } from '../support/postgres.ts'
import { openTestService, type TestService } from '../support/service.ts'

const ms = Number(process.env['SELVEDGE_FRESHNESS_MS'] ?? 4_000)

const isRemembered = (headers: Headers): boolean =>
  !/run;dur/.test(headers.get('server-timing') ?? 'run;dur')

/** A memory for answers of one page each, and how one is asked for and noted. */
const openMemory = (bytesMax: number, isStale?: () => boolean) => {
  const remembered = openRemembered(bytesMax, isStale)
  const readState = { change: 1, dependencies: ['acme tags'] }
  const note = (target: string, length = 14_600): 'found' | 'kept' | 'passed over' => {
    const known = remembered.find(target)
    if (known) {
      remembered.given(known)
      return 'found'
    }
    if (!remembered.wants(target)) return 'passed over'
    remembered.note(target, {
      operation: 'listTags',
      brand: 'acme',
      tag: 'x',
      readState,
      size: length,
      encoding: null,
      ready: { body: Buffer.alloc(length), length, lines: '' },
    })
    return remembered.find(target) ? 'kept' : 'passed over'
  }
  return { remembered, note }
}

describe('remembered answers', () => {
  it('on SQLite are of one state, the newest, under an importing process', async (t) => {
    const service = await openTestService()
    after(() => service.close())
    const databaseUrl = `sqlite:${join(service.folder, 'selvedge.db')}`
    const seen = await proveFreshness(service, { databaseUrl, ms, boundMs: 100 })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(seen.remembered > 20, `${seen.remembered} of ${seen.answers} were remembered`)
    assert.ok(seen.states > 20)
  })

  it('on PostgreSQL are as fresh as its notifications', async (t) => {
    const postgres = await openPostgres()
    after(() => postgres.close())
    const databaseUrl = await postgres.url('freshness')
    const service = await openTestService({ DATABASE_URL: databaseUrl })
    after(() => service.close())
    const seen = await proveFreshness(service, { databaseUrl, ms, boundMs: 1_000 })
    t.diagnostic(JSON.stringify(seen))
    assert.ok(seen.remembered > 20, `${seen.remembered} of ${seen.answers} were remembered`)
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
        const asked = performance.now()
        const { status } = await service.get('tags?limit=2', { key })
        const revoked = revokedAt.get(key)
        if (status === 200 && revoked !== undefined && asked > revoked + 1_000) late.push(key)
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
    const { remembered, note } = openMemory(bytesMax)
    note('/hot')
    note('/hot')
    for (let page = 0; page < 1_000_000; page += 1) {
      note(`/walk?cursor=${page}`)
      if (page % 100 === 0) assert.ok(remembered.find('/hot'), `pushed out by page ${page}`)
    }
    assert.ok(remembered.bytes < 100_000, `${remembered.bytes} bytes of pages asked for once`)
    for (let page = 0; page < 20_000; page += 1) {
      note(`/again?cursor=${page}`)
      note(`/again?cursor=${page}`)
      if (page % 10 === 0) note('/hot')
      assert.ok(remembered.bytes <= bytesMax)
    }
    assert.ok(remembered.find('/hot'), 'what is asked for again and again was pushed out')
  })

  it('stay when a walk with more pages than there is room for comes again and again', () => {
    let isStale = false
    const { remembered, note } = openMemory(2 * 2 ** 20, () => isStale)
    const pages = Array.from({ length: 500 }, (_, page) => `/walk?cursor=${page}`)
    /** How many of the pages were remembered, and how many were kept anew. */
    const walk = () => {
      const kept = new Set(pages.filter((page) => note(page) === 'kept'))
      return { found: pages.filter((page) => remembered.find(page)).length, kept: kept.size }
    }
    for (let round = 0; round < 3; round += 1) walk()
    const { found, kept } = walk()
    assert.ok(found > 100 && found < 150, `${found} found`)
    assert.equal(kept, 0)
    // What many ask for gets in all the same.
    for (let time = 0; time < 40; time += 1) note('/hot')
    assert.ok(remembered.find('/hot'))
    // What cannot be given any more makes room.
    isStale = true
    note('/new')
    note('/new')
    assert.ok(remembered.find('/new'))
  })

  it('that are asked for often stay when longer ones are asked for now and then', () => {
    const { remembered, note } = openMemory(2 * 2 ** 20)
    const hot = Array.from({ length: 600 }, (_, n) => `/hot/${n}`)
    for (let time = 0; time < 20; time += 1) for (const target of hot) note(target, 500)
    for (let time = 0; time < 2; time += 1) note('/cold', 500)
    const before = hot.filter((target) => remembered.find(target)).length
    for (let round = 0; round < 5; round += 1) {
      for (let page = 0; page < 100; page += 1) note(`/walk?cursor=${page}`, 60_000)
    }
    const after = hot.filter((target) => remembered.find(target)).length
    assert.ok(before > 500, `${before} kept`)
    assert.equal(after, before)
  })

  it('are given from the second time on, and from the newest state after a change', async () => {
    const service = await openTestService()
    after(() => service.close())
    const ask = async () => isRemembered((await service.get('tags?limit=3')).headers)
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
