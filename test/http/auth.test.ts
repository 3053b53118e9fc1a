/** Keys in requests: which are accepted, which refused, and how. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath } from '#contract'
import { generateKey, type IssueRequest } from '#keys'
import { assertRefused, type Code, rights } from '../support/auth.ts'
import {
  type AskOptions,
  openTestService,
  type TestResponse,
  type TestService,
} from '../support/service.ts'

const tags = `${basePath}/brands/aldermoor/tags`

let addresses = 0
/** From an address that no request has come from before; its proxy is trusted. */
const elsewhere = (headers: { readonly [name: string]: string } = {}): AskOptions => {
  addresses += 1
  return { headers: { ...headers, 'x-forwarded-for': `fd00:0:0:${addresses.toString(16)}::1` } }
}

/** All that an answer tells, less what differs from one request to the next. */
const telling = ({ status, headers, text }: TestResponse) => ({
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

  const ask = (authorization: string | null, path = tags): Promise<TestResponse> =>
    service.get(path, {
      key: null,
      ...elsewhere(authorization === null ? {} : { authorization }),
    })

  /** Sends requests until the response is the expected one, which typically takes some 200 ms. */
  const until = async (
    token: string,
    enough: (answer: TestResponse) => boolean,
  ): Promise<TestResponse> => {
    const deadline = performance.now() + 10_000
    for (;;) {
      const answer = await ask(`Bearer ${token}`)
      if (enough(answer)) return answer
      assert.ok(performance.now() < deadline, `after ten seconds still ${answer.status}`)
      await wait(20)
    }
  }
  const untilKnown = (token: string) => until(token, ({ status }) => status === 200)

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
    assert.equal(
      (headers as { [name: string]: string })['www-authenticate'],
      'Bearer error="invalid_token"',
    )
  })

  it('a change of any one character is refused, always in the same words', async () => {
    const unknown = telling(await ask(`Bearer ${generateKey(randomBytes).key}`))
    for (let place = 0; place < key.length; place += 1) {
      assert.deepEqual(telling(await ask(`Bearer ${altered(key, place)}`)), unknown)
    }
  })

  it('a revoked key is refused as one that was never issued', async () => {
    const one = await issue()
    await untilKnown(one.key)
    await service.records.keys.revoke(one.id)
    const answer = await until(one.key, ({ status }) => status === 401)
    const unknown = await ask(`Bearer ${generateKey(randomBytes).key}`)
    assert.deepEqual(telling(answer), telling(unknown))
    assertRefused(answer, 'invalid_api_key')
  })

  it('the response to an expired key says that it has expired, whatever the brand', async () => {
    const one = await issue({ expiresAt: '2020-01-01T00:00:00.000Z' })
    const answer = await until(one.key, ({ body }) => body.errorCode !== 'invalid_api_key')
    assertRefused(answer, 'expired_api_key')
    for (const brand of ['birkholm', 'nobody']) {
      const other = await ask(`Bearer ${one.key}`, `${basePath}/brands/${brand}/tags`)
      assert.deepEqual(telling(other), telling(answer))
    }
  })

  it('the response to a key of another brand says so, whether or not the brand exists', async () => {
    const [other, own] = [await service.key('birkholm'), await service.key('aldermoor')]
    issued.push(other, own)
    const existing = await ask(`Bearer ${other}`)
    assertRefused(existing, 'out_of_scope')
    const missing = await ask(`Bearer ${own}`, `${basePath}/brands/unknown/tags`)
    assert.deepEqual(telling(existing), telling(missing))
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

  it('is checked before parameters and records', async () => {
    for (const path of [`${tags}?limit=0`, `${tags}?cursor=x`, `${tags}/nonsense`]) {
      assertRefused(await ask(null, path), 'missing_api_key')
    }
    assert.equal((await ask(null, `${basePath}/brands/aldermoor/nothing`)).status, 404)
  })

  it('that is revoked is refused soon, and from then on, while requests run', async () => {
    const one = await issue()
    await untilKnown(one.key)
    const statuses: number[] = []
    const count = (status: number) => statuses.filter((each) => each === status).length
    const client = async () => {
      while (count(401) <= 30) {
        statuses.push((await ask(`Bearer ${one.key}`)).status)
        await wait(5)
      }
    }
    const clients = [client(), client(), client()]
    while (count(200) <= 10) await wait(5)
    await service.records.keys.revoke(one.id)
    await Promise.all(clients)
    // Responses of the three clients may arrive in another order than they were decided in.
    const afterwards = statuses.slice(statuses.indexOf(401) + 3)
    assert.deepEqual([...new Set(afterwards)], [401])
  })

  it('expires at its moment, neither before nor after', async () => {
    const expiresAt = Date.now() + 3_000
    const one = await issue({ expiresAt: new Date(expiresAt).toISOString() })
    await untilKnown(one.key)
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
    await untilKnown(old.key)
    const overlapSeconds = 4
    const rotatedAt = Date.now()
    const successor = await keys.rotate(old.id, overlapSeconds)
    assert.ok(successor)
    issued.push(successor.key)
    assert.notEqual(successor.key, old.key)
    const { name, brands, global, perSecond, burst } = old
    for (const [property, value] of Object.entries({ name, brands, global, perSecond, burst })) {
      assert.deepEqual(successor[property as keyof typeof successor], value, property)
    }
    // A client that changes to the new key within the overlap.
    const statuses = new Set<number>()
    while (Date.now() < rotatedAt + 2_000) {
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
  it('both accept a new key at once, and soon refuse a revoked one', async () => {
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
        assert.ok(performance.now() - from < 10_000, 'it took more than ten seconds')
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

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url')
