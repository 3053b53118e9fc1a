/** Identities made of natural keys. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { naturalId, uuidV5 } from '../../src/mapping/natural-id.ts'

describe('a UUID of version 5', () => {
  // RFC 9562, section 6.6 (namespaces) and appendix A.4; the others are of Python's uuid module.
  const dns = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
  const url = '6ba7b811-9dad-11d1-80b4-00c04fd430c8'
  for (const [namespace, name, expected] of [
    [dns, 'www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
    [dns, 'python.org', '886313e1-3b8a-5372-9b90-0c9aee199e5d'],
    [url, 'http://python.org/', '4c565f0d-3f5a-5890-b41b-20cf47701c5e'],
    [dns, '', '4ebd0208-8328-5d69-8c44-ec50939c0967'],
    [dns, 'Têxtil 布', '7ab6cde9-f94e-55f7-ad6e-1765bf1e24a8'],
    [dns, 'x'.repeat(5_000), 'cfc11b34-06f5-5404-bc50-2a211317a864'],
  ] as const) {
    it(`of ${name.slice(0, 30)} is the one that other programs make`, () => {
      assert.equal(uuidV5(namespace, name), expected)
    })
  }
})

describe('a natural identity', () => {
  it('is the same on every machine and in every release', () => {
    assert.equal(
      naturalId('halden', 'suppliers', ['V0042']),
      'ae198c25-b87a-574f-b2ef-187204dd658c',
    )
    assert.equal(
      naturalId('halden', 'order-items', ['PO-5512', '10']),
      '5a4393dd-d726-52ae-87c1-65101832e09c',
    )
  })

  it('differs by brand, collection and every part of the key', () => {
    const ids = [
      naturalId('halden', 'suppliers', ['V0042']),
      naturalId('halden', 'partners', ['V0042']),
      naturalId('aldermoor', 'suppliers', ['V0042']),
      naturalId('halden', 'suppliers', ['V0042', '']),
      naturalId('halden', 'suppliers', ['', 'V0042']),
      naturalId('halden', 'suppliers', ['V00', '42']),
      naturalId('halden', 'suppliers', ['V00","42']),
    ]
    assert.equal(new Set(ids).size, ids.length)
  })
})
