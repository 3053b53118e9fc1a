/** The expiry and the base URL of links to images. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertRefused, contentOf, follow, plain, put } from '../support/image-records.ts'
import { openTestService } from '../support/service.ts'

describe('the end of an address', () => {
  it('comes when it was said to, to the second', async () => {
    const realNow = Date.now
    let aheadMs = 0
    Date.now = () => realNow() + aheadMs
    const service = await openTestService({ IMAGE_LINK_MINUTES: '1' })
    try {
      await put(service, plain)
      const { body } = await service.get(contentOf(plain))
      const leftMs = () => Date.parse(body.expiresAt) - Date.now()
      assert.ok(leftMs() > 58_000 && leftMs() <= 60_000, `${leftMs()} ms`)
      aheadMs = leftMs() - 1_000
      assert.equal((await follow(body.url)).status, 200)
      aheadMs += leftMs() + 1_000
      assertRefused(await follow(body.url), 403, 'invalid_link')
      aheadMs = 0
      assert.equal((await follow(body.url)).status, 200)
    } finally {
      Date.now = realNow
      await service.close()
    }
  })
})

describe('PUBLIC_URL', () => {
  for (const [publicUrl, begins] of [
    ['https://records.example.com', 'https://records.example.com/files/images/'],
    ['https://records.example.com/', 'https://records.example.com/files/images/'],
    ['https://example.com/selvedge', 'https://example.com/selvedge/files/images/'],
  ] as const) {
    it(`${publicUrl} begins every address`, async () => {
      const service = await openTestService({ PUBLIC_URL: publicUrl })
      try {
        await put(service, plain)
        const { body } = await service.get(contentOf(plain), {
          headers: { 'x-forwarded-host': 'evil.example' },
        })
        assert.ok(body.url.startsWith(begins), body.url)
        // Whatever is in front of the server leads there by path and query.
        const { pathname, search } = new URL(body.url)
        const local = `${service.url}${pathname.replace(/^\/selvedge/, '')}${search}`
        assert.equal((await follow(local)).status, 200)
      } finally {
        await service.close()
      }
    })
  }
})
