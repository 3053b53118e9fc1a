import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { canonicalAddress, createAddressList } from '../../src/keys/addresses.ts'

describe('an address of a key', () => {
  const canonical: readonly (readonly [string, string])[] = [
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7/32', '203.0.113.7'],
    ['203.0.113.0/24', '203.0.113.0/24'],
    ['0.0.0.0/1', '0.0.0.0/1'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['::ffff:203.0.113.0/120', '203.0.113.0/24'],
    ['2001:DB8:0:0::/32', '2001:db8::/32'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8::1/128', '2001:db8::1'],
    ['64:ff9b::203.0.113.7', '64:ff9b::cb00:7107'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6'],
    ['::1', '::1'],
  ]
  for (const [text, expected] of canonical) {
    it(`is stored as ${expected} if it is given as ${text}`, () => {
      assert.equal(canonicalAddress(text), expected)
      assert.equal(canonicalAddress(expected), expected)
      const [address = ''] = text.split('/')
      assert.ok(createAddressList([expected]).has(address))
    })
  }

  const refused: readonly (readonly [string, RegExp])[] = [
    ['', /is not an IP address or network/],
    ['example.com', /is not an IP address or network/],
    ['203.0.113', /is not an IP address or network/],
    ['203.0.113.07', /is not an IP address or network/],
    ['203.0.113.0/24/8', /is not an IP address or network/],
    ['fe80::1%eth0', /is not an IP address or network/],
    ['203.0.113.0/33', /has no length from 1 to 32 after the slash/],
    ['203.0.113.0/', /has no length from 1 to 32 after the slash/],
    ['2001:db8::/129', /has no length from 1 to 128 after the slash/],
    ['2001:db8::/-1', /has no length from 1 to 128 after the slash/],
    ['0.0.0.0/0', /is every address/],
    ['::/0', /is every address/],
    ['::ffff:0:0/96', /is every address/],
    ['203.0.113.7/24', /Use 203\.0\.113\.0\/24 for the network, or 203\.0\.113\.7 for the address/],
    ['2001:db8::7/32', /Use 2001:db8::\/32 for the network, or 2001:db8::7 for the address/],
  ]
  for (const [text, reason] of refused) {
    it(`is refused with the reason if it is "${text}"`, () => {
      assert.throws(() => canonicalAddress(text), { name: 'RangeError', message: reason })
    })
  }
})

describe('a list of addresses', () => {
  const list = createAddressList(['203.0.113.0/24', '198.51.100.7', '2001:db8::/32', '::1'])

  it('has the addresses in its networks', () => {
    for (const address of [
      '203.0.113.0',
      '203.0.113.255',
      '198.51.100.7',
      '2001:db8:ffff::1',
      '::1',
    ])
      assert.ok(list.has(address), address)
    assert.ok(list.has('::ffff:203.0.113.9'))
  })

  it('has no other address and no other text', () => {
    for (const text of [
      '203.0.114.0',
      '198.51.100.8',
      '2001:db9::1',
      '::2',
      '',
      'nobody',
      '2001:db8::/64',
    ])
      assert.ok(!list.has(text), text)
  })
})
