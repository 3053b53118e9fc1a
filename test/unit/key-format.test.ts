/** The format of a key: its characters, its checksum, how it is generated. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { crc32 } from 'node:zlib'
import { generateKey } from '#keys'
import { isWellFormed, keyPattern } from '../../src/keys/key.ts'

describe('the form of a key', () => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const drawn = Array.from({ length: 2_000 }, () => generateKey(randomBytes).key)

  it('is slv_, 43 characters of chance, and 6 of CRC-32 in base 62', () => {
    for (const key of drawn) {
      assert.match(key, keyPattern)
      const secret = key.slice(4, 47)
      let check = 0
      for (const digit of key.slice(48)) check = check * 62 + digits.indexOf(digit)
      assert.equal(check, crc32(secret))
      assert.ok(isWellFormed(key))
    }
    assert.ok(43 * Math.log2(62) >= 252)
  })

  it('is never the same twice', () => {
    assert.equal(new Set(drawn).size, drawn.length)
  })

  it('has every character equally likely at every place', () => {
    const counts = new Map([...digits].map((digit) => [digit, 0]))
    for (const key of drawn) {
      for (const digit of key.slice(4, 47)) counts.set(digit, (counts.get(digit) ?? 0) + 1)
    }
    assert.equal(counts.size, 62)
    const mean = (drawn.length * 43) / 62
    for (const [digit, count] of counts) {
      assert.ok(Math.abs(count - mean) < 7 * Math.sqrt(mean), `${digit} came ${count} times`)
    }
  })

  it('leaves out the bytes that would make some characters likelier', () => {
    let drawnBytes = 0
    const { key } = generateKey((size) => {
      drawnBytes += 1
      // The first bytes are all beyond the last whole multiple of 62.
      return Buffer.alloc(size, drawnBytes === 1 ? 255 : 61)
    })
    assert.equal(key.slice(4, 47), 'z'.repeat(43))
  })

  it('shows every wrong character and every swap of neighbours', () => {
    const [key = ''] = drawn
    for (let place = 0; place < key.length; place += 1) {
      for (const digit of digits) {
        const other = key.slice(0, place) + digit + key.slice(place + 1)
        assert.equal(isWellFormed(other), other === key)
      }
      const [a = '', b = ''] = key.slice(place, place + 2)
      const swapped = key.slice(0, place) + b + a + key.slice(place + 2)
      assert.equal(isWellFormed(swapped), swapped === key)
    }
  })

  for (const text of ['', 'slv_', 'slv__', `${'a'.repeat(54)}`, '__proto__', 'slv_\u0000']) {
    it(`${JSON.stringify(text.slice(0, 20))} is not a key`, () => assert.ok(!isWellFormed(text)))
  }

  it('allows nothing before or after', () => {
    const [key = ''] = drawn
    for (const text of [` ${key}`, `${key} `, `${key}\n`, `x${key}`, key + key]) {
      assert.ok(!isWellFormed(text), JSON.stringify(text))
    }
  })
})
