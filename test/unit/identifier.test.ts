import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { comparable } from '../../src/store/schema/comparable.ts'
import {
  formatUuid,
  keyFromBytes,
  keyToBytes,
  readText,
} from '../../src/store/schema/identifier.ts'

const ids = [
  '00000000-0000-0000-0000-000000000000',
  '5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01',
  '5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a02',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
]

describe('an identifier', () => {
  it('has 16 bytes, which sort like its text and become the same text again', () => {
    const bytes = ids.map((id) => keyToBytes('uuid', id))
    for (const [index, each] of bytes.entries()) {
      assert.equal(each.length, 16)
      assert.equal(formatUuid(each), ids[index])
      assert.equal(readText(each), ids[index])
      assert.equal(keyFromBytes('uuid', each), ids[index])
    }
    assert.deepEqual(bytes.toSorted(Buffer.compare), bytes)
  })

  it('equals no text that is written in another way', () => {
    const [, id = ''] = ids
    assert.equal(comparable('uuid', id), id)
    for (const other of [id.toUpperCase(), id.replaceAll('-', ''), `${id} `, '', 'x', 5, null]) {
      assert.equal(comparable('uuid', other), null)
    }
    assert.equal(comparable('text', 'X'), 'X')
    assert.equal(comparable('integer', 5), 5)
  })
})

describe('a part of an identity that is a text', () => {
  it('has the bytes of the text in UTF-8', () => {
    for (const text of ['EUR', 'größe', '中', '']) {
      assert.equal(keyFromBytes('text', keyToBytes('text', text)), text)
    }
  })
})
