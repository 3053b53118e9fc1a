import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openDeadline, withTimeout } from '#concurrency'

const never = new Promise<never>(() => undefined)

describe('a deadline', () => {
  it('gives what the work resolves to, or rejects with', async () => {
    assert.equal(await withTimeout(60_000, Promise.resolve('done')), 'done')
    await assert.rejects(
      withTimeout(60_000, Promise.reject(new RangeError('on purpose'))),
      /on purpose/,
    )
  })

  it('rejects when the time is over, with the error it was given', async () => {
    await assert.rejects(withTimeout(1, never), /^Error: No response within 1 ms\.$/)
    const toError = () => new RangeError('too slow')
    await assert.rejects(withTimeout(1, never, toError), RangeError)
  })

  it('is shared by several waits', async () => {
    const deadline = openDeadline(5)
    await assert.rejects(deadline.race(never))
    await assert.rejects(deadline.race(never))
    assert.ok(deadline.leftMs() < 5)
    deadline.close()
  })

  it('lets work that has finished meanwhile win over a timer that is late', async () => {
    const work = Promise.withResolvers<string>()
    const result = withTimeout(1, work.promise)
    // The event loop is held up past the deadline, as by a long garbage collection.
    setTimeout(() => work.resolve('in time'), 1)
    const end = performance.now() + 20
    while (performance.now() < end);
    assert.equal(await result, 'in time')
  })
})
