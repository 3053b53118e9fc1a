/** Links to images in a folder, over HTTP. */
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { DemoRecord } from '#demo'
import {
  added,
  addedId,
  addedNames,
  addedRecord,
  assertRefused,
  contentOf,
  type Fetched,
  follow,
  idOf,
  picture,
  plain,
  put,
  stored,
  unknownId,
  withoutExtent,
} from '../support/image-records.ts'
import { openTestService, type TestService } from '../support/service.ts'

describe('images in a folder', () => {
  let service: TestService

  before(async () => {
    service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' })
    await service.write('aldermoor', { images: addedNames.map(addedRecord) })
    for (const image of [...stored, ...addedNames.map(addedRecord)]) await put(service, image)
    const home = join(service.folder, 'images', 'aldermoor')
    rmSync(join(home, addedId('missing')))
    rmSync(join(home, addedId('directory')))
    mkdirSync(join(home, addedId('directory')))
    rmSync(join(home, addedId('escaped')))
    writeFileSync(join(service.folder, 'secret.txt'), 'a secret')
    symlinkSync(join(service.folder, 'secret.txt'), join(home, addedId('escaped')))
  })
  after(() => service.close())

  const linkTo = async (image: DemoRecord): Promise<string> =>
    (await service.get(contentOf(image))).body.url

  it('the response has the address, its end and the extent', async () => {
    const before = Math.floor(Date.now() / 1_000) * 1_000
    const { status, body } = await service.get(contentOf(plain))
    const after = Date.now()
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['url', 'expiresAt', 'extent'])
    assert.ok(body.url.startsWith(`${service.url}/files/images/aldermoor/${idOf(plain)}?`))
    assert.deepEqual(body.extent, { width: plain['widthPx'], height: plain['heightPx'] })
    const issuedAt = Date.parse(body.expiresAt) - 900_000
    assert.ok(issuedAt >= before && issuedAt <= after + 1_000, body.expiresAt)
    assert.match(body.expiresAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it('the extent is null where it is not known', async () => {
    assert.equal((await service.get(contentOf(withoutExtent))).body.extent, null)
  })

  it('the picture is served without a key, with headers that keep it harmless', async () => {
    const { status, headers, text } = await follow(await linkTo(plain))
    assert.equal(status, 200)
    assert.equal(text, picture.toString())
    const expected = {
      'content-type': 'image/png',
      'content-length': String(picture.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': `inline; filename="${plain['fileName']}"`,
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
    }
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(headers.get(name), value, name)
    }
    assert.ok(headers.get('x-request-id'))
    assert.equal(headers.get('ratelimit'), null)
    assert.equal(headers.get('access-control-allow-origin'), null)
  })

  it('a key that is sent along changes nothing and is not logged', async () => {
    const key = await service.key('aldermoor')
    const headers = { authorization: `Bearer ${key}` }
    assert.equal((await follow(await linkTo(plain), { headers })).status, 200)
    assert.equal(
      (await follow(await linkTo(plain), { headers: { authorization: 'x' } })).status,
      200,
    )
    assert.ok(!service.logged.join('').includes(key))
  })

  it('the address is not in the log', async () => {
    const link = new URL(await linkTo(plain))
    await follow(link.href)
    assert.ok(!service.logged.join('').includes(link.searchParams.get('signature') ?? ''))
  })

  it('HEAD answers as GET, without the picture', async () => {
    const link = await linkTo(plain)
    const got = await follow(link)
    const head = await follow(link, { method: 'HEAD' })
    assert.deepEqual([head.status, head.text], [200, ''])
    const passing = /^(date|x-request-id|connection|keep-alive)$/
    const lasting = ({ headers }: Fetched) => [...headers].filter(([name]) => !passing.test(name))
    assert.deepEqual(lasting(head), lasting(got))
  })

  it('HEAD of a refused address is refused', async () => {
    const { status, text } = await follow(`${await linkTo(plain)}x`, { method: 'HEAD' })
    assert.deepEqual([status, text], [403, ''])
  })

  const ranges: readonly (readonly [range: string, content: string, part: string])[] = [
    ['bytes=0-9', 'bytes 0-9/36', '0123456789'],
    ['bytes=10-', 'bytes 10-35/36', 'abcdefghijklmnopqrstuvwxyz'],
    ['bytes=-3', 'bytes 33-35/36', 'xyz'],
    ['bytes=30-999', 'bytes 30-35/36', 'uvwxyz'],
    ['bytes=35-35', 'bytes 35-35/36', 'z'],
    ['bytes=-999', 'bytes 0-35/36', picture.toString()],
  ]
  for (const [range, content, part] of ranges) {
    it(`${range} is answered with ${content}`, async () => {
      const { status, headers, text } = await follow(await linkTo(plain), { headers: { range } })
      assert.equal(status, 206)
      assert.equal(text, part)
      assert.equal(headers.get('content-range'), content)
      assert.equal(headers.get('content-length'), String(part.length))
      assert.equal(headers.get('content-type'), 'image/png')
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
    })
  }

  for (const range of [
    'bytes=0-1,4-5',
    'lines=1-2',
    'nonsense',
    'bytes=abc',
    'bytes=a-b',
    'bytes=9-1',
    'bytes=-',
  ]) {
    it(`${range} is answered with one whole picture`, async () => {
      const { status, headers, text } = await follow(await linkTo(plain), { headers: { range } })
      assert.equal(status, 200)
      assert.equal(text, picture.toString())
      assert.equal(headers.get('content-range'), null)
    })
  }

  for (const [what, range] of [
    ['overlapping ranges', 'bytes=0-9,5-14,1-2'],
    ['a thousand ranges', `bytes=${Array.from({ length: 1_000 }, () => '0-').join(',')}`],
  ] as const) {
    it(`${what} are answered with one part, or with all`, async () => {
      const { status, headers, text } = await follow(await linkTo(plain), { headers: { range } })
      assert.ok(status === 200 || status === 206)
      assert.ok(picture.toString().startsWith(text))
      assert.equal(headers.get('content-type'), 'image/png')
    })
  }

  for (const range of ['bytes=36-', 'bytes=999-1000']) {
    it(`${range} cannot be had and is refused in shape`, async () => {
      const fetched = await follow(await linkTo(plain), { headers: { range } })
      assertRefused(fetched, 416, 'range_not_satisfiable')
      assert.equal(fetched.headers.get('content-range'), 'bytes */36')
    })
  }

  it('a client that has the picture gets 304 while it is the same', async () => {
    const link = await linkTo(plain)
    const tag = (await follow(link)).headers.get('etag') ?? ''
    assert.notEqual(tag, '')
    // `fetch` would add a header that prevents the 304.
    const { pathname, search } = new URL(link)
    const { status, text } = await askRaw(service, pathname + search, { 'if-none-match': tag })
    assert.deepEqual([status, text], [304, ''])
  })

  for (const [name, value] of [
    ['if-match', '"another"'],
    ['if-unmodified-since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ] as const) {
    it(`${name}, which does not hold, does not make the picture seem missing`, async () => {
      const { status } = await follow(await linkTo(plain), { headers: { [name]: value } })
      assert.notEqual(status, 404)
    })
  }

  for (const name of ['svg', 'html'] as const) {
    it(`${added[name].mimeType} is saved to disk rather than shown`, async () => {
      const { headers, status } = await follow(await linkTo(addedRecord(name)))
      assert.equal(status, 200)
      assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="/)
      assert.equal(headers.get('x-content-type-options'), 'nosniff')
      assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox")
      assert.equal(headers.get('content-type'), added[name].mimeType)
    })
  }

  it('a type or name that a header cannot hold becomes harmless', async () => {
    const { headers, status, text } = await follow(await linkTo(addedRecord('odd')))
    assert.deepEqual([status, text], [200, picture.toString()])
    assert.equal(headers.get('content-type'), 'application/octet-stream')
    assert.match(headers.get('content-disposition') ?? '', /^attachment; /)
    assert.equal(headers.get('x-injected'), null)
  })

  const tamperings: readonly (readonly [what: string, change: (url: URL) => void])[] = [
    ['another signature', (url) => changeLast(url, 'signature')],
    ['no signature', (url) => url.searchParams.delete('signature')],
    ['an empty signature', (url) => url.searchParams.set('signature', '')],
    ['two signatures', (url) => url.searchParams.append('signature', 'x')],
    ['a later end', (url) => url.searchParams.set('expires', '99999999999')],
    ['no end', (url) => url.searchParams.delete('expires')],
    ['another type', (url) => url.searchParams.set('type', 'text/html')],
    ['another name', (url) => url.searchParams.set('name', 'x.html')],
    ['one more parameter', (url) => url.searchParams.append('x', '1')],
    [
      'no parameters',
      (url) => {
        url.search = ''
      },
    ],
    [
      'another image',
      (url) => {
        url.pathname = url.pathname.replace(idOf(plain), idOf(withoutExtent))
      },
    ],
    [
      'an image that is not there',
      (url) => {
        url.pathname = url.pathname.replace(idOf(plain), unknownId)
      },
    ],
    [
      'another brand',
      (url) => {
        url.pathname = url.pathname.replace('aldermoor', 'birkholm')
      },
    ],
    [
      'a deeper path',
      (url) => {
        url.pathname += '/x'
      },
    ],
    [
      'a slash at the end',
      (url) => {
        url.pathname += '/'
      },
    ],
    [
      'an encoded slash',
      (url) => {
        url.pathname = url.pathname.replace('aldermoor/', 'aldermoor%2F')
      },
    ],
    [
      'encoded dots',
      (url) => {
        url.pathname = url.pathname.replace('aldermoor/', 'aldermoor%2F..%2Faldermoor%2F')
      },
    ],
    [
      'a NUL',
      (url) => {
        url.pathname += '%00'
      },
    ],
    [
      'upper case',
      (url) => {
        url.pathname = url.pathname.replace(idOf(plain), idOf(plain).toUpperCase())
      },
    ],
  ]
  const changeLast = (url: URL, name: string) => {
    const value = url.searchParams.get(name) ?? ''
    url.searchParams.set(name, value.slice(0, -1) + (value.endsWith('A') ? 'E' : 'A'))
  }
  for (const [what, change] of tamperings) {
    it(`an address with ${what} is refused`, async () => {
      const url = new URL(await linkTo(plain))
      change(url)
      assertRefused(await follow(url.href), 403, 'invalid_link')
    })
  }

  it('paths that climb out of the folder lead nowhere', async () => {
    for (const path of [
      '/files/images/../../secret.txt',
      '/files/images/aldermoor/../../../secret.txt',
      '/files/images/%2e%2e/%2e%2e/secret.txt',
      '/files/images//etc/passwd',
      '/files/images/file:%2F%2F%2Fetc%2Fpasswd',
    ]) {
      const { search } = new URL(await linkTo(plain))
      const { status, text } = await askRaw(service, path + search)
      assert.ok(status === 403 || status === 404, `${status} ${path}`)
      assert.ok(!text.includes('a secret') && !text.includes('root:'))
      assert.ok(['invalid_link', 'not_found'].includes(JSON.parse(text).errorCode))
    }
  })

  it('a record whose object is missing is not found, in the words of any other', async () => {
    const never = await service.get(contentOf({ id: unknownId }))
    for (const name of ['missing', 'directory', 'escaped'] as const) {
      const { status, text } = await service.get(contentOf(addedRecord(name)))
      assert.equal(status, 404, name)
      assert.equal(text, never.text)
    }
  })

  it('an address whose object goes missing later is not found', async () => {
    const late = { ...plain, id: '00000000-0000-4000-9000-0000000000aa' }
    await service.write('aldermoor', { images: [late] })
    await put(service, late)
    const link = await linkTo(late)
    assert.equal((await follow(link)).status, 200)
    rmSync(join(service.folder, 'images', 'aldermoor', idOf(late)))
    assertRefused(await follow(link), 404, 'not_found')
  })

  it('what a proxy or client says of the host does not get into the address', async () => {
    for (const [name, value] of [
      ['x-forwarded-host', 'evil.example'],
      ['x-forwarded-proto', 'https'],
      ['forwarded', 'host=evil.example;proto=https'],
      ['x-forwarded-prefix', '/evil'],
      ['x-original-url', '/evil'],
    ] as const) {
      const { body } = await service.get(contentOf(plain), { headers: { [name]: value } })
      assert.ok(body.url.startsWith(`${service.url}/files/images/`), name)
    }
    const key = await service.key('aldermoor')
    const headers = { host: 'evil.example', authorization: `Bearer ${key}` }
    const { text } = await askRaw(service, contentOf(plain), headers)
    assert.ok(JSON.parse(text).url.startsWith(`${service.url}/files/images/`))
  })

  it('content takes no parameters and no ids that are none', async () => {
    assert.equal((await service.get(`${contentOf(plain)}?include=product`)).status, 400)
    assert.equal((await service.get(`${contentOf(plain)}?x=1`)).status, 400)
    assert.equal((await service.get(contentOf({ id: 'nonsense' }))).status, 400)
    assert.equal((await service.get(contentOf({ id: '..%2F..%2Fsecret.txt' }))).status, 400)
  })

  it('a large picture arrives whole, and in parts', async () => {
    const large = { ...plain, id: '00000000-0000-4000-9000-0000000000bb' }
    const bytes = Buffer.alloc(3_000_000, 'selvedge ')
    await service.write('aldermoor', { images: [large] })
    await put(service, large, bytes)
    const link = await linkTo(large)
    assert.ok(Buffer.from(await (await fetch(link)).arrayBuffer()).equals(bytes))
    const { text } = await follow(link, { headers: { range: 'bytes=1000000-1000007' } })
    assert.equal(text, bytes.subarray(1_000_000, 1_000_008).toString())
    assert.equal(statSync(join(service.folder, 'images', 'aldermoor', idOf(large))).size, 3_000_000)
  })
})

/** Asks without the tidying of paths that `fetch` does. */
const askRaw = (
  { url }: TestService,
  path: string,
  headers: { readonly [name: string]: string } = {},
): Promise<{ readonly status: number | undefined; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(url)
    request({ port, host: '127.0.0.1', path, headers }, (response) => {
      response.setEncoding('utf8')
      let text = ''
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, text }))
    })
      .on('error', reject)
      .end()
  })
