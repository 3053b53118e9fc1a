/** The lineage of a record: what a walk over the API finds, in one request. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  catalog,
  collectLineage,
  type JsonValue,
  type LineageReader,
  lineageIncludes,
  lineageOperationsOf,
  queryBasePath,
  type Resource,
  relationName,
  resourceAt,
  walkLineage,
} from '#contract'
import type { Lineage } from '../../client/src/index.ts'
import { idOf, recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

type Row = { readonly [field: string]: JsonValue }

const groups = lineageOperationsOf(catalog).filter(
  ({ resource }) => recordsAt(resource.path).length > 0,
)
const order = recordsAt('orders')[0]?.['id'] as string

describe('a lineage', () => {
  let service: TestService
  before(async () => {
    service = await openTestService()
  })
  after(() => service.close())

  const get = (path: string, headers: { [name: string]: string } = {}) =>
    service.get(`${queryBasePath}/brands/aldermoor/${path}`, { headers })
  const lineageOf = async (path: string, query = ''): Promise<Lineage> => {
    const { status, body, text } = await get(`${path}/lineage${query}`)
    assert.equal(status, 200, text)
    return body
  }
  const groupsIn = ({ records }: Lineage) => new Set(records.map(({ group }) => group))

  /** Reads with one request for each list and record. */
  const reader: LineageReader<Row> = {
    get: async ({ path }, id, { include }) => {
      const query = include.length > 0 ? `?include=${include}` : ''
      const { status, body } = await service.get(`${path}/${id}${query}`)
      return status === 404 ? null : body
    },
    list: async ({ path }, { filters, include, limit }) => {
      const query = new URLSearchParams({
        ...filters,
        limit: String(limit),
        ...(include.length > 0 && { include: include.join() }),
      })
      return (await service.get(`${path}?${query}`)).body
    },
  }

  const walked = async (resource: Resource, id: string): Promise<Omit<Lineage, 'truncated'>> => {
    const record = await reader.get(resource, id, { include: lineageIncludes(resource) })
    assert.ok(record)
    const walk = await collectLineage(walkLineage(reader, { resource, record }))
    const places = new Map([...walk.nodes.keys()].map((key, place) => [key, place]))
    const at = (key: string) => places.get(key) ?? -1
    return {
      group: resource.path,
      id,
      ended: walk.reason === 'records' ? 'limit' : (walk.reason as 'complete'),
      reads: walk.reads,
      records: [...walk.nodes.values()].map((node) => ({
        group: node.resource.path,
        id: node.key.slice(node.resource.path.length + 1),
        depth: node.depth,
        isMissing: node.isMissing,
        reachedBy: node.arrival && {
          record: at(node.arrival.from.key),
          relation: relationName(node.arrival.relation),
        },
        record: node.record,
      })),
      references: walk.edges.map(({ from, to, via }) => ({ from: at(from), to: at(to), via })),
      followed: walk.followed.map(({ from, relation }) => ({
        record: at(from),
        relation: relationName(relation),
      })),
      left: walk.left.map(({ from, relation, directions }) => ({
        record: at(from),
        relation: relationName(relation),
        ...directions,
      })),
    }
  }

  it('of each group is what a walk with a request for each list and record finds', async () => {
    assert.ok(groups.length > 40)
    for (const { resource } of groups) {
      const id = String(recordsAt(resource.path)[0]?.[resource.key[0] ?? 'id'])
      const { truncated, ...lineage } = await lineageOf(`${resource.path}/${id}`)
      assert.deepEqual(lineage, await walked(resource, id), resource.path)
      for (const { url, totalItems, shown } of truncated) {
        assert.equal((await service.get(`${url}&limit=1`)).body.totalItems, totalItems, url)
        assert.ok(shown < totalItems, url)
      }
    }
  })

  it('has each record as its own path returns it', async () => {
    const { records } = await lineageOf(`orders/${order}`)
    assert.ok(records.length > 50)
    for (const { group, id, record } of records.slice(0, 20)) {
      const { path, endpoints } = resourceAt(catalog, group)
      if (!endpoints.includes('get')) continue
      assert.deepEqual((await service.get(`${path}/${id}`)).body, record, `${group} ${id}`)
    }
  })

  it('goes up, down and as far as asked for', async () => {
    const above = groupsIn(await lineageOf(`orders/${order}`, '?direction=up'))
    const below = groupsIn(await lineageOf(`orders/${order}`, '?direction=down'))
    assert.ok(above.has('parent-products') && !above.has('payments'))
    assert.ok(below.has('payments') && !below.has('quotes'))
    const near = await lineageOf(`orders/${order}`, '?depth=1')
    assert.equal(near.ended, 'depth')
    assert.ok(near.records.every(({ depth }) => depth <= 1) && near.left.length > 0)
    const few = await lineageOf(`orders/${order}`, '?limit=7')
    assert.deepEqual([few.ended, few.records.length], ['limit', 7])
    assert.ok(few.left.length > 0)
  })

  it('takes the records first that are asked for', async () => {
    const idsOf = ({ records }: Lineage) => records.map(({ id }) => id)
    const all = (await service.get(`order-items?orderId=${order}&limit=100`)).body.items
    const without = idsOf(await lineageOf(`orders/${order}`))
    const last = all.findLast(({ id }: { id: string }) => !without.includes(id)).id
    assert.ok(idsOf(await lineageOf(`orders/${order}`, `?first=${last}`)).includes(last))
  })

  it('says which records are referred to and do not exist', async () => {
    const [run = {}] = recordsAt('production-runs')
    const orphan = { ...run, id: idOf(8), orderId: idOf(9) }
    await service.write('aldermoor', { 'production-runs': [orphan] } as never)
    const { records, references } = await lineageOf(`production-runs/${idOf(8)}`)
    const place = records.findIndex(({ isMissing }) => isMissing)
    assert.deepEqual(records[place], {
      ...{ group: 'orders', id: idOf(9), depth: 1, isMissing: true },
      reachedBy: { record: 0, relation: 'orderId' },
      record: { id: idOf(9) },
    })
    assert.ok(
      references.some(({ from, to, via }) => from === 0 && to === place && via === 'orderId'),
    )
  })

  it('of an unknown record is not found, and what it does not accept is refused', async () => {
    const { status, body } = await get(`orders/${idOf(7)}/lineage`)
    assert.deepEqual([status, body.errorCode], [404, 'not_found'])
    const many = Array.from({ length: 101 }, (_, place) => place).join()
    const wrong = await get(
      `orders/PO-5512/lineage?direction=left&depth=0&limit=101&first=${many}&sort=x`,
    )
    assert.equal(wrong.status, 400)
    assert.deepEqual(
      wrong.body.details.map(({ parameter }: { parameter: string }) => parameter).sort(),
      ['depth', 'direction', 'first', 'id', 'limit', 'sort'],
    )
  })

  it('has a tag that changes with its records', async () => {
    const path = `orders/${order}/lineage?depth=1`
    const tag = (await get(path)).headers.get('etag') ?? ''
    assert.equal((await get(path, { 'if-none-match': tag })).status, 304)
    assert.equal((await get(path, { 'if-none-match': '*' })).status, 304)
    const [record] = recordsAt('orders')
    await service.write('aldermoor', { orders: [{ ...record, totalQuantity: 641 }] } as never)
    assert.equal((await get(path, { 'if-none-match': tag })).status, 200)
  })

  it('with more bytes than it may have is refused', async () => {
    const [like] = recordsAt('order-items')
    const brandNotes = 'x'.repeat(200_000)
    const items = Array.from({ length: 25 }, (_, place) => ({
      ...like,
      ...{ id: idOf(1_000 + place), orderId: idOf(999), itemDescription: brandNotes },
    }))
    const [record] = recordsAt('orders')
    await service.write('aldermoor', {
      orders: [{ ...record, id: idOf(999), orderNumber: 'PO-999' }],
      'order-items': items,
    } as never)
    const { status, body } = await get(`orders/${idOf(999)}/lineage`)
    assert.deepEqual([status, body.errorCode], [400, 'page_too_large'])
  })
})
