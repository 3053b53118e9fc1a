import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Decision, Policy, RateLimiter } from '../../src/rate-limit/rate-limit.ts'

export interface OpenedLimiter {
  readonly limiter: RateLimiter
  /** A second limiter for the same buckets, as another process would have; or the same one. */
  again(): Promise<RateLimiter>
  /** Closes the first limiter and removes the buckets. */
  close(): Promise<void>
}

/** Refills too slowly to matter while a test runs. */
const still = (burst: number): Policy => ({ perSecond: 0.01, burst })

/** What every limiter promises, by whatever clock it has. Each implementation passes it unchanged. */
export const rateLimiterConformance = (name: string, open: () => Promise<OpenedLimiter>): void => {
  describe(`a limiter ${name}`, () => {
    let opened: OpenedLimiter
    let limiter: RateLimiter
    let buckets = 0

    before(async () => {
      opened = await open()
      limiter = opened.limiter
    })
    after(() => opened.close())

    const fresh = () => {
      buckets += 1
      return `conformance ${buckets}`
    }
    const takeMany = async (
      count: number,
      policy: Policy,
      bucket = fresh(),
    ): Promise<Decision[]> => {
      const decisions: Decision[] = []
      for (let index = 0; index < count; index += 1)
        decisions.push(await limiter.consume(bucket, policy))
      return decisions
    }

    it('allows a burst at once, counts it down, and then refuses', async () => {
      const decisions = await takeMany(22, still(20))
      assert.deepEqual(
        decisions.map(({ allowed, remaining }) => [allowed, remaining]),
        [...Array.from({ length: 20 }, (_, index) => [true, 19 - index]), [false, 0], [false, 0]],
      )
    })

    it('allows a whole burst also where the interval is not a round number', async () => {
      for (const perSecond of [0.003, 0.007, 0.011]) {
        const decisions = await takeMany(101, { perSecond, burst: 100 })
        assert.equal(decisions.filter(({ allowed }) => allowed).length, 100, `${perSecond}`)
        assert.deepEqual(
          decisions.slice(0, 100).map(({ remaining }) => remaining),
          Array.from({ length: 100 }, (_, index) => 99 - index),
        )
      }
    })

    it('tells when the bucket will be full again', async () => {
      const decisions = await takeMany(5, { perSecond: 0.5, burst: 4 })
      for (const [index, seconds] of [2, 4, 6, 8, 8].entries()) {
        const { resetSeconds = 0 } = decisions[index] ?? {}
        assert.ok(resetSeconds < seconds + 1e-6, `${resetSeconds}`)
        assert.ok(resetSeconds > seconds - 1, `${resetSeconds}`)
      }
    })

    it('tells how long to wait, in whole seconds, only when it refuses', async () => {
      const [first, second] = await takeMany(2, { perSecond: 0.1, burst: 1 })
      assert.equal(first?.retryAfterSeconds, 0)
      assert.equal(second?.retryAfterSeconds, 10)
    })

    it('serves a client that waits for retryAfterSeconds, 100 of 100', async () => {
      const served = await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const policy = { perSecond: 0.75 + index / 20, burst: 1 + (index % 3) }
          const bucket = fresh()
          let decision = await limiter.consume(bucket, policy)
          while (decision.allowed) decision = await limiter.consume(bucket, policy)
          const seconds = decision.retryAfterSeconds
          assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 2, `${seconds}`)
          // Timers here may be a millisecond early by another clock; requests take longer.
          await wait(seconds * 1_000 + 2)
          return (await limiter.consume(bucket, policy)).allowed
        }),
      )
      assert.equal(served.filter(Boolean).length, 100)
    })

    it('is not made emptier by what it refuses', async () => {
      const bucket = fresh()
      const policy = { perSecond: 4, burst: 1 }
      const refused = (await takeMany(200, policy, bucket)).filter(({ allowed }) => !allowed)
      assert.ok(refused.length > 100)
      await wait(252)
      assert.ok((await limiter.consume(bucket, policy)).allowed)
    })

    it('keeps buckets apart, whatever they are called', async () => {
      const names = ['', 'a', 'A', 'a b', 'a\nb', 'é', '🧵', '*', 'a:b', 'x'.repeat(1_000)]
      for (const each of names) await takeMany(3, still(3), `apart ${each}`)
      for (const each of names) {
        assert.equal((await limiter.consume(`apart ${each}`, still(3))).allowed, false, each)
        assert.equal((await limiter.consume(`other ${each}`, still(3))).remaining, 2, each)
      }
    })

    it('goes by the policy that comes with each request', async () => {
      const bucket = fresh()
      await takeMany(2, still(2), bucket)
      assert.equal((await limiter.consume(bucket, still(2))).allowed, false)
      assert.equal((await limiter.consume(bucket, still(10))).remaining, 7)
    })

    it('holds no debt against a key that is deeper than its bucket now is', async () => {
      const bucket = fresh()
      await takeMany(100, still(100), bucket)
      const { allowed, resetSeconds, retryAfterSeconds } = await limiter.consume(bucket, {
        perSecond: 10,
        burst: 5,
      })
      assert.deepEqual([allowed, retryAfterSeconds], [false, 1])
      // Five tokens at ten a second, computed from times with rounding errors.
      assert.ok(resetSeconds < 0.5 + 1e-9, `${resetSeconds}`)
      await wait(250)
      assert.ok((await limiter.consume(bucket, { perSecond: 10, burst: 5 })).allowed)
    })

    it('admits the burst and the rate times the span, no more and hardly less, through two limiters', async () => {
      const second = await opened.again()
      const policy = { perSecond: 100, burst: 100 }
      const bucket = fresh()
      let [tries, admitted] = [0, 0]
      const startedAt = performance.now()
      await limiter.consume(bucket, policy)
      let [firstRefusedAt, refusedAt] = [Number.POSITIVE_INFINITY, 0]
      const client = async (door: RateLimiter) => {
        while (performance.now() - startedAt < 1_000) {
          const askedAt = performance.now()
          if ((await door.consume(bucket, policy)).allowed) admitted += 1
          else {
            refusedAt = Math.max(refusedAt, askedAt)
            firstRefusedAt = Math.min(firstRefusedAt, performance.now())
          }
          tries += 1
          // Else a limiter that answers at once would let nothing else happen.
          if (tries % 50 === 0) await wait(1)
        }
      }
      const clients = Array.from({ length: 20 }, (_, index) => client(index % 2 ? limiter : second))
      await Promise.all(clients)
      const limitUntil = (ms: number, sinceMs: number) =>
        policy.burst - 1 + (policy.perSecond * (ms - sinceMs)) / 1_000
      const most = limitUntil(performance.now(), startedAt)
      // A bucket that is full gains nothing, so that a machine that stops before the burst is used up
      // loses requests. From the first refusal to the last, all of the rate was handed out.
      const least = limitUntil(refusedAt, firstRefusedAt) - 1
      if (second !== limiter) await second.close()
      assert.ok(tries > admitted, `${tries} tries`)
      assert.ok(admitted <= most, `${admitted} of ${most}`)
      assert.ok(admitted >= least, `${admitted} of ${least}`)
    })
  })
}
