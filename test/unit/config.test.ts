/** The settings, which are environment variables: defaults and invalid values. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { ConfigError, expandVariable, settings, unknownSettings } from '#config'
import { nearest } from '#request'
import { readServiceConfig } from '#server'

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
      oauth: false,
      clientKey: null,
      operator: null,
      metricsPort: null,
      imageLinkMinutes: 15,
      sendTimeoutSeconds: 30,
      downloadRecords: 1_000_000,
      downloadSeconds: 600,
      downloads: 4,
      keyDownloads: 2,
      keyDownloadSeconds: 1_800,
      usageDays: 400,
      production: false,
      workers: 1,
      standbyWorkers: 0,
      redisUrl: null,
      s3Credentials: null,
      responseCacheMegabytes: 16,
      changeFeed: false,
      requiresRowSecurity: false,
      ingestPort: null,
      ingestMaps: null,
      ingestRatePerSecond: 100,
      ingestRateBurst: 200,
      ingestBodyMegabytes: 16,
      ingestBodySeconds: 30,
      ingestBodies: 16,
      adminPort: null,
      adminHost: '127.0.0.1',
      adminUrl: null,
    })
    for (const { name, meaning } of settings) assert.match(meaning, /^[A-Z`].*\.$/, name)
  })

  it('accepts valid values', () => {
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

  const invalid: { readonly [name: string]: readonly string[] } = {
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
    OAUTH: ['yes', '', 'ON'],
    SELVEDGE_KEY: [' ', 'two words', 'slv_ß'],
    SELVEDGE_OPERATOR: [' anna', 'two\nlines', 'x'.repeat(101)],
    METRICS_PORT: ['-1', '65536', 'x', '9.5'],
    IMAGE_LINK_MINUTES: ['', '0', '10081', '1.5', 'x'],
    SEND_TIMEOUT_SECONDS: ['', '0', '3601', '1.5', 'x'],
    DOWNLOAD_RECORDS: ['', '0', 'x'],
    DOWNLOAD_SECONDS: ['', '0', '1.5', '86401'],
    DOWNLOADS: ['', '0', 'many'],
    KEY_DOWNLOADS: ['', '0', '-1'],
    KEY_DOWNLOAD_SECONDS: ['', '0', '1.5'],
    USAGE_DAYS: ['', '0', '1.5', '36501'],
    WORKERS: ['0', '-1', '65', '1.5', 'x'],
    STANDBY_WORKERS: ['-1', '2', '0.5', 'x'],
    REDIS_URL: [' ', 'nonsense', 'http://x', 'redis:', 'redis://:50%off@127.0.0.1'],
    ROW_SECURITY: ['yes', 'REQUIRED', 'off'],
    RESPONSE_CACHE_MB: ['', '-1', '1.5', '65537', 'x'],
    CHANGE_FEED: ['', 'yes', '1', 'ON'],
    INGEST_PORT: ['-1', '65536', 'x', '9.5'],
    INGEST_MAPS: [' '],
    INGEST_RATE_PER_SECOND: ['', '0', '-1', 'x'],
    INGEST_RATE_BURST: ['', '0', '1.5', '1000001'],
    INGEST_BODY_MB: ['', '0', '1025', 'x'],
    INGEST_BODY_SECONDS: ['', '0', '3601', '1.5'],
    INGEST_BODIES: ['', '1', '1001', 'x'],
    ADMIN_PORT: ['-1', '65536', 'x', '9.5'],
    ADMIN_HOST: ['', '  '],
    ADMIN_URL: ['x', 'ftp://x', 'https://x/y', 'https://x?y=1', 'https://me@x', '/'],
  }

  for (const [name, values] of Object.entries(invalid)) {
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

  it('refuses OAuth without a safe address of the server, or without MCP', () => {
    const unsafe = 'OAUTH=on needs a PUBLIC_URL with https.'
    assert.deepEqual(problemsOf({ OAUTH: 'on', HOST: '0.0.0.0' }), [unsafe])
    assert.deepEqual(problemsOf({ OAUTH: 'on', PUBLIC_URL: 'http://records.example.com' }), [
      unsafe,
    ])
    assert.deepEqual(problemsOf({ OAUTH: 'on', MCP: 'off' }), ['OAUTH=on needs MCP=on.'])
    const https = { PUBLIC_URL: 'https://records.example.com', HOST: '0.0.0.0' }
    for (const safe of [{}, https, { PUBLIC_URL: 'http://localhost:8080' }]) {
      assert.deepEqual(problemsOf({ OAUTH: 'on', ...safe }), [])
    }
  })

  it('reports all problems at once, without secrets', () => {
    const environment = Object.fromEntries(
      Object.entries(invalid).map(([name, [first = '']]) => [name, first]),
    )
    const problems = problemsOf({ ...environment, AWS_SECRET_ACCESS_KEY: 'the-secret' })
    assert.deepEqual(
      problems.map((problem) => problem.split(' ')[0]),
      [...Object.keys(invalid), 'AWS_ACCESS_KEY_ID'],
    )
    assert.ok(!problems.join().includes('the-secret'))
  })

  it('finds misspelt and renamed settings, and no variable of other programs', () => {
    const others = {
      ...{ HOME: '/', PATH: '', TERM: '', LANG: '', USER: '', PWD: '', SHLVL: '', HOSTNAME: '' },
      // What Kubernetes sets for services.
      ...{ SELVEDGE_PORT: '', SELVEDGE_SERVICE_HOST: '', REDIS_PORT: '', REDIS_SERVICE_PORT: '' },
      // Of senders, and of the dbt project.
      ...{ INGEST_KEY: '', SELVEDGE_EXPORT: '' },
      // Of databases, platforms and the pod.
      ...{ PGHOST: '', PGPORT: '', DB_HOST: '', DB_PORT: '', WEB_CONCURRENCY: '', HOST_IP: '' },
      ...{ http_proxy: '', npm_config_port: '', AWS_REGION: '', NODE_OPTIONS: '', PORT: '1' },
    }
    const sentencesOf = (environment: { readonly [name: string]: string }) =>
      unknownSettings(nearest, environment).map(({ sentence }) => sentence)
    assert.deepEqual(sentencesOf(others), [])
    const misspelt = {
      ...{ RATE_PER_SECONDS: '5', INGEST_HOST: '', DATABASE_URI: '', SPARE_WORKERS: '' },
      ...{
        TRUSTED_PROXY: '10.0.0.1',
        METRIC_PORT: '9090',
        REDIS_URL_FILES: '',
        REDIS_URL_FILE: '',
      },
      SELVEDGE_LOG_LEVEL: 'warn',
    }
    assert.deepEqual(
      sentencesOf({ ...others, ...misspelt }),
      [
        ['RATE_PER_SECONDS', 'RATE_PER_SECOND'],
        ['INGEST_HOST', 'INGEST_PORT'],
        ['DATABASE_URI', 'DATABASE_URL'],
        ['SPARE_WORKERS', 'STANDBY_WORKERS'],
        ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
        ['METRIC_PORT', 'METRICS_PORT'],
        ['REDIS_URL_FILES', 'REDIS_URL_FILE'],
        ['SELVEDGE_LOG_LEVEL', 'LOG_LEVEL'],
      ].map(([name, meant]) => `${name} is not a setting and is ignored. Did you mean ${meant}?`),
    )
    assert.deepEqual(
      sentencesOf({ INGEST_PARALLEL: '2', PORT_FILE: '/run/port', POSTGRES_URL_FILE: '' }),
      [
        'INGEST_PARALLEL is not a setting and is ignored.',
        'PORT_FILE is not a setting and is ignored. Only secrets are read from files.',
      ],
    )
  })

  it('covers every variable that is read', () => {
    const covered = [...Object.keys(invalid), 'NODE_ENV']
    const read = settings.map(({ name }) => name).filter((name) => !name.startsWith('AWS_'))
    assert.deepEqual(read.sort(), covered.sort())
  })
})

describe('secrets in files', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'selvedge-secrets-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  const put = (text: string): string => {
    const file = join(folder, `secret-${Math.random()}`)
    writeFileSync(file, text)
    return file
  }
  const problemsOf = (environment: { [name: string]: string }): readonly string[] => {
    try {
      readServiceConfig(environment)
      return []
    } catch (error) {
      assert.ok(error instanceof ConfigError)
      return error.problems
    }
  }

  /** A valid value of every secret setting. */
  const values: { readonly [name: string]: string } = {
    DATABASE_URL: 'postgres://me:word@db.example.com/selvedge',
    REDIS_URL: 'redis://:word@redis.example.com',
    SELVEDGE_KEY: 'slv_key',
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'the secret',
    AWS_SESSION_TOKEN: 'token',
  }

  it('have the same effect as variables, without the line break at their end', () => {
    const names = settings.filter(({ isSecret }) => isSecret).map(({ name }) => name)
    assert.deepEqual(Object.keys(values).sort(), names.sort())
    for (const end of ['', '\n', '\r\n']) {
      const files = Object.entries(values).map(([name, value]) => [
        `${name}_FILE`,
        put(`${value}${end}`),
      ])
      assert.deepEqual(readServiceConfig(Object.fromEntries(files)), readServiceConfig(values))
    }
    assert.equal(readServiceConfig({ REDIS_URL_FILE: '' }).redisUrl, null)
  })

  it('are refused beside the variable, and if the file cannot be read, all at once', () => {
    const missing = join(folder, 'missing')
    assert.deepEqual(
      problemsOf({
        DATABASE_URL: 'sqlite:x.db',
        DATABASE_URL_FILE: put('sqlite:y.db'),
        REDIS_URL_FILE: missing,
        AWS_ACCESS_KEY_ID: 'id',
        AWS_SECRET_ACCESS_KEY_FILE: folder,
      }),
      [
        'DATABASE_URL and DATABASE_URL_FILE are both set; remove one.',
        `REDIS_URL cannot be read from ${missing}, which REDIS_URL_FILE names (ENOENT).`,
        `AWS_SECRET_ACCESS_KEY cannot be read from ${folder}: it is not a file of at most 64 KiB.`,
      ],
    )
    assert.match(
      problemsOf({ REDIS_URL_FILE: put('x'.repeat(70_000)) }).join(),
      /^REDIS_URL cannot be read from .* at most 64 KiB\.$/,
    )
    assert.match(
      problemsOf({ REDIS_URL_FILE: put('\n') }).join(),
      /^REDIS_URL cannot be read from .*: it is empty\.$/,
    )
    const problems = problemsOf({ DATABASE_URL_FILE: put('mysql://me:wool@host/x') })
    assert.match(problems.join(), /^DATABASE_URL must be sqlite:/)
    assert.ok(!problems.join().includes('wool'))
  })

  it('have the addresses of source databases too', () => {
    const address = 'postgres://me:word@erp.example.com/erp'
    const expand = (environment: { readonly [name: string]: string }) =>
      // biome-ignore lint/suspicious/noTemplateCurlyInString: what a mapping has
      expandVariable('${ERP_URL}', 'the mapping', environment)
    assert.equal(expand({ ERP_URL_FILE: put(`${address}\n`) }), address)
    assert.throws(() => expand({ ERP_URL_FILE: put(address), ERP_URL: address }), /both set/)
    assert.throws(() => expand({ ERP_URL_FILE: join(folder, 'missing') }), /ENOENT/)
    assert.throws(() => expand({}), /ERP_URL is not set/)
    const own = `\${DATABASE_URL_FILE}`
    assert.throws(() => expandVariable(own, 'the mapping', {}), /is a setting of Selvedge/)
  })
})
