/** What keys may do: those that read send nothing, those that send read nothing, each within its scope. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  basePath,
  catalog,
  documentOperationsOf,
  feedBasePath,
  feedPath,
  gridOperationsOf,
  ingestBasePath,
  lineageOperationsOf,
  operationsOf,
  queryBasePath,
  queryOperationsOf,
  type Resource,
  resourceAt,
} from '#contract'
import { generateKey } from '#keys'
import { assertAnswer } from '../support/answers.ts'
import { until } from '../support/cluster.ts'
import {
  openTestIngest,
  putItem,
  recordOf,
  story,
  storyBrand,
  type TestIngest,
} from '../support/ingest-service.ts'
import { eachOf } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

const brandResources = catalog.resources.filter(({ scope }) => scope === 'brand')
const removal = ({ path, key }: Resource) => ({
  collection: path,
  id: key.map(() => '5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01').join(','),
  operation: 'remove',
})
const item = putItem('tags', recordOf('tags'))
const waiting = { prefer: 'wait=60' }

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const supplier = (n: number, kind: string) =>
  putItem('suppliers', {
    ...{ ...recordOf('suppliers'), id: uuid(n), code: `S-${n}`, kind },
    ...{ defaultLocationId: null, defaultContactId: null, defaultPaymentTermId: null },
  })
const order = (n: number, orderNumber: string, supplierId: string) =>
  putItem('orders', {
    ...{ ...recordOf('orders'), id: uuid(n), orderNumber, supplierId, quoteRevisionId: null },
    ...{ paymentTermId: null, destinationLocationId: null, buyerUserId: null },
  })

describe('a key that sends records', () => {
  let receiver: TestIngest
  let reader: TestService
  before(async () => {
    receiver = await openTestIngest()
    reader = await openTestService({
      DATABASE_URL: receiver.databaseUrl,
      TRUSTED_PROXIES: '127.0.0.1',
      CHANGE_FEED: 'on',
      INGEST_PORT: '0',
    })
  })
  after(async () => {
    await reader.close()
    await receiver.close()
  })

  let addresses = 0
  /** Each from an address that has not failed before. */
  const read = async (path: string, key: string, method = 'GET') => {
    addresses += 1
    const response = await fetch(reader.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        'x-forwarded-for': `10.1.${addresses >> 8}.${addresses & 255}`,
        ...(method === 'POST' && { 'content-type': 'application/json' }),
      },
      ...(method === 'POST' && { body: '{}' }),
    })
    const text = await response.text()
    const { status, headers } = response
    assertAnswer(method, path, { status, headers, text, body: JSON.parse(text) })
    return { status, body: text }
  }

  it('reads nothing: every path of the public port takes it for an unknown key', async () => {
    const { key } = await receiver.issue()
    const { key: unknown } = generateKey((size) => new Uint8Array(size).fill(7))
    const below = (base: string, path: string) =>
      base +
      path.replace('{brand}', storyBrand).replace('{id}', '5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01')
    const paths = [
      ...operationsOf(catalog).map(({ path }) => below(basePath, path)),
      ...queryOperationsOf(catalog).flatMap(({ path }) => [
        below(queryBasePath, path),
        below(queryBasePath, `${path}/summary`),
        below(queryBasePath, `${path}/download`),
      ]),
      ...documentOperationsOf(catalog).map(({ path }) => below(queryBasePath, path)),
      ...gridOperationsOf(catalog).map(({ path }) => below(queryBasePath, path)),
      ...lineageOperationsOf(catalog).map(({ path }) => below(queryBasePath, path)),
      below(feedBasePath, feedPath),
      '/whoami',
    ]
    const refusal = await read('/whoami', unknown)
    assert.deepEqual([refusal.status, JSON.parse(refusal.body).errorCode], [401, 'invalid_api_key'])
    await eachOf(paths, async (path) => assert.deepEqual(await read(path, key), refusal, path), 8)
    assert.deepEqual(await read('/mcp', key, 'POST'), refusal)
  })

  it('is limited to its collections, in each of the groups', async () => {
    const body = catalog.resources.map(removal)
    await eachOf(
      brandResources,
      async ({ path }) => {
        const { key } = await receiver.issue({ collections: [path] })
        const { status, body: answer } = await receiver.send(body, { key, headers: waiting })
        assert.equal(status, 422, path)
        // The removal of the brand's own record is refused for its own reason, with its identity.
        const refused = answer.details.problems
          .map(({ value }: { value: string }) => value)
          .filter((value: string) => catalog.byPath.has(value))
        const others = catalog.resources.map((each) => each.path).filter((each) => each !== path)
        assert.deepEqual(refused.sort(), [...others].sort(), path)
      },
      4,
    )
  })

  it('and is limited to collections reads no batches of keys for others', async () => {
    const keyFor = async (collections: readonly string[] | null) =>
      (await receiver.issue({ collections })).key
    const [all, tags, both] = [
      await keyFor(null),
      await keyFor(['tags']),
      await keyFor(['tags', 'orders']),
    ]
    const pathOf = async (key: string) => {
      const { status, headers } = await receiver.send([item], { key, headers: waiting })
      assert.equal(status, 200)
      return String(headers.get('location'))
    }
    const [ofAll, ofTags, ofBoth] = [await pathOf(all), await pathOf(tags), await pathOf(both)]
    const refusal = [401, 'out_of_scope']
    for (const [key, path, expected] of [
      [tags, ofTags, [200, undefined]],
      [tags, ofBoth, refusal],
      [tags, ofAll, refusal],
      [both, ofTags, [200, undefined]],
      [both, ofAll, refusal],
      [all, ofTags, [200, undefined]],
    ] as const) {
      const { status, body } = await receiver.get(path, key)
      assert.deepEqual([status, body.errorCode], expected)
      assert.equal('sentWith' in body, false)
    }
  })

  it('and is limited to collections sees nothing of quarantined rows of others', async () => {
    const { key: tags } = await receiver.issue({ collections: ['tags'] })
    const { key: suppliers } = await receiver.issue({ collections: ['suppliers'] })
    const send = async (items: readonly object[], key?: string) => {
      const options = { query: 'park=true', headers: waiting, ...(key && { key }) }
      const { status, body } = await receiver.send(items, options)
      assert.equal(status, 200, JSON.stringify(body))
      const collections = body.collections.map((each: { collection: string }) => each.collection)
      return { collections, problems: body.problems.length }
    }
    const stored = async () =>
      (await receiver.stored('orders'))
        .map((each) => String(each['orderNumber']))
        .filter((each) => each.startsWith('SECRET'))
    await send([order(1, 'SECRET-1', uuid(11)), order(2, 'SECRET-2', uuid(12))])
    await send([supplier(13, 'services'), order(3, 'SECRET-1', uuid(13))])
    const rehearsed = async (key?: string) => {
      const options = { query: 'park=true&dry-run=true', headers: waiting, ...(key && { key }) }
      const { text, body } = await receiver.send([supplier(12, 'trims')], options)
      assert.doesNotMatch(text, /SECRET/)
      return body.changes.map(
        ({ collection, line }: { collection: string; line: number | null }) => [
          ...[collection, line],
        ],
      )
    }
    assert.deepEqual(await rehearsed(suppliers), [['suppliers', 1]])
    assert.deepEqual(await rehearsed(), [
      ['suppliers', 1],
      ['orders', null],
    ])
    const own = { collections: ['suppliers'], problems: 0 }
    assert.deepEqual(await send([supplier(12, 'trims')], suppliers), own)
    assert.deepEqual(await stored(), ['SECRET-2', 'SECRET-1'])
    // The row stays in quarantine, because another order has its number.
    assert.deepEqual(await send([supplier(11, 'packaging')], suppliers), own)
    assert.deepEqual(await send([item], tags), { collections: ['tags'], problems: 0 })
    const said = () => receiver.logged.filter((line) => line.includes('SECRET-1'))
    await until(() => said().length > 0)
    assert.equal(said().length, 1)
    assert.match(String(said()[0]), /stays in quarantine\. See: selvedge intake rows --brand/)
  })

  it('cannot change records that all brands share', async () => {
    const shared = catalog.resources.filter(({ scope }) => scope === 'shared')
    assert.ok(shared.length > 0)
    for (const { path, key, fields } of shared) {
      const [record] = story.shared[path] ?? []
      assert.ok(record, path)
      const id = key.map((name) => String(record[name])).join(',')
      const name = Object.keys(fields).find(
        (each) => fields[each]?.kind === 'text' && !key.includes(each),
      )
      assert.ok(name, path)
      for (const change of [
        { collection: path, id, operation: 'remove' },
        putItem(path, { ...record, [name]: 'Another' }),
      ]) {
        const { status, body } = await receiver.send([change], { headers: waiting })
        assert.equal(status, 422, `${path}: ${JSON.stringify(body)}`)
      }
    }
  })

  it('learns nothing of stored records by removing what they refer to', async () => {
    const remove = async (collection: string, id: unknown, key?: string) => {
      const options = { query: 'dry-run=true', headers: waiting, ...(key && { key }) }
      const sent = await receiver.send([{ collection, id, operation: 'remove' }], options)
      assert.equal(sent.status, 422, sent.text)
      return sent
    }
    const shipment = recordOf('shipments')
    const [courier] = story.shared['couriers'] ?? []
    const shipments = resourceAt(catalog, 'shipments')
    await receiver.records.store.write('elsewhere', async (writer) => {
      const own = { id: uuid(31), shipmentNumber: 'SECRET-9', courierId: courier?.['id'] ?? null }
      await writer.stage(shipments, [{ ...shipment, ...own }])
      await writer.merge(shipments)
    })
    const shared = await remove('couriers', courier?.['id'])
    assert.match(shared.body.error, /is shared by all brands/)
    assert.doesNotMatch(shared.text, /SECRET|shipments|000000000031/)

    const sent = [supplier(21, 'agent'), order(22, 'SECRET-3', uuid(21))]
    const stored = await receiver.send(sent, { headers: waiting })
    assert.equal(stored.status, 200, stored.text)
    const { key } = await receiver.issue({ collections: ['suppliers'] })
    const own = await remove('suppliers', uuid(21), key)
    assert.match(own.text, new RegExp(`the stored record ${uuid(22)} of orders refers to`))
    assert.doesNotMatch(own.text, /SECRET/)
  })

  it('is limited to its brands', async () => {
    const { key } = await receiver.issue({ brands: ['birkholm'] })
    const { status, body } = await receiver.send([item], { key })
    assert.deepEqual([status, body.errorCode], [401, 'out_of_scope'])
    const read = await receiver.get(`${ingestBasePath}/brands/${storyBrand}/batches/x`, key)
    assert.deepEqual([read.status, read.body.errorCode], [401, 'out_of_scope'])
  })

  it('that is revoked is refused within a second', async () => {
    const { key, id } = await receiver.issue()
    assert.equal((await receiver.send([item], { key })).status, 202)
    await receiver.records.keys.revoke(id)
    const end = performance.now() + 10_000
    let status = 202
    while (status !== 401 && performance.now() < end) {
      status = (await receiver.send([item], { key })).status
    }
    assert.equal(status, 401)
  })

  it('is the only kind that sends: a key that reads is unknown to the port that receives', async () => {
    for (const global of [false, true]) {
      const brands = global ? [] : [storyBrand]
      const { key } = await receiver.issue({ kind: 'read', global, brands })
      for (const answer of [
        await receiver.send([item], { key }),
        await receiver.get(`${ingestBasePath}/brands/${storyBrand}/batches/x`, key),
      ]) {
        assert.deepEqual([answer.status, answer.body.errorCode], [401, 'invalid_api_key'])
      }
    }
  })

  it('finds no path on the public port that writes', async () => {
    const { key } = await receiver.issue()
    const path = `${ingestBasePath}/brands/${storyBrand}/batches`
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const target of [path, `${path}/x`]) {
        const { status } = await read(target, key, method)
        assert.equal(status, 404, `${method} ${target}`)
      }
      const document = await read(`${ingestBasePath}/openapi.json`, key, method)
      assert.equal(document.status, 405, method)
    }
    assert.equal((await read(`${ingestBasePath}/openapi.json`, key)).status, 200)
  })
})
