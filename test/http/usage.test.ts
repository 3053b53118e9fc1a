/** What a server counts of the requests it answers. The records and bytes are what clients get. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { basePath, feedBasePath, queryBasePath } from '#contract'
import { type Log, openMetrics } from '#observability'
import { createUsageLog, type UsageTotal } from '#usage'
import { openServiceUsage } from '../../src/server/service-usage.ts'
import { until } from '../support/cluster.ts'
import { openSandbox } from '../support/command.ts'
import { openTestService, type TestService } from '../support/service.ts'

const wide = { since: '2000-01-01', until: '2100-01-01' }

describe('usage', () => {
  let service: TestService
  let key = ''
  let keyId = ''
  before(async () => {
    service = await openTestService({ CHANGE_FEED: 'on', TRUSTED_PROXIES: '127.0.0.1' })
  })
  after(() => service.close())
  beforeEach(async () => {
    key = await service.key('aldermoor')
    keyId = (await service.records.keys.list()).at(-1)?.id ?? ''
  })
  const brandPath = `${basePath}/brands/aldermoor`

  /** Sends a request, and returns the bytes of the body as they arrive. */
  const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const { port } = new URL(service.url)
    const socket = connect(Number(port), '127.0.0.1')
    const lines = Object.entries({
      host: 'x',
      connection: 'close',
      authorization: `Bearer ${key}`,
      ...headers,
    })
    socket.write(
      `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    )
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    await once(socket, 'close')
    const all = Buffer.concat(chunks)
    const end = all.indexOf('\r\n\r\n') + 4
    const body = all.subarray(end)
    return { body, length: body.length, text: body.toString() }
  }

  /** The usage of the key by operation, once it is stored. */
  const stored = async (requests: number): Promise<ReadonlyMap<string, UsageTotal>> => {
    const log = createUsageLog(service.records.keyDatabase)
    let all: readonly UsageTotal[] = []
    await until(async () => {
      all = await log.totals(['operation'], { ...wide, keyId })
      return all.reduce((sum, each) => sum + each.requests, 0) >= requests
    })
    return new Map(all.map((total) => [total.parts[0] ?? '', total]))
  }

  it('has the requests, records and bytes of lists and records, cached or not', async () => {
    const pages = []
    for (let n = 0; n < 4; n += 1) pages.push(await ask(`${brandPath}/order-items?limit=7`))
    const compressed = await ask(`${brandPath}/order-items?limit=7`, { 'accept-encoding': 'gzip' })
    assert.ok(compressed.length < (pages[0]?.length ?? 0))
    const first = JSON.parse(pages[0]?.text ?? '')
    const last = await ask(`${brandPath}/order-items?limit=100`)
    const { id } = first.items[0]
    const record = await ask(`${brandPath}/order-items/${id}`)
    const head = await ask(`${brandPath}/order-items/${id}`, {}, 'HEAD')
    assert.equal(head.length, 0)
    const usage = await stored(8)
    const lists = usage.get('listOrderItems')
    assert.deepEqual(
      [lists?.requests, lists?.records, lists?.bytes],
      [
        6,
        7 * 5 + JSON.parse(last.text).items.length,
        pages.reduce((sum, { length }) => sum + length, compressed.length + last.length),
      ],
    )
    const gets = usage.get('getOrderItem')
    assert.deepEqual([gets?.requests, gets?.records, gets?.bytes], [2, 1, record.length])
  })

  it('has the records of the last page of a list, with filters and included records', async () => {
    const { items } = JSON.parse((await ask(`${brandPath}/orders?limit=1`)).text)
    const of = `order-items?orderId=${items[0].id}`
    const whole = JSON.parse((await ask(`${brandPath}/${of}&limit=100&include=sku`)).text)
    assert.ok(whole.items.length > 2)
    const first = JSON.parse((await ask(`${brandPath}/${of}&limit=2`)).text)
    const cursor = encodeURIComponent(first.nextCursor)
    const rest = JSON.parse((await ask(`${brandPath}/${of}&limit=100&cursor=${cursor}`)).text)
    assert.equal(rest.items.length, whole.items.length - 2)
    const usage = await stored(4)
    assert.equal(usage.get('listOrderItems')?.records, whole.items.length * 2)
    assert.deepEqual(usage.get('listOrderItems')?.groups, ['skus'])
  })

  it('has 304 and refusals by code, without records', async () => {
    const { headers } = await service.get('orders?limit=3', { key })
    await ask(`${brandPath}/orders?limit=3`, { 'if-none-match': headers.get('etag') ?? '' })
    const refused = [
      await ask(`${brandPath}/orders?limit=none`),
      await ask(`${brandPath}/orders?limit=none`),
      await ask(`${basePath}/brands/kelder/orders`),
    ]
    const usage = await stored(5)
    const { requests, records, refusals } = usage.get('listOrders') ?? {}
    assert.deepEqual(
      { requests, records, refusals },
      { requests: 5, records: 1, refusals: { invalid_parameter: 2, out_of_scope: 1 } },
    )
    const brands = await createUsageLog(service.records.keyDatabase).totals(['brand'], {
      ...wide,
      keyId,
    })
    // A brand outside the scope of a key is not named.
    assert.deepEqual(
      brands.map(({ parts, requests, bytes }) => [...parts, requests, bytes]),
      [
        ['', 1, refused[2]?.length],
        ['aldermoor', 4, brands[1]?.bytes],
      ],
    )
  })

  it('has the records of downloads, queries, the change feed, searches and documents', async () => {
    const query = `${queryBasePath}/brands/aldermoor`
    const file = await fetch(`${service.url}${query}/order-items/download?format=ndjson`, {
      headers: { authorization: `Bearer ${key}`, 'accept-encoding': 'identity' },
    })
    const text = await file.text()
    const page = JSON.parse((await ask(`${query}/orders?sort=-orderDate&limit=4`)).text)
    const feed = JSON.parse(
      (await ask(`${feedBasePath}/brands/aldermoor/changes?limit=10&collection=orders`)).text,
    )
    const order = page.items[0]
    const results = JSON.parse((await ask(`${query}/search?q=${order.orderNumber}`)).text)
    const document = JSON.parse((await ask(`${query}/orders/${order.id}/document`)).text)
    const usage = await stored(5)
    const recordsOf = (operation: string) => usage.get(operation)?.records
    assert.equal(recordsOf('downloadOrderItems'), text.trimEnd().split('\n').length - 1)
    assert.equal(usage.get('downloadOrderItems')?.bytes, Buffer.byteLength(text))
    assert.equal(recordsOf('queryOrders'), page.items.length)
    const feedUsage = [...usage].find(([name]) => /changes/i.test(name))?.[1]
    assert.equal(feedUsage?.records, feed.items.length)
    assert.deepEqual(feedUsage?.groups, ['orders'])
    const search = [...usage].find(([name]) => /search/i.test(name))?.[1]
    assert.ok(results.items.length > 0)
    assert.equal(search?.records, results.items.length)
    const sections = Object.values(document.sections) as { items: unknown[] }[]
    const inDocument = sections.reduce((sum, { items }) => sum + items.length, 1)
    const documents = [...usage].find(([name]) => /document/i.test(name))?.[1]
    assert.equal(documents?.records, inDocument)
  })

  const callTool = async (name: string, args: object) => {
    const params = { name, arguments: args }
    const response = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    })
    assert.equal(response.status, 200, await response.text())
  }

  it('has the records of documents and searches that tools read', async () => {
    const query = `${queryBasePath}/brands/aldermoor`
    const { items } = JSON.parse((await ask(`${query}/orders?limit=1`)).text)
    const [{ id, orderNumber }] = items
    await ask(`${query}/orders/${id}/document?limit=3`)
    await ask(`${query}/search?q=${orderNumber}&limit=5`)
    await callTool('get_document', { group: 'orders', id, rows: 3 })
    await callTool('search', { query: orderNumber, limit: 5 })
    const usage = await stored(5)
    const recordsOf = (name: RegExp) => [...usage].find(([each]) => name.test(each))?.[1].records
    for (const [name, tool] of [
      [/^(?!mcp).*document/i, /^mcp.get_document$/],
      [/^(?!mcp).*search/i, /^mcp.search$/],
    ] as const) {
      const records = recordsOf(name) ?? 0
      assert.ok(records > 0, String(name))
      // A tool may also read the records that it names by their titles.
      assert.ok((recordsOf(tool) ?? 0) >= records, String(tool))
    }
  })

  it('has the records that tools of agents read, under the key', async () => {
    await callTool('list_records', { group: 'order-items', limit: 2 })
    const usage = await stored(1)
    const [[operation, total] = []] = [...usage]
    assert.match(operation ?? '', /^mcp\./)
    assert.ok((total?.records ?? 0) >= 2)
    assert.ok(total?.groups.includes('order-items'))
  })

  it('has the addresses of clients behind a proxy', async () => {
    const from = ['198.51.100.7', '2001:db8:1:2:3:4:5:6', '198.51.100.7']
    for (const address of from) await ask(`${brandPath}/tags`, { 'x-forwarded-for': address })
    const usage = await stored(3)
    assert.deepEqual(usage.get('listTags')?.addresses, {
      '198.51.100.7': 2,
      '2001:db8:1:2::/64': 1,
    })
  })

  it('is shown by the command: as a table, CSV and JSON', async () => {
    await ask(`${brandPath}/orders?limit=2`, { 'x-forwarded-for': '198.51.100.7' })
    await ask(`${brandPath}/tags?limit=none`, { 'x-forwarded-for': '198.51.100.7' })
    await stored(2)
    const sandbox = openSandbox(`sqlite:${join(service.folder, 'selvedge.db')}`)
    const run = (...words: string[]) => sandbox.run(['usage', '--key', keyId, ...words])
    try {
      const table = (await run('--by', 'key,group')).stdout.split('\n')
      assert.match(table[0] ?? '', /^key +name +group +requests +refused +records +bytes +first/)
      assert.match(table[1] ?? '', new RegExp(`^${keyId} +test +orders +1 +0 +1 .* 198.51.100.7$`))
      assert.match(table[2] ?? '', new RegExp(`^${keyId} +test +tags +1 +1 +0 `))
      assert.match(table[3] ?? '', /^total +2 +1 +1 /)
      const csv = (await run('--by', 'operation', '--csv')).stdout.split('\r\n')
      assert.equal(
        csv[0],
        'operation,requests,refused,records,bytes,firstAt,lastAt,refusals,addresses,otherAddresses',
      )
      assert.match(csv[2] ?? '', /^listTags,1,1,0,\d+,.*,invalid_parameter=1,198.51.100.7=1,0$/)
      const json = JSON.parse((await run('--by', 'brand,day', '--json')).stdout)
      assert.deepEqual(json.by, ['brand', 'day'])
      const today = new Date().toISOString().slice(0, 10)
      assert.deepEqual(
        json.items.map(
          ({ brand, day, requests, refusals, addresses }: Record<string, unknown>) => ({
            ...{ brand, day, requests, refusals, addresses },
          }),
        ),
        [
          {
            brand: 'aldermoor',
            day: today,
            requests: 2,
            refusals: { invalid_parameter: 1 },
            addresses: { '198.51.100.7': 2 },
          },
        ],
      )
      const none = await run('--until', '2020-01-02', '--since', '2020-01-01')
      assert.match(none.stdout, /^No usage from 2020-01-01 to 2020-01-02/)
      for (const [words, message] of [
        [['--by', 'week'], /--by: "week" is not one of key, brand, group, operation, day\./],
        [['--since', '2026-02-30'], /--since: "2026-02-30" is not a day/],
        [['--since', '2026-03-01', '--until', '2026-02-01'], /is after the last day/],
        [['--csv', '--json'], /Use either --csv or --json\./],
      ] as const) {
        const { code, stderr } = await run(...words)
        assert.notEqual(code, 0)
        assert.match(stderr, message)
      }
      const wrong = await sandbox.run(['usage', '--key', 'nobody'])
      assert.match(wrong.stderr, /Key nobody does not exist/)
    } finally {
      sandbox.close()
    }
  })
})

it('usage of a removed brand is not written, whatever a replica has', async () => {
  const { records, close } = await openTestService()
  const { keyDatabase, store } = records
  try {
    // As of a replica that lags behind.
    const lagging = { keyDatabase, store: { ...store, has: async () => true } }
    const log = { warn: assert.fail } as unknown as Log
    const parts = { log, metrics: await openMetrics(), waitMs: 600_000 }
    const usage = await openServiceUsage({ usageDays: 400 }, lagging, parts)
    const request = { keyId: 'k1', operation: 'listOrders', errorCode: null, groups: null }
    for (const brand of ['aldermoor', 'removed']) {
      usage.add({ ...request, brand, records: 1, bytes: 1, address: '192.0.2.1' })
    }
    await usage.close()
    const totals = await createUsageLog(keyDatabase).totals(['brand'], { ...wide, keyId: 'k1' })
    assert.deepEqual(
      totals.map(({ parts: [brand] }) => brand),
      ['aldermoor'],
    )
  } finally {
    await close()
  }
})

it('usage is written when the server stops', async () => {
  const { folder, close, get } = await openTestService({}, { usageWaitMs: 600_000 })
  const again = await openTestService({}, { folder })
  const log = createUsageLog(again.records.keyDatabase)
  try {
    await get('orders?limit=2')
    assert.deepEqual(await log.totals([], wide), [])
  } finally {
    await close()
  }
  const [total] = await log.totals(['operation'], wide)
  assert.deepEqual([total?.parts, total?.requests], [['listOrders'], 1])
  await again.close()
})
