import assert from 'node:assert/strict'
import { createHash, hkdfSync } from 'node:crypto'
import { describe, it } from 'node:test'
import { crc32 } from 'node:zlib'
import {
  generateKey,
  hashOf,
  isWellFormed,
  keyPattern,
  makeKey,
  signingKeyOf,
  signingSecretOf,
} from '../../src/keys/key.ts'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Bytes that count up from one that is given. */
const counting = (first = 0) => {
  let next = first
  return (size: number) => Uint8Array.from({ length: size }, () => next++ % 256)
}

const checked = (secret: string): string => {
  let text = ''
  for (let rest = crc32(secret); text.length < 6; rest = Math.floor(rest / 62))
    text = `${digits[rest % 62]}${text}`
  return `slv_${secret}_${text}`
}

describe('a key', () => {
  it('a key consists of random digits and their check', () => {
    assert.equal(makeKey(counting()), checked(digits.slice(0, 43)))
    assert.match(makeKey(counting()), keyPattern)
    // Bytes from 248 on are passed over, those below wrap around.
    assert.equal(makeKey(counting(62)), checked(digits.slice(0, 43)))
    assert.equal(makeKey(counting(246)), checked(`yz${digits.slice(0, 41)}`))
    // More random bytes are drawn when too many were passed over.
    let draws = 0
    const mostly = (size: number) => {
      draws += 1
      assert.equal(size, 64)
      return new Uint8Array(size).fill(draws < 3 ? 255 : 1)
    }
    assert.equal(makeKey(mostly), checked('1'.repeat(43)))
    assert.equal(draws, 3)
  })

  it('a new key comes with an id of other bytes', () => {
    const sizes: number[] = []
    const random = counting()
    const drawn = generateKey((size) => {
      sizes.push(size)
      return random(size)
    })
    assert.equal(drawn.key, checked(digits.slice(0, 43)))
    assert.equal(drawn.id, `key_${Buffer.from(counting(64)(9)).toString('base64url')}`)
    assert.deepEqual(sizes, [64, 9])
  })

  it('only text with the form and check of a key is well-formed', () => {
    for (let first = 0; first < 60; first += 1) assert.ok(isWellFormed(makeKey(counting(first))))
    const good = makeKey(counting())
    for (let at = 0; at < good.length; at += 1) {
      const other = good[at] === 'x' ? 'y' : 'x'
      assert.ok(!isWellFormed(good.slice(0, at) + other + good.slice(at + 1)), String(at))
    }
    for (const odd of ['', 'slv_', ` ${good}`, `${good} `, `${good}\n`, good.slice(1), `${good}0`])
      assert.ok(!isWellFormed(odd), JSON.stringify(odd))
  })

  it('what is stored is its SHA-256', () => {
    assert.equal(hashOf('a key'), createHash('sha256').update('a key').digest('base64url'))
  })

  it('an ingest key has another prefix, and neither kind is taken for the other', () => {
    const [read, ingest] = [makeKey(counting()), makeKey(counting(), 'ingest')]
    assert.equal(ingest, read.replace('slv_', 'slw_'))
    assert.ok(isWellFormed(ingest, 'ingest'))
    assert.ok(!isWellFormed(ingest))
    assert.ok(!isWellFormed(read, 'ingest'))
    assert.match(generateKey(counting(), 'ingest').key, /^slw_/)
  })

  it('a signing secret is derived from the secret of the database and the id of the key', () => {
    const bytes = Buffer.from(hkdfSync('sha256', 'of a database', '', 'webhook key_1', 32))
    assert.deepEqual(signingKeyOf('of a database', 'key_1'), bytes)
    assert.equal(signingSecretOf('of a database', 'key_1'), `whsec_${bytes.toString('base64')}`)
    assert.notDeepEqual(signingKeyOf('of a database', 'key_2'), bytes)
    assert.notDeepEqual(signingKeyOf('of another database', 'key_1'), bytes)
  })
})
