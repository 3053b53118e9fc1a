import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { consumeAt, createMemoryLimiter } from '../../src/rate-limit/memory.ts'

const policy = { perSecond: 10, burst: 5 }

/** A clock that is set by hand. */
const byHand = () => {
  const clock = { at: 1_000_000, now: () => clock.at }
  return clock
}

describe('a rate limit in memory', () => {
  it('a burst is allowed, then one request for each interval', async () => {
    const clock = byHand()
    const limiter = createMemoryLimiter(clock)
    const decision = []
    for (let times = 0; times < 6; times += 1) decision.push(await limiter.consume('a', policy))
    assert.deepEqual(decision, [
      ...[4, 3, 2, 1, 0].map((remaining, index) => ({
        ...{ allowed: true, remaining, retryAfterSeconds: 0 },
        resetSeconds: (index + 1) / 10,
      })),
      { allowed: false, remaining: 0, resetSeconds: 0.5, retryAfterSeconds: 1 },
    ])
    clock.at += 99
    assert.equal((await limiter.consume('a', policy)).allowed, false)
    clock.at += 1
    assert.equal((await limiter.consume('a', policy)).allowed, true)
    assert.equal((await limiter.consume('a', policy)).allowed, false)
    clock.at += 10_000
    assert.equal((await limiter.consume('a', policy)).remaining, 4)
  })

  it('buckets are independent, and emptied when closed', async () => {
    const limiter = createMemoryLimiter(byHand())
    const one = { perSecond: 1, burst: 1 }
    assert.equal((await limiter.consume('a', one)).allowed, true)
    assert.equal((await limiter.consume('a', one)).allowed, false)
    assert.equal((await limiter.consume('b', one)).allowed, true)
    await limiter.close()
    assert.equal((await limiter.consume('a', one)).allowed, true)
  })

  it('one request from a bucket, as the arithmetic has it', () => {
    const refused = consumeAt(1_500, 1_000, policy)
    assert.deepEqual(refused, {
      decision: { allowed: false, remaining: 0, resetSeconds: 0.5, retryAfterSeconds: 1 },
      full: 1_500,
    })
    // A bucket that owes too much, since a clock was set back, owes its capacity.
    assert.deepEqual(consumeAt(900_000, 1_000, policy), refused)
    assert.deepEqual(consumeAt(5, 1_000, policy), consumeAt(1_000, 1_000, policy))
    const { decision } = consumeAt(60_000, 0, { perSecond: 0.1, burst: 6 })
    assert.equal(decision.retryAfterSeconds, 10)
    assert.equal(decision.resetSeconds, 60)
    const long = { perSecond: 0.1, burst: 1 }
    assert.equal(consumeAt(1_001, 0, long).decision.retryAfterSeconds, 2)
    assert.equal(consumeAt(1_000, 0, long).decision.retryAfterSeconds, 1)
  })

  it('rounding of large numbers costs no request, and gives none away', () => {
    const third = { perSecond: 3, burst: 3 }
    const at = 2 ** 41 + 0.3
    let full = at
    for (const remaining of [2, 1, 0]) {
      const step = consumeAt(full, at, third)
      assert.equal(step.decision.allowed, true)
      assert.equal(step.decision.remaining, remaining)
      full = step.full
    }
    assert.equal(consumeAt(full, at, third).decision.allowed, false)
    // A thousandth of a millisecond is forgiven at most, and no more than 1e-5 of an interval.
    const slow = { perSecond: 1, burst: 1 }
    assert.equal(consumeAt(1_000.0005, 1_000, slow).decision.allowed, true)
    assert.equal(consumeAt(1_000.01, 1_000, slow).decision.allowed, false)
    const fast = { perSecond: 1_000, burst: 1 }
    assert.equal(consumeAt(1_000.00001, 1_000, fast).decision.allowed, true)
    assert.equal(consumeAt(1_000.0001, 1_000, fast).decision.allowed, false)
  })

  it('room is made: first what is full again, then what was longest unused', async () => {
    const clock = byHand()
    const limiter = createMemoryLimiter({ ...clock, now: clock.now, bucketsMax: 10 })
    const slow = { perSecond: 0.001, burst: 1 }
    const isFree = async (bucket: string) => (await limiter.consume(bucket, slow)).allowed
    for (let index = 0; index < 9; index += 1) {
      if (index === 4) await limiter.consume('quick', { perSecond: 1_000, burst: 1 })
      assert.ok(await isFree(`s${index}`))
    }
    clock.at += 1
    assert.ok(await isFree('s9'), 'the quick one has gone, and s0: a tenth is kept free')
    for (const index of [2, 3, 4, 5, 6, 7, 8, 9, 1]) assert.ok(!(await isFree(`s${index}`)))
    assert.ok(await isFree('s0'))
    assert.ok(await isFree('s10'), 's2 and s3 have gone: they were longest unused')
    assert.ok(!(await isFree('s1')))
    assert.ok(!(await isFree('s4')))
    assert.ok(await isFree('s2'))
  })

  it('a hundred thousand buckets are kept', async () => {
    const limiter = createMemoryLimiter(byHand())
    const slow = { perSecond: 0.001, burst: 1 }
    for (let index = 0; index < 100_000; index += 1) void limiter.consume(`${index}`, slow)
    assert.equal((await limiter.consume('0', slow)).allowed, false)
    await limiter.consume('one more', slow)
    assert.equal((await limiter.consume('1', slow)).allowed, true)
  })
})
