/** Responses while the database cannot be read. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DatabaseError } from '#database'
import { lineOf, linesOf } from '../support/access-log.ts'
import { idOf } from '../support/model.ts'
import { openTestService } from '../support/service.ts'

describe('a service whose records cannot be read', () => {
  it('hides an unexpected cause, and logs it under the id of the answer', async () => {
    const service = await openTestService()
    const { database } = service.records
    const read = database.read
    database.read = async () => {
      throw new TypeError('the inside of the server')
    }
    const answer = await service.get('tags')
    database.read = read
    assert.deepEqual([answer.status, answer.body.errorCode], [500, 'internal_error'])
    assert.deepEqual(Object.keys(answer.body), ['error', 'errorCode'])
    assert.ok(!answer.text.includes('inside'))
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const id = answer.headers.get('x-request-id')
    const line = linesOf(service).find(
      ({ level, requestId }) => level === 'error' && requestId === id,
    )
    assert.match(JSON.stringify(line?.['error']), /the inside of the server/)
    assert.equal((await lineOf(service, id))['status'], 500)
    assert.equal((await service.get('tags')).status, 200)
    await service.close()
  })

  it('says store_unavailable and when to try again, and is not ready, until it can', async () => {
    const service = await openTestService({ METRICS_PORT: '0' })
    const { database } = service.records
    const read = database.read
    database.read = async () => {
      throw new DatabaseError('disk on fire')
    }
    const paths = ['tags', `tags/${idOf(1)}`, '', 'tags?name=x&limit=3']
    for (const path of paths) {
      const { status, body, headers, text } = await service.get(path)
      assert.deepEqual([status, body.errorCode], [500, 'store_unavailable'])
      assert.equal(headers.get('retry-after'), '1')
      assert.ok(!text.includes('fire'))
    }
    const ready = await service.get('/readyz', { key: null })
    assert.deepEqual([ready.status, ready.body.errorCode], [503, 'not_ready'])
    assert.equal(ready.headers.get('retry-after'), '1')
    assert.ok(!ready.text.includes('fire'))
    assert.equal((await service.get('/healthz', { key: null })).status, 200)
    database.read = read
    for (const path of ['tags', '/readyz']) assert.equal((await service.get(path)).status, 200)
    const metrics = await (await fetch(service.metricsUrl ?? '')).text()
    assert.match(metrics, new RegExp(`^selvedge_store_failures_total ${paths.length}$`, 'm'))
    await service.close()
  })

  it('says so too when the database was closed under it', async () => {
    const service = await openTestService()
    await service.records.database.close()
    try {
      const { status, body, headers } = await service.get('tags')
      assert.equal(status, 500)
      assert.equal(body.errorCode, 'store_unavailable')
      assert.equal(headers.get('retry-after'), '1')
      const ready = await service.get('/readyz', { key: null })
      assert.deepEqual([ready.status, ready.body.errorCode], [503, 'not_ready'])
      assert.equal((await service.get('/healthz', { key: null })).status, 200)
    } finally {
      await service.close().catch(() => undefined)
    }
  })
})
