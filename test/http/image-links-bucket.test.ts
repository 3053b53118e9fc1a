/** Links to images in a bucket, over HTTP. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer as createSocketServer, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import {
  addedNames,
  addedRecord,
  assertRefused,
  contentOf,
  follow,
  idOf,
  picture,
  plain,
  put,
  unknownId,
} from '../support/image-records.ts'
import { bucket, credentials, listen, startS3 } from '../support/images.ts'
import { openTestService, type TestService } from '../support/service.ts'

describe('images in a bucket', () => {
  const environment = (endpoint: string) => ({
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    IMAGES_URL: `s3://${bucket}/images?endpoint=${endpoint}`,
  })

  describe('that answers', () => {
    let service: TestService
    let s3: Awaited<ReturnType<typeof startS3>>

    before(async () => {
      s3 = await startS3()
      service = await openTestService(environment(s3.endpoint))
      await service.write('aldermoor', { images: addedNames.map(addedRecord) })
      await put(service, plain)
      await put(service, addedRecord('svg'))
    })
    after(async () => {
      await service.close()
      await s3.close()
    })

    it('a presigned address leads to the picture, without a key', async () => {
      const { status, body } = await service.get(contentOf(plain))
      assert.equal(status, 200)
      assert.match(body.url, /[?&]X-Amz-Signature=[0-9a-f]{64}/)
      assert.match(body.url, /[?&]X-Amz-Expires=900(&|$)/)
      assert.deepEqual(body.extent, { width: plain['widthPx'], height: plain['heightPx'] })
      const { headers, text } = await follow(body.url)
      assert.equal(text, picture.toString())
      assert.equal(headers.get('content-type'), 'image/png')
      assert.equal(headers.get('content-length'), String(picture.length))
    })

    it('a changed address is refused by the bucket', async () => {
      const { url } = (await service.get(contentOf(plain))).body as { url: string }
      for (const changed of [
        url.replace(/X-Amz-Expires=900/, 'X-Amz-Expires=90000'),
        url.replace(
          /X-Amz-Signature=./,
          (each) => each.slice(0, -1) + (each.endsWith('0') ? '1' : '0'),
        ),
      ]) {
        const { status, text } = await follow(changed)
        assert.equal(status, 403)
        assert.ok(!text.includes(picture.toString()))
      }
    })

    it('SVG is saved to disk rather than shown', async () => {
      const { body } = await service.get(contentOf(addedRecord('svg')))
      const { headers } = await follow(body.url)
      assert.match(headers.get('content-disposition') ?? '', /^attachment; /)
    })

    it('a record whose object is missing is not found', async () => {
      const { status, body } = await service.get(contentOf(addedRecord('missing')))
      assert.deepEqual([status, body.errorCode], [404, 'not_found'])
    })

    it('this server serves no files itself', async () => {
      const fetched = await follow(`${service.url}/files/images/aldermoor/${idOf(plain)}`)
      assertRefused(fetched, 404, 'not_found')
    })
  })

  const assertUnavailable = async (service: TestService): Promise<void> => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, body } = await service.get(contentOf(plain), { method })
      assert.equal(status, 503)
      assert.equal(headers.get('retry-after'), '1')
      assert.equal(headers.get('cache-control'), 'no-store')
      if (method === 'HEAD') continue
      assert.equal(body.errorCode, 'storage_unavailable')
      assert.ok(!/127\.0\.0\.1|ECONN|s3|bucket/i.test(JSON.stringify(body)))
    }
    // Everything else is served.
    assert.equal((await service.get('images')).status, 200)
    assert.equal((await service.get(contentOf({ id: unknownId }))).status, 404)
    assert.equal((await service.get('/readyz')).status, 200)
    const log = service.logged.join('')
    assert.match(log, /"level":"error"/)
    assert.ok(!log.includes('X-Amz-Signature'))
  }

  it('that is down is a matter of 503, and of images alone', async () => {
    // Nothing listens on port 2.
    const service = await openTestService(environment('http://127.0.0.1:2'))
    try {
      await assertUnavailable(service)
    } finally {
      await service.close()
    }
  })

  it('that accepts and says nothing is a matter of 503 after two seconds', async () => {
    const sockets: Socket[] = []
    const silent = createSocketServer((socket) => void sockets.push(socket))
    const port = await listen(silent)
    const service = await openTestService(environment(`http://127.0.0.1:${port}`))
    try {
      const connected = once(silent, 'connection')
      const startedAt = performance.now()
      const [{ status, body }, meanwhile] = await Promise.all([
        service.get(contentOf(plain)),
        connected.then(() => service.get('tags')),
      ])
      const tookMs = performance.now() - startedAt
      assert.deepEqual([status, body.errorCode], [503, 'storage_unavailable'])
      assert.ok(tookMs > 1_900 && tookMs < 20_000, `${tookMs} ms`)
      assert.equal(meanwhile.status, 200)
    } finally {
      await service.close()
      for (const socket of sockets) socket.destroy()
      silent.close()
    }
  })
})
