import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { basePath } from '#contract'
import { openDatabase } from '#database'
import {
  createKeys,
  generateKey,
  type IssueRequest,
  isWellFormed,
  keyPattern,
  openKeyVerifier,
} from '#keys'
import {
  type Answer,
  type AskOptions,
  openTestService,
  type TestService,
} from '../support/service.ts'

const tags = `${basePath}/brands/aldermoor/tags`
const invalidToken = 'Bearer error="invalid_token"'
const codesOf = {
  missing_api_key: 'Bearer',
  invalid_api_key: invalidToken,
  expired_api_key: invalidToken,
  out_of_scope: invalidToken,
} as const
type Code = keyof typeof codesOf

const rights = (changes: Partial<IssueRequest> = {}): IssueRequest => ({
  name: 'a client',
  brands: ['aldermoor'],
  global: false,
  expiresAt: null,
  perSecond: null,
  burst: null,
  ...changes,
})

const assertRefused = ({ status, headers, body }: Answer, code: Code): void => {
  assert.equal(status, 401)
  assert.equal(body.errorCode, code)
  assert.deepEqual(Object.keys(body), ['error', 'errorCode'])
  assert.equal(headers.get('www-authenticate'), codesOf[code])
  assert.equal(headers.get('cache-control'), 'no-store')
  // A valid key is told what is left of its limit, also where it may not read.
  const isCharged = code === 'out_of_scope'
  assert.equal(headers.has('ratelimit'), isCharged)
  assert.equal(headers.has('ratelimit-policy'), isCharged)
}

let addresses = 0
/** From an address that nobody has asked from before; its proxy is trusted. */
const elsewhere = (headers: { readonly [name: string]: string } = {}): AskOptions => {
  addresses += 1
  return { headers: { ...headers, 'x-forwarded-for': `fd00:0:0:${addresses.toString(16)}::1` } }
}

/** All that an answer tells, less what differs from one request to the next. */
const telling = ({ status, headers, text }: Answer) => ({
  status,
  headers: [...headers].filter(([name]) => name !== 'date' && name !== 'x-request-id'),
  text,
})

const altered = (key: string, place: number): string => {
  const other = key[place] === 'A' ? 'B' : 'A'
  return key.slice(0, place) + other + key.slice(place + 1)
}

describe('an API key', () => {
  let service: TestService
  let key: string
  /** Every key that was ever issued here; none may be found where it does not belong. */
  const issued: string[] = []

  before(async () => {
    service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1', METRICS_PORT: '0' })
    key = await service.key('aldermoor')
    issued.push(key)
  })
  after(() => service.close())

  const issue = async (changes: Partial<IssueRequest> = {}) => {
    const one = await service.records.keys.issue(rights(changes))
    issued.push(one.key)
    return one
  }

  const ask = (authorization: string | null, path = tags): Promise<Answer> =>
    service.get(path, {
      key: null,
      ...elsewhere(authorization === null ? {} : { authorization }),
    })

  /** Asks until the answer is the one that must come within a second. */
  const until = async (token: string, enough: (answer: Answer) => boolean): Promise<Answer> => {
    const deadline = performance.now() + 1_000
    for (;;) {
      const answer = await ask(`Bearer ${token}`)
      if (enough(answer)) return answer
      assert.ok(performance.now() < deadline, `after a second still ${answer.status}`)
      await wait(20)
    }
  }
  const known = (token: string) => until(token, ({ status }) => status === 200)

  const claims: readonly (readonly [what: string, header: () => string | null, code: Code])[] = [
    ['no header', () => null, 'missing_api_key'],
    ['an empty header', () => '', 'missing_api_key'],
    ['a scheme alone', () => 'Bearer', 'missing_api_key'],
    ['a scheme and blanks', () => 'Bearer    ', 'missing_api_key'],
    ['another scheme', () => 'Basic dXNlcjpwYXNzd29yZA==', 'missing_api_key'],
    ['another scheme with the key', () => `Token ${key}`, 'missing_api_key'],
    ['a longer scheme', () => `Bearers ${key}`, 'missing_api_key'],
    ['the bare key', () => key, 'missing_api_key'],
    ['a colon after the scheme', () => `Bearer: ${key}`, 'missing_api_key'],
    ['two words', () => 'Bearer a b', 'invalid_api_key'],
    ['the key and a word', () => `Bearer ${key} more`, 'invalid_api_key'],
    ['the key twice', () => `Bearer ${key} ${key}`, 'invalid_api_key'],
    ['the key in quotes', () => `Bearer "${key}"`, 'invalid_api_key'],
    ['a list of keys', () => `Bearer ${key}, Bearer ${key}`, 'invalid_api_key'],
    ['the key in lower case', () => `Bearer ${key.toLowerCase()}x`, 'invalid_api_key'],
    ['a key of 8 KiB', () => `Bearer ${'a'.repeat(8_192)}`, 'invalid_api_key'],
    ['the key and 8 KiB', () => `Bearer ${key}${'a'.repeat(8_192)}`, 'invalid_api_key'],
    ['a key with a letter beyond ASCII', () => `Bearer ${key}\u00e9`, 'invalid_api_key'],
    ['the name of a prototype', () => 'Bearer __proto__', 'invalid_api_key'],
    [
      'a key that was never issued',
      () => `Bearer ${generateKey(randomBytes).key}`,
      'invalid_api_key',
    ],
    ['a wrong check', () => `Bearer ${altered(key, key.length - 1)}`, 'invalid_api_key'],
    ['a wrong prefix', () => `Bearer ${key.replace('slv_', 'slw_')}`, 'invalid_api_key'],
    ['the hash that is stored', () => `Bearer ${sha256(key)}`, 'invalid_api_key'],
  ]

  for (const [what, header, code] of claims) {
    it(`${what} is refused with ${code}`, async () => {
      assertRefused(await ask(header()), code)
    })
  }

  it('two Authorization headers are refused, though either would do', async () => {
    const { status, headers, text } = await new Promise<{
      status: number | undefined
      headers: object
      text: string
    }>((resolve, reject) => {
      const authorization = ['Authorization', `Bearer ${key}`]
      const { port } = new URL(service.url)
      const headers = ['Host', 'api', ...authorization, ...authorization]
      request({ port, host: '127.0.0.1', path: tags, headers }, (response) => {
        response.setEncoding('utf8')
        let text = ''
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () => {
          resolve({ status: response.statusCode, headers: response.headers, text })
        })
      })
        .on('error', reject)
        .end()
    })
    assert.equal(status, 401)
    assert.equal(JSON.parse(text).errorCode, 'invalid_api_key')
    assert.equal((headers as { [name: string]: string })['www-authenticate'], invalidToken)
  })

  it('a change of any one character is refused, always in the same words', async () => {
    const unknown = telling(await ask(`Bearer ${generateKey(randomBytes).key}`))
    for (let place = 0; place < key.length; place += 1) {
      assert.deepEqual(telling(await ask(`Bearer ${altered(key, place)}`)), unknown)
    }
  })

  it('a revoked key is refused as one that was never issued', async () => {
    const one = await issue()
    await known(one.key)
    await service.records.keys.revoke(one.id)
    const answer = await until(one.key, ({ status }) => status === 401)
    const unknown = await ask(`Bearer ${generateKey(randomBytes).key}`)
    assert.deepEqual(telling(answer), telling(unknown))
    assertRefused(answer, 'invalid_api_key')
  })

  it('an expired key is told that it has expired, whatever brand it asks for', async () => {
    const one = await issue({ expiresAt: '2020-01-01T00:00:00.000Z' })
    const answer = await until(one.key, ({ body }) => body.errorCode !== 'invalid_api_key')
    assertRefused(answer, 'expired_api_key')
    for (const brand of ['birkholm', 'nobody']) {
      const other = await ask(`Bearer ${one.key}`, `${basePath}/brands/${brand}/tags`)
      assert.deepEqual(telling(other), telling(answer))
    }
  })

  it('a key of another brand is told so, whether or not the brand is there', async () => {
    const [other, nobody] = [await service.key('birkholm'), await service.key('aldermoor')]
    issued.push(other, nobody)
    const there = await ask(`Bearer ${other}`)
    assertRefused(there, 'out_of_scope')
    const gone = await ask(`Bearer ${nobody}`, `${basePath}/brands/nobody/tags`)
    assert.deepEqual(telling(there), telling(gone))
  })

  const spellings: readonly (readonly [what: string, header: () => string])[] = [
    ['Bearer', () => `Bearer ${key}`],
    ['bearer', () => `bearer ${key}`],
    ['BEARER', () => `BEARER ${key}`],
    ['bEaReR', () => `bEaReR ${key}`],
    ['several blanks', () => `Bearer     ${key}`],
    ['a tab', () => `Bearer\t${key}`],
    ['blanks around', () => `  Bearer ${key}  `],
  ]
  for (const [what, header] of spellings) {
    it(`is accepted after ${what}`, async () => {
      assert.equal((await ask(header())).status, 200)
    })
  }

  const strays: readonly (readonly [what: string, options: () => AskOptions, query: string])[] = [
    ['in ?api_key', () => ({}), 'api_key='],
    ['in ?access_token', () => ({}), 'access_token='],
    ['in ?authorization', () => ({}), 'authorization=Bearer%20'],
    ['in a cookie', () => ({ headers: { cookie: `key=${key}` } }), ''],
    ['in X-Api-Key', () => ({ headers: { 'x-api-key': key } }), ''],
    ['in Proxy-Authorization', () => ({ headers: { 'proxy-authorization': `Bearer ${key}` } }), ''],
    ['as the request id', () => ({ headers: { 'x-request-id': key } }), ''],
    ['in the request id', () => ({ headers: { 'x-request-id': `id-${key}` } }), ''],
    ['as the user agent', () => ({ headers: { 'user-agent': key } }), ''],
    ['as the referrer', () => ({ headers: { referer: `https://example.com/${key}` } }), ''],
  ]
  for (const [what, options, query] of strays) {
    it(`${what} is not read, not echoed and not logged`, async () => {
      const path = `${tags}${query && `?${query}${key}`}`
      const { headers = {} } = options()
      const answer = await service.get(path, { key: null, ...elsewhere(headers) })
      assertRefused(answer, 'missing_api_key')
      assert.ok(!`${answer.text}${[...answer.headers]}`.includes(key))
      const good = await service.get(path, { ...elsewhere(headers), key })
      assert.equal(good.status, query ? 400 : 200)
      assert.ok(!`${good.text}${[...good.headers]}`.includes(key))
      assert.ok(!service.logged.join('').includes(key))
    })
  }

  it('in the address of an absolute request is not read', async () => {
    const { port } = new URL(service.url)
    const text = await new Promise<string>((resolve, reject) => {
      let received = ''
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(
          `GET http://${key}:${key}@api${tags} HTTP/1.1\r\nHost: api\r\nConnection: close\r\n\r\n`,
        )
      })
      socket.setEncoding('utf8')
      socket.on('data', (chunk: string) => {
        received += chunk
      })
      socket.on('error', reject)
      socket.on('close', () => resolve(received))
    })
    assert.match(text, /^HTTP\/1\.1 401 .*"errorCode":"missing_api_key"/s)
    assert.ok(!text.includes(key))
  })

  it('as a brand or an id is refused and not logged', async () => {
    assertRefused(await ask(`Bearer ${key}`, `${basePath}/brands/${key}/tags`), 'out_of_scope')
    const { status, text } = await ask(`Bearer ${key}`, `${tags}/${key}`)
    assert.equal(status, 400)
    assert.ok(!text.includes(key))
  })

  it('is asked for before anything is told about parameters or records', async () => {
    for (const path of [`${tags}?limit=0`, `${tags}?cursor=x`, `${tags}/nonsense`]) {
      assertRefused(await ask(null, path), 'missing_api_key')
    }
    assert.equal((await ask(null, `${basePath}/brands/aldermoor/nothing`)).status, 404)
  })

  it('that is revoked is refused within a second, while requests run', async () => {
    const one = await issue()
    await known(one.key)
    let revokedAt = Number.POSITIVE_INFINITY
    let late = 0
    let [before, refused] = [0, 0]
    const client = async () => {
      while (performance.now() < revokedAt + 1_300) {
        const askedAt = performance.now()
        const { status } = await ask(`Bearer ${one.key}`)
        if (status === 200 && askedAt < revokedAt) before += 1
        if (status === 200 && askedAt > revokedAt + 1_000) late += 1
        if (status === 401) refused += 1
        await wait(5)
      }
    }
    const clients = [client(), client(), client()]
    for (let waited = 0; before <= 10 && waited < 10_000; waited += 20) await wait(20)
    await service.records.keys.revoke(one.id)
    revokedAt = performance.now()
    await Promise.all(clients)
    assert.equal(late, 0)
    assert.ok(before > 10 && refused > 10, `${before} served, ${refused} refused`)
  })

  it('expires at its moment, neither before nor after', async () => {
    const expiresAt = Date.now() + 1_200
    const one = await issue({ expiresAt: new Date(expiresAt).toISOString() })
    await known(one.key)
    const wrong: string[] = []
    let last = ''
    while (Date.now() < expiresAt + 200) {
      const askedAt = Date.now()
      const { body, status } = await ask(`Bearer ${one.key}`)
      const answeredAt = Date.now()
      if (answeredAt < expiresAt && status !== 200) wrong.push(`${answeredAt - expiresAt} early`)
      if (askedAt >= expiresAt && status === 200) wrong.push(`${askedAt - expiresAt} late`)
      last = body.errorCode
    }
    assert.deepEqual(wrong, [])
    assert.equal(last, 'expired_api_key')
  })

  it('can be rotated without a refused request, and its old form ends with the overlap', async () => {
    const { keys } = service.records
    const old = await issue({ name: 'rotated', perSecond: 999_999, burst: 999_999 })
    await known(old.key)
    const overlapSeconds = 1.5
    const rotatedAt = Date.now()
    const successor = await keys.rotate(old.id, overlapSeconds)
    assert.ok(successor)
    issued.push(successor.key)
    assert.notEqual(successor.key, old.key)
    const { name, brands, global, perSecond, burst } = old
    for (const [property, value] of Object.entries({ name, brands, global, perSecond, burst })) {
      assert.deepEqual(successor[property as keyof typeof successor], value, property)
    }
    // A client that goes over to the new key a second later, which is within the overlap.
    const statuses = new Set<number>()
    while (Date.now() < rotatedAt + 1_400) {
      const token = Date.now() < rotatedAt + 1_000 ? old.key : successor.key
      statuses.add((await ask(`Bearer ${token}`)).status)
    }
    assert.deepEqual([...statuses], [200])
    await wait(rotatedAt + overlapSeconds * 1_000 + 400 - Date.now())
    assertRefused(await ask(`Bearer ${old.key}`), 'expired_api_key')
    assert.equal((await ask(`Bearer ${successor.key}`)).status, 200)
    const record = (await keys.list()).find(({ id }) => id === old.id)
    assert.equal(record?.successorId, successor.id)
  })

  it('is at rest as a hash alone', async () => {
    const files = readdirSync(service.folder).filter((name) => name.startsWith('selvedge.'))
    const bytes = Buffer.concat(files.map((name) => readFileSync(join(service.folder, name))))
    assert.ok(bytes.includes(sha256(key)), 'the hash is not where it was looked for')
    for (const each of issued) {
      assert.ok(!bytes.includes(each))
      assert.ok(!bytes.includes(each.slice(4, 47)))
    }
    assert.ok(!JSON.stringify(await service.records.keys.list()).includes(key.slice(4, 47)))
  })

  it('is in no line of the log and in no metric, whatever was done with it', async () => {
    assert.ok(issued.length > 8)
    const metrics = await (await fetch(service.metricsUrl ?? '')).text()
    assert.match(metrics, /selvedge_requests_total/)
    const log = service.logged.join('')
    assert.match(log, /"keyId":"key_/)
    for (const each of issued) {
      for (const text of [log, metrics]) {
        assert.ok(!text.includes(each))
        assert.ok(!text.includes(each.slice(4, 47)))
        assert.ok(!text.includes(sha256(each)))
      }
    }
  })
})

describe('two servers on one database', () => {
  it('both know a key at once when it is issued, and within a second that it is revoked', async () => {
    const first = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' })
    const second = await openTestService(
      { TRUSTED_PROXIES: '127.0.0.1' },
      { story: false, folder: first.folder },
    )
    const statusFrom = async (service: TestService, token: string) =>
      (await service.get(tags, { ...elsewhere(), key: token })).status
    const becomes = async (service: TestService, token: string, status: number) => {
      const from = performance.now()
      while ((await statusFrom(service, token)) !== status) {
        assert.ok(performance.now() - from < 1_000, 'it took more than a second')
        await wait(20)
      }
    }
    try {
      // Many, since a server that looks for changes now and then knows some of them by chance.
      for (let count = 0; count < 10; count += 1) {
        const { key } = await first.records.keys.issue(rights())
        assert.deepEqual(
          await Promise.all([statusFrom(first, key), statusFrom(second, key)]),
          [200, 200],
        )
      }
      const { id, key } = await first.records.keys.issue(rights())
      await Promise.all([becomes(first, key, 200), becomes(second, key, 200)])
      await second.records.keys.revoke(id)
      await Promise.all([becomes(first, key, 401), becomes(second, key, 401)])
    } finally {
      await second.close()
      await first.close()
    }
  })
})

describe('failed attempts', () => {
  const statusOf = async (service: TestService, options: AskOptions) =>
    (await service.get(tags, { key: null, ...options })).status

  const exhaust = async (service: TestService, options: AskOptions): Promise<number> => {
    for (let count = 0; count < 200; count += 1) {
      if ((await statusOf(service, options)) === 429) return count
    }
    return Number.POSITIVE_INFINITY
  }

  describe('from a peer that is no trusted proxy', () => {
    let service: TestService
    before(async () => {
      service = await openTestService({ TRUSTED_PROXIES: '10.0.0.0/8' })
    })
    after(() => service.close())

    it('are limited by its address, whatever it says of others', async () => {
      const wrong = { key: generateKey(randomBytes).key }
      const failures = await exhaust(service, wrong)
      assert.ok(failures <= 60, `${failures} attempts were let through`)
      for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'x-client-ip']) {
        const headers = { [name]: name === 'forwarded' ? 'for=192.0.2.1' : '192.0.2.1' }
        // One in a while is let through again; not each from an address of its own.
        const statuses = await Promise.all(
          Array.from({ length: 10 }, () => statusOf(service, { ...wrong, headers })),
        )
        assert.ok(statuses.filter((status) => status === 429).length >= 8, name)
      }
    })

    it('are answered in shape, with a Retry-After that is kept', async () => {
      await exhaust(service, {})
      const { status, headers, body } = await service.get(tags, { key: null })
      assert.equal(status, 429)
      assert.equal(body.errorCode, 'rate_limited')
      assert.equal(headers.get('cache-control'), 'no-store')
      const seconds = Number(headers.get('retry-after'))
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 2, `${seconds} s`)
      await wait(seconds * 1_000)
      assert.equal(await statusOf(service, {}), 401)
    })

    it('do not touch good keys from the same address', async () => {
      await exhaust(service, {})
      for (let count = 0; count < 20; count += 1) {
        assert.equal((await service.get(tags)).status, 200)
      }
    })

    it('are not charged for a good key that asks for other brands: its own limit is', async () => {
      await exhaust(service, {})
      const path = `${basePath}/brands/birkholm/tags`
      const limits = { perSecond: 0.01, burst: 3 }
      const { id, key } = await service.records.keys.issue(rights(limits))
      for (const remaining of [2, 1, 0]) {
        const answer = await service.get(path, { key })
        assertRefused(answer, 'out_of_scope')
        assert.match(answer.headers.get('ratelimit') ?? '', new RegExp(`;r=${remaining};`))
      }
      for (const each of [path, tags]) {
        const { status, body, headers } = await service.get(each, { key })
        assert.deepEqual([status, body.errorCode], [429, 'rate_limited'])
        assert.match(body.error, /^The rate limit of 0\.01 requests a second is used up\./)
        assert.equal(headers.get('ratelimit-policy'), '"default";q=3;w=300')
      }
      await wait(20)
      const lines = service.logged.filter((line) => line.includes(`"keyId":"${id}"`))
      assert.equal(lines.filter((line) => line.includes('"errorCode":"out_of_scope"')).length, 3)
    })

    it('are not charged for a good key that asks for other brands: the address is not', async () => {
      const path = `${basePath}/brands/birkholm/tags`
      for (let count = 0; count < 100; count += 1) {
        assert.equal((await service.get(path)).status, 401)
      }
    })

    it('do not keep a key that was just issued from being looked for', async () => {
      await exhaust(service, {})
      const { key } = await service.records.keys.issue(rights())
      assert.equal((await service.get(tags, { key })).status, 200)
    })
  })

  describe('through a trusted proxy', () => {
    let service: TestService
    before(async () => {
      service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' })
    })
    after(() => service.close())

    const from = (address: string): AskOptions => ({ headers: { 'x-forwarded-for': address } })

    it('are limited by the address the proxy names', async () => {
      assert.ok((await exhaust(service, from('192.0.2.1'))) <= 60)
      assert.equal(await statusOf(service, from('192.0.2.2')), 401)
      assert.equal((await service.get(tags, from('192.0.2.1'))).status, 200)
    })

    it('are counted together for a network of IPv6, and whatever the port', async () => {
      for (const [what, address] of [
        ['hosts of a network', (host: number) => `2001:db8:1:2:${host.toString(16)}::${host}`],
        ['spellings of a network', (host: number) => `2001:0DB8:1:3::${host.toString(16)}`],
        ['ports of IPv4', (port: number) => `192.0.2.9:${40_000 + port}`],
        ['ports of IPv6', (port: number) => `[2001:db8:1:4::1]:${40_000 + port}`],
        ['IPv4 in IPv6', (port: number) => `[::ffff:192.0.2.10]:${40_000 + port}`],
        // A proxy in front of the trusted one, which writes ports too.
        ['proxies', (port: number) => `192.0.2.11:${port}, 127.0.0.1:${40_000 + port}`],
      ] as const) {
        const statuses: number[] = []
        for (let count = 1; count <= 70; count += 1) {
          statuses.push(await statusOf(service, from(address(count))))
        }
        assert.ok(statuses.includes(429), what)
      }
      assert.equal(await statusOf(service, from('2001:db8:1:5::1')), 401, 'the network beside it')
    })

    it('cannot hide behind addresses that the client itself put first', async () => {
      await exhaust(service, from('192.0.2.3'))
      const statuses = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          statusOf(service, from(`198.51.100.${index}, 192.0.2.3`)),
        ),
      )
      assert.ok(statuses.filter((status) => status === 429).length >= 8, String(statuses))
    })
  })
})

describe('the form of a key', () => {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const drawn = Array.from({ length: 2_000 }, () => generateKey(randomBytes).key)

  it('is slv_, 43 characters of chance, and 6 of CRC-32 in base 62', () => {
    for (const key of drawn) {
      assert.match(key, keyPattern)
      const secret = key.slice(4, 47)
      let check = 0
      for (const digit of key.slice(48)) check = check * 62 + digits.indexOf(digit)
      assert.equal(check, crc32(secret))
      assert.ok(isWellFormed(key))
    }
    assert.ok(43 * Math.log2(62) >= 252)
  })

  it('is never the same twice', () => {
    assert.equal(new Set(drawn).size, drawn.length)
  })

  it('has every character equally likely at every place', () => {
    const counts = new Map([...digits].map((digit) => [digit, 0]))
    for (const key of drawn) {
      for (const digit of key.slice(4, 47)) counts.set(digit, (counts.get(digit) ?? 0) + 1)
    }
    assert.equal(counts.size, 62)
    const mean = (drawn.length * 43) / 62
    for (const [digit, count] of counts) {
      assert.ok(Math.abs(count - mean) < 7 * Math.sqrt(mean), `${digit} came ${count} times`)
    }
  })

  it('leaves out the bytes that would make some characters likelier', () => {
    let drawnBytes = 0
    const { key } = generateKey((size) => {
      drawnBytes += 1
      // The first bytes are all beyond the last whole multiple of 62.
      return Buffer.alloc(size, drawnBytes === 1 ? 255 : 61)
    })
    assert.equal(key.slice(4, 47), 'z'.repeat(43))
  })

  it('shows every wrong character and every swap of neighbours', () => {
    const [key = ''] = drawn
    for (let place = 0; place < key.length; place += 1) {
      for (const digit of digits) {
        const other = key.slice(0, place) + digit + key.slice(place + 1)
        assert.equal(isWellFormed(other), other === key)
      }
      const [a = '', b = ''] = key.slice(place, place + 2)
      const swapped = key.slice(0, place) + b + a + key.slice(place + 2)
      assert.equal(isWellFormed(swapped), swapped === key)
    }
  })

  for (const text of ['', 'slv_', 'slv__', `${'a'.repeat(54)}`, '__proto__', 'slv_\u0000']) {
    it(`${JSON.stringify(text.slice(0, 20))} is no key`, () => assert.ok(!isWellFormed(text)))
  }

  it('allows nothing before or after', () => {
    const [key = ''] = drawn
    for (const text of [` ${key}`, `${key} `, `${key}\n`, `x${key}`, key + key]) {
      assert.ok(!isWellFormed(text), JSON.stringify(text))
    }
  })
})

describe('the ring of keys', () => {
  /** A database of keys and a clock, gone after the test. */
  const open = async (test: TestContext) => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-keys-'))
    const database = openDatabase(`sqlite:${join(folder, 'keys.db')}`)
    let at = Date.parse('2026-03-01T09:30:42.123Z')
    const now = () => at
    const keys = await createKeys({ database, now, random: randomBytes })
    const failures: unknown[] = []
    const onError = (error: unknown) => void failures.push(error)
    const openRing = () => openKeyVerifier({ database, now, refreshMs: 10, staleMs: 150, onError })
    test.after(async () => {
      // A test may have closed it already.
      await database.close().catch(() => undefined)
      rmSync(folder, { recursive: true, force: true })
    })
    return {
      database,
      keys,
      openRing,
      failures,
      setClock: (text: string) => {
        at = Date.parse(text)
      },
    }
  }

  it('writes down when a key was last used, to the minute', async (test) => {
    const { keys, openRing } = await open(test as TestContext)
    const [used, unused] = [await keys.issue(rights()), await keys.issue(rights())]
    const ring = await openRing()
    ring.markUsed(used.id)
    await ring.close()
    const lastUsed = new Map((await keys.list()).map(({ id, lastUsedAt }) => [id, lastUsedAt]))
    assert.equal(lastUsed.get(used.id), '2026-03-01T09:30:00.000Z')
    assert.equal(lastUsed.get(unused.id), null)
  })

  it('lets a key live until the very millisecond it expires', async (test) => {
    const { keys, openRing, setClock } = await open(test as TestContext)
    const { key } = await keys.issue(rights({ expiresAt: '2026-03-01T10:00:00.000Z' }))
    const ring = await openRing()
    setClock('2026-03-01T09:59:59.999Z')
    assert.equal(typeof ring.verify(key), 'object')
    setClock('2026-03-01T10:00:00.000Z')
    assert.equal(ring.verify(key), 'expired')
    await ring.close()
  })

  it('a key that is revoked and expired is invalid: nothing is told of its past', async (test) => {
    const { keys, openRing } = await open(test as TestContext)
    const { key, id } = await keys.issue(rights({ expiresAt: '2020-01-01T00:00:00.000Z' }))
    const revoked = await keys.revoke(id)
    assert.deepEqual(await keys.revoke(id), revoked)
    const ring = await openRing()
    assert.equal(ring.verify(key), 'invalid')
    await ring.close()
  })

  it('a key that is not there can be neither revoked nor rotated', async (test) => {
    const { keys } = await open(test as TestContext)
    assert.equal(await keys.revoke('key_nobody'), null)
    assert.equal(await keys.rotate('key_nobody', 1), null)
    assert.deepEqual(await keys.list(), [])
  })

  it('rotation never lets an old key live longer than it would have', async (test) => {
    const { keys } = await open(test as TestContext)
    const expiresAt = '2026-03-01T09:31:00.000Z'
    const { id } = await keys.issue(rights({ expiresAt }))
    await keys.rotate(id, 3_600)
    const old = (await keys.list()).find((each) => each.id === id)
    assert.equal(old?.expiresAt, expiresAt)
  })

  it('says so when the keys have not been read for too long', async (test) => {
    const { database, keys, openRing, failures } = await open(test as TestContext)
    const { key } = await keys.issue(rights())
    const ring = await openRing()
    await wait(200)
    assert.equal(ring.isStale, false)
    await database.close()
    await wait(250)
    assert.equal(ring.isStale, true)
    assert.ok(failures.length > 0)
    assert.equal(typeof ring.verify(key), 'object')
    await ring.close()
  })
})

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url')
