import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { basePath } from '#contract'
import { readQuery } from '../../src/request/query.ts'
import { openTestService, type TestService } from '../support/service.ts'

describe('a query', () => {
  it('with raw characters beyond ASCII is refused, whatever else it holds', () => {
    // Node hands the bytes of the request line over as Latin-1.
    const raw = Buffer.from('été').toString('latin1')
    for (const value of [raw, `${raw}+2026`, `${raw}%20x`, `a+${raw}`]) {
      const { problems } = readQuery(`name=${value}`)
      assert.deepEqual(problems, [
        { parameter: 'name', issue: 'is not valid percent-encoded UTF-8' },
      ])
    }
    assert.equal(readQuery('name=%C3%A9t%C3%A9+2026').values.get('name'), 'été 2026')
  })
})

describe('a brand that cannot be one', () => {
  let service: TestService
  let key: string
  before(async () => {
    service = await openTestService({}, { story: false })
    key = await service.key()
  })
  after(() => service.close())

  for (const brand of ['a%00b', '%2A', '*', 'A', 'x'.repeat(64), '..%2Fa', '-a']) {
    it(`such as ${brand.slice(0, 12)} is not found`, async () => {
      const { status, body } = await service.get(`${basePath}/brands/${brand}/tags`, { key })
      assert.deepEqual([status, body.error], [404, 'There is no such brand.'])
    })
  }
})
