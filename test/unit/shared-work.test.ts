import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSharedWork } from '#concurrency'

describe('shared work', () => {
  it('is done once for all callers that want it at the same time', async () => {
    const shared = createSharedWork<number>()
    let runs = 0
    const { promise, resolve } = Promise.withResolvers<number>()
    const work = () => {
      runs += 1
      return promise
    }
    const results = [1, 2, 3].map(() => shared.run('figures', undefined, work))
    const other = shared.run('others', undefined, async () => 7)
    resolve(5)
    assert.deepEqual(await Promise.all([...results, other]), [5, 5, 5, 7])
    assert.equal(runs, 1)
    assert.equal(await shared.run('figures', undefined, async () => 6), 6)
  })

  it('is cancelled when the last caller has left, and not before', async () => {
    const shared = createSharedWork<string>()
    const left = { first: false, second: false }
    const cancelled: (() => boolean)[] = []
    const { promise, resolve } = Promise.withResolvers<string>()
    const work = (isCancelled: () => boolean) => {
      cancelled.push(isCancelled)
      return promise
    }
    const results = [
      shared.run('figures', () => left.first, work),
      shared.run('figures', () => left.second, work),
    ]
    await Promise.resolve()
    left.first = true
    assert.equal(cancelled[0]?.(), false)
    left.second = true
    assert.equal(cancelled[0]?.(), true)
    // A caller that comes now gets work of its own: the other one has been cancelled.
    const next = shared.run('figures', undefined, async () => 'again')
    assert.equal(await next, 'again')
    resolve('late')
    assert.deepEqual(await Promise.all(results), ['late', 'late'])
    assert.equal(cancelled.length, 1)
  })

  it('fails for all callers alike, and begins again afterwards', async () => {
    const shared = createSharedWork<string>()
    const fail = () => Promise.reject(new Error('No room.'))
    const results = [1, 2].map(() => shared.run('figures', undefined, fail))
    for (const result of results) await assert.rejects(result, /No room/)
    assert.equal(await shared.run('figures', undefined, async () => 'done'), 'done')
  })
})
