/** Path segments that cannot be the slug of a brand. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { basePath } from '#contract'
import { openTestService, type TestService } from '../support/service.ts'

describe('a segment that is not a valid slug', () => {
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
