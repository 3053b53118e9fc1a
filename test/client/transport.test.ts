/** The transport: what it retries, how long it waits, what it refuses to read, and where the key goes. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  createTransport,
  isExposed,
  parseServerUrl,
  printable,
  type Retry,
  responseError,
  SelvedgeError,
  type TransportOptions,
} from '#client'
import { parseRetryAfter } from '../../client/src/retry-after.ts'
import {
  createRetrySchedule,
  defaultRetryPolicy,
  pauseMs,
  type RetryPolicy,
} from '../../client/src/retry-policy.ts'
import { failure } from '../support/client-failure.ts'

const closers: (() => void)[] = []
after(() => {
  for (const close of closers) close()
})

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const transport = (options: Partial<TransportOptions> = {}) =>
  createTransport({ key: 'slv_key', firstPauseMs: 1, ...options })

describe('a response', () => {
  it('of any status is returned with its headers, body, tag and number of tries', async () => {
    const url = await serve((_, response) =>
      response.writeHead(404, { etag: '"a"', 'content-type': 'text/plain' }).end('žena'),
    )
    const { status, headers, body, etag, tries } = await transport().get(url)
    assert.deepEqual([status, body, etag, tries], [404, 'žena', '"a"', 1])
    assert.equal(headers.get('content-type'), 'text/plain')
  })

  it('to a request with the token of a write gets to see the token', async () => {
    const url = await serve(({ headers }, response) => response.end(headers['after-write']))
    assert.equal((await transport().get(url, { afterWrite: 'token' })).body, 'token')
    assert.equal((await transport().get(url, { afterWrite: null })).body, '')
  })

  it('that is still an error after the last try is returned, and each try is counted', async () => {
    const url = await serve((_, response) => response.writeHead(503).end('down'))
    const sender = transport({ tries: 3 })
    const { status, tries } = await sender.get(url)
    assert.deepEqual([status, tries, sender.requests], [503, 3, 3])
  })

  it('is revalidated with the tag of an earlier one', async () => {
    const url = await serve((request, response) =>
      response.writeHead(request.headers['if-none-match'] === '"a"' ? 304 : 200).end(),
    )
    assert.equal((await transport().get(url, { etag: '"a"' })).status, 304)
    assert.equal((await transport().get(url, { etag: null })).status, 200)
  })

  it('that is not one of this API is described by its status, type or target', () => {
    const describeResponse = (status: number, headers: { [name: string]: string }, body = '') =>
      responseError({
        url: 'http://x.example/y',
        status,
        headers: new Headers(headers),
        body,
        tries: 1,
      })
    const html = { 'content-type': 'text/html' }
    const page = describeResponse(200, html, '<p>')
    assert.equal(page.code, 'unreadable_answer')
    assert.equal(
      page.message,
      'http://x.example/y is not a Selvedge server: it answered 200 with text/html.',
    )
    assert.equal(
      describeResponse(502, {}).message,
      'http://x.example/y answered 502 with no content type.',
    )
    assert.match(
      describeResponse(302, { location: 'http://z.example' }).message,
      /redirects to http:\/\/z\.example\. The key is not sent to another address/,
    )
    const limited = describeResponse(
      429,
      { 'retry-after': '7' },
      '{"error":"Too many.","errorCode":"rate_limited"}',
    )
    assert.deepEqual(
      [limited.code, limited.message, limited.retryAfterSeconds],
      ['rate_limited', 'Too many.', 7],
    )
  })
})

describe('a timeout', () => {
  it('ends a try that receives nothing, before its first byte and between two', async () => {
    for (const start of ['', '{"items":[']) {
      const url = await serve((_, response) => {
        if (start) response.writeHead(200).write(start)
      })
      const error = await failure(transport({ idleTimeoutMs: 60, tries: 1 }).get(url))
      assert.deepEqual([error.code, error.message], ['timeout', `${url} sent nothing for 60 ms.`])
    }
  })

  it('ends a try that always makes some progress but never ends', async () => {
    const url = await serve((_, response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write(' '), 20)
      response.once('close', () => clearInterval(drip))
    })
    const options = { idleTimeoutMs: 10_000, tryTimeoutMs: 300, tries: 1 }
    const error = await failure(transport(options).get(url))
    assert.deepEqual(
      [error.code, error.message],
      ['timeout', `No complete response from ${url} within 300 ms.`],
    )
  })
})

describe('a limit', () => {
  const limits = { bytesMax: 2 ** 20, objectsMax: 1_000 }
  const rows: readonly (readonly [string, RequestListener])[] = [
    ['a long body', (_, response) => response.end(Buffer.alloc(2 ** 20 + 1, 0x20))],
    [
      'a long body that is announced',
      (_, response) => response.writeHead(200, { 'content-length': '99999999' }).write('{'),
    ],
    [
      'a body that expands',
      (_, response) =>
        response
          .writeHead(200, { 'content-encoding': 'gzip' })
          .end(gzipSync(Buffer.alloc(2 ** 24, 0x20))),
    ],
    ['many lists', (_, response) => response.end('['.repeat(1_001))],
    ['many objects', (_, response) => response.end(`[${'{},'.repeat(1_000)}{}]`)],
    [
      'an error with a long body',
      (_, response) => response.writeHead(500).end('x'.repeat(2 ** 21)),
    ],
  ]
  for (const [name, listener] of rows) {
    it(`refuses ${name}, without another try`, async () => {
      const url = await serve(listener)
      const sender = transport(limits)
      const error = await failure(sender.get(url))
      assert.equal(error.code, 'response_too_large')
      assert.equal(error.message, `${url} sent more than 1 MiB or 1000 objects in one response.`)
      assert.equal(sender.requests, 1)
    })
  }

  it('accepts a response of exactly that size', async () => {
    const text = '['.repeat(1_000).padEnd(2 ** 20, ' ')
    const url = await serve((_, response) => response.end(text))
    assert.equal((await transport(limits).get(url)).body, text)
  })
})

describe('a redirect', () => {
  /** A server that redirects to another, and what the other one receives. */
  const redirecting = async () => {
    const keys: (string | undefined)[] = []
    const other = await serve((request, response) => {
      keys.push(request.headers.authorization)
      response.end('{}')
    })
    const url = await serve((_, response) => response.writeHead(302, { location: other }).end())
    return { url, other, keys }
  }

  it('is returned if none are followed, and the other server receives no request', async () => {
    const { url, other, keys } = await redirecting()
    const { status, headers } = await transport({ redirect: 'manual' }).get(url)
    assert.deepEqual([status, headers.get('location'), keys], [302, other, []])
  })

  it('to another origin is followed without the key', async () => {
    const { url, keys } = await redirecting()
    assert.equal((await transport().get(url)).status, 200)
    assert.deepEqual(keys, [undefined])
  })
})

describe('a wait', () => {
  it('is reported with its reason before it begins', async () => {
    let count = 0
    const url = await serve((_, response) => {
      count += 1
      if (count > 2) return response.end('{}')
      const error = '{"error":"Too many.","errorCode":"rate_limited"}'
      return response.writeHead(429, { 'retry-after': '0' }).end(error)
    })
    const waits: Retry[] = []
    await transport({ rateLimitWaits: 5, tries: 1, onWait: (wait) => waits.push(wait) }).get(url)
    assert.deepEqual(
      waits.map(({ tries, error, pauseMs }) => [tries, error.code, pauseMs]),
      [
        [1, 'rate_limited', 0],
        [2, 'rate_limited', 0],
      ],
    )
  })
})

describe('the retry policy', () => {
  const failed = (status: number | undefined, retryAfterSeconds?: number, code = 'x') =>
    new SelvedgeError({ code, message: '', url: '', tries: 1, status, retryAfterSeconds })
  const pauses = (
    policy: Partial<RetryPolicy>,
    failures: readonly SelvedgeError[],
  ): readonly (number | undefined)[] => {
    let now = 0
    const schedule = createRetrySchedule(
      { ...defaultRetryPolicy, ...policy },
      () => 1,
      () => now,
    )
    return failures.map((error) => {
      const ms = schedule.nextPauseMs(error)
      now += ms ?? 0
      return ms
    })
  }

  it('repeats 408, 429, 5xx, lost connections and timeouts, and nothing else', () => {
    const transient = [408, 429, 500, 502, 503, 504].map((status) => failed(status))
    transient.push(failed(undefined, 0, 'network_error'), failed(undefined, 0, 'timeout'))
    for (const error of transient) assert.notEqual(pauses({}, [error])[0], undefined)
    const lasting = [400, 401, 403, 404, 405, 410].map((status) => failed(status))
    lasting.push(failed(undefined, 0, 'response_too_large'))
    for (const error of lasting) assert.equal(pauses({}, [error])[0], undefined)
  })

  it('doubles the pause up to a maximum, and ends with the tries', () => {
    const policy = { tries: 6, firstPauseMs: 100, pauseMsMax: 500 }
    assert.deepEqual(
      pauses(
        policy,
        Array.from({ length: 6 }, () => failed(500)),
      ),
      [100, 200, 400, 500, 500, undefined],
    )
  })

  it('begins no pause that would end after the total time', () => {
    assert.deepEqual(pauses({ totalTimeoutMs: 5_000 }, [failed(429, 60)]), [undefined])
    assert.deepEqual(
      pauses({ totalTimeoutMs: 5_000, firstPauseMs: 0 }, [failed(503, 3), failed(503, 3)]),
      [3_000, undefined],
    )
  })

  it('shortens a Retry-After of a failure that is longer than it may be', () => {
    const policy = { retryAfterMsMax: 30_000, firstPauseMs: 0 }
    assert.deepEqual(pauses(policy, [failed(503, 3_600)]), [30_000])
  })

  it('waits for the rate limit apart from tries and total time, up to a number and a duration', () => {
    const policy = { tries: 1, totalTimeoutMs: 1, rateLimitWaits: 3, rateLimitWaitMsMax: 10_000 }
    assert.deepEqual(
      pauses(policy, [failed(429, 2), failed(429), failed(429, 0), failed(429, 0)]),
      [2_000, 1_000, 0, undefined],
    )
    assert.deepEqual(pauses(policy, [failed(429, 86_400)]), [undefined])
    assert.deepEqual(pauses(policy, [failed(429, 6), failed(429, 6)]), [6_000, undefined])
  })

  it('adds jitter to every pause', () => {
    for (const random of [0, 0.5, 0.999]) {
      for (const [failures, longest] of [
        [1, 250],
        [2, 500],
        [3, 1_000],
        [9, 8_000],
      ] as const) {
        const ms = pauseMs(defaultRetryPolicy, failures, undefined, () => random)
        assert.ok(ms >= longest / 2 && ms <= longest, `${ms}`)
      }
      const ms = pauseMs(defaultRetryPolicy, 1, 3_000, () => random)
      assert.ok(ms >= 3_000 && ms < 3_250, `${ms}`)
    }
  })

  it('reads Retry-After as seconds or as a date, up to a day', () => {
    const now = Date.parse('2026-03-01T09:00:00Z')
    assert.equal(parseRetryAfter('3', now), 3)
    assert.equal(parseRetryAfter('Sun, 01 Mar 2026 09:00:05 GMT', now), 5)
    assert.equal(parseRetryAfter('Sun, 01 Mar 2026 08:00:00 GMT', now), 0)
    for (const text of [null, 'soon', '']) assert.equal(parseRetryAfter(text, now), undefined)
    const longest = ['9'.repeat(400), 'Fri, 31 Dec 9999 23:59:59 GMT']
    for (const text of longest) assert.equal(parseRetryAfter(text, now), 86_400)
  })
})

describe('the address of a server', () => {
  it('is read with or without the path of the API, and below another path', () => {
    const api = '/api/public/v1'
    for (const [text, base, rest] of [
      ['https://x.example', 'https://x.example', ''],
      [`https://x.example${api}/`, 'https://x.example', ''],
      ['https://x.example/records/', 'https://x.example/records', ''],
      [`https://x.example/records${api}/brands/a`, 'https://x.example/records', '/brands/a'],
    ] as const) {
      assert.deepEqual(parseServerUrl(text), { base, rest })
    }
  })

  it('exposes a key over plain HTTP, except on the same machine', () => {
    const safe = ['localhost', 'a.localhost', '127.0.0.1', '127.1', '[::1]', '[::ffff:127.0.0.1]']
    for (const host of safe) assert.equal(isExposed(`http://${host}:8080/x`), false, host)
    const exposed = ['192.0.2.1', 'records.example', 'localhost.example', '127.0.0.1.example']
    for (const host of [...exposed, '[::2]', 'alocalhost']) {
      assert.equal(isExposed(`http://${host}`), true, host)
      assert.equal(isExposed(`https://${host}`), false, host)
    }
  })
})

describe('text of a server', () => {
  it('is printed without control, format and broken characters, and not too long', () => {
    assert.equal(printable('\u001b[2J a\r\nb\u202ec\u2028d\ud800'), ' [2J a b c d ')
    assert.equal(printable('x'.repeat(50), 10), `${'x'.repeat(10)}…`)
    assert.equal(printable('xxxxxxxxx😀😀', 10), 'xxxxxxxxx…')
    assert.equal(printable('žena 😀'), 'žena 😀')
  })
})

describe('the sources of the client', () => {
  it('import nothing but each other, so that they run everywhere', () => {
    const folder = new URL('../../client/src/', import.meta.url)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const sources = files.filter((file) => file.endsWith('.ts'))
    assert.ok(sources.length > 10)
    for (const file of sources) {
      const text = readFileSync(new URL(file, folder), 'utf8')
      for (const [, target = ''] of text.matchAll(/(?<!')\b(?:from|import)\s*\(?\s*'([^']+)'/g)) {
        assert.match(target, /^\.{1,2}\/(?:generated\/)?[\w-]+\.ts$/, file)
      }
    }
  })
})
