/** Tools that ask the query API: views, ranges and orders of lists, sums, and the figures of the day. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { queryBasePath } from '#contract'
import { type Free, httpAgent } from '../support/agent.ts'
import { rights } from '../support/auth.ts'
import { type Agents, openAgents, order } from '../support/mcp-agents.ts'

let agents: Agents
before(async () => {
  agents = await openAgents()
})
after(() => agents.close())

/** The body of a path of the query API. */
const queried = async (path: string): Promise<Free> =>
  (await agents.service.get(`${queryBasePath}/brands/aldermoor/${path}`)).body

describe('list_records of the query API', () => {
  it('selects by ranges and several values, in any order, as HTTP does', async () => {
    const { records, total } = await agents.askAll('list_records', {
      group: 'order-items',
      filters: { 'qty.gte': 50, 'step.in': 'production,packing' },
      sort: '-qty',
      fields: ['id', 'qty'],
    })
    const body = await queried(
      'order-items?qty.gte=50&step.in=production,packing&sort=-qty&fields=qty',
    )
    assert.ok(total > 0)
    assert.equal(total, body.totalItems)
    assert.deepEqual(records, body.items)
  })

  it('selects a view on a day, says so, and continues on the same day', async () => {
    const first = await agents.ask('list_records', {
      group: 'orders',
      view: 'open',
      limit: 1,
      asOf: '2026-01-20',
    })
    assert.match(first.summary, /as of 2026-01-20/)
    assert.equal(first.total, (await queried('orders?view=open&asOf=2026-01-20')).totalItems)
    if (first.next) assert.equal(first.next.arguments.asOf, '2026-01-20')
  })

  it('takes several values of a filter as an array, and lists by ids', async () => {
    const filters = { step: ['production', 'packing'], 'qty.gte': 50 }
    const listed = await agents.askAll('list_records', { group: 'order-items', filters })
    const body = await queried('order-items?step.in=production,packing&qty.gte=50')
    assert.ok(body.totalItems > 0)
    assert.deepEqual([listed.total, listed.records], [body.totalItems, body.items])
    const sums = await agents.ask('summarize', { group: 'order-items', filters })
    assert.equal(sums.total, listed.total)
    const missing = '00000000-0000-4000-8000-000000000000'
    const ids = [...body.items.slice(0, 2).map(({ id }: Free) => id), missing]
    const named = await agents.askAll('list_records', { group: 'order-items', ids, fields: ['id'] })
    assert.deepEqual(named.records.map(({ id }: Free) => id).sort(), ids.slice(0, 2).sort())
    assert.match(named.summary, new RegExp(`No record has these ids: ${missing}`))
  })

  it('repeats long arguments once, and refuses longer ones', async () => {
    // The helper asserts that each result has at most 24,000 characters.
    const ids = (await queried('skus?limit=100&fields=id')).items.map(({ id }: Free) => id)
    const texts = (length: number) => [
      'AM-1042-IND-M',
      ...Array.from({ length: 39 }, (_, at) => `${at}`.padEnd(length, 'x')),
    ]
    const listed = await agents.ask('list_records', { group: 'skus', ids, limit: 100 })
    assert.equal(listed.total, ids.length)
    const filters = { code: texts(150) }
    const found = await agents.ask('list_records', { group: 'skus', filters, limit: 1 })
    assert.equal(found.total, 1)
    const summed = await agents.ask('summarize', { group: 'skus', filters })
    assert.equal(summed.total, 1)
    assert.match(summed.summary, /list_records with the arguments in this result/)
    const refused = await agents.refused('list_records', {
      group: 'skus',
      filters: { code: texts(250) },
    })
    assert.match(refused.error, /filters must have at most 8,000 characters/)
  })

  it('refuses an array that is not a list of values, and says why', async () => {
    const issueOf = async (filters: object) => {
      const { details } = await agents.refusedAll('list_records', { group: 'orders', filters })
      return details[0].issue
    }
    assert.match(await issueOf({ status: [] }), /empty/)
    assert.match(await issueOf({ status: ['sent', 'a,b'] }), /comma/)
    assert.match(await issueOf({ shipmentId: [order, order] }), /one value/)
    assert.match(await issueOf({ status: ['sent'], 'status.in': 'sent' }), /twice/)
    assert.match(await issueOf({ status: [['sent']] }), /"status": \["sent", "confirmed"\]/)
  })

  it('says how to find other spellings where nothing matches', async () => {
    const { summary } = await agents.askAll('list_records', {
      group: 'suppliers',
      filters: { name: 'têxteis serra' },
    })
    assert.match(summary, /search \{[^}]*"query":"têxteis serra","groups":\["suppliers"\]\} finds/)
    assert.match(summary, /name\.startsWith finds beginnings/)
    const number = await agents.ask('list_records', {
      group: 'orders',
      filters: { orderNumber: ['po-5512'] },
    })
    assert.match(number.summary, /search .*"po-5512".* orderNumber\.startsWith/)
  })

  it('walks a sorted list page by page to its end', async () => {
    const seen: string[] = []
    let call: Free = { arguments: { group: 'order-items', sort: 'qty', limit: 3, fields: ['id'] } }
    while (call) {
      const page: Free = await agents.ask('list_records', call.arguments)
      seen.push(...page.records.map(({ id }: Free) => id))
      call = page.next
    }
    const { items } = await queried('order-items?sort=qty&limit=100')
    assert.deepEqual(
      seen,
      items.map(({ id }: Free) => id),
    )
  })
})

describe('summarize', () => {
  it('returns the figures of HTTP and the call that lists the records behind them', async () => {
    const result = await agents.askAll('summarize', {
      group: 'invoices',
      sum: ['totalAmount'],
      by: ['status'],
    })
    const body = await queried('invoices/summary?sum=totalAmount&by=status')
    assert.equal(result.total, body.totalItems)
    assert.deepEqual(result.figures, body.total)
    assert.deepEqual(result.groups, body.groups)
    const { tool, arguments: args } = result.records
    assert.equal((await agents.ask(tool, args)).total, result.total)
  })

  it('names references, and shows the largest groups', async () => {
    const question = { group: 'order-items', sum: ['qty'], by: ['skuId'] }
    const { groups } = await queried('order-items/summary?sum=qty&by=skuId')
    const largest = groups.toSorted((a: Free, b: Free) => b.sum.qty - a.sum.qty)
    const result = await agents.askAll('summarize', { ...question, sort: '-qty', limit: 2 })
    assert.deepEqual(
      result.groups.map(({ sum }: Free) => sum.qty),
      largest.slice(0, 2).map(({ sum }: Free) => sum.qty),
    )
    assert.notDeepEqual(groups.slice(0, 2), largest.slice(0, 2))
    for (const { by, names } of result.groups) {
      assert.equal(names.skuId, (await queried(`skus?ids=${by.skuId}`)).items[0].code)
    }
    assert.match(result.summary, new RegExp(`${groups.length} groups by skuId, of which 2`))
    const least = await agents.ask('summarize', { ...question, sort: 'items' })
    const counts = least.groups.map(({ items }: Free) => items)
    assert.deepEqual(
      counts,
      counts.toSorted((a: number, b: number) => a - b),
    )
    const unknown = await agents.refusedAll('summarize', { ...question, sort: 'unitPrice' })
    assert.match(unknown.error, /It has items, qty/)
    const alone = await agents.refused('summarize', { group: 'order-items', limit: 1 })
    assert.match(alone.error, /can only be used with by/)
  })

  it('refuses a field that cannot be added up, and names those that can', async () => {
    const { error } = await agents.refusedAll('summarize', { group: 'invoices', sum: ['status'] })
    assert.match(error, /totalAmount/)
  })
})

describe('a sum in the base currency', () => {
  it('says in words what it leaves out, for every tool that has sums', async () => {
    const [{ supplier, ...record }] = (await queried(`orders?ids=${order}&include=supplier`)).items
    const [invoice] = (await queried(`invoices?orderId=${order}&kind=commercial`)).items
    const rateless = { currency: 'CHF', exchangeRate: null, deletedAt: null }
    await agents.service.write('aldermoor', {
      orders: [
        {
          ...{ ...record, ...rateless, id: 'ffffffff-f611-4100-8183-000000000001' },
          ...{ orderNumber: 'PO-RATELESS', totalAmount: '250.75' },
          ...{ status: 'sent', confirmedExFactoryDate: '2026-01-05' },
        },
      ],
      invoices: [
        {
          ...{ ...invoice, ...rateless, id: 'ffffffff-f611-4100-8183-000000000002' },
          ...{ invoiceNumber: 'INV-RATELESS', balanceAmount: '250.75', status: 'approved' },
        },
      ],
    })
    const leftOut = 'in USD leaves out 1 record without a rate: 250.75 CHF (1).'
    const says = async (tool: string, args: object, name: string) => {
      const { summary } = await agents.askAll(tool, args)
      assert.ok(summary.includes(` ${name} ${leftOut}`), summary)
    }
    const asOf = '2026-02-01'
    await says('summarize', { group: 'orders', sum: ['totalAmount'] }, 'totalAmount')
    await says('today', {}, 'ordersOpen.totalAmount')
    await says('late_orders', { asOf, supplier: supplier.name }, 'totalAmount')
    await says('amounts_owed', { asOf, order: 'PO-5512' }, 'owed')
    await says('get_document', { group: 'suppliers', id: record.supplierId, asOf }, 'openOrders')
    await agents.service.write('aldermoor', {
      orders: [
        {
          ...{ ...record, id: 'ffffffff-f611-4100-8183-000000000003' },
          ...{ orderNumber: 'PO-LONG', totalAmount: '9'.repeat(140_000), currency: 'USD' },
        },
      ],
    })
    const { summary } = await agents.askAll('summarize', { group: 'orders', sum: ['totalAmount'] })
    const tooLong = ' totalAmount leaves out 1 record with more digits than are accepted now.'
    assert.ok(summary.includes(tooLong), summary)
    const paid = await agents.ask('summarize', { group: 'payments', sum: ['amount'] })
    assert.doesNotMatch(paid.summary, /leaves out/)
  })
})

describe('search', () => {
  it('finds a record by its number in one call, with the record itself', async () => {
    const { results, isComplete } = await agents.askAll('search', {
      query: 'po 5512',
      groups: ['orders'],
    })
    const body = await queried('search?q=po%205512&groups=orders')
    assert.deepEqual(results, body.items)
    assert.equal(isComplete, body.isComplete)
    assert.equal(results[0].record.orderNumber, 'PO-5512')
  })

  it('refuses an unknown group, and names the one that was meant', async () => {
    const { error } = await agents.refusedAll('search', { query: 'x1', groups: ['order'] })
    assert.match(error, /orders/)
  })
})

describe('today', () => {
  it('returns the figures of HTTP', async () => {
    const result = await agents.askAll('today', {})
    const body = await queried('today')
    // The paths of single records and of changes are left out.
    const rows = [
      ...Object.values<Free>(body.figures).flatMap(({ first = [] }) => first),
      ...body.changed.groups,
    ]
    assert.ok(rows.length > 0)
    for (const row of rows) delete row.url
    assert.deepEqual(result.figures, body.figures)
    assert.deepEqual(result.changed, body.changed)
    assert.match(result.summary, /nothing is truncated/)
    assert.deepEqual(result.records, body.records)
    assert.equal(result.asOf, body.asOf)
  })

  it('says what is unknown of a past day', async () => {
    const asOf = '2026-02-01'
    const result = await agents.askAll('today', { asOf })
    assert.deepEqual(result.figures, (await queried(`today?asOf=${asOf}`)).figures)
    assert.equal(result.figures.ordersOpen.items, null)
    assert.match(result.figures.ordersOpen.reason, /No snapshot was taken/)
    assert.match(result.summary, /18 figures as of 2026-02-01 \(16 unknown: each has its reason\)/)
  })
})

describe('get_document', () => {
  it('shows a record with its progress and sections, as HTTP does', async () => {
    const [order] = (await queried('orders?limit=1')).items
    const result = await agents.askAll('get_document', {
      group: 'orders',
      id: order.id,
      asOf: '2026-06-01',
    })
    const body = await queried(`orders/${order.id}/document?asOf=2026-06-01`)
    assert.deepEqual(result.progress, body.progress)
    assert.deepEqual(result.deadlines, body.deadlines)
    for (const [name, section] of Object.entries<Free>(result.sections)) {
      assert.equal(section.total, body.sections[name].totalItems, name)
    }
    const [line] = result.sections.lines.rows
    const [expected] = body.sections.lines.items
    assert.equal(line.id, expected.record.id)
    assert.deepEqual(line.figures, expected.figures)
    assert.match(line.goods.sku, new RegExp(expected.goods.sku.code))
    assert.match(result.summary, /PO-5512 as of 2026-06-01/)
  })

  it('says what does not fit, and refuses groups without documents', async () => {
    const [order] = (await queried('orders?limit=1')).items
    const result = await agents.ask('get_document', { group: 'orders', id: order.id, rows: 1 })
    assert.equal(result.next.tool, 'list_records')
    assert.equal(result.next.arguments.group, 'order-items')
    const refusal = await agents.refused('get_document', { group: 'tags', id: order.id })
    assert.equal(refusal.errorCode, 'invalid_parameter')
    assert.match(JSON.stringify(refusal), /tags has no document/)
  })
})

describe('questions', () => {
  it('have the same answer over every transport', async () => {
    const late = await agents.askAll('late_orders', { asOf: '2026-04-01' })
    assert.equal(late.total, (await queried('orders?view=late&asOf=2026-04-01')).totalItems)
    const owed = await agents.askAll('amounts_owed', { asOf: '2026-04-01', order: 'po-5512' })
    const invoices = await queried(`invoices?view=unpaid&asOf=2026-04-01&orderId=${order}`)
    assert.equal(owed.total, invoices.totalItems)
    const where = await agents.askAll('locate_order', { order: 'PO-5512', asOf: '2026-04-01' })
    const document = await queried(`orders/${order}/document?asOf=2026-04-01`)
    assert.deepEqual(where.progress, document.progress)
    assert.deepEqual(where.deadlines, document.deadlines)
    assert.equal(where.order.supplier, document.record.supplier.name)
    const [leg] = (await queried('legs?containerNumber.isNull=false&limit=1')).items
    const { shipments } = await agents.askAll('container_contents', {
      container: leg.containerNumber,
    })
    assert.ok(shipments.some(({ id }: Free) => id === leg.shipmentId))
  })

  it('pass the groups that a key may not read as if they had no records', async () => {
    const { service } = agents
    const [leg] = (await queried('legs?containerNumber.isNull=false&limit=1')).items
    const container = leg.containerNumber
    const limitedTo = async (onlyGroups: readonly string[]) =>
      httpAgent(service.url, (await service.records.keys.issue(rights({ onlyGroups }))).key)
    const withLegs = await limitedTo(['shipments', 'legs'])
    const { legs, shipments } = await withLegs.ask('container_contents', { container })
    assert.ok(legs.length > 0)
    assert.ok(shipments.some(({ id, cartons }: Free) => id === leg.shipmentId && cartons === 0))
    const without = await limitedTo(['shipments'])
    const unknown = await without.refused('container_contents', { container })
    assert.equal(unknown.errorCode, 'not_found')
    for (const each of [withLegs, without]) await each.close()
  })

  it('say how to continue where a name is not known', async () => {
    const unknown = await agents.refusedAll('locate_order', { order: 'PO-9999' })
    assert.equal(unknown.errorCode, 'not_found')
    assert.match(unknown.error, /search \{.*\} searches all groups/)
    const missing = await agents.refusedAll('locate_order', {})
    assert.equal(missing.errorCode, 'invalid_parameter')
  })
})
