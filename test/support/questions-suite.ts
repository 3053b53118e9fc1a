/** Tools that answer a question in one call, against figures that are worked out of the records. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { queryBasePath } from '#contract'
import { type DemoItem, type DemoRecord, season } from '#demo'
import { sharedOwner } from '#store'
import { type Agent, type Free, httpAgent } from './agent.ts'
import { piecesOf } from './document-model.ts'
import { count, exact, SeasonRecords, story, total } from './season-records.ts'
import { openTestService, type TestService } from './service.ts'

const brand = 'aldermoor'
/** A day on which orders of the season are late and invoices overdue. */
const asOf = '2026-08-01'

/** How many cartons are added to the first container. */
const further = 130

/** A container number as one of several people writes it. */
const respelled = (number: string, id: unknown): string => {
  const [owner, serial, digit] = [number.slice(0, 4), number.slice(4, 10), number.slice(10)]
  const spellings = [
    number,
    number.toLowerCase(),
    `${owner} ${serial}-${digit}`,
    `${owner}-${serial} ${digit}`,
  ]
  return spellings[String(id).charCodeAt(0) % spellings.length] ?? number
}
const plain = (number: unknown) => String(number).toUpperCase().replaceAll(/[ -]/g, '')

/**
 * A season in which some shipments have no cartons in their container, and some no items on legs,
 * and in which container numbers are written in several ways.
 */
const items = (() => {
  const drawn = [...season({ brand, orders: 45, seed: 11 })]
  const kinds = new Map(
    drawn
      .filter(({ path }) => path === 'shipments')
      .map(({ record }, index) => [record['id'], index % 3]),
  )
  const kindOfLeg = new Map(
    drawn
      .filter(({ path }) => path === 'legs')
      .map(({ record }) => [record['id'], kinds.get(record['shipmentId'])]),
  )
  const changed = drawn
    .filter(({ path, record }) => path !== 'leg-items' || kindOfLeg.get(record['legId']) !== 2)
    .map((item): DemoItem => {
      const { path, record } = item
      if (path === 'shipment-cartons' && kinds.get(record['shipmentId']) !== 0) {
        return { ...item, record: { ...record, containerNumber: null } }
      }
      if (record['containerNumber']) {
        const containerNumber = respelled(String(record['containerNumber']), record['id'])
        return { ...item, record: { ...record, containerNumber } }
      }
      const isCredit = path === 'invoices' && record['kind'] === 'credit_note'
      return isCredit ? { ...item, record: { ...record, balanceAmount: '-120.50' } } : item
    })
  return [...changed, ...furtherCartons(changed)]
})()

/** More cartons in the first container than one page and one filter have, with a piece each. */
function* furtherCartons(drawn: readonly DemoItem[]): Generator<DemoItem> {
  const carton = drawn.find(
    ({ path, record }) => path === 'shipment-cartons' && record['containerNumber'] !== null,
  )
  const packed = drawn.find(
    ({ path, record }) =>
      path === 'shipment-carton-items' && record['shipmentCartonId'] === carton?.record['id'],
  )
  assert.ok(carton && packed)
  for (let number = 0; number < further; number += 1) {
    const end = String(number).padStart(12, '0')
    const [id, itemId] = [`11111111-0000-4000-8000-${end}`, `22222222-0000-4000-8000-${end}`]
    const names = { cartonNumber: `further ${number}`, sscc: null }
    const isLast = number === further - 1
    const written = { containerNumber: plain(carton.record['containerNumber']) }
    // The last of all cartons, in a spelling that no other one has.
    const lastOne = {
      id: `ffffffff-0000-4000-8000-${end}`,
      containerNumber: written.containerNumber.replace(/^..../, '$&--'),
    }
    yield {
      ...carton,
      record: { ...carton.record, ...names, id, ...written, ...(isLast && lastOne) },
    }
    const one = { id: itemId, shipmentCartonId: isLast ? lastOne.id : id, quantity: 1 }
    yield { ...packed, record: { ...packed.record, ...one } }
  }
}
const records = new SeasonRecords(items)

const atSupplier = ['sent', 'confirmed', 'in_production', 'partially_shipped']
const dueOf = (order: DemoRecord) =>
  String(order['confirmedExFactoryDate'] ?? order['requestedExFactoryDate'] ?? '9999-12-31')
const isLate = (order: DemoRecord) =>
  atSupplier.includes(String(order['status'])) && !order['deletedAt'] && dueOf(order) < asOf
const isUnpaid = (invoice: DemoRecord) =>
  ['received', 'approved', 'partially_paid', 'disputed'].includes(String(invoice['status'])) &&
  !invoice['deletedAt'] &&
  exact(invoice['balanceAmount']) > 0n

/** Sums of a field by currency, as the tools write them. */
const sumsOf = (list: readonly DemoRecord[], field: string) =>
  Object.entries(Object.groupBy(list, ({ currency }) => String(currency)))
    .map(([currency, each = []]) => [currency, total(each, field), each.length])
    .sort()
const sumsIn = (money: Free) =>
  money.currencies
    .map(({ currency, amount, items: number }: Free) => [currency, exact(amount), number])
    .sort()

const idsOf = (list: readonly Free[]) => list.map(({ id }) => id).sort()

/** The tests of an engine. `open` returns the settings of a server on it. */
export const questionsSuite = (
  engine: string,
  open: () => Promise<{ readonly [name: string]: string }>,
): void => {
  describe(`an agent of a server on ${engine}`, () => {
    let service: TestService
    let agent: Agent
    before(async () => {
      service = await openTestService(await open(), { story: false })
      await service.write(sharedOwner, story.shared)
      const written = Object.groupBy(items, ({ path }) => path)
      await service.write(
        brand,
        Object.fromEntries(
          Object.entries(written).map(([path, each = []]) => [path, each.map((i) => i.record)]),
        ),
      )
      agent = await httpAgent(service.url, await service.key(brand))
    })
    after(async () => {
      await agent.close()
      await service.close()
    })

    it('learns which orders are late, in one call', async () => {
      const late = records.all('orders').filter(isLate)
      assert.ok(late.length > 3)
      const answer = await agent.ask('late_orders', { asOf, limit: 100 })
      assert.equal(answer.total, late.length)
      assert.deepEqual(idsOf(answer.orders), idsOf(late))
      assert.equal(answer.figures.sum.totalQuantity, count(late, 'totalQuantity'))
      assert.deepEqual(sumsIn(answer.figures.sum.totalAmount), sumsOf(late, 'totalAmount'))
      for (const { id, daysLate, supplier } of answer.orders) {
        const order = records.get('orders', id)
        assert.equal(daysLate, (Date.parse(asOf) - Date.parse(dueOf(order))) / 86_400_000)
        assert.equal(supplier, records.get('suppliers', order['supplierId'])['name'])
      }
      const listed = await agent.ask(answer.records.tool, answer.records.arguments)
      assert.equal(listed.total, late.length)
    })

    it('learns which orders of a supplier are late, by its name and its code', async () => {
      const all = records.all('orders').filter(isLate)
      const [supplierId] = Object.entries(Object.groupBy(all, (each) => String(each['supplierId'])))
        .sort(([, a = []], [, b = []]) => b.length - a.length)
        .map(([id]) => id)
      const supplier = records.get('suppliers', supplierId)
      const sameName = records.of('suppliers', 'name', supplier['name']).map(({ id }) => id)
      const byName = await agent.ask('late_orders', {
        ...{ supplier: String(supplier['name']).toUpperCase(), asOf, limit: 100 },
      })
      const ofName = all.filter((each) => sameName.includes(each['supplierId'] ?? null))
      assert.deepEqual(idsOf(byName.orders), idsOf(ofName))
      const byCode = await agent.ask('late_orders', {
        supplier: supplier['code'],
        asOf,
        limit: 100,
      })
      const own = all.filter((each) => each['supplierId'] === supplierId)
      assert.deepEqual(idsOf(byCode.orders), idsOf(own))
      assert.deepEqual(
        byCode.suppliers.map(({ supplier: name, orders }: Free) => [name, orders]),
        [[supplier['name'], own.length]],
      )
      const unknown = await agent.refused('late_orders', { supplier: 'Nowhere Mills Ltd' })
      assert.equal(unknown.errorCode, 'not_found')
    })

    it('learns what is owed, altogether, to a supplier and for an order', async () => {
      const unpaid = records.all('invoices').filter(isUnpaid)
      const overdue = unpaid.filter(({ dueDate }) => dueDate !== null && String(dueDate) < asOf)
      assert.ok(unpaid.length > 3 && overdue.length > 0)
      const answer = await agent.ask('amounts_owed', { asOf, limit: 100 })
      assert.equal(answer.total, unpaid.length)
      assert.deepEqual(sumsIn(answer.owed), sumsOf(unpaid, 'balanceAmount'))
      assert.equal(answer.overdue.invoices, overdue.length)
      assert.deepEqual(sumsIn(answer.overdue), sumsOf(overdue, 'balanceAmount'))
      const aged = answer.ageing.reduce((sum: number, { items: each }: Free) => sum + each, 0)
      assert.equal(aged, unpaid.length)
      const credits = records
        .all('invoices')
        .filter((each) => each['kind'] === 'credit_note' && exact(each['balanceAmount']) < 0n)
        .filter(({ status }) => !['draft', 'paid', 'void'].includes(String(status)))
      assert.ok(credits.length > 0)
      assert.deepEqual(sumsIn(answer.credits), sumsOf(credits, 'balanceAmount'))
      const [one] = unpaid.filter(({ orderId, supplierId }) => orderId && supplierId)
      const order = records.get('orders', one?.['orderId'])
      const ofOrder = unpaid.filter(({ orderId }) => orderId === order['id'])
      const forOrder = await agent.ask('amounts_owed', { order: order['orderNumber'], asOf })
      assert.deepEqual(idsOf(forOrder.invoices), idsOf(ofOrder))
      assert.deepEqual(sumsIn(forOrder.owed), sumsOf(ofOrder, 'balanceAmount'))
      const { code } = records.get('suppliers', one?.['supplierId'])
      const ofSupplier = unpaid.filter(({ supplierId }) => supplierId === one?.['supplierId'])
      const toSupplier = await agent.ask('amounts_owed', { supplier: code, asOf, limit: 100 })
      assert.deepEqual(idsOf(toSupplier.invoices), idsOf(ofSupplier))
      const { name } = records.get('suppliers', one?.['supplierId'])
      const [supplier] = toSupplier.suppliers
      assert.deepEqual(
        [supplier.id, supplier.code, supplier.name],
        [one?.['supplierId'], code, name],
      )
      assert.match(
        toSupplier.summary,
        new RegExp(`unpaid invoices? to ${RegExp.escape(String(name))} as`),
      )
      const paid = await agent.ask('amounts_owed', { order: 'PO-5512', asOf: '2026-12-01' })
      assert.deepEqual([paid.total, paid.owed.currencies], [0, []])
      assert.match(paid.summary, /nothing owed/)
    })

    it('learns where an order is, by its number in any case', async () => {
      const all = records.all('orders')
      const onTheWay = records.all('legs').filter(({ status }) => status === 'departed')
      const moving = all.filter(({ id }) =>
        records
          .of('order-shipments', 'orderId', id)
          .some(({ shipmentId }) => onTheWay.some((leg) => leg['shipmentId'] === shipmentId)),
      )
      const chosen = [...moving.slice(0, 2), ...all.slice(0, 5)]
      for (const order of chosen) {
        const name = String(order['orderNumber']).toLowerCase()
        const answer = await agent.ask('locate_order', { order: name, asOf })
        assert.equal(answer.order.id, order['id'])
        const links = records.of('order-shipments', 'orderId', order['id'])
        assert.deepEqual(
          idsOf(answer.shipments),
          links.map(({ shipmentId }) => shipmentId).sort(),
          name,
        )
        const lines = records.of('order-items', 'orderId', order['id'])
        const pieces: Free = piecesOf(records, lines)
        for (const { name: stage, pieces: counted } of answer.progress) {
          if (counted !== null && stage !== 'paid') assert.equal(counted, pieces[stage], stage)
        }
        for (const shipment of answer.shipments) {
          const own = records
            .of('shipment-items', 'shipmentId', shipment.id)
            .filter((each) => !each['deletedAt'])
            .filter((each) => lines.some(({ id }) => id === each['orderItemId']))
          assert.equal(shipment.piecesOfOrder ?? 0, count(own, 'quantity'))
          const legs = onTheWay.filter(({ shipmentId }) => shipmentId === shipment.id)
          assert.deepEqual(idsOf(shipment.onTheWay), idsOf(legs))
        }
      }
      assert.ok(moving.length > 0)
      const unknown = await agent.refused('locate_order', { order: 'PO-99999999' })
      assert.equal(unknown.errorCode, 'not_found')
    })

    it('learns what is in a container, by its number however it is written', async () => {
      const numbers = (path: string) =>
        records.all(path).flatMap(({ containerNumber: each }) => (each ? [plain(each)] : []))
      const packed = [...new Set(numbers('shipment-cartons'))]
      const carried = [...new Set(numbers('legs'))].filter((each) => !packed.includes(each))
      const chosen = [...packed.slice(0, 4), ...carried.slice(0, 8)]
      const bases = new Set<string>()
      for (const container of chosen) {
        const spaced = `${container.slice(0, 4)} ${container.slice(4)}`.toLowerCase()
        const answer = await agent.ask('container_contents', { container: spaced })
        assert.equal(answer.container, container)
        assert.ok(answer.shipments.length > 0)
        for (const shipment of answer.shipments) {
          bases.add(shipment.basis)
          const { pieces, basis } = contentsOf(shipment.id, container)
          assert.equal(shipment.basis, basis)
          const shown = new Map(
            shipment.goods.map((each: Free) => [each.shipmentItemId, each.pieces]),
          )
          assert.deepEqual(new Map([...shown].sort()), new Map([...pieces].sort()))
          const sum = [...pieces.values()].reduce((all, each) => all + each, 0)
          assert.equal(shipment.pieces, sum)
          for (const { shipmentItemId, order } of shipment.goods) {
            const { orderItemId } = records.get('shipment-items', shipmentItemId)
            if (!orderItemId) continue
            const { orderId } = records.get('order-items', orderItemId)
            assert.equal(order, records.get('orders', orderId)['orderNumber'])
          }
        }
      }
      assert.deepEqual([...bases].sort(), ['cartons', 'legs', 'shipment'])
      const unknown = await agent.refused('container_contents', { container: 'XXXX0000000' })
      assert.equal(unknown.errorCode, 'not_found')
    })

    it('names the supplier that a part of a name was taken for', async () => {
      const words = records
        .all('suppliers')
        .map(({ name }) => ({ name: String(name), word: String(name).split(' ')[0] ?? '' }))
      const [supplier] = words.filter(
        ({ word }) =>
          word.length > 3 && words.filter(({ name }) => name.includes(word)).length === 1,
      )
      assert.ok(supplier)
      for (const tool of ['amounts_owed', 'late_orders']) {
        const answer = await agent.ask(tool, { supplier: supplier.word.toLowerCase(), asOf })
        assert.ok(answer.summary.includes(supplier.name), answer.summary)
      }
    })

    it('learns the largest groups with their names, by sums in the base currency', async () => {
      const question = { group: 'orders', sum: ['totalAmount'], by: ['supplierId'] }
      const baseOf = ({ sum }: Free) => Number(sum.totalAmount.base.amount)
      const { groups } = await agent.ask('summarize', question)
      const expected = groups.map(baseOf).sort((a: number, b: number) => b - a)
      const answer = await agent.ask('summarize', { ...question, sort: '-totalAmount', limit: 5 })
      assert.deepEqual(answer.groups.map(baseOf), expected.slice(0, 5))
      assert.notDeepEqual(groups.slice(0, 5), answer.groups)
      for (const { by, names } of answer.groups) {
        assert.equal(names.supplierId, records.get('suppliers', by.supplierId)['name'])
      }
    })

    it('learns sums with all digits, and a day that fits, however many currencies there are', async () => {
      const { vast, ids } = await openVast()
      const late = await vast.ask('late_orders', { asOf })
      assert.equal(late.figures.sum.totalQuantity, '18014398509481981')
      const sums = await vast.ask('summarize', { group: 'orders', sum: ['totalQuantity'] })
      assert.equal(sums.figures.sum.totalQuantity, '18014398509481981')
      const path = `${queryBasePath}/brands/vast/orders/summary?sum=totalQuantity`
      const { text } = await service.get(path, { key: await service.key('vast') })
      assert.match(text, /"totalQuantity":18014398509481981\}/)
      // The orders are late today, too.
      const today = await vast.ask('today', {})
      assert.equal(today.figures.ordersLate.items, ids.length)
      assert.equal(today.figures.ordersLate.sum.totalQuantity, '18014398509481981')
      assert.match(today.summary, /not shown for their length: .*amounts by currency/)
      await vast.close()
    })

    it('asks back where a number may mean several orders, unless one is written so', async () => {
      const { vast, ids } = await openVast()
      const locate = async (order: string) => (await vast.ask('locate_order', { order })).order.id
      assert.equal(await locate('Lodz'), ids[0])
      assert.equal(await locate('Łódź'), ids[1])
      const several = await vast.refused('locate_order', { order: 'LODZ' })
      assert.equal(several.errorCode, 'invalid_parameter')
      for (const id of ids.slice(0, 2)) assert.match(several.error, new RegExp(id))
      assert.equal((await vast.refused('amounts_owed', { order: 'LODZ' })).error, several.error)
      assert.equal(await locate('9'), ids[2])
      const short = await vast.refused('locate_order', { order: '8' })
      assert.match(short.error, /called "8".* Did you mean 8001\?/)
      for (const text of ['8001', '800']) assert.equal(await locate(text), ids[3])
      assert.equal(await locate('v 11'), ids[11])
      await vast.close()
    })

    /** An agent of a brand with late orders of hostile numbers, currencies and quantities. */
    const openVast = async () => {
      const [order] = records.all('orders').filter(isLate)
      const numbers = ['Lodz', 'Łódź', '9', '8001']
      const large = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1]
      const orders = Array.from(
        { length: 130 },
        (_, index): DemoRecord => ({
          ...order,
          id: `33333333-0000-4000-8000-${String(index).padStart(12, '0')}`,
          orderNumber: numbers[index] ?? `V-${index}`,
          currency: String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26), 88),
          totalQuantity: large[index] ?? 0,
        }),
      )
      await service.write('vast', {
        brand: [{ ...records.all('brand')[0], slug: 'vast' }],
        orders: [...orders, deletedTwin(orders[3])],
      })
      const vast = await httpAgent(service.url, await service.key('vast'))
      return { vast, ids: orders.map(({ id }) => String(id)) }
    }

    it('learns nothing of another brand', async () => {
      await service.write('elsewhere', {
        brand: [{ ...records.all('brand')[0], slug: 'elsewhere' }],
      })
      const stranger = await httpAgent(service.url, await service.key('elsewhere'))
      const [container] = records.all('legs').flatMap(({ containerNumber: each }) => each ?? [])
      const [order] = records.all('orders')
      const named = { locate_order: { order: order?.['id'] }, container_contents: { container } }
      for (const [tool, args] of Object.entries(named)) {
        assert.equal((await stranger.refused(tool, args)).errorCode, 'not_found')
        const foreign = await stranger.refused(tool, { ...args, brand })
        assert.equal(foreign.errorCode, 'out_of_scope')
      }
      for (const tool of ['late_orders', 'amounts_owed']) {
        assert.equal((await stranger.ask(tool, { asOf })).total, 0)
        assert.equal((await stranger.refused(tool, { brand })).errorCode, 'out_of_scope')
      }
      await stranger.close()
    })
  })
}

/** A deleted order with the same number. */
const deletedTwin = (order: DemoRecord | undefined): DemoRecord => ({
  ...order,
  id: '44444444-0000-4000-8000-000000000000',
  ...{ totalQuantity: 0, deletedAt: '2026-07-01T00:00:00.000Z' },
})

/** The pieces of a shipment in a container, from the records: those of cartons, legs, or all. */
const contentsOf = (shipmentId: string, container: string) => {
  const here = (path: string) =>
    records
      .of(path, 'shipmentId', shipmentId)
      .filter((each) => plain(each['containerNumber']) === container && !each['deletedAt'])
  const add = (list: readonly DemoRecord[], merge: (a: number, b: number) => number) => {
    const pieces = new Map<string, number>()
    for (const each of list) {
      const id = String(each['shipmentItemId'] ?? each['id'])
      pieces.set(id, merge(pieces.get(id) ?? 0, Number(each['quantity'])))
    }
    return pieces
  }
  const cartons = here('shipment-cartons').flatMap(({ id }) =>
    records.of('shipment-carton-items', 'shipmentCartonId', id),
  )
  if (cartons.length > 0) return { basis: 'cartons', pieces: add(cartons, (a, b) => a + b) }
  const legs = here('legs').flatMap(({ id }) => records.of('leg-items', 'legId', id))
  if (legs.length > 0) return { basis: 'legs', pieces: add(legs, Math.max) }
  const all = records.of('shipment-items', 'shipmentId', shipmentId)
  const present = all.filter((each) => !each['deletedAt'])
  return { basis: 'shipment', pieces: add(present, (a, b) => a + b) }
}
