import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { describe, it } from 'node:test'
import { ApiError } from '#contract'
import type { Grant, KeyVerifier, Refusal } from '#keys'
import { createMemoryLimiter } from '#rate-limit'
import { authenticate, requireScope } from '../../src/http/admission.ts'
import { parseHeaders } from '../../src/http/context.ts'

const grant: Grant = {
  ...{
    keyId: 'key_1',
    name: 'One',
    global: false,
    brands: new Set(['first']),
    perSecond: null,
    burst: null,
  },
}
const everywhere: Grant = { ...grant, global: true, brands: new Set() }
const issuedNow: Grant = { ...grant, keyId: 'key_2' }
const verdicts: { readonly [token: string]: Grant | Refusal } = {
  good: grant,
  everywhere,
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
    markUsed: () => undefined,
    isStale: stale,
    close: async () => undefined,
  } satisfies KeyVerifier,
  limiter: createMemoryLimiter({ now: () => 1_000 }),
  failurePolicy: { perSecond: 0.5, burst },
  clientIp: ({ headers }: IncomingMessage) => String(headers['from']),
})

const address = '192.0.2.1'

/** A request with a key, from an address. */
const from = (authorization: string | undefined, sender = address) => {
  const rawHeaders = authorization === undefined ? [] : ['Authorization', authorization]
  const request = { headers: { from: sender } } as IncomingMessage
  return { request, headers: parseHeaders(rawHeaders) }
}

describe('authentication', () => {
  it('a key is good for its brands, a global one for all', () => {
    requireScope(grant, 'first')
    requireScope(everywhere, 'second')
    const message = 'The API key may not read this brand.'
    assert.throws(() => requireScope(grant, 'second'), { code: 'out_of_scope', message })
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
