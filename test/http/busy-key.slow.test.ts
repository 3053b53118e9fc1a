/** One key that asks for too much: others do not notice, and the server lives on. */
import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { ApiError, basePath, catalog, resourceAt, wholeScope } from '#contract'
import { createCursors, createQueryCursors } from '#cursors'
import { storeReader } from '#mcp'
import { createKeyConcurrency } from '../../src/http/load-limits.ts'
import { until } from '../support/cluster.ts'
import { idOf } from '../support/model.ts'
import { openPostgres } from '../support/postgres.ts'
import { openSocket } from '../support/raw-socket.ts'
import { openTestService, type TestResponse, type TestService } from '../support/service.ts'
import { startTurnMeter } from '../support/turn-meter.ts'

/** So many that counting them takes a multiple of the 80 ms that a hurried request may take. */
const rows = 250_000
const items = resourceAt(catalog, 'order-items')

describe('filters that are wide apart and empty together', () => {
  let service: TestService
  before(async () => {
    service = await openTestService()
    const { body } = await service.get('order-items?limit=1')
    const [item] = body.items
    const half = (n: number) => ({ category: n % 2 ? 'A' : 'B', htsCode: n % 2 ? '1' : '2' })
    await service.records.store.write('aldermoor', async (writer) => {
      const all = Array.from({ length: rows }, (_, n) => ({ ...item, id: idOf(n + 1), ...half(n) }))
      for (let from = 0; from < rows; from += 10_000) {
        await writer.stage(items, all.slice(from, from + 10_000))
      }
      await writer.merge(items)
    })
    // The next snapshot copies the long log of a large transaction, and would block this thread. A
    // server makes such transactions in another one.
    await service.records.database.snapshot(() => Promise.resolve())
  })
  after(() => service.close())

  const wide = 'category=A&htsCode=2'

  it('never block the event loop for long, and are counted once', async () => {
    const ask = async (query: string) => {
      const { status, body } = await service.get(`order-items?${query}`)
      assert.equal(status, 200)
      return body
    }
    const include = 'include=order,sku,productVersion'
    const longestMs = startTurnMeter()
    const began = process.cpuUsage()
    assert.equal((await ask(`${wide}&${include}`)).totalItems, 0)
    const counting = process.cpuUsage(began)
    const then = process.cpuUsage()
    for (let n = 0; n < 20; n += 1) {
      assert.equal((await ask(`${wide}&limit=${n + 1}&${include}`)).totalItems, 0)
    }
    const again = process.cpuUsage(then)
    const turnMs = longestMs()
    // Counted in one piece they take a multiple, for each of four statements.
    assert.ok(turnMs < 50, `One turn took ${turnMs} ms.`)
    const [once, each] = [counting.user + counting.system, (again.user + again.system) / 20]
    assert.ok(each < once / 2, `${each} µs of CPU each, after ${once} µs`)
  })

  it('end at the time limit with an error that says so, and leave nothing behind', async () => {
    const { folder } = service
    const file = join(folder, 'selvedge.db')
    const environment = { DATABASE_URL: `sqlite:${file}?query-ms=10` }
    const hurried = await openTestService(environment, { folder, story: false })
    try {
      const key = await hurried.key('aldermoor')
      const ask = (path: string) => hurried.get(path, { key })
      const assertLate = ({ status, headers, text, body }: TestResponse) => {
        assert.deepEqual([status, body.errorCode], [500, 'store_unavailable'], text)
        assert.match(body.error, /longer than one request may\. Send the same request again/)
        assert.equal(headers.get('retry-after'), '1')
      }
      assertLate(await ask(`order-items?${wide}`))
      // A read that still runs after a commit needs the log of the time before it.
      const { body } = await ask('tags?limit=1')
      await hurried.write('aldermoor', { tags: [{ ...body.items[0], name: 'Changed' }] })
      const deadline = performance.now() + 20_000
      while (!isWalTruncated(file)) {
        assert.ok(performance.now() < deadline, 'the read has not ended')
        await wait(20)
      }
      const { status, body: changed } = await ask('tags?limit=1')
      assert.deepEqual([status, changed.items[0].name], [200, 'Changed'])
      // More than may run at the same time: each has given its place back.
      for (let n = 0; n < 6; n += 1) {
        const answer = await ask(`order-items?${wide}&limit=${n + 1}`)
        if (answer.status !== 200) assertLate(answer)
      }
    } finally {
      await hurried.close()
    }
  })
})

/** Whether nothing needs the write-ahead log of a database any more, which then has been truncated. */
const isWalTruncated = (file: string): boolean => {
  const connection = new DatabaseSync(file)
  try {
    return connection.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] === 0
  } finally {
    connection.close()
  }
}

describe('a key with many requests in progress', () => {
  it('gets all of them answered, in order on one connection', async () => {
    const service = await openTestService({ KEY_CONCURRENCY: '2' })
    const key = await service.key('aldermoor')
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => service.get(`tags?limit=${n + 1}`)),
    )
    assert.ok(answers.every(({ status }) => status === 200))
    const port = Number(new URL(service.url).port)
    const socket = connect(port, '127.0.0.1')
    const heads = Array.from({ length: 40 }, (_, n) =>
      [
        `GET ${basePath}/brands/aldermoor/orders?limit=${n + 1} HTTP/1.1`,
        'Host: selvedge',
        `Authorization: Bearer ${key}`,
        `X-Request-Id: n${n}.`,
        ...(n === 39 ? ['Connection: close'] : []),
        '',
        '',
      ].join('\r\n'),
    )
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    socket.write(heads.join(''))
    await new Promise((resolve) => socket.once('close', resolve))
    assert.equal(text.match(/HTTP\/1\.1 200 /g)?.length, heads.length)
    const order = [...text.matchAll(/x-request-id: (n\d+)\./gi)].map(([, id]) => id)
    assert.deepEqual(
      order,
      heads.map((_, n) => `n${n}`),
    )
    await service.close()
  })

  it('is refused with Retry-After what waits for too long, and no other key is', async () => {
    const postgres = await openPostgres()
    const url = await postgres.url('held')
    const service = await openTestService({
      DATABASE_URL: `${url}?query-ms=15000`,
      KEY_CONCURRENCY: '2',
    })
    const holder = new pg.Client(url)
    await holder.connect()
    try {
      const [busy, other] = [await service.key('aldermoor'), await service.key('aldermoor')]
      // Requests that read orders wait until this test releases the lock.
      await holder.query('begin; lock table "orders" in access exclusive mode')
      const held = [1, 2].map((limit) => service.get(`orders?limit=${limit}`, { key: busy }))
      const waitsForLock =
        "select count(*) as waiting from pg_locks where not granted and relation = 'orders'::regclass"
      for (let tries = 0; tries < 1_000; tries += 1) {
        const { rows } = await holder.query(waitsForLock)
        if (Number(rows[0]?.waiting) >= 1) break
        await wait(10)
      }
      // Nothing of these needs the table: they wait for the two others of their key alone.
      const paths = ['tags?limit=3', 'suppliers?limit=3', 'tags?limit=4']
      const refused = paths.map((path) => service.get(path, { key: busy }))
      for (const path of paths) assert.equal((await service.get(path, { key: other })).status, 200)
      for (const { status, headers, body } of await Promise.all(refused)) {
        assert.deepEqual([status, body.errorCode], [429, 'rate_limited'])
        assert.match(body.error, /^More than 2 requests of this key are in progress/)
        assert.equal(headers.get('retry-after'), '1')
      }
      await holder.query('commit')
      assert.deepEqual(
        (await Promise.all(held)).map(({ status }) => status),
        [200, 200],
      )
      assert.equal((await service.get('tags?limit=5', { key: busy })).status, 200)
    } finally {
      await holder.end()
      await service.close()
      await postgres.close()
    }
  })
})

describe('a message of an agent', () => {
  it('occupies a place of its key while it is received and processed', async () => {
    const service = await openTestService({ KEY_CONCURRENCY: '1' })
    try {
      const key = await service.key('aldermoor')
      const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
      const agent = openSocket(service.url)
      agent.send(
        [
          'POST /mcp HTTP/1.1',
          'Host: api',
          `Authorization: Bearer ${key}`,
          'Content-Type: application/json',
          'Accept: application/json, text/event-stream',
          `Content-Length: ${message.length}`,
          '',
          message.slice(0, 10),
        ].join('\r\n'),
      )
      const { metrics } = service
      await until(async () => /^selvedge_requests_in_flight 1$/m.test((await metrics.text()).body))
      const refused = await service.get('tags?limit=1', { key })
      assert.deepEqual([refused.status, refused.body.errorCode], [429, 'rate_limited'])
      agent.send(message.slice(10))
      const { answers } = await agent.until((said) => said.answers.length === 1, 60_000)
      assert.equal(answers[0]?.status, 200)
      assert.equal((await service.get('tags?limit=1', { key })).status, 200)
      agent.destroy()
    } finally {
      await service.close()
    }
  })
})

describe('memory for large responses', () => {
  const mebi = 2 ** 20
  const openResponse = () => new ServerResponse(new IncomingMessage(new Socket()))

  it('is taken once for a response that is read again, and given back when it is closed', async () => {
    const keyConcurrency = createKeyConcurrency(16)
    const first = openResponse()
    const reserve = keyConcurrency.reserver('key', first)
    for (const size of [20, 20, 24, 12]) await reserve(size * mebi)
    // A key has 32 MiB.
    await keyConcurrency.reserver('key', openResponse())(8 * mebi)
    const third = keyConcurrency.reserver('key', openResponse())
    await assert.rejects(
      async () => third(mebi),
      (error) =>
        error instanceof ApiError &&
        error.code === 'store_unavailable' &&
        error.retryAfterSeconds === 1,
    )
    first.emit('close')
    await third(24 * mebi)
  })

  it('is not waited for longer than a read may take', async () => {
    const keyConcurrency = createKeyConcurrency(16)
    await keyConcurrency.reserver('key', openResponse())(32 * mebi)
    const began = performance.now()
    const refused = assert.rejects(async () => keyConcurrency.reserver('key', openResponse())(mebi))
    const timer = setTimeout(() => assert.fail('it still waits'), 900)
    await refused
    clearTimeout(timer)
    assert.ok(performance.now() - began >= 150)
  })
})

describe('large records that an agent reads', () => {
  it('are refused beyond 4 MiB at a time, and memory is set aside for less', async () => {
    const service = await openTestService()
    try {
      const [tag] = (await service.get('tags?limit=1')).body.items
      const name = 'x'.repeat(60_000)
      const tags = Array.from({ length: 100 }, (_, n) => ({
        ...tag,
        id: idOf(n),
        name: `${n}${name}`,
      }))
      await service.write('aldermoor', { tags })
      const reserved: number[] = []
      const { store } = service.records
      const reader = storeReader(
        {
          ...{ store, cursors: createCursors('secret'), now: Date.now },
          queryCursors: createQueryCursors('secret'),
          scope: wholeScope,
          reserve: (bytes) => void reserved.push(bytes),
        },
        'aldermoor',
      )
      const of = resourceAt(catalog, 'tags')
      await assert.rejects(
        reader.list(of, { limit: 100 }),
        (error) =>
          error instanceof ApiError &&
          error.code === 'page_too_large' &&
          error.message.includes('smaller limit'),
      )
      assert.deepEqual(reserved, [])
      assert.equal((await reader.list(of, { limit: 50 })).items.length, 50)
      assert.equal(reserved.length, 1)
    } finally {
      await service.close()
    }
  })
})
