/** The connection that is read and written here, against the driver's own reading and writing. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import type { Query, Row, SqlValue } from '#database'
import { openPipeline, type Pipeline } from '../../src/database/postgres/pipeline.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const varied = 'l’été à Zürich, 東京, Łódź, 🧵 \\ " \t \u0001'
const query = (text: string, ...values: readonly SqlValue[]): Query => ({ text, values })

describe('a pipeline to PostgreSQL', () => {
  let postgres: PostgresDatabases
  let url: string
  let driver: pg.Client
  let pipeline: Pipeline

  const open = (): Pipeline =>
    openPipeline({
      config: { connectionString: url },
      connectMs: 10_000,
      preparation: 'set session characteristics as transaction isolation level repeatable read',
    })
  before(async () => {
    postgres = await openPostgresDatabases()
    url = await postgres.url('pipeline')
    driver = new pg.Client(url)
    await driver.connect()
    pipeline = open()
    await pipeline.ready
  })
  after(async () => {
    await pipeline.close()
    await driver.end()
    await postgres.close()
  })

  const rowsOf = async (text: string, ...values: readonly SqlValue[]): Promise<readonly Row[]> =>
    (await pipeline.run([query(text, ...values)]))[0] ?? []

  /** What the driver returns, with numbers for counts and bytes for texts that are marked. */
  const driverRows = async (
    text: string,
    ...values: readonly SqlValue[]
  ): Promise<readonly Row[]> => {
    const types = {
      getTypeParser: (type: number, format: 'text') =>
        type === 20
          ? Number
          : type === 1_043
            ? (value: string) => Buffer.from(value)
            : pg.types.getTypeParser(type, format),
    } as pg.CustomTypesConfig
    const config = { text: text.replaceAll('?', '$'), values: [...values], types }
    return (await driver.query({ ...config, rowMode: 'array' })).rows
  }

  it('finds one listener to replace in the connection that the driver opened', () => {
    // Another number, or another place: the driver has changed how it reads, and `takeOver` with it.
    assert.equal(driver.connection.stream.listenerCount('data'), 1)
  })

  const statements: readonly (readonly [string, ...SqlValue[]])[] = [
    ['select ?1::text, ?2::text, ?3::text', varied, '', null],
    ['select ?1::varchar, ?2::varchar, ?3::varchar', varied, '', null],
    ['select ?1::bytea, ?2::bytea, null::bytea', Buffer.from([0, 1, 255, 0]), Buffer.alloc(0)],
    ['select 0::bigint, -1::bigint, 9007199254740991, -9007199254740991, null::bigint'],
    ['select 4294967295::bigint, 4294967296::bigint, -4294967297::bigint'],
    ['select 0::int, -1::int, 2147483647, -2147483648, null::int'],
    ['select 12::smallint, 1.5::double precision, 1.5::real, 12.50::numeric, 77::oid'],
    ["select '0190163d-8694-739b-aea5-966c26f8ad91'::uuid, null::uuid"],
    [
      'select count(*), sum(n), max(n::text), string_agg(n::text, ?1) from generate_series(1, 9) n',
      ',',
    ],
    [
      'select n, n::bigint, n::text, repeat(?1, n)::varchar from generate_series(0, 3000) n',
      'é東🧵',
    ],
    ['select repeat(?1, ?2::int)::varchar, repeat(?1, ?2::int), 7', varied, 40_000],
    ['select 1 where false'],
    ['select'],
    ['select ?1::bigint + ?2::int, ?3::text', 9_007_199_254_740_000, -12, 1.25],
    ['show server_encoding'],
  ]
  for (const [text, ...values] of statements) {
    it(`returns what the driver returns for ${text}`, async () => {
      assert.deepEqual(await rowsOf(text, ...values), await driverRows(text, ...values))
      assert.deepEqual(await rowsOf(text, ...values), await driverRows(text, ...values), 'prepared')
    })
  }

  it('does not keep more in memory for bytes than twice what they are', async () => {
    const rows = await rowsOf("select repeat('x', n)::varchar from generate_series(1, 2000) n")
    assert.equal(rows.length, 2_000)
    for (const [index, [bytes]] of rows.entries()) {
      assert.ok(bytes instanceof Uint8Array)
      assert.equal(Buffer.from(bytes).toString(), 'x'.repeat(index + 1))
      assert.ok(bytes.buffer.byteLength <= bytes.length * 2, `${bytes.buffer.byteLength} bytes`)
    }
  })

  it('gives each of thousands of transactions its own rows', async () => {
    const results = await Promise.all(
      Array.from({ length: 3_000 }, (_, n) =>
        pipeline.run([
          query('select ?1::int', n),
          query(`select ?1::varchar from generate_series(1, ${n % 3})`, `${n} ${varied}`),
        ]),
      ),
    )
    for (const [n, [numbers, texts]] of results.entries()) {
      assert.deepEqual(numbers, [[n]])
      assert.deepEqual(texts, new Array(n % 3).fill([Buffer.from(`${n} ${varied}`)]))
    }
  })

  it('lets an error end its own transaction alone', async () => {
    const notice = query(`do $$ begin raise notice 'between'; end $$`)
    const results = await Promise.allSettled([
      pipeline.run([query('select 1'), notice, query('select 2')]),
      pipeline.run([query('select 3'), query('select 1 / ?1::int', 0), query('select 4')]),
      pipeline.run([query('select nonsense')]),
      pipeline.run([query('select ?1::uuid', 'not one')]),
      pipeline.run([notice, query('select 5')]),
    ])
    assert.deepEqual(
      results.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.code)),
      [[[[1]], [], [[2]]], '22012', '42703', '22P02', [[], [[5]]]],
    )
    const [first] = results.filter((each) => each.status === 'rejected')
    assert.ok(first?.reason instanceof pg.DatabaseError)
    assert.equal(first.reason.message, 'division by zero')
  })

  it('prepares again what it forgot in favour of other statements', async () => {
    for (let round = 0; round < 2; round += 1) {
      const results = await Promise.all(
        Array.from({ length: 700 }, async (_, n) => {
          const [rows] = await pipeline.run([query(`select ${n}`)])
          return rows?.[0]?.[0]
        }),
      )
      assert.deepEqual(results, [...results.keys()])
    }
    const [[count] = []] = await rowsOf('select count(*) from pg_prepared_statements where true')
    assert.ok(Number(count) <= 500, `${count} statements`)
  })

  it('reads one state in a transaction, whatever is committed meanwhile', async () => {
    await driver.query('create table counted (n int)')
    const count = query('select count(*) from counted')
    const reading = pipeline.run([
      count,
      query("select pg_advisory_lock_shared(1) where pg_sleep(0.2)::text = ''"),
      count,
    ])
    await driver.query('insert into counted values (1)')
    const [before, , later] = await reading
    assert.deepEqual(later, before)
    assert.deepEqual(await pipeline.run([count]), [[[1]]])
  })

  it('prepares a statement again whose table has got another type', async () => {
    await driver.query("create table changed as select 1 as n, 'x' as t")
    const all = query('select * from changed')
    assert.deepEqual(await pipeline.run([all]), [[[1, 'x']]])
    await driver.query('alter table changed alter n type text')
    await assert.rejects(pipeline.run([all]), { code: '0A000' })
    assert.deepEqual(await pipeline.run([all]), [[['1', 'x']]])
  })

  it('rejects what is in flight when the connection breaks', async () => {
    const broken = open()
    await broken.ready
    const rejected = assert.rejects(broken.run([query('select pg_sleep(60)')]), /terminat/)
    const isSleeping = "select from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'"
    while ((await driver.query(isSleeping, [broken.processId])).rowCount === 0);
    await driver.query('select pg_terminate_backend($1)', [broken.processId])
    await rejected
    assert.equal(broken.isClosed, true)
    await assert.rejects(broken.run([query('select 1')]), /closed/)
  })

  it('answers what is in flight before it closes', async () => {
    const closing = open()
    await closing.ready
    const reading = closing.run([query("select 'x' from pg_sleep(0.2)")])
    await closing.close()
    assert.deepEqual(await reading, [[['x']]])
  })
})
