/** The settings, which are environment variables: defaults and invalid values. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ConfigError, misspeltSettings, settings } from '#config'
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
    REDIS_URL: [' ', 'nonsense', 'http://x', 'redis:'],
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
      ...{ http_proxy: '', npm_config_port: '', AWS_REGION: '', NODE_OPTIONS: '', PORT: '1' },
    }
    assert.deepEqual(misspeltSettings(nearest, others), [])
    const misspelt = {
      ...{ RATE_PER_SECONDS: '5', INGEST_HOST: '', DATABASE_URI: '', SPARE_WORKERS: '' },
      TRUSTED_PROXY: '10.0.0.1',
    }
    assert.deepEqual(misspeltSettings(nearest, { ...others, ...misspelt }), [
      ['RATE_PER_SECONDS', 'RATE_PER_SECOND'],
      ['INGEST_HOST', 'INGEST_PORT'],
      ['DATABASE_URI', 'DATABASE_URL'],
      ['SPARE_WORKERS', 'STANDBY_WORKERS'],
      ['TRUSTED_PROXY', 'TRUSTED_PROXIES'],
    ])
  })

  it('covers every variable that is read', () => {
    const covered = [...Object.keys(invalid), 'NODE_ENV']
    const read = settings.map(({ name }) => name).filter((name) => !name.startsWith('AWS_'))
    assert.deepEqual(read.sort(), covered.sort())
  })
})
