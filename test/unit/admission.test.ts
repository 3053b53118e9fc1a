import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { ApiError, groupScopeOf, wholeScope } from '#contract'
import { createAddressList, type Grant, type KeyVerifier, type Refusal } from '#keys'
import { createMemoryLimiter, type Decision, type RateLimiter } from '#rate-limit'
import type { Store } from '#store'
import {
  authenticate,
  createBrandLookup,
  createPublicRateLimit,
  createRateLimit,
  requireGroup,
  requireScope,
} from '../../src/http/admission.ts'
import { parseHeaders, type RequestContext } from '../../src/http/context.ts'

const grant: Grant = {
  ...{
    keyId: 'key_1',
    name: 'One',
    global: false,
    brands: new Set(['first']),
    collections: null,
    scope: wholeScope,
    addresses: null,
    expiresAt: null,
    perSecond: null,
    burst: null,
  },
}
const everywhere: Grant = { ...grant, global: true, brands: new Set() }
const nearby: Grant = { ...grant, addresses: createAddressList(['203.0.113.0/24']) }
const issuedNow: Grant = { ...grant, keyId: 'key_2' }
const verdicts: { readonly [token: string]: Grant | Refusal } = {
  good: grant,
  everywhere,
  nearby,
  old: 'expired',
  'two words': grant,
}

const partsOf = (stale = false, burst = 100, lookups: string[] = []) => ({
  keyVerifier: {
    verify: (token: string) => verdicts[token] ?? 'invalid',
    verifyAgain: async (token: string) => {
      lookups.push(token)
      if (token === 'away') throw new RangeError('The database is away.')
      return token === 'new' ? issuedNow : (verdicts[token] ?? 'invalid')
    },
    findKey: () => 'invalid',
    findKeyAgain: async () => 'invalid',
    findSigner: () => 'invalid',
    findSignerAgain: async () => 'invalid',
    markUsed: () => undefined,
    isStale: stale,
    close: async () => undefined,
  } satisfies KeyVerifier,
  limiter: createMemoryLimiter({ now: () => 1_000 }),
  failurePolicy: { perSecond: 0.5, burst },
  clientAddress: ({ headers }: IncomingMessage) => String(headers['from']),
  clientIp: ({ headers }: IncomingMessage) => String(headers['from']),
})

const address = '192.0.2.1'

/** A request with a key, from an address. */
const from = (authorization: string | undefined, sender = address) => {
  const rawHeaders = authorization === undefined ? [] : ['Authorization', authorization]
  const request = { headers: { from: sender } } as IncomingMessage
  return { request, headers: parseHeaders(rawHeaders), keyId: null, keyName: null }
}

describe('authentication', () => {
  it('a key is good for its brands, a global one for all', () => {
    requireScope(grant, 'first')
    requireScope(everywhere, 'second')
    const message = 'The API key may not read this brand.'
    assert.throws(() => requireScope(grant, 'second'), { code: 'out_of_scope', message })
  })

  it('a key is good for its groups', () => {
    requireGroup(grant, 'invoices')
    const limited = {
      ...grant,
      scope: groupScopeOf({ onlyGroups: ['orders'], withoutGroups: null }),
    }
    requireGroup(limited, 'orders')
    requireGroup(limited, 'brand')
    const message = 'The API key may not read invoices.'
    assert.throws(() => requireGroup(limited, 'invoices'), { code: 'out_of_scope', message })
  })

  it('a key is good at its addresses, and any other address is charged', async () => {
    const parts = partsOf(false, 2)
    const ask = async (sender: string) => authenticate(parts, from('Bearer nearby', sender))
    for (let count = 1; count <= 5; count += 1) assert.equal(await ask('203.0.113.9'), nearby)
    const message = 'The API key may not be used from the address 198.51.100.9.'
    for (let count = 1; count <= 2; count += 1) {
      await assert.rejects(ask('198.51.100.9'), { code: 'out_of_scope', message })
    }
    await assert.rejects(ask('198.51.100.9'), { code: 'rate_limited' })
    assert.equal(await ask('203.0.113.9'), nearby)
  })

  it('a key at an address where it may not be used is in the log', async () => {
    const ctx = from('Bearer nearby', '198.51.100.9')
    await assert.rejects(async () => authenticate(partsOf(), ctx), { code: 'out_of_scope' })
    assert.deepEqual([ctx.keyId, ctx.keyName], [nearby.keyId, nearby.name])
  })

  it('a key that is not known is looked for once more', async () => {
    const lookups: string[] = []
    const parts = partsOf(false, 2, lookups)
    const ask = async (token: string, sender = address) =>
      authenticate(parts, from(`Bearer ${token}`, sender))
    assert.equal(await ask('good'), grant)
    await assert.rejects(ask('old', '192.0.2.9'), { code: 'expired_api_key' })
    assert.deepEqual(lookups, [], 'one that is known is not')
    // It is not charged as a failure, and an address cannot have it looked for without end.
    for (let count = 1; count <= 500; count += 1) assert.equal(await ask('new'), issuedNow)
    assert.equal(lookups.length, 500)
    await assert.rejects(ask('new'), { code: 'invalid_api_key' })
    assert.equal(lookups.length, 500)
    await assert.rejects(ask('x', '192.0.2.3'), { code: 'invalid_api_key' })
    assert.equal(lookups.length, 501)
    await assert.rejects(async () => authenticate(parts, from(undefined, '192.0.2.4')), {
      code: 'missing_api_key',
    })
    assert.equal(lookups.length, 501)
  })

  it('without a database an unknown key is not called invalid', async () => {
    const parts = partsOf(false, 1)
    const ask = async () => authenticate(parts, from('Bearer away'))
    await assert.rejects(ask(), { code: 'store_unavailable', retryAfterSeconds: 1 })
    await assert.rejects(ask(), { code: 'rate_limited' })
  })

  it('the scheme is read in any case, with any blanks', async () => {
    const ask = async (authorization: string | undefined) =>
      authenticate(partsOf(), from(authorization))
    for (const text of ['bearer good', 'BEARER   good', 'Bearer\tgood', '  Bearer good  '])
      assert.equal(await ask(text), grant)
    assert.equal(await ask('Bearer two words'), grant)
    for (const text of [undefined, '', 'good', 'Bearer', 'Bearer  ', 'Basic good', 'xBearer good'])
      await assert.rejects(ask(text), { code: 'missing_api_key' })
    await assert.rejects(ask('Bearer unknown'), { code: 'invalid_api_key' })
    assert.equal(await ask('Bearer good'), grant, 'after another was read')
  })

  it('each refusal has its code and its sentence', async () => {
    for (const [authorization, code, message] of [
      [undefined, 'missing_api_key', 'Send an API key: Authorization: Bearer <API_KEY>.'],
      ['Bearer old', 'expired_api_key', 'The API key has expired.'],
      ['Bearer x', 'invalid_api_key', 'The API key is not valid: unknown, malformed or revoked.'],
    ] as const) {
      await assert.rejects(async () => authenticate(partsOf(), from(authorization)), {
        code,
        message,
      })
    }
  })

  it('failures are limited by address', async () => {
    const parts = partsOf(false, 2)
    const ask = async (authorization: string, sender: string) =>
      authenticate(parts, from(authorization, sender))
    for (const _ of [1, 2])
      await assert.rejects(ask('Bearer x', address), { code: 'invalid_api_key' })
    await assert.rejects(ask('Bearer x', address), (error) => {
      assert.ok(error instanceof ApiError)
      assert.equal(error.code, 'rate_limited')
      assert.equal(error.retryAfterSeconds, 2)
      assert.equal(error.message, 'Too many requests without a valid key. Try again in 2 s.')
      return true
    })
    await assert.rejects(ask('Bearer x', '192.0.2.2'), { code: 'invalid_api_key' })
    assert.equal(await ask('Bearer good', address), grant, 'a good key is not held up')
    // Its bucket is not that of a key with the same name.
    assert.equal((await parts.limiter.consume(address, { perSecond: 1, burst: 1 })).allowed, true)
    const own = await parts.limiter.consume(`address ${address}`, { perSecond: 0.5, burst: 2 })
    assert.equal(own.allowed, false)
  })

  it('keys that cannot be trusted are all refused', async () => {
    await assert.rejects(async () => authenticate(partsOf(true), from('Bearer good')), {
      code: 'store_unavailable',
      message: 'Keys cannot be checked at the moment.',
      retryAfterSeconds: 1,
    })
  })

  it('a key that memory knows as valid needs no promise', () => {
    assert.equal(authenticate(partsOf(), from('Bearer good')), grant)
    assert.equal(authenticate(partsOf(), from('Bearer everywhere')), everywhere)
  })
})

describe('the rate limit of a key', () => {
  const policy = { perSecond: 2, burst: 3 }
  const contextOf = () => ({ responseHeaders: {} }) as unknown as RequestContext

  it('counts for each key, says so in headers, and refuses with the time to wait', () => {
    const limit = createRateLimit({ limiter: createMemoryLimiter({ now: () => 1_000 }), policy })
    for (const remaining of [2, 1, 0]) {
      const ctx = contextOf()
      assert.equal(limit.consume(ctx, grant), undefined)
      assert.equal(ctx.responseHeaders['ratelimit-policy'], '"default";q=3;w=2')
      assert.match(
        String(ctx.responseHeaders['ratelimit']),
        new RegExp(`^"default";r=${remaining};`),
      )
    }
    const ctx = contextOf()
    const refused = () => limit.consume(ctx, grant)
    assert.throws(refused, {
      code: 'rate_limited',
      message: 'The rate limit of 2 requests a second is used up. Try again in 1 s.',
      retryAfterSeconds: 1,
    })
    assert.match(String(ctx.responseHeaders['ratelimit']), /r=0/)
    assert.equal(limit.consume(contextOf(), issuedNow), undefined, 'another key has its own bucket')
  })

  it('is the own one of a key that has one', () => {
    const buckets: unknown[][] = []
    const limiter = {
      consume: (...call: unknown[]) => {
        buckets.push(call)
        return { allowed: true, remaining: 1, resetSeconds: 0, retryAfterSeconds: 0 }
      },
    } as unknown as RateLimiter
    const limit = createRateLimit({ limiter, policy })
    const own = { ...grant, perSecond: 7, burst: 70 }
    for (const each of [grant, own, { ...grant, perSecond: 7 }, { ...grant, burst: 70 }, own]) {
      void limit.consume(contextOf(), each)
    }
    assert.deepEqual(buckets, [
      ['key key_1', { perSecond: 2, burst: 3 }],
      ['key key_1', { perSecond: 7, burst: 70 }],
      ['key key_1', { perSecond: 7, burst: 3 }],
      ['key key_1', { perSecond: 2, burst: 70 }],
      ['key key_1', { perSecond: 7, burst: 70 }],
    ])
  })

  it('makes one error for each time to wait, and no more than a hundred', () => {
    let retryAfterSeconds = 0
    const limiter = {
      consume: () => ({ allowed: false, remaining: 0, resetSeconds: 1, retryAfterSeconds }),
    } as unknown as RateLimiter
    const limit = createRateLimit({ limiter, policy })
    const errorAfter = (seconds: number): unknown => {
      retryAfterSeconds = seconds
      try {
        void limit.consume(contextOf(), grant)
      } catch (error) {
        return error
      }
      throw new assert.AssertionError({ message: 'It was not refused.' })
    }
    for (let seconds = 1; seconds <= 100; seconds += 1) {
      const error = errorAfter(seconds)
      assert.ok(error instanceof ApiError)
      assert.equal(error.retryAfterSeconds, seconds)
      assert.equal(errorAfter(seconds), error)
    }
    assert.notEqual(errorAfter(101), errorAfter(101), 'the next ones are not kept')
  })

  it('waits where buckets are shared with other processes', async () => {
    const decide = Promise.withResolvers<Decision>()
    const limiter = { consume: () => decide.promise } as unknown as RateLimiter
    const ctx = contextOf()
    const pending = createRateLimit({ limiter, policy }).consume(ctx, grant)
    assert.ok(pending instanceof Promise)
    assert.equal(ctx.responseHeaders['ratelimit'], undefined)
    decide.resolve({ allowed: false, remaining: 0, resetSeconds: 5, retryAfterSeconds: 4 })
    await assert.rejects(pending, { code: 'rate_limited', retryAfterSeconds: 4 })
    assert.equal(ctx.responseHeaders['ratelimit'], '"default";r=0;t=5')
  })
})

describe('the rate limit of an address', () => {
  const limit = () =>
    createPublicRateLimit({
      publicPolicy: { perSecond: 0.001, burst: 2 },
      clientIp: ({ headers }) => String(headers['from']),
    })
  const ask = (sender: string) => from(undefined, sender) as unknown as RequestContext

  it('counts for each address', () => {
    const consume = limit()
    for (const sender of ['192.0.2.1', '192.0.2.2']) {
      for (const _ of [1, 2]) assert.equal(consume(ask(sender), '/docs'), undefined)
      assert.throws(
        () => consume(ask(sender), '/'),
        (error) => {
          assert.ok(error instanceof ApiError)
          assert.equal(error.code, 'rate_limited')
          assert.match(
            error.message,
            /^Too many requests from this address to paths that need no key. Try again in \d+ s\.$/,
          )
          assert.ok((error.retryAfterSeconds ?? 0) > 900)
          return true
        },
      )
    }
  })

  it('has a bucket for probes that is ten times as large', () => {
    for (const path of ['/healthz', '/readyz']) {
      const consume = limit()
      for (const _ of [1, 2]) consume(ask(address), '/docs')
      assert.throws(() => consume(ask(address), '/docs'), { code: 'rate_limited' })
      for (let count = 1; count <= 20; count += 1) consume(ask(address), path)
      assert.throws(
        () => consume(ask(address), path),
        ({ retryAfterSeconds }: ApiError) => (retryAfterSeconds ?? 0) <= 100,
      )
      consume(ask('192.0.2.2'), path)
    }
  })
})

describe('the look-up of a brand', () => {
  /** A store with some brands, and how often each was looked up. */
  const storeOf = (brands: Set<string>, requested: string[]): Store =>
    ({
      find: async (brand: string) => {
        requested.push(brand)
        return brands.has(brand) ? { change: 1, dependencies: [] } : null
      },
    }) as unknown as Store
  const missing = { code: 'not_found', message: 'There is no such brand.' }

  it('asks the store once, until something has changed', async () => {
    const brands = new Set(['first'])
    const requested: string[] = []
    let fresh = true
    const changes = { isFresh: () => fresh } as unknown as Parameters<typeof createBrandLookup>[1]
    const look = createBrandLookup(storeOf(brands, requested), changes)
    await look('first')
    assert.equal(look('first'), undefined)
    assert.deepEqual(requested, ['first'])
    fresh = false
    assert.ok(look('first') instanceof Promise)
    brands.delete('first')
    await assert.rejects(async () => look('first'), missing)
    fresh = true
    await assert.rejects(async () => look('first'), missing, 'it is not remembered')
  })

  it('asks every time where changes are not tracked', async () => {
    const requested: string[] = []
    const look = createBrandLookup(storeOf(new Set(['first']), requested), null)
    for (const _ of [1, 2]) await look('first')
    assert.deepEqual(requested, ['first', 'first'])
  })

  it('asks nothing for a text that cannot be a brand', async () => {
    const requested: string[] = []
    const look = createBrandLookup(storeOf(new Set(), requested), null)
    await assert.rejects(async () => look('No Brand'), missing)
    assert.deepEqual(requested, [])
    await assert.rejects(async () => look('second'), missing)
    assert.deepEqual(requested, ['second'])
  })
})
