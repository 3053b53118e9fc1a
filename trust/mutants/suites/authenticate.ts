import assert from 'node:assert/strict'
import { ApiError } from '#contract'
import type { Grant, KeyRing, Refusal } from '#keys'
import { memoryQuota } from '#quota'
import type * as authenticate from '../../../src/http/authenticate.ts'
import { suite } from '../suite.ts'

const grant: Grant = {
  ...{ keyId: 'key_1', global: false, brands: new Set(['first']), perSecond: null, burst: null },
}
const everywhere: Grant = { ...grant, global: true, brands: new Set() }
const known: { readonly [token: string]: Grant | Refusal } = {
  good: grant,
  everywhere,
  old: 'expired',
  'two words': grant,
}

const partsOf = (stale = false, burst = 100) => ({
  keyRing: {
    verify: (token: string) => known[token] ?? 'invalid',
    used: () => undefined,
    stale,
    close: async () => undefined,
  } satisfies KeyRing,
  quota: memoryQuota({ now: () => 1_000 }),
  failurePolicy: { perSecond: 0.5, burst },
})

const address = '192.0.2.1'

export default suite<typeof authenticate>('src/http/authenticate.ts', {
  'a key is good for its brands, a global one for all': async ({ authenticate }) => {
    const ask = (authorization: string, brand: string | null) =>
      authenticate(partsOf(), { authorization, brand, address })
    assert.equal(await ask('Bearer good', 'first'), grant)
    assert.equal(await ask('Bearer good', null), grant)
    assert.equal(await ask('Bearer everywhere', 'second'), everywhere)
    await assert.rejects(ask('Bearer good', 'second'), { code: 'out_of_scope' })
  },
  'the scheme is read in any case, with any blanks': async ({ authenticate }) => {
    const ask = (authorization: string | undefined) =>
      authenticate(partsOf(), { authorization, brand: 'first', address })
    for (const text of ['bearer good', 'BEARER   good', 'Bearer\tgood', '  Bearer good  '])
      assert.equal(await ask(text), grant)
    assert.equal(await ask('Bearer two words'), grant)
    for (const text of [undefined, '', 'good', 'Bearer', 'Bearer  ', 'Basic good', 'xBearer good'])
      await assert.rejects(ask(text), { code: 'missing_api_key' })
    await assert.rejects(ask('Bearer nobody'), { code: 'invalid_api_key' })
    assert.equal(await ask('Bearer good'), grant, 'after another was read')
  },
  'each refusal has its code and its sentence': async ({ authenticate }) => {
    for (const [authorization, code, message] of [
      [undefined, 'missing_api_key', 'Send an API key: Authorization: Bearer <API_KEY>.'],
      ['Bearer old', 'expired_api_key', 'The API key has expired.'],
      ['Bearer x', 'invalid_api_key', 'The API key is not valid: unknown, malformed or revoked.'],
      ['Bearer good', 'out_of_scope', 'The API key may not read this brand.'],
    ] as const) {
      const asked = authenticate(partsOf(), { authorization, brand: 'second', address })
      await assert.rejects(asked, { code, message })
    }
  },
  'failures are limited by address': async ({ authenticate }) => {
    const parts = partsOf(false, 2)
    const ask = (authorization: string, from: string) =>
      authenticate(parts, { authorization, brand: 'first', address: from })
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
    assert.equal((await parts.quota.take(address, { perSecond: 1, burst: 1 })).allowed, true)
    const own = await parts.quota.take(`address ${address}`, { perSecond: 0.5, burst: 2 })
    assert.equal(own.allowed, false)
  },
  'keys that cannot be trusted let nobody in': async ({ authenticate }) => {
    const claim = { authorization: 'Bearer good', brand: 'first', address }
    await assert.rejects(authenticate(partsOf(true), claim), {
      code: 'store_unavailable',
      message: 'Keys cannot be checked at the moment.',
      retryAfterSeconds: 1,
    })
  },
  'the quick way gives a grant or nothing': ({ grantFor }) => {
    const { keyRing } = partsOf()
    assert.equal(grantFor(keyRing, 'Bearer good', 'first'), grant)
    assert.equal(grantFor(keyRing, 'Bearer good', 'second'), null)
    assert.equal(grantFor(keyRing, 'Bearer everywhere', 'second'), everywhere)
    assert.equal(grantFor(keyRing, 'Bearer old', 'first'), null)
    assert.equal(grantFor(keyRing, undefined, 'first'), null)
  },
})
