import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import { ownerNumber, sharedNumber, sharedOwner } from '#store'
import { ownerOf } from '../../src/store/schema/owners.ts'

describe("an owner's number", () => {
  it('is the first 48 bits of the SHA-256 of its slug, the same every time', () => {
    const digest = createHash('sha256').update('aldermoor').digest('hex')
    assert.equal(ownerNumber('aldermoor'), Number.parseInt(digest.slice(0, 12), 16))
    for (let count = 0; count < 20_000; count += 1) ownerNumber(`brand-${count}`)
    assert.equal(ownerNumber('aldermoor'), Number.parseInt(digest.slice(0, 12), 16))
  })

  it('is 0 for shared records, for every brand that reads them', () => {
    assert.equal(ownerNumber(sharedOwner), sharedNumber)
    assert.equal(ownerOf(resourceAt(catalog, 'countries'), 'aldermoor'), 0)
    assert.equal(ownerOf(resourceAt(catalog, 'orders'), 'aldermoor'), ownerNumber('aldermoor'))
  })
})
