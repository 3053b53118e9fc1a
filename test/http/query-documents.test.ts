/** Documents of the query API over HTTP. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { catalog, documents, gridLimits, grids, queryBasePath, resourceAt } from '#contract'
import { demoImage } from '#demo'
import { rights } from '../support/auth.ts'
import { assertNothingIn, brands, openBrandsModel, writeBrands } from '../support/brands.ts'
import { recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { readSheetCells } from '../support/sheet-cells.ts'

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

  describe('of colours and sizes', () => {
    const id = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
    const [order] = recordsAt('orders')
    const [line] = recordsAt('order-items')
    const [style] = recordsAt('parent-products')
    const [option] = recordsAt('product-options')
    const [sku] = recordsAt('skus')
    const copy = (record: unknown, changes: object) =>
      ({ ...(record as object), ...changes }) as never
    const grid = `orders/${id(1)}/grid`
    const item = (number: number, skuId: string | null, qty: number) =>
      copy(line, { id: id(number), orderId: id(1), skuId, qty })
    const sizes = recordsAt('dimension-values')
      .filter(({ dimensionId }) => dimensionId === recordsAt('dimensions')[0]?.['id'])
      .toSorted((one, other) => Number(one['sequence']) - Number(other['sequence']))
    const [small, large] = sizes as [{ id: string; name: string }, { id: string; name: string }]

    before(async () => {
      const own = { productId: id(2), productOptionId: id(3), gtin: null, deletedAt: null }
      const createdAt = '2026-01-01T00:00:00.000Z'
      const sized = (skuId: string, { id: dimensionValueId }: { id: string }) =>
        ({ skuId, dimensionValueId, createdAt }) as never
      await service.write('aldermoor', {
        'parent-products': [
          copy(style, { id: id(2), code: 'GRID', name: '=HYPERLINK("http://x")' }),
        ],
        'product-options': [
          copy(option, {
            id: id(3),
            productId: id(2),
            code: 'GRID-赤',
            name: '@赤',
            colorId: null,
          }),
        ],
        skus: [
          copy(sku, { ...own, id: id(4), code: 'GRID-L' }),
          copy(sku, { ...own, id: id(5), code: 'GRID-S' }),
          copy(sku, { ...own, id: id(6), code: '+SIZELESS' }),
          copy(sku, { ...own, id: id(7), code: 'GRID-OLD', deletedAt: createdAt }),
        ],
        'sku-dimension-values': [sized(id(4), large), sized(id(5), small), sized(id(7), small)],
        orders: [copy(order, { id: id(1), orderNumber: 'PO-GRID', status: 'confirmed' })],
        'order-items': [
          // Two lines of one SKU, one of no SKU, one of none that exists, and one without pieces.
          ...[item(11, id(4), 30), item(12, id(4), 12), item(13, id(5), 0), item(14, id(6), 7)],
          ...[item(15, null, 1), item(16, nowhere, 5)],
        ],
      })
    })

    it('has each piece once, in its cell or among the lines', async () => {
      const { status, body, text } = await get(grid)
      assert.equal(status, 200, text)
      assert.deepEqual(
        body.figures.map(({ name, against }: { name: string; against: string }) => [name, against]),
        [
          ['ordered', null],
          ['made', 'ordered'],
          ['shipped', 'ordered'],
          ['received', 'ordered'],
        ],
      )
      const [only, ...others] = body.grids
      assert.deepEqual(others, [])
      assert.deepEqual(
        only.columns.map(({ name }: { name: string }) => name),
        [small.name, large.name],
      )
      const ordered = (part: { figures: { ordered: number } }) => part.figures.ordered
      assert.deepEqual(only.rows[0].cells.map(ordered), [0, 42])
      assert.deepEqual(
        only.rows[0].cells.map(({ skuIds }: { skuIds: string[] }) => skuIds),
        [[id(5)], [id(4)]],
      )
      assert.deepEqual(
        body.lines.map((each: { sku: { id: string } | null; figures: { ordered: number } }) => [
          each.sku?.id ?? null,
          ordered(each),
        ]),
        [
          [nowhere, 5],
          [id(6), 7],
          [null, 1],
        ],
      )
      assert.equal(body.total.ordered, 55)
      // A deleted SKU is shown only while it has pieces.
      const { body: all } = await get(`parent-products/${id(2)}/grid`)
      assert.deepEqual(all.grids[0].rows[0].cells[0].skuIds, [id(5)])
      assert.equal(all.total.ordered, 49)
    })

    it('is a workbook of the same numbers, in which no text is a formula', async () => {
      const response = await fetch(`${service.url}${base}/${grid}?format=xlsx&labels=de`, {
        headers: { authorization: `Bearer ${await service.key('aldermoor')}` },
      })
      assert.equal(response.status, 200)
      assert.match(response.headers.get('content-disposition') ?? '', /-grid\.xlsx"$/)
      const sheets = await readSheetCells(new Uint8Array(await response.arrayBuffer()))
      assert.deepEqual(
        [...sheets.keys()],
        [
          ...['Bestellt', 'Gefertigt', 'Gefertigt - Bestellt', 'Versandt', 'Versandt - Bestellt'],
          ...['Eingegangen', 'Eingegangen - Bestellt'],
        ],
      )
      const rows = (factor: number, name: string) => [
        ['PO-GRID', name],
        [],
        ['GRID', '=HYPERLINK("http://x")'],
        ['Code', 'Farbe', small.name, large.name, 'Summe'],
        ['GRID-赤', '@赤', 0, 42 * factor, 42 * factor],
        ['Summe', null, 0, 42 * factor, 42 * factor],
        [],
        ['SKU', 'Modell', 'Stück'],
        [nowhere, null, 5 * factor],
        ['+SIZELESS', '=HYPERLINK("http://x")', 7 * factor],
        ['Ohne SKU', null, factor],
        [],
        ['Summe', null, 55 * factor],
      ]
      assert.deepEqual(sheets.get('Bestellt'), rows(1, 'Bestellt'))
      assert.deepEqual(sheets.get('Eingegangen - Bestellt'), rows(-1, 'Eingegangen - Bestellt'))
    })

    it('is refused with parameters that it does not have, and not found without its record', async () => {
      const { status, body } = await get('orders/PO-5512/grid?format=csv&labels=fr&limit=1')
      assert.equal(status, 400)
      assert.deepEqual(
        body.details.map(({ parameter }: { parameter: string }) => parameter),
        ['id', 'limit', 'format', 'labels'],
      )
      for (const group of grids.keys()) {
        assert.equal((await get(`${group}/${nowhere}/grid`)).status, 404, group)
        assert.equal((await get(`${group}/${nowhere}/grid?format=xlsx`)).status, 404, group)
      }
    })

    it('is not sent again until one of its records changes', async () => {
      const { headers } = await get(grid)
      const tag = { 'if-none-match': headers.get('etag') ?? '' }
      assert.equal((await get(grid, tag)).status, 304)
      await service.write('aldermoor', { 'order-items': [item(13, id(5), 2)] })
      const { status, body } = await get(grid, tag)
      assert.deepEqual([status, body.grids[0].totals[0].ordered], [200, 2])
      await service.write('aldermoor', { 'order-items': [item(13, id(5), 0)] })
    })

    it('of too many SKUs is only their total', async () => {
      const lines = Array.from({ length: gridLimits.skus + 1 }, (_, at) =>
        copy(line, { id: id(10_000 + at), orderId: id(8), skuId: id(20_000 + at), qty: 3 }),
      )
      await service.write('aldermoor', {
        orders: [copy(order, { id: id(8), orderNumber: 'PO-WIDE' })],
        'order-items': lines,
      })
      const { body } = await get(`orders/${id(8)}/grid`)
      assert.deepEqual(
        [body.isTooLarge, body.total.ordered, body.grids, body.lines],
        [true, lines.length * 3, [], []],
      )
      const file = await get(`orders/${id(8)}/grid?format=xlsx`)
      assert.deepEqual([file.status, file.body.errorCode], [400, 'page_too_large'])
    })
  })
})

describe('a list of scorecards', () => {
  let service: TestService
  before(async () => {
    service = await openTestService()
  })
  after(() => service.close())

  const get = (query: string, headers = {}) =>
    service.get(`${base}/suppliers/scorecards?asOf=2026-06-01&${query}`, { headers })
  const suppliers = recordsAt('suppliers')

  it('has the scorecards of the documents, page by page', async () => {
    const ids: string[] = []
    for (let cursor = ''; ; ) {
      const { status, body, text } = await get(`limit=1&sort=-onTime${cursor}`)
      assert.equal(status, 200, text)
      assert.equal(body.totalItems, suppliers.length)
      for (const { id, title, scorecard } of body.items) {
        const path = `${base}/suppliers/${id}/document?asOf=2026-06-01`
        const { body: document } = await service.get(path)
        assert.deepEqual(scorecard, document.scorecard)
        assert.equal(title, document.title)
        ids.push(id)
      }
      if (body.nextCursor === null) break
      cursor = `&cursor=${body.nextCursor}`
    }
    assert.equal(new Set(ids).size, suppliers.length)
    assert.ok(suppliers.length > 1)
  })

  it('takes the conditions of the list, and a cursor of its own only', async () => {
    const [{ id, name } = {}] = suppliers
    const named = await get(`name=${encodeURIComponent(String(name))}`)
    assert.deepEqual(
      named.body.items.map((each: { id: string }) => each.id),
      [id],
    )
    assert.equal((await get(`ids=${id},${nowhere}`)).body.totalItems, 1)
    const { body } = await get('limit=1&sort=short')
    const other = await get(`limit=1&sort=-short&cursor=${body.nextCursor}`)
    assert.deepEqual([other.status, other.body.errorCode], [400, 'cursor_mismatch'])
    const refused = await get('sort=name&fields=id')
    assert.deepEqual(
      refused.body.details.map(({ parameter }: { parameter: string }) => parameter),
      ['sort', 'fields'],
    )
  })

  it('is not sent again while no record that it counts has changed', async () => {
    const tag = (await get('sort=openOrders')).headers.get('etag') ?? ''
    assert.equal((await get('sort=openOrders', { 'if-none-match': tag })).status, 304)
    const [order] = recordsAt('orders')
    await service.write('aldermoor', { orders: [{ ...order, totalQuantity: 7 } as never] })
    assert.equal((await get('sort=openOrders', { 'if-none-match': tag })).status, 200)
    await service.write('aldermoor', { orders: [order as never] })
  })

  it('counts nothing of groups that a key may not read', async () => {
    const onlyGroups = ['suppliers', 'invoices']
    const { key } = await service.records.keys.issue(rights({ onlyGroups }))
    const whole = (await get('limit=100')).body.items
    const { body } = await service.get(`${base}/suppliers/scorecards?asOf=2026-06-01`, {
      key,
    })
    assert.ok(whole.some(({ scorecard }: { scorecard: { orders: number } }) => scorecard.orders))
    for (const [at, { scorecard }] of body.items.entries()) {
      assert.deepEqual([scorecard.orders, scorecard.openOrders.items], [0, 0])
      assert.deepEqual(scorecard.openBalance, whole[at].scorecard.openBalance)
    }
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
