/** The tools, over HTTP and over pipes, in both revisions of the protocol. */

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { catalog, incomingOf, referencesOf } from '#contract'
import { argumentsSchema, instructions, resultMax, resultSchema, tools } from '#mcp'
import { parseRecords } from '#reading'
import type { Free } from '../support/agent.ts'
import { type Agents, openAgents, order, transports } from '../support/mcp-agents.ts'
import type { TestService } from '../support/service.ts'

let agents: Agents
let service: TestService
before(async () => {
  agents = await openAgents()
  service = agents.service
})
after(() => agents.close())

/** A note that is far too long for one result, and a record of long values. */
const long = { body: 'é"\n'.repeat(20_000) }

describe('a server of tools', () => {
  it('gives its name, capabilities and instructions, in either revision', () => {
    for (const transport of transports) {
      const { client } = agents.over(transport)
      const era = transport.includes('stateless') ? '2026-07-28' : '2025-11-25'
      assert.equal(client.getNegotiatedProtocolVersion(), era, transport)
      assert.equal(client.getServerVersion()?.name, 'selvedge')
      assert.match(client.getServerVersion()?.version ?? '', /^\d+\.\d+\.\d+$/)
      assert.deepEqual(Object.keys(client.getServerCapabilities() ?? {}), ['tools'])
      assert.equal(client.getInstructions(), instructions)
    }
  })

  it('offers its read-only tools, the same over every transport', async () => {
    const lists = await Promise.all(
      transports.map((transport) => agents.over(transport).client.listTools()),
    )
    const [first, ...others] = lists.map(({ tools: offered }) => offered)
    assert.deepEqual(
      first?.map(({ name }) => name),
      tools.map(({ name }) => name),
    )
    for (const offered of others) assert.deepEqual(offered, first)
    const ajv = new Ajv2020({ strict: false })
    for (const tool of first ?? []) {
      assert.deepEqual(tool.annotations?.readOnlyHint, true)
      assert.deepEqual(tool.annotations?.destructiveHint, false)
      assert.ok(tool.description && tool.title && tool.outputSchema)
      for (const schema of [tool.inputSchema, tool.outputSchema]) ajv.compile(schema as object)
      for (const each of Object.values(tool.inputSchema.properties ?? {})) {
        assert.ok((each as { description?: string }).description, `${tool.name} is described`)
      }
    }
  })

  it('supports older revisions, and offers its own for an unknown one', async () => {
    const offered = async (protocolVersion: string) => {
      const clientInfo = { name: 'old', version: '1' }
      const params = { protocolVersion, capabilities: {}, clientInfo }
      const { body } = await agents.post({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
      return body.result.protocolVersion
    }
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      assert.equal(await offered(version), version)
    }
    assert.equal(await offered('1999-01-01'), '2025-11-25')
  })
})

describe('the schemas', () => {
  it('are derived from the definitions', async () => {
    const { tools: offered } = await agents.over('http').client.listTools()
    for (const [index, tool] of tools.entries()) {
      assert.deepEqual(offered[index]?.inputSchema, argumentsSchema(tool.arguments))
      assert.deepEqual(offered[index]?.outputSchema, resultSchema(tool))
    }
    assert.ok(instructions.includes(resultMax.toLocaleString('en')))
  })
})
describe('list_groups', () => {
  it('names every group and the brands that can be read', async () => {
    const { total, groups, brands, next } = await agents.askAll('list_groups')
    assert.equal(total, catalog.resources.length)
    assert.deepEqual(
      groups.map(({ group }: Free) => group),
      catalog.resources.map(({ path }) => path),
    )
    assert.deepEqual(brands, ['aldermoor'])
    assert.equal(next, null)
  })

  it('names those of one area', async () => {
    const { groups, total, summary } = await agents.ask('list_groups', { area: 'finance' })
    assert.equal(total, groups.length)
    assert.ok(groups.every(({ area }: Free) => area === 'finance'))
    const all = catalog.resources.filter(({ domain }) => domain === 'finance')
    const [some, every] = [all.length, catalog.resources.length]
    assert.ok(summary.includes(`${some} groups of finance, of ${every} in all`), summary)
  })
})

describe('describe_group', () => {
  for (const resource of catalog.resources) {
    it(`tells all of ${resource.path}`, async () => {
      const described = await agents.ask('describe_group', { group: resource.path })
      const names = described.fields.map(({ name }: Free) => name)
      for (const name of Object.keys(resource.fields)) assert.ok(names.includes(name), name)
      for (const { kind, meaning } of described.fields) assert.ok(kind && meaning)
      assert.equal(described.total, described.fields.length)
      assert.deepEqual(
        described.filters.map(({ name }: Free) => name),
        resource.filters.map(({ name }) => name),
      )
      assert.equal(described.referencesOut.length, referencesOf(resource).length)
      assert.ok(described.referencesIn.length >= incomingOf(catalog, resource.path).length)
      // A loop over next ends here; the call that reads the records can be made unchanged.
      assert.equal(described.next, null)
      const { tool, arguments: args } = described.read
      await agents.ask(tool, args)
    })
  }

  it('tells known values, and the groups that filters name', async () => {
    const { filters } = await agents.ask('describe_group', { group: 'orders' })
    const named = Object.fromEntries(filters.map((each: Free) => [each.name, each]))
    assert.equal(named['supplierId'].group, 'suppliers')
    assert.ok(named['status'].knownValues.includes('in_production'))
    assert.equal(named['shipmentId'].through, 'order-shipments')
  })
})

describe('list_records', () => {
  it('finds a record by what people call it', async () => {
    const filters = { orderNumber: 'PO-5512' }
    const { records, total, shown, next } = await agents.askAll('list_records', {
      group: 'orders',
      filters,
    })
    assert.deepEqual([total, shown, next], [1, 1, null])
    const { body } = await service.get(`orders/${order}`)
    assert.deepEqual(records, [body])
  })

  it('walks a group page by page with the calls it gives, each record once', async () => {
    const { body } = await service.get('countries?limit=1')
    const seen: string[] = []
    let call: Free = { tool: 'list_records', arguments: { group: 'countries', limit: 100 } }
    while (call) {
      const { records, total, next } = await agents.ask(call.tool, call.arguments)
      assert.equal(total, body.totalItems)
      seen.push(...records.map(({ code }: Free) => code))
      call = next
    }
    assert.equal(seen.length, body.totalItems)
    assert.equal(new Set(seen).size, seen.length)
  })

  it('says how many there are, how many are shown, and the call for the rest', async () => {
    const { summary, next, shown } = await agents.askAll('list_records', {
      group: 'order-items',
      filters: { orderId: order },
      limit: 3,
      fields: ['id', 'qty'],
    })
    assert.equal(shown, 3)
    assert.match(summary, /^10 records of order-items match; 3 shown here\./)
    assert.ok(summary.includes(JSON.stringify(next.arguments)))
    assert.equal(next.arguments.fields.length, 2)
    const rest = await agents.ask(next.tool, { ...next.arguments, limit: 100 })
    assert.equal(rest.shown, 7)
    assert.equal(rest.next, null)
    assert.deepEqual(Object.keys(rest.records[0]), ['id', 'qty'])
  })

  it('shows included records', async () => {
    const { records } = await agents.askAll('list_records', {
      group: 'orders',
      include: ['supplier'],
      fields: ['orderNumber'],
    })
    assert.deepEqual(Object.keys(records[0]).sort(), ['orderNumber', 'supplier'])
    assert.equal(records[0].supplier.id.length, 36)
  })

  it('shows some fields of records and of what include adds', async () => {
    const whole = await agents.ask('list_records', { group: 'orders', include: ['supplier'] })
    const [{ id, supplier }] = whole.records
    const shown = async (fields: readonly string[]) => {
      const args = { group: 'orders', include: ['supplier'], fields }
      const [record] = (await agents.askAll('list_records', args)).records
      assert.deepEqual((await agents.ask('get_record', { ...args, id })).record, record)
      return record
    }
    assert.deepEqual(await shown(['id', 'supplier']), { id, supplier })
    assert.deepEqual(await shown(['id']), { id, supplier })
    const { name } = supplier
    assert.deepEqual(await shown(['id', 'supplier.name']), { id, supplier: { name } })
  })

  it('says which values there are where a filter matches nothing', async () => {
    const summaryOf = async (filters: object) => {
      const { summary, total } = await agents.askAll('list_records', { group: 'orders', filters })
      assert.equal(total, 0)
      return summary
    }
    assert.match(
      await summaryOf({ status: 'Received' }),
      /^0 records of orders match; .* Known values of status: .*\breceived\b.*; did you mean received\? /,
    )
    assert.match(
      await summaryOf({ status: 'zzz' }),
      /Known values of status: [^?]*\. There are no more/,
    )
    assert.match(
      await summaryOf({ orderNumber: 'po-5512' }),
      /match exact values and are case-sensitive/,
    )
    const result = await agents.ask('list_records', {
      group: 'orders',
      filters: { status: 'received' },
    })
    assert.doesNotMatch(result.summary, /Known values/)
  })

  it('reads pages of long records whole', async () => {
    const awkward = { a: '}{"', b: ['\\', '\\"', { c: '{' }], d: 'é\n', e: {} }
    const records = Array.from({ length: 40 }, (_, n) => ({
      n,
      ...awkward,
      f: '"\\'.repeat(4_000),
    }))
    const text = records.map((record) => JSON.stringify(record)).join(',')
    assert.ok(text.length > 600_000)
    assert.deepEqual(await parseRecords(text), records)
    assert.deepEqual(await parseRecords(''), [])
  })

  it('shows as many records as fit, and continues after the last of them', async () => {
    const include = ['shipment', 'cartonSize']
    const args = { group: 'shipment-cartons', limit: 100, include }
    const all: string[] = []
    let cutOnce = false
    let call: Free = { tool: 'list_records', arguments: args }
    while (call) {
      const { records, summary, next, shown } = await agents.ask(call.tool, call.arguments)
      cutOnce ||= /more were requested but do not fit/.test(summary)
      assert.ok(shown > 0)
      all.push(...records.map(({ id }: Free) => id))
      call = next
    }
    const { body } = await service.get('shipment-cartons?limit=1')
    assert.ok(cutOnce)
    assert.equal(new Set(all).size, body.totalItems)
  })
})

describe('get_record', () => {
  it('shows a record as the API does, with what include names', async () => {
    const { body } = await service.get(`orders/${order}?include=supplier,paymentTerm`)
    const { record, total, next } = await agents.askAll('get_record', {
      group: 'orders',
      id: order,
      include: ['supplier', 'paymentTerm'],
    })
    assert.deepEqual(record, body)
    assert.deepEqual([total, next], [1, null])
  })

  it('shows the brand itself, without an id', async () => {
    const { record } = await agents.askAll('get_record', { group: 'brand' })
    assert.equal(record.slug, 'aldermoor')
    assert.deepEqual(
      (await agents.ask('get_record', { group: 'brand', id: 'aldermoor' })).record,
      record,
    )
    assert.equal(
      (await agents.refused('get_record', { group: 'brand', id: 'x' })).errorCode,
      'not_found',
    )
  })

  it('truncates a long value, and reads it to its end in parts', async () => {
    const { body } = await service.get('notes?limit=1')
    const [first] = body.items
    const id = '11111111-2222-4333-8444-555555555555'
    await service.write('aldermoor', { notes: [{ ...first, id, body: long.body }] })
    const shown = await agents.askAll('get_record', { group: 'notes', id })
    assert.match(shown.summary, /too long to be shown in full: 1 value truncated/)
    assert.deepEqual(
      shown.cut.map(({ field, characters }: Free) => [field, characters]),
      [['body', long.body.length]],
    )
    assert.ok(long.body.startsWith(shown.record.body.slice(0, -1)))
    let text = ''
    let call = shown.next
    while (call) {
      const part = await agents.askAll(call.tool, call.arguments)
      assert.equal(part.total, long.body.length)
      text += part.text
      call = part.next
    }
    assert.equal(text, long.body)

    const listed = await agents.ask('list_records', { group: 'notes' })
    assert.match(listed.summary, /1 long value truncated, listed in cut: get_record/)
    const place = listed.records.findIndex((each: Free) => each.id === id)
    assert.deepEqual(listed.cut, [
      { record: place, field: 'body', characters: long.body.length, shown: 1_000 },
    ])
  })
})

describe('follow_references', () => {
  it('shows what a record points to and what points at it', async () => {
    const described = await agents.askAll('follow_references', { group: 'orders', id: order })
    const out = Object.fromEntries(described.out.map((each: Free) => [each.via, each]))
    assert.equal(out['supplierId'].group, 'suppliers')
    assert.ok(out['supplierId'].found && out['supplierId'].title)
    const lists = Object.fromEntries(described.in.map((each: Free) => [each.via, each]))
    assert.equal(lists['order-items.orderId'].total, 10)
    assert.equal(lists['order-items.orderId'].records.length, 3)
    const { empty } = await agents.ask('follow_references', {
      group: 'suppliers',
      id: out['supplierId'].id,
    })
    assert.ok(empty.length > 0)
    const { tool, arguments: args } = lists['order-items.orderId'].all
    assert.equal((await agents.ask(tool, args)).total, 10)
    assert.match(described.summary, /lists? truncated; all has the call for each/)
  })

  it('follows one reference, either way', async () => {
    const one = { group: 'orders', id: order }
    const supplier = await agents.askAll('follow_references', { ...one, via: 'supplierId' })
    assert.deepEqual([supplier.group, supplier.total], ['suppliers', 1])
    assert.deepEqual(await agents.ask('follow_references', { ...one, via: 'supplier' }), supplier)
    const via = 'order-items.orderId'
    const items = await agents.askAll('follow_references', { ...one, via, limit: 4 })
    assert.deepEqual([items.total, items.shown], [10, 4])
    assert.ok(items.records.every(({ orderId }: Free) => orderId === order))
    const rest = await agents.ask(items.next.tool, items.next.arguments)
    assert.equal(rest.shown, 4)
    const nothing = await agents.ask('follow_references', { ...one, direction: 'out' })
    assert.deepEqual(nothing.in, [])
  })

  it('follows a reference inside a record, and says which ones lead nowhere', async () => {
    const { body } = await service.get('partners?limit=1')
    const [partner] = body.items
    const one = { group: 'partners', id: partner.id }
    const via = 'relationship.defaultPaymentTermId'
    const { total, group } = await agents.askAll('follow_references', { ...one, via })
    assert.equal(group, 'payment-terms')
    assert.equal(total, partner.relationship?.defaultPaymentTermId ? 1 : 0)
    const id = '11111111-2222-4333-8444-666666666666'
    const { body: orders } = await service.get('orders?limit=1')
    const lost = { ...orders.items[0], id, orderNumber: 'PO-LOST', quoteRevisionId: null }
    lost.supplierId = '99999999-2222-4333-8444-666666666666'
    await service.write('aldermoor', { orders: [lost] })
    const led = await agents.ask('follow_references', { group: 'orders', id, via: 'supplierId' })
    assert.match(led.summary, /does not exist in suppliers or is not available/)
    const none = await agents.ask('follow_references', {
      group: 'orders',
      id,
      via: 'quoteRevisionId',
    })
    assert.match(none.summary, /is null: it refers to nothing/)
    const { out } = await agents.ask('follow_references', { group: 'orders', id, direction: 'out' })
    assert.equal(out.find((each: Free) => each.via === 'supplierId').found, false)
  })
})

describe('trace_lineage', () => {
  const titles = (records: Free[], group: string): string[] =>
    records.filter((each) => each.group === group).map(({ title }) => title)

  it('goes from the order to its product and to both of its payments', async () => {
    const { records, references, ended, total, shown, cut } = await agents.askAll('trace_lineage', {
      group: 'orders',
      id: order,
    })
    assert.equal(ended, 'complete')
    assert.equal(total, shown)
    assert.equal(records.length, shown)
    assert.deepEqual(titles(records, 'payments').sort(), ['PAY-311', 'PAY-342'])
    assert.deepEqual(titles(records, 'parent-products'), ['Harbour chore jacket'])
    assert.equal(records[0].title, 'PO-5512')
    // A line is called by what it is about, not by its quantity.
    for (const title of titles(records, 'shipment-items')) assert.match(title, /^AM-1042-/)
    // Every record hangs together with another.
    const joined = new Set(references.flatMap(({ from, to }: Free) => [from, to]))
    for (const { n, title } of records) assert.ok(joined.has(n), title)
    // What is cut says how much there is, and its call finds as many.
    for (const { all, total: whole, shown: some } of cut) {
      assert.ok(some < whole)
      assert.equal((await agents.ask(all.tool, all.arguments)).total, whole)
    }
  })

  it('goes from a payment back to the order, and from a SKU to the money', async () => {
    const { body } = await service.get('payments?paymentNumber=PAY-342')
    const { records } = await agents.ask('trace_lineage', {
      group: 'payments',
      id: body.items[0].id,
    })
    assert.deepEqual(titles(records, 'orders'), ['PO-5512'])
    const { body: skus } = await service.get('skus?limit=1')
    const from = await agents.ask('trace_lineage', { group: 'skus', id: skus.items[0].id })
    assert.ok(titles(from.records, 'payments').includes('PAY-342'))
  })

  it('only walks in the requested direction', async () => {
    const one = { group: 'orders', id: order }
    const { records: up } = await agents.ask('trace_lineage', { ...one, direction: 'up' })
    assert.deepEqual(titles(up, 'payments'), [])
    assert.deepEqual(titles(up, 'parent-products'), ['Harbour chore jacket'])
    const { records: down } = await agents.ask('trace_lineage', { ...one, direction: 'down' })
    assert.deepEqual(titles(down, 'payments').sort(), ['PAY-311', 'PAY-342'])
    assert.deepEqual(titles(down, 'quotes'), [])
  })

  it('stops at its depth and its limit, says so, and continues with the call in next', async () => {
    const one = { group: 'orders', id: order }
    const near = await agents.askAll('trace_lineage', { ...one, depth: 1 })
    assert.equal(near.ended, 'depth')
    assert.ok(near.records.every(({ depth }: Free) => depth <= 1))
    assert.match(
      near.summary,
      /stopped at its depth, with \d+ records? left to follow\. To continue: trace_lineage/,
    )
    assert.equal(near.next.arguments.depth, 2)
    const few = await agents.ask('trace_lineage', { ...one, limit: 5 })
    assert.deepEqual([few.ended, few.total], ['limit', 5])
    assert.equal(few.next.arguments.limit, 10)
    const more = await agents.ask(few.next.tool, few.next.arguments)
    assert.equal(more.total, 10)
  })

  it('starts from a record that is not part of the chain', async () => {
    const { body } = await service.get('order-amendments?limit=1')
    const { records } = await agents.ask('trace_lineage', {
      group: 'order-amendments',
      id: body.items[0].id,
    })
    assert.deepEqual(titles(records, 'orders'), ['PO-5512'])
  })
})
