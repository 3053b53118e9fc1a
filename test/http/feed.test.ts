/** The change feed as its clients meet it: what it tells, to whom, and what it refuses. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { basePath, catalog, feedBasePath, resourceAt } from '#contract'
import { sharedOwner } from '#store'
import { until } from '../support/cluster.ts'
import {
  assertSame,
  type FeedItem,
  feedOf,
  follow,
  identityIn,
  readLists,
} from '../support/feed.ts'
import { brandRecord, idOf, queryOf, recordsAt, walk } from '../support/model.ts'
import { openTestService, patient, type TestService } from '../support/service.ts'

const [tag] = recordsAt('tags')
const tagAt = (number: number, name: string) => ({ ...tag, id: idOf(number), name })
const feed = feedOf('aldermoor')
const withoutNumbers = (items: readonly FeedItem[]) => items.map(({ number: _, ...item }) => item)

describe('the change feed', () => {
  let service: TestService
  let key: string
  let foreign: string
  before(async () => {
    service = await openTestService({ CHANGE_FEED: 'on' })
    await service.write('birkholm', {
      brand: [brandRecord('birkholm', 901)],
      tags: [tagAt(902, 'of birkholm')],
    })
    key = await service.key('aldermoor')
    foreign = await service.key('birkholm')
  })
  after(() => service.close())

  const remove = (owner: string, path: string, ...keys: string[][]) =>
    service.records.store.write(owner, async (writer) => {
      await writer.stageRemoval(resourceAt(catalog, path), keys)
      await writer.merge(resourceAt(catalog, path))
    })
  const latest = async () => {
    const follower = follow(service, { brand: 'aldermoor', key })
    await follower.catchUp(1_000)
    return follower
  }
  const ask = (query: object = {}, options: object = {}) =>
    service.get(`${feed}?${queryOf(query as never)}`, options)

  it('replayed from the beginning is everything that the brand can read', async () => {
    const follower = await latest()
    assertSame(follower.copy, await readLists(service, 'aldermoor', key), 'a replay')
    const again = await follower.step()
    assert.deepEqual([again.items, again.hasMore], [[], false])
  })

  it('has every record byte for byte as a get answers it', async () => {
    const { text, body } = await ask({ limit: 1_000 })
    assert.equal(Object.keys(body).join(), 'items,nextCursor,hasMore')
    for (const path of ['orders', 'partners', 'countries', 'order-items']) {
      const [record = {}] = recordsAt(path)
      const id = identityIn(path, record)
      const { text: record_ } = await service.get(`${path}/${id}`)
      const item = `"collection":"${path}","id":"${id}","operation":"put","record":${record_}}`
      assert.ok(text.includes(item), path)
    }
  })

  it('tells new, changed and removed records in the order they were committed', async () => {
    const follower = await latest()
    await service.write('aldermoor', { tags: [tagAt(2, 'second'), tagAt(1, 'first')] })
    await service.write('aldermoor', { tags: [tagAt(3, 'third')] })
    await remove('aldermoor', 'tags', [idOf(1)])
    await service.write('aldermoor', { tags: [tagAt(2, 'again')] })
    const items = await follower.catchUp(2)
    const numbers = items.map(({ number }) => number)
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].toSorted((a, b) => a - b),
    )
    assert.deepEqual(withoutNumbers(items), [
      { collection: 'tags', id: idOf(3), operation: 'put', record: tagAt(3, 'third') },
      { collection: 'tags', id: idOf(1), operation: 'remove' },
      { collection: 'tags', id: idOf(2), operation: 'put', record: tagAt(2, 'again') },
    ])
    assertSame(follower.copy, await readLists(service, 'aldermoor', key), 'a follower')
  })

  it('has no totals and no end: the cursor is there also when nothing is new', async () => {
    const { cursor } = await latest()
    const { status, body } = await ask({ cursor })
    assert.equal(status, 200)
    assert.deepEqual(body, { items: [], nextCursor: cursor, hasMore: false })
    await service.write('birkholm', { tags: [tagAt(903, 'later')] })
    assert.deepEqual((await ask({ cursor })).body, body)
  })

  it('starts after a number, which the cursor of a later page continues', async () => {
    await service.write('aldermoor', { tags: [tagAt(21, 'before')] })
    const follower = follow(service, { brand: 'aldermoor', key })
    const last = (await follower.catchUp(1_000)).at(-1)?.number ?? 0
    assert.deepEqual((await ask({ after: last })).body.items, [])
    await service.write('aldermoor', { tags: [tagAt(22, 'one'), tagAt(23, 'two')] })
    await remove('aldermoor', 'tags', [idOf(21)])
    const first = await ask({ after: last, limit: 1 })
    const second = await ask({ after: last, limit: 1, cursor: first.body.nextCursor })
    const third = await ask({ after: last, limit: 9, cursor: second.body.nextCursor })
    const items = [first, second, third].flatMap(({ body }) => body.items)
    assert.deepEqual(
      items.map(({ id, operation }: { id: string; operation: string }) => [id, operation]),
      [
        [idOf(22), 'put'],
        [idOf(23), 'put'],
        [idOf(21), 'remove'],
      ],
    )
    assert.deepEqual((await ask({ after: last })).body.items, items)
    assert.deepEqual((await ask({ after: items[1].number })).body.items, [items[2]])
    assert.deepEqual((await ask({ after: 0, limit: 5 })).body, (await ask({ limit: 5 })).body)
    for (const number of ['-1', '1.5', '01', 'x', '', '1e3', '9'.repeat(16)]) {
      const { status, body } = await ask({ after: number })
      assert.deepEqual([status, body.errorCode], [400, 'invalid_parameter'], number)
    }
  })

  it('of one collection is those changes among all of them', async () => {
    const all = await follow(service, { brand: 'aldermoor', key }).catchUp(1_000)
    for (const collection of ['tags', 'countries', 'product-relations', 'brand']) {
      const one = await follow(service, { brand: 'aldermoor', key, collection }).catchUp(3)
      assert.deepEqual(
        one,
        all.filter((item) => item.collection === collection),
      )
      assert.ok(one.length > 0)
    }
  })

  it('shows the shared groups to every brand, and a brand only to itself', async () => {
    const follower = await latest()
    const other = follow(service, { brand: 'birkholm', key: foreign })
    await other.catchUp(1_000)
    const [courier] = recordsAt('couriers')
    await service.write(sharedOwner, { couriers: [{ ...courier, id: idOf(5), name: 'new' }] })
    await service.write('birkholm', { tags: [tagAt(904, 'of birkholm')] })
    const shared = { collection: 'couriers', id: idOf(5), operation: 'put' }
    const record = { ...courier, id: idOf(5), name: 'new' }
    assert.deepEqual(withoutNumbers(await follower.catchUp()), [{ ...shared, record }])
    assert.deepEqual(
      (await other.catchUp()).map(({ collection, id }) => [collection, id]),
      [
        ['couriers', idOf(5)],
        ['tags', idOf(904)],
      ],
    )
    assert.ok(![...follower.copy.values()].some((text) => text.includes('birkholm')))
  })

  it('shows a linked record with the own relationship alone, and its loss as a removal', async () => {
    const [partner] = recordsAt('partners')
    const linked = (status: string) => ({
      ...partner,
      id: idOf(6),
      relationship: { ...(partner?.['relationship'] as object), status },
    })
    const mine = await latest()
    const theirs = follow(service, { brand: 'birkholm', key: foreign })
    await theirs.catchUp(1_000)
    await service.write('aldermoor', { partners: [linked('mine')] })
    await service.write('birkholm', { partners: [linked('theirs')] })
    const put = { collection: 'partners', id: idOf(6), operation: 'put' }
    assert.deepEqual(withoutNumbers(await mine.catchUp()), [{ ...put, record: linked('mine') }])
    assert.deepEqual(withoutNumbers(await theirs.catchUp()), [{ ...put, record: linked('theirs') }])
    await remove('aldermoor', 'partners', [idOf(6)])
    assert.deepEqual(withoutNumbers(await mine.catchUp()), [
      { collection: 'partners', id: idOf(6), operation: 'remove' },
    ])
    assert.deepEqual(await theirs.catchUp(), [])
  })

  it('takes limits from 1 to 1000, 100 by default', async () => {
    assert.equal((await ask()).body.items.length, 100)
    assert.equal((await ask({ limit: 1 })).body.items.length, 1)
    assert.ok((await ask({ limit: 1_000 })).body.items.length > 400)
    for (const limit of ['0', '1001', '-1', '01', '1e2', '', 'all']) {
      const { status, body } = await ask({ limit })
      assert.deepEqual([status, body.errorCode], [400, 'invalid_parameter'], limit)
      assert.match(body.error, /limit must be a whole number from 1 to 1000/)
    }
  })

  it('refuses what it does not know, all of it at once', async () => {
    const { status, body } = await service.get(`${feed}?limt=5&collection=order&cursor=&status=x`)
    assert.equal(status, 400)
    assert.deepEqual(body.details, [
      {
        parameter: 'limt',
        issue:
          'is not a parameter here; did you mean limit? This path takes limit, cursor, after, collection',
      },
      {
        parameter: 'collection',
        issue:
          'names "order", which is not a collection; did you mean orders, order-items, order-amendments, order-shipments?',
      },
      { parameter: 'cursor', issue: 'must not be empty' },
      {
        parameter: 'status',
        issue: 'is not a parameter here',
      },
    ])
    assert.equal((await service.get(`${feed}?limit=1&limit=2`)).status, 400)
  })

  it('refuses cursors that are forged, of another brand or another collection', async () => {
    const { cursor } = await latest()
    assert.ok(cursor)
    const codeOf = async (path: string, sent: string, key_ = key) => {
      const { status, body } = await service.get(`${path}cursor=${sent}`, { key: key_ })
      return [status, body.errorCode]
    }
    const turned = cursor.startsWith('B') ? 'A' : 'B'
    for (const forged of ['x', `${cursor}A`, turned + cursor.slice(1), cursor.slice(0, -2)]) {
      assert.deepEqual(await codeOf(`${feed}?`, forged), [400, 'invalid_cursor'], forged)
    }
    assert.deepEqual(await codeOf(`${feedOf('birkholm')}?`, cursor, foreign), [
      400,
      'cursor_mismatch',
    ])
    assert.deepEqual(await codeOf(`${feed}?collection=tags&`, cursor), [400, 'cursor_mismatch'])
    const tags = follow(service, { brand: 'aldermoor', key, collection: 'tags' })
    await tags.step(1)
    assert.deepEqual(await codeOf(`${feed}?`, tags.cursor ?? ''), [400, 'cursor_mismatch'])
    const [page] = (await walk(service, 'countries', { limit: 100 })).pages
    assert.deepEqual(await codeOf(`${feed}?`, page?.body.nextCursor), [400, 'invalid_cursor'])
    const list = `${basePath}/brands/aldermoor/tags?`
    assert.deepEqual(await codeOf(list, cursor), [400, 'invalid_cursor'])
  })

  it('asks who, then how much, then for the brand, then what', async () => {
    const bad = `${feed}?limit=none`
    const codeOf = async (path: string, sent: string | null) =>
      (await service.get(path, { key: sent })).body.errorCode
    assert.equal(await codeOf(bad, null), 'missing_api_key')
    assert.equal(await codeOf(bad, 'slv_nonsense'), 'invalid_api_key')
    assert.equal(await codeOf(bad, foreign), 'out_of_scope')
    const global = await service.key()
    assert.equal(await codeOf(`${feedOf('nobody')}?limit=none`, global), 'not_found')
    assert.equal(await codeOf(`${feedOf('No_Slug')}?limit=none`, global), 'not_found')
    assert.equal(await codeOf(bad, global), 'invalid_parameter')
  })

  it('is closed to a key that was revoked, also where the response was cached', async () => {
    const { keys } = service.records
    const rights = { expiresAt: null, perSecond: null, burst: null }
    const issued = await keys.issue({ name: 'x', brands: ['aldermoor'], global: false, ...rights })
    const { cursor } = await latest()
    const path = `${feed}?cursor=${cursor}`
    const statusOf = async () => (await service.get(path, { key: issued.key })).status
    await until(async () => (await statusOf()) === 200)
    // By now the response is cached: a hit must know of the revocation too.
    assert.equal(await statusOf(), 200)
    await keys.revoke(issued.id)
    await until(async () => (await statusOf()) === 401)
  })

  it('is answered with HEAD, with tags and compressed, like every operation', async () => {
    const { cursor } = await latest()
    const path = `${feed}?cursor=${cursor}`
    const first = await service.get(path)
    const etag = first.headers.get('etag') ?? ''
    assert.equal((await service.get(path, { method: 'HEAD' })).status, 200)
    assert.equal((await service.get(path, { headers: { 'if-none-match': etag } })).status, 304)
    assert.equal((await service.get(path, { headers: { 'if-none-match': '*' } })).status, 304)
    assert.equal((await service.get(path, { method: 'POST' })).status, 405)
    const whole = await service.get(`${feed}?limit=1000`, {
      headers: { 'accept-encoding': 'gzip' },
    })
    assert.equal(whole.headers.get('content-encoding'), 'gzip')
    await service.write('aldermoor', { tags: [tagAt(7, 'changed')] })
    const after = await service.get(path, { headers: { 'if-none-match': etag } })
    assert.deepEqual([after.status, after.body.items.length], [200, 1])
  })

  it('has new changes at once, however often it was requested before', async () => {
    const { cursor } = await latest()
    for (let round = 0; round < 5; round += 1) {
      assert.equal((await ask({ cursor })).body.items.length, Math.min(round, 1))
      assert.equal((await ask({ cursor })).body.items.length, Math.min(round, 1))
      await service.write('aldermoor', { tags: [tagAt(8, `round ${round}`)] })
      assert.equal((await ask({ cursor })).body.items[0].record.name, `round ${round}`)
    }
  })

  it('is logged and counted under its name', async () => {
    await ask({ limit: 1 })
    const findLine = () =>
      service.logged
        .map((each) => JSON.parse(each))
        .findLast(({ route, status }) => route === 'listChanges' && status === 200)
    await until(() => findLine() !== undefined)
    const line = findLine()
    assert.deepEqual([line.route, line.brand, line.status], ['listChanges', 'aldermoor', 200])
    assert.ok(line.keyId)
    assert.match((await service.metrics.text()).body, /listChanges/)
  })

  it('has a document of its own', async () => {
    const { status, text } = await service.get(`${feedBasePath}/openapi.json`, { key: null })
    assert.equal(status, 200)
    assert.equal(
      text,
      readFileSync(new URL('../../connectors/openapi.feed.json', import.meta.url), 'utf8'),
    )
  })
})

describe('the limits of a key', () => {
  it('count for the feed as for everything else', async () => {
    const service = await openTestService({
      CHANGE_FEED: 'on',
      RATE_PER_SECOND: '0.01',
      RATE_BURST: '12',
    })
    const statuses: number[] = []
    for (let count = 0; count < 8; count += 1) {
      statuses.push((await service.get(`${feed}?limit=1`)).status)
      statuses.push((await service.get('tags')).status)
    }
    assert.ok(statuses.includes(200))
    assert.deepEqual(statuses.slice(-2), [429, 429])
    await service.close()
  })
})

describe('without the change feed', () => {
  it('its paths are like any other that is not there, and nothing is recorded', async () => {
    const service = await openTestService()
    for (const path of [feed, `${feed}?limit=1`, `${feedBasePath}/openapi.json`]) {
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
        assert.equal((await service.get(path, { method })).status, 404, `${method} ${path}`)
      }
    }
    const text =
      'select (select count(*) from "selvedge_changes"), (select count(*) from "selvedge_change_numbers")'
    const [rows] = await service.records.database.read([{ text, values: [] }])
    assert.deepEqual([...(rows?.[0] ?? [])], [0, 0])
    await service.close()
  })

  it('switched on later, it begins with all that is there; switched off, it continues', async () => {
    const first = await openTestService()
    const { folder } = first
    const DATABASE_URL = patient(`sqlite:${join(folder, 'selvedge.db')}`)
    const reopen = (environment: { readonly [name: string]: string }) =>
      openTestService({ DATABASE_URL, ...environment }, { story: false, folder })
    const on = await reopen({ CHANGE_FEED: 'on' })
    assert.ok(on.logged.some((line) => /change feed has begun with \d/.test(line)))
    const key = await on.key('aldermoor')
    const follower = follow(on, { brand: 'aldermoor', key })
    await follower.catchUp(70)
    assertSame(follower.copy, await readLists(on, 'aldermoor', key), 'after it began')
    await on.close()

    const off = await reopen({})
    assert.equal((await off.get(feed, { key })).status, 404)
    await off.write('aldermoor', { tags: [tagAt(1, 'meanwhile')] })
    await off.close()

    const again = await reopen({ CHANGE_FEED: 'on' })
    const { cursor } = follower
    const later = follow(again, { brand: 'aldermoor', key, copy: follower.copy, cursor })
    assert.deepEqual(
      (await later.catchUp()).map(({ id }) => id),
      [idOf(1)],
    )
    assertSame(later.copy, await readLists(again, 'aldermoor', key), 'after a pause')
    await again.close()
    await first.close()
  })
})

describe('a database that was set back', () => {
  it('refuses cursors of what was lost, rather than leaving something out', async () => {
    const service = await openTestService({ CHANGE_FEED: 'on' })
    const key = await service.key('aldermoor')
    const { database } = service.records
    const follower = follow(service, { brand: 'aldermoor', key })
    await follower.catchUp(1_000)
    await service.write('aldermoor', { tags: [tagAt(1, 'lost')] })
    const earlier = follower.cursor
    const [lost] = await follower.catchUp()
    // As a restored backup has it: neither the change nor its number ever was.
    await database.write(async (session) => {
      const text = 'select max("change") from "selvedge_change_numbers"'
      const [row] = await session.all({ text, values: [] })
      const run = (statement: string) => session.run({ text: statement, values: [row?.[0] ?? 0] })
      await run('delete from "selvedge_change_numbers" where "change" = ?1')
      await run('delete from "selvedge_changes" where "change" = ?1')
      await run(
        `delete from "tags" where "id" = ${database.dialect.uuid(`'${idOf(1)}'`)} and ?1 > 0`,
      )
    })
    await service.write('aldermoor', { tags: [tagAt(2, 'instead')] })
    const refused = await service.get(`${feed}?cursor=${follower.cursor}`, { key })
    assert.deepEqual([refused.status, refused.body.errorCode], [400, 'invalid_cursor'])
    assert.match(refused.body.error, /This cursor .* restored from a backup/)
    const byNumber = await service.get(`${feed}?after=${lost?.number}`, { key })
    assert.deepEqual([byNumber.status, byNumber.body.errorCode], [400, 'invalid_cursor'])
    assert.match(byNumber.body.error, /This number .* restored from a backup/)
    assert.equal((await service.get(`${feed}?cursor=${earlier}`, { key })).body.items.length, 1)
    await service.close()
  })
})
