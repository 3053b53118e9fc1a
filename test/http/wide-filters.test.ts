/** Lists whose filters each match many records, and clients that do not wait for them. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { basePath, catalog, resourceAt } from '#contract'
import { type Database, QueryTimeoutError, ReadCancelledError, type Steps } from '#database'
import { linesOf } from '../support/access-log.ts'
import { until } from '../support/cluster.ts'
import { idOf } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

const items = resourceAt(catalog, 'order-items')
/** Each half is larger than what is counted in one statement. */
const rows = 6_000
const halfOf = (n: number) => ({ category: n % 2 ? 'A' : 'B', htsCode: n % 3 ? '1' : '2' })

describe('a list with wide filters', () => {
  let service: TestService
  let database: Database
  let readInSteps: Database['readInSteps']
  before(async () => {
    service = await openTestService({ METRICS_PORT: '0' })
    database = service.records.database
    readInSteps = database.readInSteps
    const { body } = await service.get('order-items?limit=1')
    await service.records.store.write('aldermoor', async (writer) => {
      const all = Array.from({ length: rows }, (_, n) => ({
        ...body.items[0],
        id: idOf(n + 1),
        ...halfOf(n),
      }))
      await writer.stage(items, all)
      await writer.merge(items)
    })
  })
  after(() => service.close())

  /** Lets each step of a read pass through a function first. */
  const beforeSteps = (pass: (step: number) => Promise<void>): void => {
    database.readInSteps = (owner, isCancelled, work) =>
      readInSteps(owner, isCancelled, slowed(work), { timeMs: 60_000 })
    // Its time is not over on a busy machine either: a step fails where a test wants it to.
    const slowed =
      <T>(work: (steps: Steps) => Promise<T>) =>
      (steps: Steps): Promise<T> => {
        let step = 0
        const slow: Steps = {
          stepMs: steps.stepMs,
          // Slices stay small, so that there are many.
          tookMs: steps.stepMs,
          all: async (query) => {
            step += 1
            await pass(step)
            return steps.all(query)
          },
        }
        return work(slow)
      }
  }

  it('is not read any further once its client has left, which is not an error', async () => {
    const gate = Promise.withResolvers<void>()
    let steps = 0
    beforeSteps(async () => {
      steps += 1
      if (steps === 4) await gate.promise
    })
    const passing = database.readInSteps
    let isCancelled: (() => boolean) | undefined
    let read: Promise<unknown> | undefined
    database.readInSteps = (owner, cancelled, work) => {
      isCancelled = cancelled
      const result = passing(owner, cancelled, work)
      read = result
      return result
    }
    const url = `${service.url}${basePath}/brands/aldermoor/order-items?category=A&htsCode=1`
    const authorization = `Bearer ${await service.key('aldermoor')}`
    const client = request(url, { headers: { authorization } })
    client.once('error', () => undefined)
    client.end()
    await until(() => steps === 4)
    assert.equal(isCancelled?.(), false)
    client.destroy()
    await until(() => isCancelled?.() === true)
    gate.resolve()
    await assert.rejects(read ?? Promise.resolve(), ReadCancelledError)
    assert.equal(steps, 4)
    database.readInSteps = readInSteps
    const { body } = await service.get('order-items?category=A&htsCode=1')
    assert.equal(body.totalItems, totalOf('A', '1'))
    const failures = linesOf(service).filter(({ level }) => level === 'error')
    assert.deepEqual(failures, [])
    const metrics = await (await fetch(service.metricsUrl ?? '')).text()
    assert.match(metrics, /^selvedge_store_failures_total 0$/m)
  })

  /** Lets each read end with its seventh step. */
  const stopReads = (): { readonly count: number } => {
    let count = 0
    beforeSteps(async (step) => {
      if (step <= 6) return
      count += 1
      throw new QueryTimeoutError('A read took longer than 1000 ms.')
    })
    return {
      get count() {
        return count
      },
    }
  }
  const totalOf = (category: string, htsCode: string) =>
    Array.from({ length: rows }, (_, n) => halfOf(n)).filter(
      (each) => each.category === category && each.htsCode === htsCode,
    ).length

  it('is answered by one request, however many reads it takes', async () => {
    const stopped = stopReads()
    const { status, body } = await service.get('order-items?category=B&htsCode=2')
    database.readInSteps = readInSteps
    assert.deepEqual([status, body.totalItems], [200, totalOf('B', '2')])
    assert.ok(stopped.count > 1, `${stopped.count} reads have ended early`)
  })

  it('that takes longer than a request may says to send it again, and is then continued', async () => {
    stopReads()
    const { queryMs } = database
    // The time of a request is over after its first read.
    Object.assign(database, { queryMs: 0 })
    const ask = () => service.get('order-items?category=B&htsCode=1')
    let answer = await ask()
    let failures = 0
    for (; answer.status === 500; answer = await ask()) {
      failures += 1
      assert.ok(failures < 20, 'it never comes to an end')
      assert.equal(answer.body.errorCode, 'store_unavailable')
      assert.match(answer.body.error, /Send the same request again: it continues/)
      assert.equal(answer.headers.get('retry-after'), '1')
    }
    assert.ok(failures > 0)
    assert.equal(answer.body.totalItems, totalOf('B', '1'))
    Object.assign(database, { queryMs, readInSteps })
    const lines = linesOf(service).filter(({ level }) => level === 'warn' || level === 'error')
    assert.equal(lines.length, failures)
    for (const line of lines) {
      assert.equal(line['level'], 'warn')
      assert.equal(line['reason'], 'A read took longer than 1000 ms.')
      assert.doesNotMatch(JSON.stringify(line), /stack|node:internal/)
    }
  })
})
