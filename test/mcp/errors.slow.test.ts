/** What is wrong with a call is reported so that an agent can correct it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Free, httpAgent } from '../support/agent.ts'
import { type Agents, openAgents, order, transports } from '../support/mcp-agents.ts'
import { openTestService } from '../support/service.ts'

let agents: Agents
before(async () => {
  agents = await openAgents()
})
after(() => agents.close())

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
      /list_groups lists all groups/,
    ],
    [
      'a filter that is not there',
      'list_records',
      { group: 'orders', filters: { suplierId: uuid } },
      'invalid_parameter',
      /suplierId is not a filter of orders; did you mean supplierId\? It has the filters supplierId, quoteRevisionId/,
    ],
    [
      'a parameter as a filter',
      'list_records',
      { group: 'orders', filters: { limit: 3 } },
      'invalid_parameter',
      /limit is not a filter of orders\. It has the filters supplierId/,
    ],
    [
      'a filter of the wrong form',
      'list_records',
      { group: 'orders', filters: { supplierId: 'Acme' } },
      'invalid_parameter',
      /supplierId must be a lower-case UUID/,
    ],
    [
      'filters that are not an object',
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
      /names "orderNo", which is not a field/,
    ],
    [
      'a field of what is not included',
      'list_records',
      { group: 'orders', fields: ['id', 'supplier.name'] },
      'invalid_parameter',
      /names supplier, which include adds: pass include \["supplier"\] too/,
    ],
    [
      'a field that an included record does not have',
      'get_record',
      { group: 'orders', id: order, include: ['supplier'], fields: ['supplier.nothing'] },
      'invalid_parameter',
      /names "supplier\.nothing", which is not a field/,
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
      /lower-case UUID\. To find a record by its orderNumber, call list_records \{"group":"orders","filters":\{"orderNumber":"[^…]/,
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
      /identified by productId and tagId\. Call list_records/,
    ],
    [
      'a list that is not there',
      'list_records',
      { group: 'brand' },
      'invalid_parameter',
      /cannot be listed\. Call get_record/,
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
      /did you mean filters\? It accepts group, filters/,
    ],
    ['no group', 'list_records', {}, 'invalid_parameter', /group is missing: path of the group/],
    [
      'a part of no field',
      'get_record',
      { group: 'orders', id: order, offset: 5 },
      'invalid_parameter',
      /offset can only be used with field/,
    ],
    [
      'a reference that is not there',
      'follow_references',
      { group: 'orders', id: order, via: 'suplierId' },
      'invalid_parameter',
      /not a reference of orders; did you mean supplierId\?/,
    ],
    [
      'a cursor without a reference',
      'follow_references',
      { group: 'orders', id: order, cursor: 'abc' },
      'invalid_parameter',
      /cursor can only be used with via/,
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
      /must be one of orders, catalog, sourcing/,
    ],
  ]
  for (const [name, tool, args, code, words] of cases) {
    it(`such as ${name}, is named`, async () => {
      const { error, errorCode } = await agents.refusedAll(tool, args)
      assert.equal(errorCode, code, error)
      assert.match(error, words)
    })
  }

  it('is reported all at once', async () => {
    const { details } = await agents.refused('list_records', { limit: 0, cursor: '', x: 1 })
    const named = details.map(({ parameter }: Free) => parameter).sort()
    assert.deepEqual(named, ['cursor', 'group', 'limit', 'x'])
  })

  it('such as the cursor of another list, is refused', async () => {
    const { next } = await agents.ask('list_records', { group: 'order-items', limit: 1 })
    const { cursor } = next.arguments
    const { errorCode } = await agents.refusedAll('list_records', { group: 'skus', cursor })
    assert.equal(errorCode, 'cursor_mismatch')
  })

  it('such as a tool that is not there, is an error of the protocol', async () => {
    for (const transport of transports) {
      await assert.rejects(
        agents.over(transport).client.callTool({ name: 'list_record', arguments: {} }),
        /There is no tool "list_record"\. Did you mean list_records\?/,
      )
    }
  })

  it('on the server is logged and not shown', async () => {
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
