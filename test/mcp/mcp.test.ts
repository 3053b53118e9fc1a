/** Agents read the records through tools: over HTTP and over pipes, by both revisions. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { catalog, incomingOf, referencesOf } from '#contract'
import {
  argumentsSchema,
  instructions,
  messageBudget,
  parseItems,
  resultMax,
  resultSchema,
  tools,
} from '#mcp'
import { type Agent, type Free, httpAgent, type StdioAgent, stdioAgent } from '../support/agent.ts'
import { mainFile } from '../support/command.ts'
import { compileCache } from '../support/compile-cache.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let key: string
let environment: { [name: string]: string }
const agents = new Map<string, Agent>()
const doors = ['http', 'http stateless', 'stdio', 'stdio stateless', 'stdio over http'] as const

const order = '0465aaa1-f611-4100-8183-c96543dd62a3'

/** A note that is far too long for one result, and a record of long values. */
const long = { body: 'é"\n'.repeat(20_000) }

before(async () => {
  service = await openTestService()
  key = await service.key('aldermoor')
  environment = {
    DATABASE_URL: `sqlite:${join(service.folder, 'selvedge.db')}`,
    NODE_COMPILE_CACHE: compileCache,
  }
  const url = ['--url', service.url]
  const opened = await Promise.all([
    httpAgent(service.url, key),
    httpAgent(service.url, key, 'stateless'),
    stdioAgent(['--brand', 'aldermoor'], environment),
    stdioAgent(['--brand', 'aldermoor'], environment, 'stateless'),
    stdioAgent(url, { ...environment, SELVEDGE_KEY: key }),
  ])
  for (const [index, door] of doors.entries()) agents.set(door, opened[index] as Agent)
})

after(async () => {
  for (const agent of agents.values()) await agent.close()
  await service.close()
})

const agent = (door: (typeof doors)[number] = 'http'): Agent => agents.get(door) as Agent
const ask = (tool: string, given?: object): Promise<Free> => agent().ask(tool, given)
const refused = (tool: string, given?: object): Promise<Free> => agent().refused(tool, given)

/** The same call through every door, whose results must be one. */
const askAll = async (tool: string, given?: object): Promise<Free> => {
  const [first, ...others] = await Promise.all(doors.map((door) => agent(door).ask(tool, given)))
  for (const other of others) assert.deepEqual(other, first)
  return first
}

const refusedAll = async (tool: string, given?: object): Promise<Free> => {
  const all = doors.map((door) => agent(door).refused(tool, given))
  const [first, ...others] = await Promise.all(all)
  for (const other of others) assert.deepEqual(other, first)
  return first
}

describe('a server of tools', () => {
  it('says who it is, what it offers and how to begin, by either revision', () => {
    for (const door of doors) {
      const { client } = agent(door)
      const era = door.includes('stateless') ? '2026-07-28' : '2025-11-25'
      assert.equal(client.getNegotiatedProtocolVersion(), era, door)
      assert.equal(client.getServerVersion()?.name, 'selvedge')
      assert.match(client.getServerVersion()?.version ?? '', /^\d+\.\d+\.\d+$/)
      assert.deepEqual(Object.keys(client.getServerCapabilities() ?? {}), ['tools'])
      assert.equal(client.getInstructions(), instructions)
    }
  })

  it('offers six tools that only read, the same through every door', async () => {
    const lists = await Promise.all(doors.map((door) => agent(door).client.listTools()))
    const [first, ...others] = lists.map(({ tools: offered }) => offered)
    assert.deepEqual(
      first?.map(({ name }) => name),
      tools.map(({ name }) => name),
    )
    assert.equal(first?.length, 6)
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

  it('speaks older revisions too, and offers its own where it knows none', async () => {
    const offered = async (protocolVersion: string) => {
      const clientInfo = { name: 'old', version: '1' }
      const params = { protocolVersion, capabilities: {}, clientInfo }
      const { body } = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
      return body.result.protocolVersion
    }
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      assert.equal(await offered(version), version)
    }
    assert.equal(await offered('1999-01-01'), '2025-11-25')
  })
})

describe('list_groups', () => {
  it('names every group and the brands that can be read', async () => {
    const { total, groups, brands, next } = await askAll('list_groups')
    assert.equal(total, 93)
    assert.deepEqual(
      groups.map(({ group }: Free) => group),
      catalog.resources.map(({ path }) => path),
    )
    assert.deepEqual(brands, ['aldermoor'])
    assert.equal(next, null)
  })

  it('names those of one area', async () => {
    const { groups, total, summary } = await ask('list_groups', { area: 'finance' })
    assert.equal(total, groups.length)
    assert.ok(groups.every(({ area }: Free) => area === 'finance'))
    assert.match(summary, /7 groups of finance, of 93 in all/)
  })
})

describe('describe_group', () => {
  for (const resource of catalog.resources) {
    it(`tells all of ${resource.path}`, async () => {
      const told = await ask('describe_group', { group: resource.path })
      const names = told.fields.map(({ name }: Free) => name)
      for (const name of Object.keys(resource.fields)) assert.ok(names.includes(name), name)
      for (const { kind, meaning } of told.fields) assert.ok(kind && meaning)
      assert.equal(told.total, told.fields.length)
      assert.deepEqual(
        told.filters.map(({ name }: Free) => name),
        resource.filters.map(({ name }) => name),
      )
      assert.equal(told.referencesOut.length, referencesOf(resource).length)
      assert.ok(told.referencesIn.length >= incomingOf(catalog, resource.path).length)
      // A loop over next ends here; the call that reads the records can be made as it stands.
      assert.equal(told.next, null)
      const { tool, arguments: given } = told.read
      await ask(tool, given)
    })
  }

  it('tells known values, and the groups that filters name', async () => {
    const { filters } = await ask('describe_group', { group: 'orders' })
    const named = Object.fromEntries(filters.map((each: Free) => [each.name, each]))
    assert.equal(named['supplierId'].group, 'suppliers')
    assert.ok(named['status'].knownValues.includes('in_production'))
    assert.equal(named['shipmentId'].through, 'order-shipments')
  })
})

describe('list_records', () => {
  it('finds a record by what people call it', async () => {
    const filters = { orderNumber: 'PO-5512' }
    const { records, total, shown, next } = await askAll('list_records', {
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
      const { records, total, next } = await ask(call.tool, call.arguments)
      assert.equal(total, body.totalItems)
      seen.push(...records.map(({ code }: Free) => code))
      call = next
    }
    assert.equal(seen.length, body.totalItems)
    assert.equal(new Set(seen).size, seen.length)
  })

  it('says how many there are, how many are shown, and the call for the rest', async () => {
    const { summary, next, shown } = await askAll('list_records', {
      group: 'order-items',
      filters: { orderId: order },
      limit: 3,
      fields: ['id', 'qty'],
    })
    assert.equal(shown, 3)
    assert.match(summary, /^10 records of order-items match; 3 shown here\./)
    assert.ok(summary.includes(JSON.stringify(next.arguments)))
    assert.equal(next.arguments.fields.length, 2)
    const rest = await ask(next.tool, { ...next.arguments, limit: 100 })
    assert.equal(rest.shown, 7)
    assert.equal(rest.next, null)
    assert.deepEqual(Object.keys(rest.records[0]), ['id', 'qty'])
  })

  it('shows included records', async () => {
    const { records } = await askAll('list_records', {
      group: 'orders',
      include: ['supplier'],
      fields: ['orderNumber'],
    })
    assert.deepEqual(Object.keys(records[0]).sort(), ['orderNumber', 'supplier'])
    assert.equal(records[0].supplier.id.length, 36)
  })

  it('shows some fields of records and of what include adds', async () => {
    const whole = await ask('list_records', { group: 'orders', include: ['supplier'] })
    const [{ id, supplier }] = whole.records
    const shown = async (fields: readonly string[]) => {
      const given = { group: 'orders', include: ['supplier'], fields }
      const [record] = (await askAll('list_records', given)).records
      assert.deepEqual((await ask('get_record', { ...given, id })).record, record)
      return record
    }
    assert.deepEqual(await shown(['id', 'supplier']), { id, supplier })
    assert.deepEqual(await shown(['id']), { id, supplier })
    const { name } = supplier
    assert.deepEqual(await shown(['id', 'supplier.name']), { id, supplier: { name } })
  })

  it('says which values there are where a filter matches nothing', async () => {
    const summaryOf = async (filters: object) => {
      const { summary, total } = await askAll('list_records', { group: 'orders', filters })
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
      /compare exactly, upper and lower case/,
    )
    const known = await ask('list_records', { group: 'orders', filters: { status: 'received' } })
    assert.doesNotMatch(known.summary, /Known values/)
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
    assert.deepEqual(await parseItems(text), records)
    assert.deepEqual(await parseItems(''), [])
  })

  it('shows as many records as fit, and goes on after the last of them', async () => {
    const include = ['shipment', 'cartonSize']
    const given = { group: 'shipment-cartons', limit: 100, include }
    const all: string[] = []
    let cutOnce = false
    let call: Free = { tool: 'list_records', arguments: given }
    while (call) {
      const { records, summary, next, shown } = await ask(call.tool, call.arguments)
      cutOnce ||= /more were asked for but do not fit/.test(summary)
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
    const { record, total, next } = await askAll('get_record', {
      group: 'orders',
      id: order,
      include: ['supplier', 'paymentTerm'],
    })
    assert.deepEqual(record, body)
    assert.deepEqual([total, next], [1, null])
  })

  it('shows the brand itself, without an id', async () => {
    const { record } = await askAll('get_record', { group: 'brand' })
    assert.equal(record.slug, 'aldermoor')
    assert.deepEqual((await ask('get_record', { group: 'brand', id: 'aldermoor' })).record, record)
    assert.equal((await refused('get_record', { group: 'brand', id: 'x' })).errorCode, 'not_found')
  })

  it('cuts a long value, and reads it to its end in parts', async () => {
    const { body } = await service.get('notes?limit=1')
    const [first] = body.items
    const id = '11111111-2222-4333-8444-555555555555'
    await service.write('aldermoor', { notes: [{ ...first, id, body: long.body }] })
    const shown = await askAll('get_record', { group: 'notes', id })
    assert.match(shown.summary, /too long to be shown whole: 1 value cut/)
    assert.deepEqual(
      shown.cut.map(({ field, characters }: Free) => [field, characters]),
      [['body', long.body.length]],
    )
    assert.ok(long.body.startsWith(shown.record.body.slice(0, -1)))
    let text = ''
    let call = shown.next
    while (call) {
      const part = await askAll(call.tool, call.arguments)
      assert.equal(part.total, long.body.length)
      text += part.text
      call = part.next
    }
    assert.equal(text, long.body)

    const listed = await ask('list_records', { group: 'notes' })
    assert.match(listed.summary, /1 long value cut, listed under cut: get_record/)
    const place = listed.records.findIndex((each: Free) => each.id === id)
    assert.deepEqual(listed.cut, [
      { record: place, field: 'body', characters: long.body.length, shown: 1_000 },
    ])
  })
})

describe('follow_references', () => {
  it('shows what a record points to and what points at it', async () => {
    const told = await askAll('follow_references', { group: 'orders', id: order })
    const out = Object.fromEntries(told.out.map((each: Free) => [each.via, each]))
    assert.equal(out['supplierId'].group, 'suppliers')
    assert.ok(out['supplierId'].found && out['supplierId'].title)
    const lists = Object.fromEntries(told.in.map((each: Free) => [each.via, each]))
    assert.equal(lists['order-items.orderId'].total, 10)
    assert.equal(lists['order-items.orderId'].records.length, 3)
    const { empty } = await ask('follow_references', {
      group: 'suppliers',
      id: out['supplierId'].id,
    })
    assert.ok(empty.length > 0)
    const { tool, arguments: given } = lists['order-items.orderId'].all
    assert.equal((await ask(tool, given)).total, 10)
    assert.match(told.summary, /lists? cut; all gives the call for each/)
  })

  it('follows one reference, either way', async () => {
    const one = { group: 'orders', id: order }
    const supplier = await askAll('follow_references', { ...one, via: 'supplierId' })
    assert.deepEqual([supplier.group, supplier.total], ['suppliers', 1])
    assert.deepEqual(await ask('follow_references', { ...one, via: 'supplier' }), supplier)
    const via = 'order-items.orderId'
    const items = await askAll('follow_references', { ...one, via, limit: 4 })
    assert.deepEqual([items.total, items.shown], [10, 4])
    assert.ok(items.records.every(({ orderId }: Free) => orderId === order))
    const rest = await ask(items.next.tool, items.next.arguments)
    assert.equal(rest.shown, 4)
    const nothing = await ask('follow_references', { ...one, direction: 'out' })
    assert.deepEqual(nothing.in, [])
  })

  it('follows a reference inside a record, and says where one leads nowhere', async () => {
    const { body } = await service.get('partners?limit=1')
    const [partner] = body.items
    const one = { group: 'partners', id: partner.id }
    const via = 'relationship.defaultPaymentTermId'
    const { total, group } = await askAll('follow_references', { ...one, via })
    assert.equal(group, 'payment-terms')
    assert.equal(total, partner.relationship?.defaultPaymentTermId ? 1 : 0)
    const id = '11111111-2222-4333-8444-666666666666'
    const { body: orders } = await service.get('orders?limit=1')
    const lost = { ...orders.items[0], id, orderNumber: 'PO-LOST', quoteRevisionId: null }
    lost.supplierId = '99999999-2222-4333-8444-666666666666'
    await service.write('aldermoor', { orders: [lost] })
    const led = await ask('follow_references', { group: 'orders', id, via: 'supplierId' })
    assert.match(led.summary, /does not exist in suppliers or is not available/)
    const none = await ask('follow_references', { group: 'orders', id, via: 'quoteRevisionId' })
    assert.match(none.summary, /is null: it points to nothing/)
    const { out } = await ask('follow_references', { group: 'orders', id, direction: 'out' })
    assert.equal(out.find((each: Free) => each.via === 'supplierId').found, false)
  })
})

describe('trace_lineage', () => {
  const titles = (records: Free[], group: string): string[] =>
    records.filter((each) => each.group === group).map(({ title }) => title)

  it('goes from the order to its product and to both of its payments', async () => {
    const { records, references, ended, total, shown, cut } = await askAll('trace_lineage', {
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
      assert.equal((await ask(all.tool, all.arguments)).total, whole)
    }
  })

  it('goes from a payment back to the order, and from a SKU to the money', async () => {
    const { body } = await service.get('payments?paymentNumber=PAY-342')
    const { records } = await ask('trace_lineage', { group: 'payments', id: body.items[0].id })
    assert.deepEqual(titles(records, 'orders'), ['PO-5512'])
    const { body: skus } = await service.get('skus?limit=1')
    const from = await ask('trace_lineage', { group: 'skus', id: skus.items[0].id })
    assert.ok(titles(from.records, 'payments').includes('PAY-342'))
  })

  it('goes one way only where told to', async () => {
    const one = { group: 'orders', id: order }
    const { records: up } = await ask('trace_lineage', { ...one, direction: 'up' })
    assert.deepEqual(titles(up, 'payments'), [])
    assert.deepEqual(titles(up, 'parent-products'), ['Harbour chore jacket'])
    const { records: down } = await ask('trace_lineage', { ...one, direction: 'down' })
    assert.deepEqual(titles(down, 'payments').sort(), ['PAY-311', 'PAY-342'])
    assert.deepEqual(titles(down, 'quotes'), [])
  })

  it('stops at its depth and its limit, says so, and goes on with the call it gives', async () => {
    const one = { group: 'orders', id: order }
    const near = await askAll('trace_lineage', { ...one, depth: 1 })
    assert.equal(near.ended, 'depth')
    assert.ok(near.records.every(({ depth }: Free) => depth <= 1))
    assert.match(
      near.summary,
      /stopped at its depth, with \d+ records? left to follow\. To continue: trace_lineage/,
    )
    assert.equal(near.next.arguments.depth, 2)
    const few = await ask('trace_lineage', { ...one, limit: 5 })
    assert.deepEqual([few.ended, few.total], ['limit', 5])
    assert.equal(few.next.arguments.limit, 10)
    const more = await ask(few.next.tool, few.next.arguments)
    assert.equal(more.total, 10)
  })

  it('begins beside the chain too', async () => {
    const { body } = await service.get('order-amendments?limit=1')
    const { records } = await ask('trace_lineage', {
      group: 'order-amendments',
      id: body.items[0].id,
    })
    assert.deepEqual(titles(records, 'orders'), ['PO-5512'])
  })
})

describe('what is wrong', () => {
  const uuid = '00000000-0000-4000-8000-000000000000'
  const cases: readonly [string, string, object, string, RegExp][] = [
    [
      'a group that is not there',
      'list_records',
      { group: 'order' },
      'not_found',
      /Did you mean orders, order-items/,
    ],
    [
      'a group in other words',
      'describe_group',
      { group: 'Order Items' },
      'not_found',
      /Did you mean order-items/,
    ],
    [
      'a group like nothing',
      'describe_group',
      { group: 'zzzzqqqq' },
      'not_found',
      /list_groups names all/,
    ],
    [
      'a filter that is not there',
      'list_records',
      { group: 'orders', filters: { suplierId: uuid } },
      'invalid_parameter',
      /suplierId is not a filter of orders; did you mean supplierId\? It is filtered by supplierId, quoteRevisionId/,
    ],
    [
      'a parameter as a filter',
      'list_records',
      { group: 'orders', filters: { limit: 3 } },
      'invalid_parameter',
      /limit is not a filter of orders\. It is filtered by supplierId/,
    ],
    [
      'a filter of the wrong form',
      'list_records',
      { group: 'orders', filters: { supplierId: 'Acme' } },
      'invalid_parameter',
      /supplierId must be a lower-case UUID/,
    ],
    [
      'filters that are no object',
      'list_records',
      { group: 'orders', filters: ['status'] },
      'invalid_parameter',
      /filters must be an object/,
    ],
    [
      'a field that is not there',
      'list_records',
      { group: 'orders', fields: ['orderNo'] },
      'invalid_parameter',
      /names "orderNo", which is no field/,
    ],
    [
      'a field of what is not included',
      'list_records',
      { group: 'orders', fields: ['id', 'supplier.name'] },
      'invalid_parameter',
      /names supplier, which include adds: give include \["supplier"\] too/,
    ],
    [
      'a field that an included record does not have',
      'get_record',
      { group: 'orders', id: order, include: ['supplier'], fields: ['supplier.nothing'] },
      'invalid_parameter',
      /names "supplier\.nothing", which is no field/,
    ],
    [
      'more fields than there may be',
      'list_records',
      { group: 'orders', fields: Array.from({ length: 101 }, (_, index) => `field${index}`) },
      'invalid_parameter',
      /fields must have at most 100 names/,
    ],
    [
      'more filters than there may be',
      'list_records',
      {
        group: 'orders',
        filters: Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`f${index}`, 'x'])),
      },
      'invalid_parameter',
      /filters must have at most 100 names/,
    ],
    [
      'more arguments than there may be',
      'list_records',
      Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`argument${index}`, 'x'])),
      'invalid_parameter',
      /is one of more than 100 arguments/,
    ],
    [
      'an include that is not there',
      'get_record',
      { group: 'orders', id: order, include: ['suppliers'] },
      'unsupported_include',
      /none of supplier, quoteRevision/,
    ],
    [
      'an id of the wrong form',
      'get_record',
      { group: 'orders', id: 'PO-5512' },
      'invalid_parameter',
      /lower-case UUID\. To find a record by its orderNumber, call list_records/,
    ],
    [
      'an id that is not there',
      'get_record',
      { group: 'orders', id: uuid },
      'not_found',
      /does not exist or is not available/,
    ],
    ['no id', 'get_record', { group: 'orders' }, 'invalid_parameter', /id is missing/],
    [
      'a record without an id',
      'get_record',
      { group: 'product-tags', id: uuid },
      'invalid_parameter',
      /told by productId and tagId\. Call list_records/,
    ],
    [
      'a list that is not there',
      'list_records',
      { group: 'brand' },
      'invalid_parameter',
      /has no list\. Call get_record/,
    ],
    [
      'a limit too high',
      'list_records',
      { group: 'orders', limit: 101 },
      'invalid_parameter',
      /limit must be a whole number from 1 to 100/,
    ],
    [
      'a limit as text',
      'list_records',
      { group: 'orders', limit: '5' },
      'invalid_parameter',
      /limit must be a whole number/,
    ],
    [
      'a garbled cursor',
      'list_records',
      { group: 'orders', cursor: 'abc' },
      'invalid_cursor',
      /not one that this server issued/,
    ],
    [
      'an argument that is not there',
      'list_records',
      { group: 'orders', filter: {} },
      'invalid_parameter',
      /did you mean filters\? It takes group, filters/,
    ],
    ['no group', 'list_records', {}, 'invalid_parameter', /group is missing: path of the group/],
    [
      'a part of no field',
      'get_record',
      { group: 'orders', id: order, offset: 5 },
      'invalid_parameter',
      /offset goes with field only/,
    ],
    [
      'a reference that is not there',
      'follow_references',
      { group: 'orders', id: order, via: 'suplierId' },
      'invalid_parameter',
      /no reference of orders; did you mean supplierId\?/,
    ],
    [
      'a cursor without a reference',
      'follow_references',
      { group: 'orders', id: order, cursor: 'abc' },
      'invalid_parameter',
      /cursor goes with via only/,
    ],
    [
      'a way that is none',
      'trace_lineage',
      { group: 'orders', id: order, direction: 'sideways' },
      'invalid_parameter',
      /must be one of up, down, both/,
    ],
    [
      'half a character',
      'list_records',
      { group: 'orders', filters: { status: '\ud800' } },
      'invalid_parameter',
      /filters must be/,
    ],
    [
      'an area that is none',
      'list_groups',
      { area: 'money' },
      'invalid_parameter',
      /must be one of network, reference/,
    ],
  ]
  for (const [name, tool, given, code, words] of cases) {
    it(`such as ${name}, is named`, async () => {
      const { error, errorCode } = await refusedAll(tool, given)
      assert.equal(errorCode, code, error)
      assert.match(error, words)
    })
  }

  it('is told all at once', async () => {
    const { details } = await refused('list_records', { limit: 0, cursor: '', x: 1 })
    const named = details.map(({ parameter }: Free) => parameter).sort()
    assert.deepEqual(named, ['cursor', 'group', 'limit', 'x'])
  })

  it('such as the cursor of another list, is refused', async () => {
    const { next } = await ask('list_records', { group: 'order-items', limit: 1 })
    const { cursor } = next.arguments
    const { errorCode } = await refusedAll('list_records', { group: 'skus', cursor })
    assert.equal(errorCode, 'cursor_mismatch')
  })

  it('such as a tool that is not there, is an error of the protocol', async () => {
    for (const door of doors) {
      await assert.rejects(
        agent(door).client.callTool({ name: 'list_record', arguments: {} }),
        /There is no tool "list_record"\. Did you mean list_records\?/,
      )
    }
  })

  it('inside is logged and not told', async () => {
    const closed = await openTestService()
    const other = await httpAgent(closed.url, await closed.key('aldermoor'))
    await closed.records.database.close()
    const { errorCode, error } = await other.refused('list_records', { group: 'orders' })
    assert.match(errorCode, /^(internal_error|store_unavailable)$/)
    assert.doesNotMatch(error, /database|sqlite/i)
    await other.close()
    await closed.close().catch(() => undefined)
    const line = closed.logged
      .map((each) => JSON.parse(each))
      .find(({ level }) => level === 'error')
    assert.ok(line?.error)
  })
})

/** A message as it stands, over HTTP. */
const post = async (
  message: unknown,
  headers: { readonly [name: string]: string } = {},
): Promise<{ status: number; headers: Headers; text: string; body: Free }> => {
  const response = await fetch(`${service.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && JSON.parse(text),
  }
}

const listing = (id: number, group = 'tags') => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'list_records', arguments: { group, limit: 1 } },
})

describe('messages over HTTP', () => {
  it('are answered with one JSON body, compressed where that is taken', async () => {
    const { status, headers, body } = await post(listing(7), { 'accept-encoding': 'br' })
    assert.equal(status, 200)
    assert.equal(body.id, 7)
    assert.equal(headers.get('content-type'), 'application/json')
    assert.equal(headers.get('content-encoding'), 'br')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.match(headers.get('ratelimit') ?? '', /^"default";r=\d+/)
    assert.match(headers.get('server-timing') ?? '', /admit;dur=.*run;dur=/)
    assert.ok(headers.get('x-request-id'))
  })

  it('that are no JSON, or no message, are errors of the protocol', async () => {
    const garbled = await post('{"jsonrpc":')
    assert.deepEqual([garbled.status, garbled.body.error.code], [400, -32_700])
    const empty = await post('')
    assert.deepEqual([empty.status, empty.body.error.code], [400, -32_700])
    for (const none of [{ hello: 1 }, 5, null, 'text', { jsonrpc: '1.0', id: 1, method: 'ping' }]) {
      const { status, body } = await post(JSON.stringify(none))
      assert.equal(status, 400, JSON.stringify(none))
      assert.ok(body.error.code < 0)
      assert.doesNotMatch(body.error.message, /\.ts:|node_modules/)
    }
  })

  it('of a method that is not there are told so', async () => {
    const { body } = await post({ jsonrpc: '2.0', id: 1, method: 'resources/list' })
    assert.equal(body.error.code, -32_601)
  })

  it('that are pings are answered, and notifications are taken without an answer', async () => {
    const { body } = await post({ jsonrpc: '2.0', id: 'p', method: 'ping' })
    assert.deepEqual(body, { jsonrpc: '2.0', id: 'p', result: {} })
    const noted = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    assert.deepEqual([noted.status, noted.text], [202, ''])
  })

  it('come in batches where the revision has them', async () => {
    const { status, body } = await post([listing(1), listing(2, 'nothing'), listing(3)])
    assert.equal(status, 200)
    const byId = new Map(body.map((each: Free) => [each.id, each.result]))
    assert.deepEqual([...byId.keys()].sort(), [1, 2, 3])
    assert.equal((byId.get(2) as Free).isError, true)
    assert.equal((byId.get(3) as Free).structuredContent.shown, 1)
  })

  it('are answered though one of their batch cancels another', async () => {
    const cancel = (requestId: number) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId },
    })
    const { status, body } = await post([listing(1), cancel(1), listing(2)])
    assert.equal(status, 200)
    assert.deepEqual(body.map(({ id }: Free) => id).sort(), [1, 2])
    assert.equal((await post([cancel(1)])).status, 202)
  })

  it('never open a stream', async () => {
    const get = await fetch(`${service.url}/mcp`, {
      headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
    })
    assert.equal(get.status, 405)
    assert.equal(get.headers.get('allow'), 'POST')
    assert.equal(((await get.json()) as Free).errorCode, 'method_not_allowed')
    for (const method of ['DELETE', 'PUT', 'HEAD']) {
      const { status, headers } = await fetch(`${service.url}/mcp`, { method })
      assert.deepEqual([status, headers.get('allow')], [405, 'POST'], method)
    }
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const method = 'subscriptions/listen'
    const params = { _meta, notifications: { toolsListChanged: true } }
    const { headers } = await post(
      { jsonrpc: '2.0', id: 1, method, params },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
    )
    assert.ok(headers.has('content-length'))
  })

  it('are refused without a good key, in the shape of the API', async () => {
    const sent: readonly [string | null, string][] = [
      [null, 'missing_api_key'],
      ['Bearer slv_wrong', 'invalid_api_key'],
    ]
    for (const [authorization, code] of sent) {
      const response = await fetch(`${service.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
        body: JSON.stringify(listing(1)),
      })
      assert.equal(response.status, 401)
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/)
      const body = (await response.json()) as Free
      assert.deepEqual(Object.keys(body), ['error', 'errorCode'])
      assert.equal(body.errorCode, code)
    }
    await assert.rejects(httpAgent(service.url, 'slv_wrong'), /not valid|401/i)
  })

  it('are refused from pages of other origins, and taken from those that are listed', async () => {
    const foreign = await post(listing(1), { origin: 'https://evil.example' })
    assert.equal(foreign.status, 403)
    assert.equal(foreign.body.errorCode, 'forbidden_origin')
    // A name that an attacker lets point here does not help.
    const rebound = await post(listing(1), { origin: 'http://evil.example:8080' })
    assert.equal(rebound.status, 403)
    assert.equal((await post(listing(1), { origin: service.url })).status, 200)
    const open = await openTestService({ CORS_ORIGINS: 'https://app.example.com' })
    const origin = 'https://app.example.com'
    const preflight = await fetch(`${open.url}/mcp`, { method: 'OPTIONS', headers: { origin } })
    assert.equal(preflight.headers.get('access-control-allow-methods'), 'POST')
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Mcp-Method/)
    const response = await fetch(`${open.url}/mcp`, {
      method: 'POST',
      headers: {
        origin,
        authorization: `Bearer ${await open.key('aldermoor')}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(listing(1)),
    })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('access-control-allow-origin'), origin)
    await open.close()
  })

  it('that are too long are refused before they are read as JSON', async () => {
    const { status, body } = await post(`"${'x'.repeat(300_000)}"`)
    assert.deepEqual([status, body.errorCode], [413, 'body_too_large'])
    const still = await post(listing(1))
    assert.equal(still.status, 200)
  })

  it('of another type than JSON are refused', async () => {
    const { status } = await post(JSON.stringify(listing(1)), { 'content-type': 'text/plain' })
    assert.equal(status, 415)
  })

  it('may have a body at this path alone', async () => {
    for (const path of ['/whoami', '/api/public/v1/brands/aldermoor/orders', '/healthz']) {
      const { status } = await fetch(service.url + path, { method: 'POST', body: '{}' })
      assert.equal(status, 405, path)
    }
  })

  it('are counted against the limit of the key, each call of a batch too', async () => {
    const slow = await openTestService({ RATE_PER_SECOND: '0.001', RATE_BURST: '8' })
    const limited = await slow.key('aldermoor')
    const send = (message: object) =>
      fetch(`${slow.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${limited}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(message),
      })
    const left = (response: Response) =>
      Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1])
    const first = left(await send(listing(1)))
    const batch = await send([listing(1), listing(2), listing(3)])
    assert.equal(left(batch), first - 3)
    const rest = await send(Array.from({ length: 10 }, (_, index) => listing(index)))
    const results = (await rest.json()) as Free[]
    const errors = results.filter(({ result }) => result.isError)
    assert.ok(errors.length > 0)
    const { errorCode, retryAfterSeconds } = JSON.parse(errors[0].result.content[0].text)
    assert.equal(errorCode, 'rate_limited')
    assert.ok(retryAfterSeconds > 0)
    const refusal = await send(listing(1))
    assert.equal(refusal.status, 429)
    assert.match(refusal.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal(((await refusal.json()) as Free).errorCode, 'rate_limited')
    await slow.close()
  })

  const tracing = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'trace_lineage', arguments: { group: 'orders', id: order } },
  })

  it('come in batches of ten at most', async () => {
    const ten = await post(Array.from({ length: 10 }, (_, id) => listing(id)))
    assert.deepEqual([ten.status, ten.body.length], [200, 10])
    const eleven = await post(Array.from({ length: 11 }, (_, id) => listing(id)))
    assert.deepEqual([eleven.status, eleven.body.errorCode], [413, 'body_too_large'])
    assert.match(eleven.body.error, /at most 10 messages\. Send the others in further requests/)
  })

  it('share a number of reads, and say what to do when these are used up', async () => {
    const { body } = await post(Array.from({ length: 10 }, (_, id) => tracing(id)))
    const results = body.map(({ result }: Free) => result)
    const partly = results.filter(
      ({ structuredContent }: Free) => structuredContent?.ended === 'reads',
    )
    assert.ok(partly.length > 0, 'ten walks read as much as they liked')
    for (const { structuredContent } of partly) {
      assert.match(structuredContent.summary, /may read 200 lists and records together/)
      assert.match(structuredContent.summary, /again in a message of its own/)
      assert.ok(structuredContent.next, 'it does not say how to go on')
    }
    const alone = await post(tracing(1))
    assert.equal(alone.body.result.structuredContent.ended, 'complete')
  })

  it('cost the key a request for every ten reads, and a walk shows what it has until then', async () => {
    const slow = await openTestService({ RATE_PER_SECOND: '0.001', RATE_BURST: '4' })
    after(() => slow.close())
    const agent = await httpAgent(slow.url, await slow.key('aldermoor'), 'stateless')
    const given = { group: 'orders', id: order }
    const { ended, summary, total, next } = await agent.ask('trace_lineage', given)
    assert.equal(ended, 'reads', summary)
    assert.match(summary, /The rate limit of 0\.001 requests a second is used up\. Try again in/)
    assert.ok(total > 1 && next)
    await agent.close()
  })

  it('let others in between two of their reads', async () => {
    const { store } = service.records
    let [isAnswered, turns, reads] = [false, 0, 0]
    const list = store.list.bind(store)
    const count = () => {
      turns += 1
      if (!isAnswered) setImmediate(count)
    }
    const counted = (async () => {
      setImmediate(count)
      const { body } = await post(Array.from({ length: 10 }, (_, id) => tracing(id)))
      isAnswered = true
      assert.equal(body.length, 10)
    })()
    Object.assign(store, {
      list: (request: Parameters<typeof list>[0]) => {
        reads += 1
        return list(request)
      },
    })
    await counted
    Object.assign(store, { list })
    assert.ok(reads > 50 && turns >= reads, `${turns} turns of the loop for ${reads} reads`)
    assert.ok(reads <= messageBudget.reads)
  })

  it('write nothing to the terminal', async (context) => {
    const written = ['log', 'info', 'warn', 'error'].map((name) =>
      context.mock.method(console, name as 'log', () => undefined),
    )
    await agent('http stateless').ask('list_groups')
    await agent('http').ask('list_groups')
    for (const { mock } of written) assert.equal(mock.callCount(), 0)
  })

  it('are logged and counted by tool, with the code of a refusal', async () => {
    await ask('get_record', { group: 'orders', id: order })
    await refused('list_records', { group: 'nothing' })
    const lines = service.logged.map((line) => JSON.parse(line))
    const got = lines.find(({ route }) => route === 'mcp.get_record')
    assert.equal(got.brand, 'aldermoor')
    assert.equal(got.method, 'POST')
    assert.ok(got.keyId && got.requestId)
    const failed = lines.filter(({ route }) => route === 'mcp.list_records')
    assert.ok(failed.some(({ errorCode }) => errorCode === 'not_found'))
    const { body } = await service.metrics.text()
    assert.match(
      body,
      /selvedge_requests_total\{operation="mcp.get_record",method="POST",status="200"\}/,
    )
    assert.ok(!service.logged.some((line) => line.includes(key)))
    const told = service.logged.filter((line) => line.includes('"route":"mcp'))
    assert.ok(!told.some((line) => line.includes('PO-5512')))
  })

  it('load the library of the protocol, and nothing else does', () => {
    const sources = globSync('src/**/*.ts', { cwd: new URL('../..', import.meta.url) })
    assert.ok(sources.length > 100)
    for (const path of sources.filter((each) => !/^src.mcp./.test(each))) {
      const source = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
      for (const [line] of source.matchAll(/^.*from '#mcp'$/gm)) {
        assert.match(line, /^import type /, `${path}: ${line}`)
      }
    }
  })

  it('are not taken where they are switched off', async () => {
    const off = await openTestService({ MCP: 'off' })
    for (const method of ['GET', 'POST']) {
      const { status } = await fetch(`${off.url}/mcp`, { method })
      assert.equal(status, 404)
    }
    await off.close()
  })
})

describe('a key for several brands', () => {
  it('must name one, and is told which there are', async () => {
    const { body } = await service.get('')
    await service.write('birkholm', { brand: [{ ...body, slug: 'birkholm' }] })
    const global = await httpAgent(service.url, await service.key())
    const { error, errorCode } = await global.refused('list_records', { group: 'orders' })
    assert.equal(errorCode, 'invalid_parameter')
    assert.match(
      error,
      /brand is missing: 2 brands can be read, so name one: aldermoor, birkholm\./,
    )
    const { brands } = await global.ask('list_groups')
    assert.deepEqual(brands, ['aldermoor', 'birkholm'])
    const given = { group: 'orders', brand: 'aldermoor' }
    const { total, brand } = await global.ask('list_records', given)
    assert.equal(brand, 'aldermoor')
    assert.ok(total > 0)
    const wrong = await global.refused('list_records', { group: 'orders', brand: 'aldermor' })
    assert.match(wrong.error, /There is no such brand\. Did you mean aldermoor\?/)
    await global.close()
  })
})

describe('the command', () => {
  const run = (
    args: readonly string[],
    input: string | null,
    more: { readonly [name: string]: string } = {},
  ): Promise<{ code: number | null; stdout: string; stderr: string }> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [mainFile, 'mcp', ...args], {
        env: { ...environment, ...more },
        cwd: service.folder,
      })
      let stdout = ''
      let stderr = ''
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk
      })
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk
      })
      child.stdin.once('error', () => undefined)
      if (input !== null) child.stdin.end(input)
      child.once('close', (code) => resolve({ code, stdout, stderr }))
    })

  it('answers all that came before the input ended, then ends', async () => {
    const clientInfo = { name: 'pipe', version: '1' }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      listing(2),
      {
        jsonrpc: '2.0',
        id: 3,
        method: 'tools/call',
        params: { name: 'trace_lineage', arguments: { group: 'orders', id: order } },
      },
      { jsonrpc: '2.0', id: 4, method: 'nothing/here' },
    ]
    const lines = [...messages.map((each) => JSON.stringify(each)), '{"broken', ''].join('\n')
    const { code, stdout, stderr } = await run(['--brand', 'aldermoor'], lines)
    assert.equal(code, 0, stderr)
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(answers.map(({ id }) => id).sort(), [1, 2, 3, 4])
    assert.equal(answers.find(({ id }) => id === 4).error.code, -32_601)
    assert.match(stderr, /Selvedge serves aldermoor to one agent/)
  })

  it('refuses what it cannot serve, in a sentence, before it speaks', async () => {
    const keyFile = join(service.folder, 'key.txt')
    writeFileSync(keyFile, 'slv_wrong\n')
    const cases: readonly [readonly string[], number, RegExp][] = [
      [[], 2, /Name the brand to read with --brand, or a server with --url/],
      [['--brand', 'nobody'], 1, /There is no brand nobody\./],
      [['--url', 'records.example.com'], 1, /is no address such as/],
      [['--url', 'http://192.0.2.1'], 1, /is plain HTTP: everybody on the way/],
      [['--url', `${service.url}/api/public/v1/brands/x`], 1, /ends with \/brands\/x/],
      [['--brand', 'aldermoor', '--allow-http'], 2, /--allow-http goes with --url/],
      [['--url', service.url, '--timeout', '0s', '--key-file', keyFile], 1, /not a timeout/],
      [['--url', service.url], 2, /Give an API key for --url: one word, in SELVEDGE_KEY/],
      [['--url', service.url, '--key-file', keyFile], 1, /refused: The API key is not valid/],
      [['--brand', 'aldermoor', '--key-file', keyFile], 2, /--key-file goes with --url/],
      [['--url', 'http://127.0.0.1:1', '--key-file', keyFile], 1, /cannot be reached/],
    ]
    await Promise.all(
      cases.map(async ([args, code, words]) => {
        const ran = await run(args, null)
        assert.deepEqual([ran.code, ran.stdout], [code, ''], ran.stderr)
        assert.match(ran.stderr, words)
      }),
    )
    const other = await run(['--url', service.url, '--brand', 'nobody'], null, {
      SELVEDGE_KEY: key,
    })
    assert.match(other.stderr, /The key may not read nobody\. It may read aldermoor\./)
  })

  it('says nothing on standard output but the protocol', () => {
    for (const door of ['stdio', 'stdio over http'] as const) {
      assert.match((agent(door) as StdioAgent).said(), /^Selvedge serves aldermoor/)
    }
  })
})

describe('the schemas', () => {
  it('are those that the definitions give', async () => {
    const { tools: offered } = await agent().client.listTools()
    for (const [index, tool] of tools.entries()) {
      assert.deepEqual(offered[index]?.inputSchema, argumentsSchema(tool.arguments))
      assert.deepEqual(offered[index]?.outputSchema, resultSchema(tool))
    }
    assert.ok(instructions.includes(resultMax.toLocaleString('en')))
  })
})
