/** How a server drains: no request is lost. */
import assert from 'node:assert/strict'
import { Agent, get as httpGet } from 'node:http'
import { describe, it } from 'node:test'
import { basePath } from '#contract'
import { until } from '../support/cluster.ts'
import { openTestService, type TestService } from '../support/service.ts'

describe('stopping', () => {
  /** Holds every read back until it is released, so that requests are in flight. */
  const holdReads = ({ records: { database } }: TestService) => {
    const read = database.read.bind(database)
    const released = Promise.withResolvers<void>()
    let held = 0
    database.read = async (queries) => {
      held += 1
      await released.promise
      return read(queries)
    }
    return { held: () => held, release: released.resolve }
  }

  it('completes every request in flight', async () => {
    const service = await openTestService({}, { drainMs: 20 })
    const reads = holdReads(service)
    const responses = Array.from({ length: 10 }, () => service.get('tags?limit=1'))
    await until(() => reads.held() >= responses.length)
    const began = performance.now()
    const closed = service.close()
    reads.release()
    for (const { status, headers } of await Promise.all(responses)) {
      assert.equal(status, 200)
      assert.equal(headers.get('connection'), 'close')
    }
    await closed
    assert.ok(performance.now() - began < 5_000, 'it waits for idle connections')
    await assert.rejects(fetch(`${service.url}/healthz`))
  })

  it('first reports that it is not ready and closes connections, while it still responds', async () => {
    const service = await openTestService({ METRICS_PORT: '0' }, { drainMs: 1_500 })
    const key = await service.key('aldermoor')
    const agent = new Agent({ keepAlive: true })
    const ask = (path: string) =>
      new Promise<{ status: number; connection: string | undefined; body: string }>(
        (resolve, reject) => {
          const headers = { authorization: `Bearer ${key}` }
          httpGet(service.url + path, { agent, headers }, (response) => {
            let body = ''
            response.on('data', (chunk) => {
              body += chunk
            })
            response.on('end', () =>
              resolve({
                status: response.statusCode ?? 0,
                connection: response.headers.connection,
                body,
              }),
            )
          }).on('error', reject)
        },
      )
    const tags = `${basePath}/brands/aldermoor/tags`
    assert.equal((await ask(tags)).connection, 'keep-alive')
    const closed = service.close()
    await until(async () => (await ask('/readyz')).status === 503)
    const ready = await ask('/readyz')
    assert.deepEqual(JSON.parse(ready.body), {
      error: 'The server is stopping.',
      errorCode: 'not_ready',
    })
    const answer = await ask(tags)
    assert.deepEqual([answer.status, answer.connection], [200, 'close'])
    assert.equal((await ask('/healthz')).status, 200)
    await closed
    await assert.rejects(ask(tags))
    await assert.rejects(fetch(service.metricsUrl ?? ''))
    agent.destroy()
  })

  it('reads nothing for metrics once its database is closed', async () => {
    const service = await openTestService({}, { drainMs: 0 })
    await service.close()
    assert.match((await service.metrics.text()).body, /^selvedge_requests/m)
    assert.doesNotMatch(service.logged.join(''), /could not be read/)
  })

  it('loses no request of clients that continue to send', async () => {
    const drainMs = 100
    const service = await openTestService({}, { drainMs })
    const key = await service.key('aldermoor')
    const tags = `${service.url}${basePath}/brands/aldermoor/tags?limit=2`
    const headers = { authorization: `Bearer ${key}` }
    let answered = 0
    let stoppedAt = Number.POSITIVE_INFINITY
    /** Whether there was a response. A reused socket must not fail. */
    const ask = (agent: Agent) =>
      new Promise<boolean>((resolve, reject) => {
        const request = httpGet(tags, { agent, headers }, (response) => {
          assert.equal(response.statusCode, 200)
          response.resume().on('end', () => resolve(true))
        })
        request.on('error', (error: NodeJS.ErrnoException) => {
          const isLate = performance.now() > stoppedAt + drainMs - 20
          const isClosed = error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET'
          if (isLate && isClosed && !request.reusedSocket) resolve(false)
          else reject(error)
        })
      })
    const clients = Array.from({ length: 8 }, async (_, index) => {
      const agent = new Agent({ keepAlive: index % 2 === 0, maxSockets: 1 })
      while (await ask(agent)) answered += 1
      agent.destroy()
    })
    const ended = Promise.all(clients)
    await until(() => answered > 20)
    stoppedAt = performance.now()
    await Promise.all([service.close(), ended])
  })

  it('twice is the same as once', async () => {
    const service = await openTestService({}, { story: false })
    await Promise.all([service.close(), service.close()])
    await service.close()
  })
})
