/** Images in a bucket: presigned links, and storage that cannot be reached. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createSocketServer, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { type Images, type S3Parts, StorageUnavailable, type StoredImage } from '#images'
import { s3Images } from '../../src/images/s3.ts'
import { imagesConformance } from '../conformance/images.ts'
import {
  bucket,
  bytes,
  closeServer,
  image,
  listen,
  noon,
  s3Parts,
  signV4,
  startS3,
} from '../support/images.ts'

imagesConformance('a bucket', async () => {
  const s3 = await startS3()
  const images = s3Images(s3Parts(s3.endpoint))
  return {
    images,
    now: Date.now,
    linkSeconds: 900,
    names: async () => (await readdir(s3.directory, { recursive: true })).sort(),
    close: async () => {
      await images.close()
      await s3.close()
    },
  }
})

describe('links to a bucket', () => {
  let s3: Awaited<ReturnType<typeof startS3>>
  let images: Images

  before(async () => {
    s3 = await startS3()
    images = s3Images(s3Parts(s3.endpoint))
    await images.put(image, bytes)
  })
  after(() => s3.close())

  const linkOf = async (from: Images, to: StoredImage = image): Promise<URL> => {
    const made = await from.link(to)
    assert.ok(made)
    return new URL(made.url)
  }

  const statusOf = async (url: URL): Promise<number> => {
    const response = await fetch(url)
    await response.arrayBuffer()
    return response.status
  }

  it('a presigned address is accepted as it is', async () => {
    assert.equal(await statusOf(await linkOf(images)), 200)
  })

  it('a tampered signature is refused', async () => {
    const url = await linkOf(images)
    const signature = url.searchParams.get('X-Amz-Signature') ?? ''
    const flipped = (signature.startsWith('0') ? '1' : '0') + signature.slice(1)
    url.searchParams.set('X-Amz-Signature', flipped)
    assert.equal(await statusOf(url), 403)
  })

  for (const [parameter, value] of [
    ['X-Amz-Expires', '901'],
    ['response-content-type', 'text/html'],
    ['response-content-disposition', 'inline'],
  ] as const) {
    it(`a link with ${parameter} changed to "${value}" is refused`, async () => {
      const url = await linkOf(images)
      url.searchParams.set(parameter, value)
      assert.equal(await statusOf(url), 403)
    })
  }

  it('a link to one bucket is not valid for another', async () => {
    const url = await linkOf(images)
    url.pathname = url.pathname.replace(`/${bucket}/`, '/other/')
    assert.equal(await statusOf(url), 403)
  })

  it('a link stops working one second after its expiry', async () => {
    const late = s3Images(s3Parts(s3.endpoint, { linkSeconds: 60, now: () => Date.now() - 61_000 }))
    assert.equal(await statusOf(await linkOf(late)), 403)
  })

  it('a link is made for seven days at most, and says so', async () => {
    const long = s3Images(s3Parts(s3.endpoint, { linkSeconds: 30 * 24 * 60 * 60 }))
    const made = await long.link(image)
    assert.ok(made)
    assert.equal(new URL(made.url).searchParams.get('X-Amz-Expires'), '604800')
    const days = (Date.parse(made.expiresAt) - Date.now()) / (24 * 60 * 60 * 1000)
    assert.ok(days > 6.999 && days <= 7, `${days} days`)
    assert.equal(await statusOf(new URL(made.url)), 200)
  })

  it('hostile names send no request at all', async () => {
    let requests = 0
    const count = () => {
      requests++
    }
    s3.server.on('request', count)
    for (const hostile of ['..', '%2e%2e', '/etc', 'a\0', 'a/b', '']) {
      assert.equal(await images.link({ ...image, brand: hostile }), null)
      assert.equal(await images.link({ ...image, id: hostile }), null)
      await assert.rejects(images.put({ ...image, brand: hostile }, bytes), RangeError)
    }
    s3.server.off('request', count)
    assert.equal(requests, 0)
  })

  it('a key that the storage does not know is unavailable, not missing', async () => {
    for (const wrong of [{ accessKeyId: 'UNKNOWN' }, { secretAccessKey: 'wrong' }]) {
      const stranger = s3Images(s3Parts(s3.endpoint, wrong))
      await assert.rejects(stranger.link(image), /responded to HEAD with 403/)
      await assert.rejects(stranger.link(image), StorageUnavailable)
      await assert.rejects(stranger.put(image, bytes), /responded to PUT with 403 \w+/)
    }
  })

  it('a bucket that is not there has no images and takes none', async () => {
    const lost = s3Images(s3Parts(s3.endpoint, { bucket: 'nowhere' }))
    assert.equal(await lost.link(image), null)
    await assert.rejects(lost.put(image, bytes), StorageUnavailable)
  })

  it('an image is stored below the prefix, or right in the bucket without one', async () => {
    const bare = s3Images(s3Parts(s3.endpoint, { prefix: '' }))
    assert.equal(await bare.link(image), null)
    await bare.put(image, bytes)
    const url = await linkOf(bare)
    assert.equal(url.pathname, `/${bucket}/${image.brand}/${image.id}`)
    assert.equal(await statusOf(url), 200)
    assert.equal(
      (await linkOf(images)).pathname,
      `/${bucket}/some%20folder/images/${image.brand}/${image.id}`,
    )
  })

  it('a presigned address holds the signature that SigV4 prescribes', async () => {
    const cases: readonly [Partial<S3Parts>, Partial<StoredImage>][] = [
      [{}, {}],
      [{ prefix: '' }, { fileName: "sketch (1)!*'~ ä 漢字 + & =.png" }],
      [{ sessionToken: 'a/token+with=signs' }, {}],
      [{ linkSeconds: 1 }, { mimeType: 'image/svg+xml' }],
      [{ region: 'us-east-1' }, { fileName: '' }],
    ]
    // Only HEAD is asked of it, so it may answer yes to everything, also at a frozen clock.
    const dates = new Set<unknown>()
    const yes = createServer((request, response) => {
      dates.add(request.headers['x-amz-date'])
      response.end()
    })
    const endpoint = `http://127.0.0.1:${await listen(yes)}`
    try {
      for (const [parts, changes] of cases) {
        const all = s3Parts(endpoint, { now: () => noon + 999, ...parts })
        const made = await s3Images(all).link({ ...image, ...changes })
        assert.ok(made)
        const url = new URL(made.url)
        assert.equal(url.searchParams.get('X-Amz-Date'), '20260301T120000Z')
        assert.equal(url.searchParams.get('X-Amz-Signature'), signV4(url, all))
        assert.equal(url.searchParams.get('X-Amz-Security-Token'), parts.sessionToken ?? null)
        assert.equal(Date.parse(made.expiresAt), noon + all.linkSeconds * 1000)
        assert.ok(!url.search.includes('+'), 'spaces are %20')
      }
      assert.deepEqual([...dates], ['20260301T120000Z'], 'HEAD is signed at the same clock')
    } finally {
      await closeServer(yes)
    }
  })

  it('the signature of this test is the one of the AWS documentation', () => {
    // docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
    const url = new URL(
      'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
        '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
        '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host',
    )
    assert.equal(
      signV4(url, {
        region: 'us-east-1',
        secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      }),
      'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    )
  })
})

describe('a bucket that cannot be reached', () => {
  const timeoutMs = 10_000

  const unavailable = async (
    endpoint: string,
    message: RegExp,
    changes: Partial<S3Parts> = { timeoutMs },
  ): Promise<void> => {
    const images = s3Images(s3Parts(endpoint, changes))
    for (const attempt of [() => images.link(image), () => images.put(image, bytes)]) {
      await assert.rejects(attempt, (error) => {
        assert.ok(error instanceof StorageUnavailable)
        assert.match(error.message, message)
        return true
      })
    }
  }

  it('a closed port is unavailable at once', async () => {
    const server = createServer()
    const port = await listen(server)
    await closeServer(server)
    await unavailable(`http://127.0.0.1:${port}`, /cannot be reached/)
  })

  it('a storage that accepts and never answers is unavailable within the time limit', async () => {
    const sockets = new Set<Socket>()
    const server = createSocketServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
    })
    const port = await listen(server)
    await unavailable(`http://127.0.0.1:${port}`, /did not respond within 20\d ms/, {
      timeoutMs: 200,
    })
    for (const socket of sockets) socket.destroy()
    server.close()
    await once(server, 'close')
  })

  it('a storage that hangs up is asked a second time and is unavailable then', async () => {
    let requests = 0
    const server = createServer((request) => {
      requests++
      request.socket.destroy()
    })
    await unavailable(`http://127.0.0.1:${await listen(server)}`, /cannot be reached/)
    assert.equal(requests, 4)
    await closeServer(server)
  })

  it('a storage that hangs up once is not unavailable', async () => {
    let requests = 0
    const server = createServer((request, response) => {
      if (requests++ === 0) request.socket.destroy()
      else response.end()
    })
    const endpoint = `http://127.0.0.1:${await listen(server)}`
    assert.ok(await s3Images(s3Parts(endpoint, { timeoutMs })).link(image))
    await closeServer(server)
  })

  for (const status of [301, 307, 400, 401, 403, 429, 500, 503]) {
    it(`a storage that answers ${status} is unavailable`, async () => {
      const server = createServer((_request, response) => {
        response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end()
      })
      await unavailable(
        `http://127.0.0.1:${await listen(server)}`,
        new RegExp(`responded to (HEAD|PUT) with ${status}`),
      )
      await closeServer(server)
    })
  }
})
