import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import fc from 'fast-check'
import { basePath } from '#contract'
import type { IssueRequest } from '#keys'
import {
  createMemoryLimiter,
  type Decision,
  limitHeader,
  type Policy,
  policyHeader,
} from '#rate-limit'
import { consumeAt } from '../../src/rate-limit/memory.ts'
import { openTestService, type TestResponse, type TestService } from '../support/service.ts'

const slow: Policy = { perSecond: 2, burst: 5 }

/** A limiter with a clock that is set by hand. */
const createLimiter = (options: { readonly bucketsMax?: number } = {}) => {
  let at = 1_000_000
  const limiter = createMemoryLimiter({ now: () => at, ...options })
  return {
    take: (policy = slow, bucket = 'a key') => limiter.consume(bucket, policy) as Decision,
    pass: (milliseconds: number) => {
      at += milliseconds
    },
  }
}

const allowed = ({ allowed }: Decision): boolean => allowed

describe('a bucket', () => {
  it('gives its burst at once, and then refuses', () => {
    const { take } = createLimiter()
    const decision = Array.from({ length: 7 }, () => take())
    assert.deepEqual(
      decision.map((each) => [each.allowed, each.remaining, each.retryAfterSeconds]),
      [
        [true, 4, 0],
        [true, 3, 0],
        [true, 2, 0],
        [true, 1, 0],
        [true, 0, 0],
        [false, 0, 1],
        [false, 0, 1],
      ],
    )
  })

  it('gives one more each time the rate allows it', () => {
    const { take, pass } = createLimiter()
    for (let count = 0; count < 5; count += 1) take()
    for (let turn = 0; turn < 20; turn += 1) {
      pass(499)
      assert.equal(take().allowed, false)
      pass(1)
      assert.equal(take().allowed, true)
      assert.equal(take().allowed, false)
    }
  })

  it('is not made emptier by what it refuses', () => {
    const { take, pass } = createLimiter()
    for (let count = 0; count < 1_000; count += 1) take()
    pass(500)
    assert.ok(take().allowed)
  })

  it('is full again after its reset, and never fuller', () => {
    const { take, pass } = createLimiter()
    for (let count = 0; count < 4; count += 1) take()
    pass(take().resetSeconds * 1_000)
    assert.equal(take().remaining, 4)
    pass(3_600_000)
    assert.equal(Array.from({ length: 20 }, () => take()).filter(allowed).length, 5)
  })

  it('is its own, whatever others do', () => {
    const { take } = createLimiter()
    for (let count = 0; count < 10; count += 1) take(slow, 'a')
    assert.deepEqual(take(slow, 'b'), { ...take(slow, 'c'), allowed: true, remaining: 4 })
  })

  it('of one request a minute asks for a whole minute', () => {
    const { take, pass } = createLimiter()
    const rare = { perSecond: 1 / 60, burst: 1 }
    assert.ok(take(rare).allowed)
    assert.equal(take(rare).retryAfterSeconds, 60)
    pass(59_999)
    assert.equal(take(rare).retryAfterSeconds, 1)
    pass(1)
    assert.ok(take(rare).allowed)
  })

  it('does not lock anybody out when the clock was set back by an hour', () => {
    const at = 1_000_000
    const { decision } = consumeAt(at + 3_600_000, at, slow)
    assert.equal(decision.allowed, false)
    assert.equal(decision.retryAfterSeconds, 1)
    assert.ok(decision.resetSeconds <= slow.burst / slow.perSecond)
  })

  it('is not filled by a clock that was set back', () => {
    let { full } = consumeAt(0, 1_000_000, slow)
    for (let count = 1; count < 5; count += 1) full = consumeAt(full, 1_000_000, slow).full
    assert.equal(consumeAt(full, 1_000_000 - 3_600_000, slow).decision.allowed, false)
  })
})

describe('the buckets of a process', () => {
  it('that are full again are forgotten first when there are too many', () => {
    const { take, pass } = createLimiter({ bucketsMax: 20 })
    const never = { perSecond: 0.001, burst: 1 }
    assert.ok(take(never, 'used up').allowed)
    for (let bucket = 1; bucket < 20; bucket += 1) {
      take({ perSecond: 1_000, burst: 1 }, `soon full ${bucket}`)
    }
    pass(10)
    assert.ok(take(never, 'one too many').allowed)
    assert.equal(take(never, 'used up').allowed, false)
  })

  it('are bounded: the longest unused go when none is full', () => {
    const { take } = createLimiter({ bucketsMax: 100 })
    const once = { perSecond: 0.001, burst: 1 }
    for (let bucket = 0; bucket < 1_000; bucket += 1) take(once, `bucket ${bucket}`)
    // The last are remembered, the first are not.
    assert.equal(take(once, 'bucket 999').allowed, false)
    assert.equal(take(once, 'bucket 0').allowed, true)
  })

  it('cost a request no more when there are as many as can be', () => {
    const { take } = createLimiter({ bucketsMax: 50_000 })
    const once = { perSecond: 0.001, burst: 1 }
    for (let bucket = 0; bucket < 50_000; bucket += 1) take(once, `bucket ${bucket}`)
    const before = process.threadCpuUsage()
    for (let bucket = 0; bucket < 1_000; bucket += 1) take(once, `stranger ${bucket}`)
    const { user, system } = process.threadCpuUsage(before)
    const tookMs = (user + system) / 1_000
    assert.ok(tookMs < 250, `1,000 requests took ${Math.round(tookMs)} ms`)
  })
})

describe('whatever is asked and when', () => {
  const policies = fc.record({
    perSecond: fc.oneof(
      fc.integer({ min: 1, max: 1_000 }),
      fc.double({ min: 0.01, max: 100, noNaN: true }),
    ),
    burst: fc.integer({ min: 1, max: 60 }),
  })
  /** Pauses between requests: mostly none, sometimes long. */
  const pauses = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant(0) },
      { weight: 3, arbitrary: fc.double({ min: 0, max: 50, noNaN: true }) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
    ),
    { minLength: 1, maxLength: 200 },
  )

  it('no span of time holds more than the burst and the rate times the span', () => {
    fc.assert(
      fc.property(policies, pauses, (policy, gaps) => {
        const { take, pass } = createLimiter()
        const admittedAt: number[] = []
        let at = 0
        for (const gap of gaps) {
          at += gap
          pass(gap)
          if (take(policy).allowed) admittedAt.push(at)
        }
        for (let first = 0; first < admittedAt.length; first += 1) {
          for (let last = first; last < admittedAt.length; last += 1) {
            const seconds = ((admittedAt[last] ?? 0) - (admittedAt[first] ?? 0)) / 1_000
            const most = policy.burst + policy.perSecond * seconds
            if (last - first + 1 > most + 1e-6) return false
          }
        }
        return true
      }),
      { numRuns: 300 },
    )
  })

  it('a client that waits for retryAfterSeconds is served, and does not wait a second too long', () => {
    fc.assert(
      fc.property(policies, pauses, (policy, gaps) => {
        let full = 0
        let at = 1_000_000
        for (const gap of gaps) {
          at += gap
          const { decision, full: after } = consumeAt(full, at, policy)
          full = after
          if (decision.allowed) {
            assert.equal(decision.retryAfterSeconds, 0)
            continue
          }
          const { retryAfterSeconds } = decision
          assert.ok(Number.isInteger(retryAfterSeconds) && retryAfterSeconds >= 1)
          const later = (seconds: number) => consumeAt(full, at + seconds * 1_000, policy).decision
          assert.ok(later(retryAfterSeconds).allowed)
          assert.ok(!later(retryAfterSeconds - 1.001).allowed || retryAfterSeconds === 1)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('as many as remain can follow at once, and not one more', () => {
    fc.assert(
      fc.property(policies, pauses, (policy, gaps) => {
        const { take, pass } = createLimiter()
        let decision = take(policy)
        for (const gap of gaps) {
          pass(gap)
          decision = take(policy)
        }
        const following = Array.from({ length: decision.remaining + 1 }, () => take(policy))
        assert.deepEqual(
          following.map(allowed),
          following.map((_, index) => index < decision.remaining),
        )
      }),
      { numRuns: 300 },
    )
  })

  it('a clock that jumps locks no client out for longer than the bucket is deep', () => {
    const jumps = fc.array(fc.integer({ min: -3_600_000, max: 3_600_000 }), { maxLength: 30 })
    fc.assert(
      fc.property(policies, jumps, (policy, steps) => {
        let full = 0
        let at = 10_000_000_000
        for (const step of steps) {
          at += step
          const { decision, full: after } = consumeAt(full, at, policy)
          full = after
          assert.ok(decision.retryAfterSeconds <= Math.ceil(1 / policy.perSecond) + 1)
          assert.ok(decision.resetSeconds <= policy.burst / policy.perSecond + 1e-6)
        }
      }),
    )
  })
})

describe('the headers', () => {
  const cases: readonly (readonly [Policy, string])[] = [
    [{ perSecond: 20, burst: 100 }, '"default";q=100;w=5'],
    [{ perSecond: 2, burst: 5 }, '"default";q=5;w=3'],
    [{ perSecond: 1_000, burst: 1 }, '"default";q=1;w=1'],
    [{ perSecond: 0.5, burst: 1 }, '"default";q=1;w=2'],
  ]
  for (const [policy, header] of cases) {
    it(`RateLimit-Policy of ${policy.perSecond}/s and ${policy.burst} at once is ${header}`, () => {
      assert.equal(policyHeader(policy), header)
    })
  }

  it('RateLimit tells what is left and when all of it is back, in whole seconds', () => {
    const decision = { allowed: true, remaining: 7, resetSeconds: 1.2, retryAfterSeconds: 0 }
    assert.equal(limitHeader(decision), '"default";r=7;t=2')
  })
})

describe('over HTTP', { concurrency: true }, () => {
  let service: TestService
  const tags = `${basePath}/brands/aldermoor/tags`

  before(async () => {
    service = await openTestService({
      RATE_PER_SECOND: '20',
      RATE_BURST: '100',
      TRUSTED_PROXIES: '127.0.0.1',
    })
  })
  after(() => service.close())

  /** Issues keys that the service knows of when they are handed out. */
  const issue = async (count: number, changes: Partial<IssueRequest>): Promise<string[]> => {
    const request = {
      name: 'metered',
      brands: ['aldermoor'],
      global: false,
      expiresAt: null,
      perSecond: null,
      burst: null,
      ...changes,
    }
    const issued = []
    for (let index = 0; index < count; index += 1) {
      issued.push((await service.records.keys.issue(request)).key)
    }
    return issued
  }

  const leftAfter = ({ headers }: TestResponse): number =>
    Number(/^"default";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1])

  it('a key gets its burst, then 429 with all that a client needs to know', async () => {
    const [key = ''] = await issue(1, { perSecond: 0.05, burst: 5 })
    for (const left of [4, 3, 2, 1, 0]) {
      const answer = await service.get(tags, { key })
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('ratelimit-policy'), '"default";q=5;w=100')
      assert.equal(leftAfter(answer), left)
    }
    const { status, headers, body } = await service.get(tags, { key })
    assert.equal(status, 429)
    assert.equal(body.errorCode, 'rate_limited')
    assert.match(headers.get('retry-after') ?? '', /^(1\d|20)$/)
    assert.equal(headers.get('ratelimit-policy'), '"default";q=5;w=100')
    assert.match(headers.get('ratelimit') ?? '', /^"default";r=0;t=(9\d|100)$/)
    assert.equal(headers.get('cache-control'), 'no-store')
  })

  it('who waits for Retry-After is served, 20 of 20', async () => {
    const keys = await issue(20, { perSecond: 0.4, burst: 1 })
    const statuses = await Promise.all(
      keys.map(async (key) => {
        assert.equal((await service.get(tags, { key })).status, 200)
        const refused = await service.get(tags, { key })
        assert.equal(refused.status, 429)
        await wait(Number(refused.headers.get('retry-after')) * 1_000)
        return (await service.get(tags, { key })).status
      }),
    )
    assert.deepEqual(new Set(statuses), new Set([200]))
  })

  it('under pressure a key gets its rate, no more and hardly less', async () => {
    const [perSecond, burst] = [40, 10]
    const [key = ''] = await issue(1, { perSecond, burst })
    const startedAt = performance.now()
    let admitted = 0
    /** How many answers came in each tenth of a second: fewer on a busy machine. */
    const answered = new Map<number, number>()
    const client = async () => {
      while (performance.now() - startedAt < 1_500) {
        if ((await service.get(tags, { key })).status === 200) admitted += 1
        const tenth = Math.floor((performance.now() - startedAt) / 100)
        answered.set(tenth, (answered.get(tenth) ?? 0) + 1)
      }
    }
    await Promise.all(Array.from({ length: 6 }, client))
    const most = burst + (perSecond * (performance.now() - startedAt)) / 1_000
    assert.ok(admitted <= most, `${admitted} of at most ${most}`)
    // In each tenth as many as the rate allows, or as many as were asked for.
    const least = [...answered.values()].reduce(
      (sum, count) => sum + Math.min(count, perSecond / 10),
      0,
    )
    assert.ok(admitted >= least * 0.7, `only ${admitted} of ${least}`)
  })

  it('two keys of one brand do not share', async () => {
    const [one = '', two = ''] = await issue(2, { perSecond: 0.01, burst: 3 })
    for (let count = 0; count < 4; count += 1) await service.get(tags, { key: one })
    assert.equal((await service.get(tags, { key: one })).status, 429)
    assert.equal(leftAfter(await service.get(tags, { key: two })), 2)
  })

  it('a global key has one bucket for all brands', async () => {
    const [key = ''] = await issue(1, { global: true, brands: [], perSecond: 0.01, burst: 3 })
    assert.equal(leftAfter(await service.get(tags, { key })), 2)
    const missing = await service.get(`${basePath}/brands/unknown/tags`, { key })
    assert.deepEqual([missing.status, leftAfter(missing)], [404, 1])
  })

  it('a key without a rate of its own has that of the server', async () => {
    const [plain = ''] = await issue(1, {})
    const [faster = ''] = await issue(1, { perSecond: 50 })
    const [deeper = ''] = await issue(1, { burst: 40 })
    for (const [key, header] of [
      [plain, '"default";q=100;w=5'],
      [faster, '"default";q=100;w=2'],
      [deeper, '"default";q=40;w=2'],
    ] as const) {
      const { headers } = await service.get(tags, { key })
      assert.equal(headers.get('ratelimit-policy'), header)
    }
  })

  it('every answer to a key costs one, whatever it is', async () => {
    const [key = ''] = await issue(1, { perSecond: 0.001, burst: 20 })
    const nobody = '00000000-0000-4000-8000-000000000000'
    const cases = [
      [200, tags, {}],
      [304, tags, { headers: { 'if-none-match': '*' } }],
      [200, tags, { method: 'HEAD' }],
      [404, `${tags}/${nobody}`, {}],
      [404, `${tags}/${nobody}`, { method: 'HEAD' }],
      [400, `${tags}?limit=0`, {}],
      [400, `${tags}?cursor=nonsense`, {}],
      [404, `${basePath}/brands/aldermoor/images/${nobody}/content`, {}],
    ] as const
    for (const [index, [status, path, options]] of cases.entries()) {
      const answer = await service.get(path, { key, ...options })
      assert.equal(answer.status, status, path)
      assert.equal(leftAfter(answer), 19 - index, `${status} ${path}`)
    }
  })

  it('a brand out of scope costs the key one, and the address nothing', async () => {
    const [key = '', another = ''] = await issue(2, { perSecond: 0.001, burst: 70 })
    const headers = { 'x-forwarded-for': '192.0.2.77' }
    const other = `${basePath}/brands/birkholm/tags`
    for (let left = 69; left >= 0; left -= 1) {
      const answer = await service.get(other, { key, headers })
      assert.equal(answer.status, 401)
      assert.equal(leftAfter(answer), left)
    }
    assert.equal((await service.get(tags, { key, headers })).status, 429)
    assert.equal((await service.get(other, { key: another, headers })).status, 401)
    assert.equal((await service.get(tags, { key: 'nonsense', headers })).status, 401)
  })

  it('what needs no key costs nothing, and carries no limit', async () => {
    const [key = ''] = await issue(1, { perSecond: 0.001, burst: 2 })
    const free = ['/healthz', '/readyz', `${basePath}/openapi.json`, '/nowhere']
    for (const path of [...free, ...free, ...free]) {
      const { headers } = await service.get(path, { key })
      assert.equal(headers.get('ratelimit'), null, path)
      assert.equal(headers.get('ratelimit-policy'), null, path)
    }
    const refused = await service.get(tags, { key, method: 'POST' })
    assert.equal(refused.status, 405)
    assert.equal(leftAfter(await service.get(tags, { key })), 1)
  })

  it('the rate is judged before brand, parameters, cursor and record', async () => {
    const [key = ''] = await issue(1, { global: true, brands: [], perSecond: 0.001, burst: 1 })
    await service.get(tags, { key })
    const nobody = '00000000-0000-4000-8000-000000000000'
    for (const path of [
      `${basePath}/brands/unknown/tags`,
      `${tags}?limit=0`,
      `${tags}?cursor=x`,
      `${tags}/${nobody}`,
    ]) {
      const { status, headers } = await service.get(path, { key })
      assert.equal(status, 429, path)
      assert.match(headers.get('retry-after') ?? '', /^(99\d|1000)$/)
    }
  })

  it('a 429 can be asked for with HEAD', async () => {
    const [key = ''] = await issue(1, { perSecond: 0.001, burst: 1 })
    await service.get(tags, { key })
    const { status, headers, text } = await service.get(tags, { key, method: 'HEAD' })
    assert.deepEqual([status, text], [429, ''])
    assert.match(headers.get('retry-after') ?? '', /^(99\d|1000)$/)
  })
})
