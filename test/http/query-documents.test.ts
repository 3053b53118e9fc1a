/** Documents of the query API over HTTP. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { catalog, documents, queryBasePath, resourceAt } from '#contract'
import { demoImage } from '#demo'
import { assertNothingIn, brands, openBrandsModel, writeBrands } from '../support/brands.ts'
import { recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

const base = `${queryBasePath}/brands/aldermoor`
const groups = [...documents.keys()]
const nowhere = '00000000-0000-4000-8000-000000000999'

describe('a document', () => {
  let service: TestService
  before(async () => {
    service = await openTestService()
    for (const image of recordsAt('images')) {
      const { id, mimeType, fileName, kind } = image as { [name: string]: string }
      const named = { brand: 'aldermoor', id: `${id}`, mimeType: `${mimeType}` }
      const bytes = demoImage({ id: `${id}`, kind: kind as 'product' })
      await service.images.put({ ...named, fileName: `${fileName}` }, Buffer.from(bytes))
    }
  })
  after(() => service.close())

  const get = (path: string, headers = {}) => service.get(`${base}/${path}`, { headers })
  const idOf = (group: string) => String(recordsAt(group)[0]?.['id'])
  const pathOf = (group: string) => `${group}/${idOf(group)}/document`

  it('of each group has the record as its own path returns it, with what it refers to', async () => {
    for (const group of groups) {
      const { status, body, text } = await get(pathOf(group))
      assert.equal(status, 200, text)
      const { body: record } = await service.get(`${group}/${idOf(group)}`)
      for (const [field, value] of Object.entries(record)) {
        assert.deepEqual(body.record[field], value, `${group} ${field}`)
      }
      assert.deepEqual(
        Object.keys(body.sections),
        Object.keys(documents.get(group)?.sections ?? {}),
      )
    }
  })

  it('has the totals of the lists that its sections link to', async () => {
    let linked = 0
    for (const group of groups) {
      const { body } = await get(pathOf(group))
      for (const [name, section] of Object.entries<{ url: string | null; totalItems: number }>(
        body.sections,
      )) {
        if (!section.url) continue
        const list = await service.get(`${section.url}&limit=1`)
        assert.equal(list.status, 200, section.url)
        assert.equal(list.body.totalItems, section.totalItems, `${group} ${name}`)
        linked += 1
      }
    }
    assert.ok(linked > 15)
  })

  it('has addresses of pictures that work without a key', async () => {
    const { body } = await get(pathOf('orders'))
    const items = body.sections.lines.items as readonly { goods: { imageId: string | null } }[]
    const pictured = items.find(({ goods }) => goods.imageId !== null)
    const picture = body.pictures[pictured?.goods.imageId ?? '']
    assert.ok(picture.width > 0)
    const response = await fetch(picture.url)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('content-type'), 'image/png')
  })

  it('of an unknown record is not found, and what it does not accept is refused', async () => {
    for (const group of groups) {
      const { status, body } = await get(`${group}/${nowhere}/document`)
      assert.deepEqual([status, body.errorCode], [404, 'not_found'], group)
    }
    const { status, body } = await get(`orders/PO-5512/document?limit=0&asOf=today&sort=x`)
    assert.equal(status, 400)
    assert.deepEqual(
      body.details.map(({ parameter }: { parameter: string }) => parameter),
      ['id', 'sort', 'asOf', 'limit'],
    )
    assert.match(body.details[0].issue, /orders\?orderNumber=PO-5512/)
    assert.equal((await get(`order-items/${idOf('order-items')}/document`)).status, 404)
  })

  it('needs a key of its brand', async () => {
    const key = await service.key('salt-and-loom')
    const other = await service.get(`${base}/${pathOf('orders')}`, { key })
    assert.deepEqual([other.status, other.body.errorCode], [401, 'out_of_scope'])
    const none = await service.get(`${base}/${pathOf('orders')}`, { key: null })
    assert.equal(none.status, 401)
  })

  it('takes another day for today', async () => {
    const [order] = recordsAt('orders')
    const open = { ...order, status: 'confirmed', confirmedExFactoryDate: '2026-03-01' }
    await service.write('aldermoor', { orders: [open as never] })
    const deadlineOn = async (day: string) =>
      (await get(`${pathOf('orders')}?asOf=${day}`)).body.deadlines[0]
    assert.deepEqual(await deadlineOn('2026-03-09'), {
      name: 'exFactory',
      planned: '2026-03-01',
      actual: null,
      days: 8,
      isOpen: true,
      isLate: true,
      view: 'late',
    })
    const early = await deadlineOn('2026-02-27')
    assert.deepEqual([early.days, early.isLate, early.view], [-2, false, null])
    await service.write('aldermoor', { orders: [order as never] })
  })

  it('is not sent again while nothing that it shows has changed', async () => {
    const path = `${pathOf('orders')}?asOf=2026-06-01`
    // A tag is valid for a minute by the clock, which may end between two requests.
    const twice = async () => {
      const tag = (await get(path)).headers.get('etag') ?? ''
      return { tag, status: (await get(path, { 'if-none-match': tag })).status }
    }
    const statuses = [(await twice()).status, (await twice()).status]
    assert.ok(statuses.includes(304), String(statuses))
    const { tag } = await twice()
    const [line] = recordsAt('goods-receipt-lines')
    const changed = { ...line, receivedQuantity: Number(line?.['receivedQuantity']) + 1 }
    await service.write('aldermoor', { 'goods-receipt-lines': [changed as never] })
    assert.equal((await get(path, { 'if-none-match': tag })).status, 200)
    assert.equal((await get(`orders/${nowhere}/document`, { 'if-none-match': '*' })).status, 404)
  })
})

describe('documents of several brands', () => {
  const model = openBrandsModel()
  let service: TestService
  before(async () => {
    service = await openTestService({}, { story: false })
    await writeBrands(model, { store: service.records.store, images: service.images })
  })
  after(() => service.close())

  it('have nothing of another brand, whatever record they are asked for', async () => {
    let documents = 0
    for (const brand of brands) {
      const key = await service.key(brand)
      const others = brands.filter((other) => other !== brand)
      for (const group of groups) {
        const resource = resourceAt(catalog, group)
        const own = new Set(model.expected(brand, resource).map(({ id }) => String(id)))
        const ids = new Set(
          brands.flatMap((each) => model.expected(each, resource).map(({ id }) => String(id))),
        )
        for (const id of ids) {
          const path = `${queryBasePath}/brands/${brand}/${group}/${id}/document`
          const { status, text, headers } = await service.get(path, { key })
          assert.equal(status, own.has(id) ? 200 : 404, `${brand} ${group} ${id}`)
          assertNothingIn(`${[...headers].join('\n')}\n${text}`, others, path)
          if (status === 200) documents += 1
        }
      }
    }
    assert.ok(documents > 20)
  })
})
