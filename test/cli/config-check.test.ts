/** `selvedge config check`: what it finds wrong, and that it changes nothing. */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { openDatabase } from '#database'
import { nearest } from '#request'
import { checkConfig, type Finding } from '#server'
import { openSandbox, type Sandbox } from '../support/command.ts'
import { bucket, credentials, startS3 } from '../support/images.ts'
import { freePort } from '../support/postgres.ts'

const isUnix = process.platform !== 'win32'

describe('config check', () => {
  let place: Sandbox
  let environment: { [name: string]: string }
  before(async () => {
    place = openSandbox()
    environment = {
      DATABASE_URL: place.databaseUrl,
      IMAGES_URL: `file:${join(place.folder, 'images')}`,
    }
    await place.run(['brands', 'add', 'acme', '--name', 'Acme'])
    await place.run(['keys', 'issue', '--brand', 'acme'])
  })
  after(() => place.close())

  const check = async (changes: { readonly [name: string]: string } = {}) => {
    const findings = await checkConfig(nearest, { ...environment, ...changes })
    const of = (subject: string): Finding | undefined =>
      findings.find((each) => each.subject === subject)
    return { findings, of, errors: findings.filter(({ state }) => state === 'error') }
  }
  /** The names, sizes and times of all files of the sandbox. */
  const contents = () =>
    readdirSync(place.folder, { recursive: true })
      .map(String)
      .sort()
      .map((name) => {
        const { size, mtimeMs, mode } = statSync(join(place.folder, name))
        return [name, size, mtimeMs, mode]
      })

  it('has no error for an installation that works, and changes no file', async () => {
    const earlier = contents()
    const { errors, of } = await check()
    assert.deepEqual(errors, [])
    assert.equal(of('DATABASE_URL')?.message, 'SQLite can be read.')
    assert.match(of('file of keys')?.message ?? '', /selvedge\.keys\.db \(mode 0600\)$/)
    assert.match(of('file of queue')?.message ?? '', /does not exist yet and is created/)
    assert.match(of('IMAGES_URL')?.message ?? '', /does not exist yet and is created/)
    assert.deepEqual(contents(), earlier)
    const database = openDatabase(place.databaseUrl)
    await database.write(async (session) => session.all({ text: 'select 1', values: [] }))
    const used = contents()
    assert.deepEqual((await check()).errors, [])
    assert.deepEqual(contents(), used)
    await database.close()
  })

  it('says that a database that does not exist yet would be created, and where it could not', async () => {
    const url = (path: string) => ({ DATABASE_URL: `sqlite:${join(place.folder, path)}` })
    const missing = await check(url('new/folder/selvedge.db'))
    assert.deepEqual(missing.errors, [])
    assert.match(missing.of('file of records')?.message ?? '', /new\/folder\/selvedge\.db does not/)
    const impossible = await check(url('selvedge.db/selvedge.db'))
    assert.match(
      impossible.of('file of records')?.message ?? '',
      /cannot be created: .*selvedge\.db is/,
    )
    place.put({ 'other.db': 'not a database, but a text that is long enough to look at' })
    const other = await check(url('other.db'))
    assert.match(other.of('DATABASE_URL')?.message ?? '', /not a database/)
  })

  it('lists all wrong values and unknown names at once, and prints a table or JSON', async () => {
    const wrong = { PORT: 'x', LOG_LEVEL: 'loud', RATE_PER_SECONDS: '5', ANSWER_MEMORY_MB: '1' }
    const { findings } = await check(wrong)
    assert.deepEqual(
      findings.map(({ subject, state }) => [subject, state]),
      [
        ['PORT', 'error'],
        ['LOG_LEVEL', 'error'],
        ['RATE_PER_SECONDS', 'error'],
        ['ANSWER_MEMORY_MB', 'error'],
      ],
    )
    const images = { IMAGES_URL: environment['IMAGES_URL'] }
    const table = await place.run(['config', 'check'], '', { ...images, ...wrong })
    assert.equal(table.code, 1)
    assert.match(table.stdout, /^state +what +message$/m)
    assert.match(table.stdout, /^error +RATE_PER_SECONDS .* Did you mean RATE_PER_SECOND\?$/m)
    const good = await place.run(['config', 'check', '--json'], '', images)
    assert.deepEqual([good.code, JSON.parse(good.stdout).ok], [0, true])
  })

  it('finds files that others can read or write', { skip: !isUnix }, async () => {
    const drop = join(place.folder, 'drop')
    mkdirSync(drop)
    await place.run(['watch', drop, '--brand', 'acme', '--once'])
    const secret = place.put({ redis: 'redis://127.0.0.1:1\n' })
    chmodSync(secret, 0o644)
    chmodSync(join(place.folder, 'selvedge.keys.db'), 0o666)
    chmodSync(join(place.folder, 'selvedge.db'), 0o604)
    chmodSync(drop, 0o777)
    const maps = join(place.folder, 'maps')
    mkdirSync(maps)
    chmodSync(maps, 0o757)
    const { of } = await check({ REDIS_URL_FILE: secret, INGEST_MAPS: maps })
    for (const [subject, state, message] of [
      ['REDIS_URL_FILE', 'warning', /can read .*redis \(mode 0644\): chmod o= /],
      ['file of keys', 'error', /can write to .*keys\.db \(mode 0666\)/],
      ['file of records', 'warning', /can read .*selvedge\.db \(mode 0604\)/],
      ['watched folder', 'error', /can write to .*drop \(mode 0777\)/],
      ['INGEST_MAPS', 'error', /can write to .*maps \(mode 0757\)/],
    ] as const) {
      const finding = of(subject)
      assert.equal(finding?.state, state, subject)
      assert.match(finding?.message ?? '', message)
    }
    chmodSync(join(place.folder, 'selvedge.keys.db'), 0o600)
    chmodSync(join(place.folder, 'selvedge.db'), 0o600)
    chmodSync(drop, 0o700)
    assert.deepEqual((await check()).errors, [])
    rmSync(drop, { recursive: true })
    const elsewhere = await check()
    assert.equal(elsewhere.of('watched folder')?.state, 'warning')
    assert.match(elsewhere.of('watched folder')?.message ?? '', /drop is not on this machine/)
    writeFileSync(join(place.folder, 'file'), '')
    const none = await check({ INGEST_MAPS: join(place.folder, 'nowhere') })
    assert.match(none.of('INGEST_MAPS')?.message ?? '', /nowhere cannot be used \(ENOENT\)/)
  })

  it('says why Redis and the bucket cannot be used, without their secrets', async () => {
    const port = await freePort()
    const s3 = await startS3()
    const url = (name: string) =>
      `s3://${name}?endpoint=${encodeURIComponent(s3.endpoint)}&region=us-east-1&path-style=true`
    const keys = {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    }
    try {
      const good = await check({ IMAGES_URL: url(bucket), ...keys })
      assert.equal(good.of('IMAGES_URL')?.message, 'The bucket can be read.')
      const wrong = await check({
        IMAGES_URL: url('nothing-there'),
        REDIS_URL: `redis://:the-password@127.0.0.1:${port}`,
        ...keys,
      })
      assert.match(wrong.of('IMAGES_URL')?.message ?? '', /responded to GET with 404/)
      assert.match(wrong.of('REDIS_URL')?.message ?? '', /^Redis cannot be reached: .*ECONNREFUSED/)
      assert.ok(!JSON.stringify(wrong.findings).includes('the-password'))
      const without = await check({ IMAGES_URL: url(bucket) })
      assert.match(without.of('IMAGES_URL')?.message ?? '', /needs an access key id/)
    } finally {
      await s3.close()
    }
  })
})
