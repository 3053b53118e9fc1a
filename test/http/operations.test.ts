/** What operators meet: health, metrics, logs, configuration, stopping and the command line. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get as httpGet } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { type Command, CommanderError } from 'commander'
import { ConfigError, settings } from '#config'
import { basePath, catalog, operationsOf } from '#contract'
import { DatabaseError } from '#database'
import { readServiceConfig } from '#server'
import { readMoment } from '../../src/cli/durations.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { compileCache } from '../support/compile-cache.ts'
import { eachOf, idOf, recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

const root = new URL('../../', import.meta.url)
const folders: string[] = []
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-test-'))
  folders.push(folder)
  return folder
}
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

interface Line {
  readonly [name: string]: unknown
}

const linesOf = ({ logged }: TestService): readonly Line[] => logged.map((line) => JSON.parse(line))

/** The log is written when an answer has gone out, which may be after it has been read. */
const lineOf = async (service: TestService, requestId: string | null): Promise<Line> => {
  for (let tries = 0; tries < 100; tries += 1) {
    const found = linesOf(service).find(
      (line) => line['requestId'] === requestId && line['msg'] === 'request',
    )
    if (found) return found
    await wait(5)
  }
  throw new RangeError(`Nothing was logged of ${requestId}.`)
}

describe('a running service', () => {
  let service: TestService
  let key: string

  before(async () => {
    service = await openTestService({ METRICS_PORT: '0', TRUSTED_PROXIES: '127.0.0.1' })
    key = await service.key('aldermoor')
  })
  after(() => service.close())

  it('is healthy and ready, for anybody', async () => {
    for (const [path, text] of [
      ['/healthz', '{"status":"ok"}'],
      ['/readyz', '{"status":"ready"}'],
    ] as const) {
      const answer = await service.get(path, { key: null })
      assert.deepEqual([answer.status, answer.text], [200, text])
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.equal((await service.get(path, { key: null, method: 'POST' })).status, 405)
    }
  })

  it('serves its metrics on a port of their own, and nowhere else', async () => {
    assert.ok(service.metricsUrl)
    assert.notEqual(new URL(service.metricsUrl).port, new URL(service.url).port)
    const response = await fetch(service.metricsUrl)
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain/)
    assert.equal((await fetch(new URL('/', service.metricsUrl))).status, 404)
    assert.equal((await fetch(new URL('/healthz', service.metricsUrl))).status, 404)
    assert.equal((await service.get('/metrics', { key: null })).status, 404)
  })

  it('counts answers by operation, method, status and code, and by nothing of the caller', async () => {
    const secret = 'a-very-private-filter-value'
    await service.get(`tags?name=${secret}`, { headers: { 'x-request-id': 'id-of-mine' } })
    await service.get(`tags/${idOf(1)}`)
    await service.get('tags?limit=0')
    await service.get('nothing')
    await service.get('tags', { method: 'POST' })
    await service.get('tags', { key: null, headers: { 'x-forwarded-for': '10.9.8.7' } })
    await service.get('/healthz', { key: null })
    const { keyId } = await lineOf(service, 'id-of-mine')
    const text = await (await fetch(service.metricsUrl ?? '')).text()
    for (const [name, labels] of [
      ['selvedge_requests_total', 'operation="listTags",method="GET",status="200"'],
      ['selvedge_requests_total', 'operation="listTags",method="GET",status="400"'],
      ['selvedge_requests_total', 'operation="listTags",method="GET",status="401"'],
      ['selvedge_requests_total', 'operation="getTag",method="GET",status="404"'],
      ['selvedge_requests_total', 'operation="unknown",method="GET",status="404"'],
      ['selvedge_requests_total', 'operation="unknown",method="POST",status="405"'],
      ['selvedge_requests_total', 'operation="health",method="GET",status="200"'],
      ['selvedge_errors_total', 'code="invalid_parameter"'],
      ['selvedge_errors_total', 'code="missing_api_key"'],
      ['selvedge_request_seconds_count', 'operation="listTags"'],
    ] as const) {
      assert.ok(text.includes(`${name}{${labels}}`), `${name}{${labels}}`)
    }
    assert.match(text, /^selvedge_requests_in_flight /m)
    assert.match(text, /^selvedge_store_failures_total 0$/m)
    for (const private_ of ['aldermoor', secret, key, 'slv_', `${keyId}`, 'id-of-mine', idOf(1)]) {
      assert.ok(!text.includes(private_), private_)
    }
    // Whatever is asked for, labels stay within what is known beforehand.
    const operations = new Set([
      ...operationsOf(catalog).map(({ id }) => id),
      ...['unknown', 'health', 'ready', 'openapi', 'imageFile'],
    ])
    for (const [, operation = ''] of text.matchAll(/operation="([^"]*)"/g)) {
      assert.ok(operations.has(operation), operation)
    }
  })

  it('logs a line of JSON for each request: who, what, how it went and how long it took', async () => {
    const { headers } = await service.get('orders?limit=1')
    const line = await lineOf(service, headers.get('x-request-id'))
    const { level, time, ms, keyId, requestId: _, ...rest } = line
    assert.equal(level, 'info')
    assert.match(`${time}`, /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/)
    assert.match(`${keyId}`, /^key_[\w-]{12}$/)
    assert.ok(Number(ms) > 0 && Number(ms) < 10_000)
    assert.deepEqual(rest, {
      brand: 'aldermoor',
      route: 'listOrders',
      method: 'GET',
      path: `${basePath}/brands/aldermoor/orders?limit=1`,
      status: 200,
      msg: 'request',
    })
  })

  it('logs what was refused with its code, and no more than was verified', async () => {
    for (const [path, options, expected] of [
      [
        'tags?limit=0',
        {},
        { brand: 'aldermoor', route: 'listTags', status: 400, errorCode: 'invalid_parameter' },
      ],
      [
        `tags/${idOf(1)}`,
        {},
        { brand: 'aldermoor', route: 'getTag', status: 404, errorCode: 'not_found' },
      ],
      ['nothing', {}, { route: 'unknown', status: 404, errorCode: 'not_found' }],
      ['tags', { key: null }, { route: 'listTags', status: 401, errorCode: 'missing_api_key' }],
      [
        `${basePath}/brands/private-name/tags`,
        {},
        { route: 'listTags', status: 401, errorCode: 'out_of_scope' },
      ],
      [
        'tags',
        { method: 'DELETE' },
        { route: 'unknown', status: 405, errorCode: 'method_not_allowed' },
      ],
    ] as const) {
      const forwarded = { 'x-forwarded-for': '10.1.1.1' }
      const { headers } = await service.get(path, { ...options, headers: forwarded })
      const line = await lineOf(service, headers.get('x-request-id'))
      const { requestId, level, time, ms, msg, keyId, method, path: logged, ...rest } = line
      assert.deepEqual(rest, expected, path)
      const sent = path.startsWith('/') ? path : `${basePath}/brands/aldermoor/${path}`
      assert.equal(logged, sent)
      const isVerified = 'brand' in expected || expected.errorCode === 'out_of_scope'
      assert.equal(typeof keyId, isVerified ? 'string' : 'undefined', path)
    }
  })

  it('logs path and query, and never a key, a secret, an address or a header', async () => {
    const secrets = ['needle-in-agent', 'needle-in-cookie', 'needle-in-token', 'needle-in-link']
    await service.get(`tags?name=shown-filter&access_token=${secrets[2]}`, {
      headers: {
        'user-agent': secrets[0] ?? '',
        cookie: `session=${secrets[1]}`,
        'x-forwarded-for': '10.20.30.40',
        'x-request-id': key,
      },
    })
    await service.get('tags/shown-path', { headers: { 'x-request-id': `x-${key}`.slice(0, 64) } })
    await service.get(`nothing/${key}`)
    await service.get(`${basePath}/brands/${key}/tags`)
    await service.get(`tags?key=${key}&name=${encodeURIComponent(key).replaceAll('_', '%5F')}`)
    await service.get(`tags?name=${key.replaceAll('l', '%256c')}`)
    await service.get(`/files/images/aldermoor/x?expires=1&signature=${secrets[3]}`, { key: null })
    await service.get(`tags?name=${'long'.repeat(1_000)}`)
    await wait(20)
    const text = service.logged.join('')
    for (const secret of [...secrets, key, key.slice(4, 20), '10.20.30.40', 'Bearer']) {
      assert.ok(!text.includes(secret), secret)
    }
    for (const shown of [
      '/tags?name=shown-filter&access_token=…"',
      '/tags/shown-path"',
      '/nothing/slv_…"',
      '?expires=1&signature=…"',
    ]) {
      assert.ok(text.includes(shown), shown)
    }
    for (const line of service.logged) assert.ok(line.length < 1_200, line)
    for (const line of service.logged) assert.doesNotThrow(() => JSON.parse(line))
  })

  for (const id of [
    'abc',
    'A.b_c-1',
    '7',
    '-',
    'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    'x'.repeat(64),
  ]) {
    it(`takes the client's own request id ${id.slice(0, 40)}`, async () => {
      for (const path of ['tags', 'tags?limit=0', 'nothing', '/healthz']) {
        const { headers } = await service.get(path, { headers: { 'x-request-id': id } })
        assert.equal(headers.get('x-request-id'), id)
      }
      await lineOf(service, id)
    })
  }

  it('gives a request an id of its own when the client’s could do harm', async () => {
    const given = new Set<string>()
    const harmful = [
      '',
      ' ',
      'a b',
      'a\tb',
      'a;b',
      'a,b',
      '../x',
      '<script>',
      '"',
      '{}',
      '%0d%0a',
      'é',
      'x'.repeat(65),
      'x'.repeat(5_000),
      key,
      `id.${key}`,
    ]
    for (const id of harmful) {
      const { headers } = await service.get('tags', { headers: { 'x-request-id': id } })
      const own = headers.get('x-request-id') ?? ''
      assert.match(own, /^[A-Za-z0-9]+-[a-z0-9]+$/, id)
      assert.ok(!given.has(own))
      given.add(own)
      await lineOf(service, own)
    }
    assert.equal(given.size, harmful.length)
  })
})

describe('a service whose records cannot be read', () => {
  it('hides an unexpected cause, and logs it under the id of the answer', async () => {
    const service = await openTestService()
    const { database } = service.records
    const read = database.read
    database.read = async () => {
      throw new TypeError('the inside of the server')
    }
    const answer = await service.get('tags')
    database.read = read
    assert.deepEqual([answer.status, answer.body.errorCode], [500, 'internal_error'])
    assert.deepEqual(Object.keys(answer.body), ['error', 'errorCode'])
    assert.ok(!answer.text.includes('inside'))
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const id = answer.headers.get('x-request-id')
    const line = linesOf(service).find(
      ({ level, requestId }) => level === 'error' && requestId === id,
    )
    assert.match(JSON.stringify(line?.['error']), /the inside of the server/)
    assert.equal((await lineOf(service, id))['status'], 500)
    assert.equal((await service.get('tags')).status, 200)
    await service.close()
  })

  it('says store_unavailable and when to try again, and is not ready, until it can', async () => {
    const service = await openTestService({ METRICS_PORT: '0' })
    const { database } = service.records
    const read = database.read
    database.read = async () => {
      throw new DatabaseError('disk on fire')
    }
    const paths = ['tags', `tags/${idOf(1)}`, '', 'tags?name=x&limit=3']
    for (const path of paths) {
      const { status, body, headers, text } = await service.get(path)
      assert.deepEqual([status, body.errorCode], [500, 'store_unavailable'])
      assert.equal(headers.get('retry-after'), '1')
      assert.ok(!text.includes('fire'))
    }
    const ready = await service.get('/readyz', { key: null })
    assert.deepEqual([ready.status, ready.body.errorCode], [503, 'not_ready'])
    assert.equal(ready.headers.get('retry-after'), '1')
    assert.ok(!ready.text.includes('fire'))
    assert.equal((await service.get('/healthz', { key: null })).status, 200)
    database.read = read
    for (const path of ['tags', '/readyz']) assert.equal((await service.get(path)).status, 200)
    const metrics = await (await fetch(service.metricsUrl ?? '')).text()
    assert.match(metrics, new RegExp(`^selvedge_store_failures_total ${paths.length}$`, 'm'))
    await service.close()
  })

  it('says so too when the database was closed under it', async () => {
    const service = await openTestService()
    await service.records.database.close()
    try {
      const { status, body, headers } = await service.get('tags')
      assert.equal(status, 500)
      assert.equal(body.errorCode, 'store_unavailable')
      assert.equal(headers.get('retry-after'), '1')
      const ready = await service.get('/readyz', { key: null })
      assert.deepEqual([ready.status, ready.body.errorCode], [503, 'not_ready'])
      assert.equal((await service.get('/healthz', { key: null })).status, 200)
    } finally {
      await service.close().catch(() => undefined)
    }
  })
})

describe('stopping', () => {
  /** Makes each reading of records last for a while, so that requests are under way. */
  const slowDown = ({ records: { database } }: TestService, ms: number) => {
    const read = database.read.bind(database)
    database.read = async (queries) => {
      await wait(ms)
      return read(queries)
    }
  }

  it('answers every request that was under way', async () => {
    const service = await openTestService({}, { drainMs: 20 })
    slowDown(service, 150)
    const asked = Array.from({ length: 20 }, () => service.get('tags?limit=1'))
    await wait(60)
    const began = performance.now()
    const closed = service.close()
    for (const { status, headers } of await Promise.all(asked)) {
      assert.equal(status, 200)
      assert.equal(
        headers.get('connection'),
        'close',
        'who is answered while it stops is asked to go',
      )
    }
    await closed
    assert.ok(performance.now() - began < 5_000, 'it does not wait for connections nobody uses')
    await assert.rejects(fetch(`${service.url}/healthz`))
  })

  it('first says that it is not ready and asks clients to go, while it still answers', async () => {
    const service = await openTestService({ METRICS_PORT: '0' }, { drainMs: 600 })
    const key = await service.key('aldermoor')
    const agent = new Agent({ keepAlive: true })
    const ask = (path: string) =>
      new Promise<{ status: number; connection: string | undefined; body: string }>(
        (resolve, reject) => {
          const headers = { authorization: `Bearer ${key}` }
          httpGet(service.url + path, { agent, headers }, (response) => {
            let body = ''
            response.on('data', (chunk) => {
              body += chunk
            })
            response.on('end', () =>
              resolve({
                status: response.statusCode ?? 0,
                connection: response.headers.connection,
                body,
              }),
            )
          }).on('error', reject)
        },
      )
    const tags = `${basePath}/brands/aldermoor/tags`
    assert.equal((await ask(tags)).connection, 'keep-alive')
    const closed = service.close()
    await wait(50)
    const ready = await ask('/readyz')
    assert.equal(ready.status, 503)
    assert.deepEqual(JSON.parse(ready.body), {
      error: 'The server is stopping.',
      errorCode: 'not_ready',
    })
    const answer = await ask(tags)
    assert.deepEqual([answer.status, answer.connection], [200, 'close'])
    assert.equal((await ask('/healthz')).status, 200)
    await closed
    await assert.rejects(ask(tags))
    await assert.rejects(fetch(service.metricsUrl ?? ''))
    agent.destroy()
  })

  it('loses nothing of clients that go on asking', async () => {
    const drainMs = 100
    const service = await openTestService({}, { drainMs })
    const key = await service.key('aldermoor')
    const tags = `${service.url}${basePath}/brands/aldermoor/tags?limit=2`
    const headers = { authorization: `Bearer ${key}` }
    let answered = 0
    let stoppedAt = Number.POSITIVE_INFINITY
    /** Whether it was answered. A socket that the server has used before may not fail. */
    const ask = (agent: Agent) =>
      new Promise<boolean>((resolve, reject) => {
        const asked = httpGet(tags, { agent, headers }, (response) => {
          assert.equal(response.statusCode, 200)
          response.resume().on('end', () => resolve(true))
        })
        asked.on('error', (error: NodeJS.ErrnoException) => {
          const isLate = performance.now() > stoppedAt + drainMs - 20
          const isNobody = error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET'
          if (isLate && isNobody && !asked.reusedSocket) resolve(false)
          else reject(error)
        })
      })
    const clients = Array.from({ length: 8 }, async (_, index) => {
      const agent = new Agent({ keepAlive: index % 2 === 0, maxSockets: 1 })
      while (await ask(agent)) answered += 1
      agent.destroy()
    })
    const ended = Promise.all(clients)
    await wait(100)
    stoppedAt = performance.now()
    await Promise.all([service.close(), ended])
    assert.ok(answered > 20, `${answered} answers`)
  })

  it('twice is the same as once', async () => {
    const service = await openTestService({}, { story: false })
    await Promise.all([service.close(), service.close()])
    await service.close()
  })
})

describe('the configuration', () => {
  const problemsOf = (environment: { [name: string]: string }): readonly string[] => {
    try {
      readServiceConfig(environment)
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      return error.problems
    }
    return []
  }

  it('has a default for everything', () => {
    assert.deepEqual(readServiceConfig({}), {
      port: 8080,
      host: '127.0.0.1',
      databaseUrl: 'sqlite:./data/selvedge.db',
      imagesUrl: 'file:./data/images',
      publicUrl: null,
      ratePerSecond: 20,
      rateBurst: 100,
      keyConcurrency: 16,
      publicRatePerSecond: 200,
      publicRateBurst: 2_000,
      logLevel: 'info',
      trustedProxies: [],
      corsOrigins: [],
      mcp: true,
      clientKey: null,
      metricsPort: null,
      imageLinkMinutes: 15,
      sendTimeoutSeconds: 30,
      production: false,
      workers: 1,
      standbyWorkers: 0,
      redisUrl: null,
      s3Credentials: null,
      responseCacheMegabytes: 16,
      changeFeed: false,
      requiresRowSecurity: false,
    })
    for (const { name, meaning } of settings) assert.match(meaning, /^[A-Za-z].*\.$/, name)
  })

  it('takes what makes sense', () => {
    const config = readServiceConfig({
      PORT: '0',
      HOST: '::',
      DATABASE_URL: 'sqlite:/tmp/x.db',
      IMAGES_URL: 'file:/tmp/images',
      PUBLIC_URL: 'https://records.example.com/',
      RATE_PER_SECOND: '0.5',
      RATE_BURST: '1',
      LOG_LEVEL: 'silent',
      CHANGE_FEED: 'on',
      TRUSTED_PROXIES: '10.0.0.0/8, 127.0.0.1 ,::1,fd00::/8,2001:db8::1/128',
      CORS_ORIGINS: 'https://app.example.com, http://localhost:5173',
      METRICS_PORT: '9090',
      IMAGE_LINK_MINUTES: '60',
      NODE_ENV: 'production',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
    })
    assert.equal(config.publicUrl, 'https://records.example.com')
    assert.deepEqual(config.trustedProxies, [
      ...['10.0.0.0/8', '127.0.0.1', '::1', 'fd00::/8', '2001:db8::1/128'],
    ])
    assert.deepEqual(config.corsOrigins, ['https://app.example.com', 'http://localhost:5173'])
    assert.deepEqual([config.metricsPort, config.production], [9090, true])
    assert.equal(config.changeFeed, true)
    assert.deepEqual(config.s3Credentials, { accessKeyId: 'id', secretAccessKey: 'secret' })
  })

  const nonsense: { readonly [name: string]: readonly string[] } = {
    PORT: ['', '-1', '65536', '80.5', '1e3', 'http', ' 80', '0x50', '99999999999999999999'],
    HOST: ['', '  '],
    DATABASE_URL: ['', 'selvedge.db', 'sqlite:', 'mysql://x/y', 'http://x', 'file:x'],
    IMAGES_URL: ['', 'images', 'ftp://x/y', 's3://', 'file:'],
    PUBLIC_URL: ['x', 'ftp://x', '//x', 'https://x?y=1', 'https://x#y', 'https://me@x', '/'],
    RATE_PER_SECOND: ['', '0', '-1', '1e3', 'many', '0.0', '1000001', 'Infinity', 'NaN', '1,5'],
    RATE_BURST: ['', '0', '-1', '1.5', '1000001', 'x'],
    KEY_CONCURRENCY: ['', '0', '-1', '1.5', '10001', 'x'],
    PUBLIC_RATE_PER_SECOND: ['', '0', '-1', 'x'],
    PUBLIC_RATE_BURST: ['', '0', '1000001'],
    LOG_LEVEL: ['', 'loud', 'INFO', 'information'],
    TRUSTED_PROXIES: [
      ...['proxy', '10.0.0.0/99', '10.0.0.0/x', '999.0.0.1', '1.2.3', '10.0.0.0/0', ':::'],
      ...['10.0.0.1, nonsense', 'fd00::/129', '*', '.', '1.2.3.4/8/8', '127.0.0.1:80'],
    ],
    CORS_ORIGINS: [
      '*',
      'app.example.com',
      'https://x/',
      'https://x/y',
      'null',
      'https://X',
      'https://x,y',
    ],
    MCP: ['', 'yes', '1', 'ON'],
    SELVEDGE_KEY: [' ', 'two words', 'slv_ß'],
    METRICS_PORT: ['-1', '65536', 'x', '9.5'],
    IMAGE_LINK_MINUTES: ['', '0', '10081', '1.5', 'x'],
    SEND_TIMEOUT_SECONDS: ['', '0', '3601', '1.5', 'x'],
    WORKERS: ['0', '-1', '65', '1.5', 'x'],
    STANDBY_WORKERS: ['-1', '2', '0.5', 'x'],
    REDIS_URL: [' ', 'nonsense', 'http://x', 'redis:'],
    ROW_SECURITY: ['yes', 'REQUIRED', 'off'],
    RESPONSE_CACHE_MB: ['', '-1', '1.5', '65537', 'x'],
    CHANGE_FEED: ['', 'yes', '1', 'ON'],
  }

  for (const [name, values] of Object.entries(nonsense)) {
    for (const value of values) {
      it(`refuses ${name}=${JSON.stringify(value)}`, () => {
        const problems = problemsOf({ [name]: value })
        assert.equal(problems.length, 1, problems.join('\n'))
        assert.match(problems[0] ?? '', new RegExp(`^${name} [a-z].*[^.]\\.$`))
      })
    }
  }

  it('refuses half of the credentials', () => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) {
      assert.deepEqual(problemsOf({ [name]: 'x' }), [
        'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY must be set together.',
      ])
    }
  })

  it('tells all problems at once, and tells no secrets', () => {
    const environment = Object.fromEntries(
      Object.entries(nonsense).map(([name, [first = '']]) => [name, first]),
    )
    const problems = problemsOf({ ...environment, AWS_SECRET_ACCESS_KEY: 'the-secret' })
    assert.deepEqual(
      problems.map((problem) => problem.split(' ')[0]),
      [...Object.keys(nonsense), 'AWS_ACCESS_KEY_ID'],
    )
    assert.ok(!problems.join().includes('the-secret'))
  })

  it('covers every variable that is read', () => {
    const covered = [...Object.keys(nonsense), 'NODE_ENV']
    const read = settings.map(({ name }) => name).filter((name) => !name.startsWith('AWS_'))
    assert.deepEqual(read.sort(), covered.sort())
  })
})

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const main = new URL('src/cli/main.ts', root).pathname

const running = new Set<ChildProcess>()
after(() => {
  for (const child of running) child.kill('SIGKILL')
})

const start = (args: readonly string[], environment: { [name: string]: string }): ChildProcess => {
  const given = { NO_COLOR: '1', NODE_COMPILE_CACHE: compileCache, ...environment }
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...given },
    cwd: environment['FOLDER'] ?? tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Runs a command to its end. One that does not end is ended, and has no exit code. */
const run = (args: readonly string[], environment: { [name: string]: string } = {}): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = start(args, environment)
    const deadline = setTimeout(() => child.kill('SIGKILL'), 15_000)
    let out = ''
    let err = ''
    child.stdout?.on('data', (chunk) => {
      out += chunk
    })
    child.stderr?.on('data', (chunk) => {
      err += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(deadline)
      resolve({ code, out, err })
    })
  })

describe('the command line', { concurrency: 3 }, () => {
  const version = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')).version

  /** Every command there is, with the words that call it. */
  const commandsOf = (command: Command, words = ''): readonly (readonly [string, Command])[] => [
    [words, command],
    ...command.commands.flatMap((each) => commandsOf(each, `${words} ${each.name()}`.trim())),
  ]
  const commands = commandsOf(buildProgram(version))

  it('has these commands', () => {
    const names = commands.filter(([, { commands: below }]) => below.length === 0)
    for (const name of [
      ...['serve', 'brands add', 'brands list', 'keys issue', 'keys list', 'keys revoke'],
      ...['keys rotate', 'import', 'export', 'check', 'demo', 'openapi'],
    ]) {
      assert.ok(
        names.some(([words]) => words === name),
        name,
      )
    }
  })

  it('explains each command, its arguments and its options with --help', async () => {
    for (const [words, command] of commands) {
      const help = command.helpInformation()
      assert.ok(help.startsWith(`Usage: selvedge${words && ` ${words}`} `), help)
      assert.match(command.description(), /^[A-Z].+\.$/, words)
      assert.match(help, /-h, --help/)
      for (const { flags, description } of command.options) assert.ok(description, flags)
      for (const argument of command.registeredArguments) assert.ok(argument.description, words)
    }
    const { code, out, err } = await run(['keys', 'issue', '--help'])
    assert.deepEqual([code, err], [0, ''])
    assert.match(out, /^Usage: selvedge keys issue /)
    assert.equal((await run(['--help'])).code, 0)
  })

  it('prints JSON from each command when asked, but for serve and mcp, which speak otherwise', () => {
    for (const [words, { commands: below, options }] of commands) {
      if (below.length > 0 || ['serve', 'worker', 'mcp'].includes(words)) continue
      assert.ok(
        options.some(({ long }) => long === '--json'),
        words,
      )
    }
  })

  it('says its version', async () => {
    assert.deepEqual(await run(['--version']), { code: 0, out: `${version}\n`, err: '' })
  })

  it('prints the OpenAPI document', async () => {
    const document = readFileSync(new URL('openapi.json', root), 'utf8')
    assert.deepEqual(await run(['openapi', '--json']), { code: 0, out: document, err: '' })
  })

  it('refuses to be used otherwise than it explains', async () => {
    for (const args of [
      ['nonsense'],
      ['keys', 'nonsense'],
      ['brands', 'add'],
      ['brands', 'add', 'x'],
      ['brands', 'list', '--nonsense'],
      ['keys', 'revoke'],
      ['keys', 'rotate'],
      ['keys', 'issue', '--brand'],
      ['serve', '--nonsense'],
      ['serve', 'extra'],
      ['openapi', 'extra'],
      ['brands'],
      [],
    ]) {
      const program = buildProgram(version)
      for (const [, command] of commandsOf(program)) {
        command.configureOutput({ writeErr: () => undefined, writeOut: () => undefined })
      }
      await assert.rejects(
        program.parseAsync(args, { from: 'user' }),
        (error) => error instanceof CommanderError && error.exitCode !== 0,
        args.join(' '),
      )
    }
  })

  for (const args of [[], ['keys', 'nonsense'], ['brands', 'add', 'x'], ['serve', '--nonsense']]) {
    it(`ends with 2 and a hint when used as: selvedge ${args.join(' ')}`, async () => {
      const { code, out, err } = await run(args)
      assert.equal(code, 2, err)
      assert.equal(out, '')
      assert.match(err, /See --help\.|Usage: selvedge/)
      assert.doesNotMatch(err, /^\s+at /m)
    })
  }

  it('refuses a nonsense configuration with all of its problems', async () => {
    const environment = { PORT: 'x', LOG_LEVEL: 'loud', DATABASE_URL: 'nonsense' }
    for (const args of [['serve'], ['keys', 'list']]) {
      const { code, out, err } = await run(args, environment)
      assert.equal(code, 1)
      assert.equal(out, '')
      const [first, ...problems] = err.trimEnd().split('\n')
      assert.equal(first, 'The configuration cannot be used:')
      assert.deepEqual(
        problems.map((problem) => problem.trim().split(' ')[0]),
        ['PORT', 'DATABASE_URL', 'LOG_LEVEL'],
      )
    }
  })

  it('says in a sentence why a database cannot be used', async () => {
    const folder = newFolder()
    const garbage = join(folder, 'garbage.db')
    writeFileSync(garbage, 'This is no database, and was never one.'.repeat(100))
    for (const url of [`sqlite:${garbage}`, `sqlite:${garbage}/x.db`]) {
      const { code, out, err } = await run(['brands', 'list'], { DATABASE_URL: url })
      assert.equal(code, 1, url)
      assert.equal(out, '')
      assert.match(err, /^\S.+\.\n$/s, url)
      assert.doesNotMatch(err, /^\s+at /m, `${url}: a stack is no sentence`)
      assert.doesNotMatch(err, /unexpected/, url)
    }
    assert.match(readFileSync(garbage, 'utf8'), /^This is no database/)
  })

  it('says in a sentence why it cannot listen', async () => {
    const folder = newFolder()
    const DATABASE_URL = `sqlite:${join(folder, 'selvedge.db')}`
    const IMAGES_URL = `file:${join(folder, 'images')}`
    for (const HOST of ['192.0.2.1']) {
      const { code, err } = await run(['serve'], { DATABASE_URL, IMAGES_URL, HOST, PORT: '0' })
      assert.equal(code, 1, HOST)
      assert.doesNotMatch(err, /^\s+at /m, `${HOST}: a stack is no sentence`)
      assert.doesNotMatch(err, /unexpected/, HOST)
    }
  })

  describe('with a port that is taken', () => {
    const folder = newFolder()
    const environment = {
      DATABASE_URL: `sqlite:${join(folder, 'selvedge.db')}`,
      IMAGES_URL: `file:${join(folder, 'images')}`,
    }
    const holder = createServer()
    let taken = ''
    before(async () => {
      await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
      taken = String((holder.address() as AddressInfo).port)
    })
    after(() => holder.close())

    it('serve ends with 1 and says which variable to set', async () => {
      const { code, err } = await run(['serve'], { ...environment, PORT: taken })
      assert.deepEqual(
        [code, err.trimEnd().split('\n').at(-1)],
        [
          1,
          `Port ${taken} of 127.0.0.1 is already in use by another process. Stop that process, or choose another port with PORT (0 takes any free one) or METRICS_PORT.`,
        ],
      )
    })

    it('serve ends too when it is the port of the metrics', async () => {
      const { code, err } = await run(['serve'], { ...environment, PORT: '0', METRICS_PORT: taken })
      assert.equal(code, 1, `it ran on; ${err}`)
      assert.match(err, new RegExp(`^Port ${taken} of 127\\.0\\.0\\.1 is already in use`, 'm'))
    })
  })

  it('refuses the demo in production', async () => {
    const { code, out, err } = await run(['serve', '--demo'], {
      NODE_ENV: 'production',
      DATABASE_URL: `sqlite:${join(newFolder(), 'selvedge.db')}`,
    })
    assert.deepEqual(
      { code, out, err },
      { code: 1, out: '', err: 'The demo brand is not for production. Leave out --demo.\n' },
    )
  })
})

describe('brands and keys from the command line', () => {
  const folder = newFolder()
  const environment = { DATABASE_URL: `sqlite:${join(folder, 'selvedge.db')}` }
  const selvedge = (...args: readonly string[]) => run(args, environment)

  /** A command that must succeed, and the JSON it prints. */
  // biome-ignore lint/suspicious/noExplicitAny: what is printed is read freely
  const json = async (...args: readonly string[]): Promise<any> => {
    const { code, out, err } = await selvedge(...args, '--json')
    assert.equal(code, 0, err)
    assert.match(out, /^[[{].*[\]}]\n$/, 'one line of JSON')
    return JSON.parse(out)
  }
  const refused = async (
    reason: RegExp,
    what: string,
    ...args: readonly string[]
  ): Promise<void> => {
    const { code, out, err } = await selvedge(...args)
    const said = `${what}: selvedge ${args.join(' ')} → ${code} ${out}${err}`
    // Being called in a way that is not meant is told apart from being refused.
    assert.equal(code, /one of the two/i.test(err) ? 2 : 1, said)
    assert.equal(out, '', said)
    assert.match(err, reason, said)
    assert.doesNotMatch(err, /^\s+at /m, said)
  }

  let service: TestService
  before(async () => {
    const first = await selvedge('brands', 'list')
    assert.equal(first.code, 1)
    assert.match(first.err, /^There is no database at /)
    service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' }, { story: false, folder })
    const empty = await selvedge('brands', 'list')
    assert.match(empty.out, /^There are no brands\. Add one: /)
    const none = await selvedge('keys', 'list')
    assert.match(none.out, /^There are no keys\. Issue one: /)
  })
  after(() => service.close())

  let addresses = 0
  /** The status of a brand's tags for a key, from an address that has not failed before. */
  const statusOf = async (key: string, brand: string) => {
    addresses += 1
    const { status, body, headers } = await service.get(`${basePath}/brands/${brand}/tags`, {
      key,
      headers: { 'x-forwarded-for': `10.0.${addresses >> 8}.${addresses & 255}` },
    })
    return { status, code: body?.errorCode, headers }
  }
  /** Servers learn of changes within a second. */
  const becomes = async (key: string, brand: string, status: number, code?: string) => {
    const deadline = performance.now() + 1_500
    for (;;) {
      const seen = await statusOf(key, brand)
      if (seen.status === status && seen.code === code) return seen.headers
      assert.ok(performance.now() < deadline, `${seen.status} ${seen.code}, not ${status} ${code}`)
      await wait(25)
    }
  }

  it('adds brands and lists them', async () => {
    const added = await json('brands', 'add', 'first', '--name', 'First & Co', '--country', 'GB')
    assert.equal(added.slug, 'first')
    assert.equal(added.countryCode, 'GB')
    assert.deepEqual(Object.keys(added), Object.keys(recordsAt('brand')[0] ?? {}))
    const { code, out } = await selvedge('brands', 'add', 'second', '--name', 'Second')
    assert.equal(code, 0)
    assert.equal(out, 'Added Second. Issue a key for it: selvedge keys issue --brand second\n')
    assert.deepEqual(await json('brands', 'list'), [
      { slug: 'first', name: 'First & Co', records: 1, own: 1 },
      { slug: 'second', name: 'Second', records: 1, own: 1 },
    ])
    const listed = await selvedge('brands', 'list')
    assert.equal(
      listed.out,
      [
        'slug    name        records  of its own',
        'first   First & Co        1           1',
        'second  Second            1           1',
        '',
      ].join('\n'),
    )
  })

  it('refuses brands that are there or cannot be', async () => {
    await refused(
      /^There is a brand first already\.\n$/,
      'there',
      'brands',
      'add',
      'first',
      '--name',
      'X',
    )
    const slugs = ['First', '-a', '*']
    await eachOf(
      slugs,
      (slug) =>
        refused(/ is not a valid slug: /, 'slug', 'brands', 'add', '--name', 'X', '--', slug),
      3,
    )
  })

  it('issues keys for a brand, for several and for all', async () => {
    const one = await json('keys', 'issue', '--brand', 'first', '--name', 'One')
    assert.match(one.key, /^slv_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/)
    assert.deepEqual([one.name, one.brands, one.global], ['One', ['first'], false])
    assert.deepEqual([one.expiresAt, one.perSecond, one.burst], [null, null, null])
    const two = await json(
      'keys',
      'issue',
      '--brand',
      'first',
      '--brand',
      'second',
      '--brand',
      'first',
    )
    assert.deepEqual(two.brands, ['first', 'second'])
    const all = await json('keys', 'issue', '--global')
    assert.deepEqual([all.brands, all.global], [[], true])
    await becomes(all.key, 'first', 200)
    await becomes(all.key, 'nobody', 404, 'not_found')
    await becomes(two.key, 'second', 200)
    await becomes(two.key, 'nobody', 401, 'out_of_scope')
    await becomes(one.key, 'first', 200)
    await becomes(one.key, 'second', 401, 'out_of_scope')
    const words = await selvedge('keys', 'issue', '--brand', 'second', '--expires', '2031-05-06')
    // The key alone goes to standard output: KEY=$(selvedge keys issue …)
    assert.match(words.out, /^slv_\w{43}_\w{6}\n$/)
    assert.match(
      words.err,
      /^Issued key_[\w-]{12} for second, until 2031-05-06T00:00:00\.000Z\.\nThe key is shown only once\. Store it in a safe place:\n$/,
    )
  })

  it('gives keys an end and a rate of their own', async () => {
    const span = await json('keys', 'issue', '--brand', 'first', '--expires', '90d')
    const days = (Date.parse(span.expiresAt) - Date.now()) / 86_400_000
    assert.ok(days > 89.9 && days <= 90)
    const until = '2031-01-31T12:00:00+02:00'
    const { expiresAt } = await json('keys', 'issue', '--global', '--expires', until)
    assert.equal(expiresAt, '2031-01-31T10:00:00.000Z')
    const args = ['keys', 'issue', '--brand', 'first', '--rate', '2.5', '--burst', '7']
    const metered = await json(...args)
    assert.deepEqual([metered.perSecond, metered.burst], [2.5, 7])
    const headers = await becomes(metered.key, 'first', 200)
    assert.equal(headers.get('ratelimit-policy'), '"default";q=7;w=3')
    const short = await json('keys', 'issue', '--brand', 'first', '--expires', '4s')
    await becomes(short.key, 'first', 200)
    await wait(Math.max(0, Date.parse(short.expiresAt) - Date.now()))
    await becomes(short.key, 'first', 401, 'expired_api_key')
  })

  it('refuses to issue keys of nonsense', () =>
    eachOf(
      [
        ['without a scope', /one of the two/],
        ['with two scopes', /one of the two/, '--global', '--brand', 'first'],
        ['for no brand there is', /^There is no brand nobody\./, '--brand', 'nobody'],
        ['that ended', /is in the past/, '--global', '--expires', '2020-01-01'],
        ['at no rate', /^--rate must be a number above 0\./, '--global', '--rate', '0'],
        ['with no burst', /^--burst must be a whole number from 1\./, '--global', '--burst', '0'],
      ] as const,
      ([what, reason, ...args]) => refused(reason, what, 'keys', 'issue', ...args),
      3,
    ))

  it('reads times and spans, and no nonsense', () => {
    const now = Date.parse('2026-11-15T12:00:00Z')
    for (const [given, expected] of [
      ['90d', '2027-02-13T12:00:00.000Z'],
      ['2w', '2026-11-29T12:00:00.000Z'],
      ['12h', '2026-11-16T00:00:00.000Z'],
      ['30m', '2026-11-15T12:30:00.000Z'],
      ['45s', '2026-11-15T12:00:45.000Z'],
      ['2028-02-29', '2028-02-29T00:00:00.000Z'],
      ['2031-01-31T12:00:00Z', '2031-01-31T12:00:00.000Z'],
      ['2031-01-31T12:00:00.5Z', '2031-01-31T12:00:00.500Z'],
      ['2031-01-31T23:00:00-02:00', '2031-02-01T01:00:00.000Z'],
    ] as const) {
      assert.equal(readMoment(given, now), expected)
    }
    for (const [given, reason] of [
      ['0s', /is in the past/],
      ['2026-11-15T12:00:00Z', /is in the past/],
      ['soon', /is no span of time/],
      ['', /is no span of time/],
      ['-5d', /is no span of time/],
      ['1.5d', /is no span of time/],
      ['5', /is no span of time/],
      ['5y', /is no span of time/],
      ['9999999d', /is no span of time/],
      ['2031-1-1', /is no span of time/],
      ['2031-02-30', /is no time/],
      ['2027-02-29', /is no time/],
      ['2031-04-31T00:00:00Z', /is no time/],
      ['2031-13-01', /is no time/],
      ['2031-01-01T25:00:00Z', /is no time/],
      ['2031-01-01T00:00:00+99:00', /is no time/],
    ] as const) {
      assert.throws(() => readMoment(given, now), { name: 'Error', message: reason }, given)
    }
  })

  it('lists keys, and never shows them again', async () => {
    const issued = await json('keys', 'issue', '--brand', 'first', '--name', 'Listed')
    const all = await json('keys', 'list')
    const listed = all.find(({ id }: { id: string }) => id === issued.id)
    const { key, ...rest } = issued
    assert.deepEqual(listed, rest)
    const { out } = await selvedge('keys', 'list')
    assert.match(out, /^id +name +may read +state +created +last used +expires\n/)
    assert.match(out, new RegExp(`^${issued.id} +Listed +first +good +\\S+Z +never +never$`, 'm'))
    assert.ok(!out.includes('slv_') && !JSON.stringify(all).includes('slv_'))
    // Read by another process: one that closes a file of SQLite's gives up its locks on it.
    const names = readdirSync(folder).filter((each) => each.startsWith('selvedge.'))
    assert.ok(names.includes('selvedge.keys.db'))
    for (const name of names) {
      const bytes = execFileSync('cat', [join(folder, name)], { maxBuffer: 2 ** 28 })
      assert.ok(!bytes.includes(key), name)
    }
  })

  it('revokes keys, once and for all', async () => {
    const { key, id } = await json('keys', 'issue', '--brand', 'first')
    await becomes(key, 'first', 200)
    const revoked = await json('keys', 'revoke', id)
    assert.match(revoked.revokedAt, /Z$/)
    await becomes(key, 'first', 401, 'invalid_api_key')
    assert.deepEqual(await json('keys', 'revoke', id), revoked)
    const { out } = await selvedge('keys', 'revoke', id)
    assert.equal(out, `Revoked ${id}. Servers refuse it within a second.\n`)
    await refused(
      /^There is no key key_nobody\. See: selvedge keys list\n$/,
      'unknown',
      'keys',
      'revoke',
      'key_nobody',
    )
    await refused(/has been revoked\. Issue a new key instead\./, 'revoked', 'keys', 'rotate', id)
  })

  it('rotates keys: the successor has the same rights, the old one ends with the overlap', async () => {
    const args = [
      'keys',
      'issue',
      '--brand',
      'first',
      '--name',
      'Rolled',
      '--rate',
      '3',
      '--burst',
      '9',
    ]
    const old = await json(...args)
    await becomes(old.key, 'first', 200)
    const next = await json('keys', 'rotate', old.id, '--overlap', '4s')
    assert.notEqual(next.key, old.key)
    const { name, brands, perSecond, burst } = next
    assert.deepEqual(
      { name, brands, perSecond, burst },
      {
        name: 'Rolled',
        brands: ['first'],
        perSecond: 3,
        burst: 9,
      },
    )
    await becomes(next.key, 'first', 200)
    assert.equal((await statusOf(old.key, 'first')).status, 200)
    const { out } = await selvedge('keys', 'list')
    const line = new RegExp(`^${old.id} +Rolled +first +(replaced by \\S+|expired) .* (\\S+)$`, 'm')
    const [, , ends = ''] = line.exec(out) ?? []
    await wait(Math.max(0, Date.parse(ends) - Date.now()))
    await becomes(old.key, 'first', 401, 'expired_api_key')
    assert.equal((await statusOf(next.key, 'first')).status, 200)
    await refused(/^There is no key nobody\./, 'unknown', 'keys', 'rotate', 'nobody')
  })

  it('does not rotate a key twice, and says what became of it', async () => {
    const old = await json('keys', 'issue', '--brand', 'first', '--name', 'Twice')
    const { code, out, err } = await selvedge('keys', 'rotate', old.id, '--overlap', '2h')
    assert.equal(code, 0)
    assert.match(out, /^slv_\w{43}_\w{6}\n$/)
    const listed = (await json('keys', 'list')) as readonly {
      readonly id: string
      readonly name: string
      readonly successorId: string | null
      readonly expiresAt: string | null
    }[]
    const { successorId, expiresAt } = listed.find(({ id }) => id === old.id) ?? {}
    assert.equal(
      err,
      `Issued ${successorId} in place of ${old.id}, which works until ${expiresAt}.\nThe key is shown only once. Store it in a safe place:\n`,
    )
    await refused(
      new RegExp(
        `^${old.id} has been rotated already: its successor is ${successorId}, and it works until ${expiresAt}\\. To replace the successor: selvedge keys rotate ${successorId}\n$`,
      ),
      'rotated',
      ...['keys', 'rotate', old.id, '--json'],
    )
    assert.equal(listed.filter(({ name }) => name === 'Twice').length, 2)
    const after = (await json('keys', 'list')) as typeof listed
    assert.equal(after.filter(({ name }) => name === 'Twice').length, 2)
  })
})

describe('serve --demo', () => {
  const folder = newFolder()
  const environment = { FOLDER: folder, PORT: '0' }

  /** Starts the demo, and waits for its welcome. */
  const open = async (more: { [name: string]: string } = {}) => {
    const child = start(['serve', '--demo'], { ...environment, ...more })
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
    let out = ''
    let err = ''
    child.stderr?.on('data', (chunk) => {
      err += chunk
    })
    await new Promise<void>((resolve, reject) => {
      child.stdout?.on('data', (chunk) => {
        out += chunk
        if (out.includes('Ctrl+C stops.')) resolve()
      })
      void exited.then((code) => reject(new RangeError(`It ended with ${code}: ${err}`)))
    })
    return { child, exited, out, errors: () => err }
  }
  const found = (out: string, pattern: RegExp): string => {
    const [, first] = pattern.exec(out) ?? []
    assert.ok(first, `${pattern} is not in ${out}`)
    return first
  }
  /** Runs the curl line that was printed, as it stands. */
  const curl = async (out: string) => {
    const command = found(out, /^ {2}(curl [^\n]+ \\\n[^\n]+)$/m)
    const [, name = '', value = ''] = /-H "([\w-]+): ([^"]+)"/.exec(command) ?? []
    const [, url = ''] = /"(http:[^"]+)"/.exec(command) ?? []
    const response = await fetch(url, { headers: { [name]: value } })
    return { status: response.status, body: (await response.json()) as { items: object[] } }
  }

  it('prints an address, a key and a line that works, the same again after a restart', async () => {
    const first = await open()
    const keys: string[] = []
    const check = async ({ out }: { out: string }) => {
      assert.match(
        out,
        /^Selvedge [\d.]+ {2}ready in [\d.]+ s {3}\(Node 26\.[\d.]+, SQLite, 93 groups, 846 records\)$/m,
      )
      const api = found(out, /^ {2}API +(\S+)$/m)
      keys.push(found(out, /^ {2}Demo key +(slv_\w+)$/m))
      const { status, body } = await curl(out)
      assert.equal(status, 200)
      assert.deepEqual(body.items, recordsAt('orders').slice(0, 2))
      const headers = { authorization: `Bearer ${keys.at(-1)}` }
      assert.deepEqual(await (await fetch(api, { headers })).json(), recordsAt('brand')[0])
      const document = await fetch(found(out, /^ {2}Document +(\S+)$/m))
      assert.equal(document.status, 200)
      await document.text()
      // The pictures came with the story.
      const [image] = recordsAt('images')
      const link = await fetch(`${api}/images/${image?.['id']}/content`, { headers })
      const { url } = (await link.json()) as { url: string }
      const picture = await fetch(url)
      assert.equal(picture.status, 200)
      assert.ok((await picture.arrayBuffer()).byteLength > 100)
    }
    await check(first)
    first.child.kill('SIGTERM')
    assert.equal(await first.exited, 0)
    const second = await open()
    await check(second)
    assert.equal(keys[0], keys[1])
    second.child.kill('SIGINT')
    assert.equal(await second.exited, 0)
  })

  it('gives another key after the first one was revoked, and loads the story once', async () => {
    const DATABASE_URL = `sqlite:${join(folder, 'data/selvedge.db')}`
    const listed = await run(['keys', 'list', '--json'], { DATABASE_URL })
    const [{ id, name }] = JSON.parse(listed.out)
    assert.equal(name, 'Demo')
    await run(['keys', 'revoke', id], { DATABASE_URL })
    const { child, exited, out } = await open()
    assert.equal((await curl(out)).status, 200)
    child.kill('SIGTERM')
    assert.equal(await exited, 0)
    const brands = await run(['brands', 'list', '--json'], { DATABASE_URL })
    assert.equal(JSON.parse(brands.out).length, 1)
  })

  it('passes over a port that is taken, and says so', async () => {
    const holder = createServer()
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
    const { port } = holder.address() as AddressInfo
    const { child, exited, out, errors } = await open({ PORT: String(port) })
    assert.match(errors(), new RegExp(`^Port ${port} is taken; trying `, 'm'))
    assert.equal((await curl(out)).status, 200)
    child.kill('SIGTERM')
    assert.equal(await exited, 0)
    holder.close()
  })
})
