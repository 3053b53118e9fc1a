/** The query API through the client. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type BrandReader, createClient, type Order } from '#client'
import { catalog, queryBasePath, queryOperationsOf } from '#contract'
import { failure } from '../support/client-failure.ts'
import { recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let brand: BrandReader
before(async () => {
  service = await openTestService()
  const key = await service.key('aldermoor')
  brand = createClient({ url: service.url, key }).brand('aldermoor')
})
after(() => service.close())

const orders = () => recordsAt('orders') as unknown as readonly Order[]

describe('queries of the client', () => {
  it('every list of the query API has a method that returns what plain HTTP returns', async () => {
    const groups = brand as unknown as {
      readonly [name: string]: { query(query: object): Promise<object> }
    }
    for (const { resource } of queryOperationsOf(catalog)) {
      const name = resource.path.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
      const [first = 'updatedAt'] = resource.sortable
      const page = await groups[name]?.query({ sort: `-${first}`, limit: 3 })
      const path = `${queryBasePath}/brands/aldermoor/${resource.path}?sort=-${first}&limit=3`
      assert.deepEqual({ ...page }, (await service.get(path)).body, resource.path)
    }
  })

  it('a range, several values and an order select and sort as their names say', async () => {
    const page = await brand.orders.query({
      'orderDate.gte': '2020-01-01',
      'status.in': [...new Set(orders().map(({ status }) => status))],
      sort: '-orderDate',
    })
    const dates = page.items.map(({ orderDate }) => orderDate)
    assert.deepEqual(dates, [...dates].sort().reverse())
    assert.equal(page.totalItems, orders().filter((each) => each.orderDate >= '2020-01-01').length)
  })

  it('fields narrows records and their type, and ids names those that are missing', async () => {
    const [order] = orders()
    assert.ok(order)
    const missing = '00000000-0000-4000-8000-000000000000'
    const page = await brand.orders.query({ ids: [order.id, missing], fields: ['orderNumber'] })
    assert.deepEqual(page.items, [{ id: order.id, orderNumber: order.orderNumber }])
    assert.deepEqual(page.missingIds, [missing])
    const numbers: readonly string[] = page.items.map(({ orderNumber }) => orderNumber)
    assert.equal(numbers.length, 1)
  })

  it('queryAll reads every record once, in order, and a view keeps the day of its first page', async () => {
    const items = []
    for await (const item of brand.orderItems.queryAll({ sort: 'updatedAt', limit: 3 })) {
      items.push(item.id)
    }
    assert.equal(new Set(items).size, items.length)
    assert.equal(items.length, recordsAt('order-items').length)
    const late = await brand.orders.query({ view: 'open', asOf: '2026-01-15', limit: 1 })
    assert.equal(late.asOf, '2026-01-15')
  })

  it('summary, search and today return what plain HTTP returns', async () => {
    const at = async (path: string) =>
      (await service.get(`${queryBasePath}/brands/aldermoor/${path}`)).body
    assert.deepEqual(
      await brand.invoices.summary({ sum: ['totalAmount'], by: ['status'] }),
      await at('invoices/summary?sum=totalAmount&by=status'),
    )
    const results = await brand.search('po-5512', { groups: ['orders'], limit: 3 })
    assert.deepEqual(results, await at('search?q=po-5512&groups=orders&limit=3'))
    assert.equal(results.items[0]?.title, 'PO-5512')
    assert.deepEqual(await brand.today({ asOf: '2026-02-01' }), await at('today?asOf=2026-02-01'))
  })

  it('a document is what plain HTTP returns, with the types of its records', async () => {
    const [order] = orders()
    const id = order?.id ?? ''
    const document = await brand.orders.document(id, { limit: 2, asOf: '2026-06-01' })
    const path = `${queryBasePath}/brands/aldermoor/orders/${id}/document`
    assert.deepEqual(document, (await service.get(`${path}?limit=2&asOf=2026-06-01`)).body)
    const supplier: string | undefined = document.record.supplier?.name
    assert.ok(supplier)
    const [line] = document.sections.lines.items
    assert.equal(line?.record.sku?.code, line?.goods?.sku?.code)
    const number: string | undefined =
      document.sections.payments.items[0]?.record.payment?.paymentNumber
    assert.ok(number)
  })

  it('a lineage is what plain HTTP returns', async () => {
    const id = orders()[0]?.id ?? ''
    const lineage = await brand.orders.lineage(id, { direction: 'down', limit: 9, first: [id] })
    const path = `${queryBasePath}/brands/aldermoor/orders/${id}/lineage`
    assert.deepEqual(
      lineage,
      (await service.get(`${path}?direction=down&limit=9&first=${id}`)).body,
    )
    assert.equal(lineage.records[0]?.record['orderNumber'], 'PO-5512')
  })

  it('a parameter that the list does not have is refused with those that it has', async () => {
    const wrong = { 'memo.gte': 'a' } as object
    const { code, message } = await failure(brand.orders.query(wrong))
    assert.equal(code, 'invalid_parameter')
    assert.match(message, /orderDate/)
  })
})
