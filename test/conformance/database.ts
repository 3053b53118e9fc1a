import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Database } from '../../src/database/database.ts'
import {
  DatabaseError,
  DatabaseRefusedError,
  QueryTimeoutError,
  ReadCancelledError,
  SnapshotLimitError,
} from '../../src/database/errors.ts'
import type { OpenOptions } from '../../src/database/open.ts'
import { together } from '../../src/database/together.ts'
import { until } from '../support/cluster.ts'

export interface OpenedDatabase {
  readonly database: Database
  /** A second connection to the same data, as another process would have. */
  again(options?: OpenOptions): Promise<Database>
  /** Closes everything and removes the data. */
  close(): Promise<void>
}

const statement = (text: string, ...values: (string | number | null)[]) => ({ text, values })

/** What every engine promises. Each implementation passes this suite unchanged. */
export const databaseConformance = (name: string, open: () => Promise<OpenedDatabase>): void => {
  describe(`a database on ${name}`, () => {
    let opened: OpenedDatabase
    let database: Database

    before(async () => {
      opened = await open()
      database = opened.database
      const { text, integer, tableOptions } = database.dialect
      await database.write(async (session) => {
        await session.run(
          statement(
            `create table "t" ("brand" ${text} not null, "id" ${text} not null, "n" ${integer}, "body" text, primary key ("brand", "id"))${tableOptions}`,
          ),
        )
        await session.run(statement('create index "t__n" on "t" ("brand", "n", "id")'))
        await session.run(
          statement(
            `create table sliced ("place" ${integer} primary key, "twice" ${integer}, "id" ${text}, "n" ${integer}, "body" text)`,
          ),
        )
      })
    })
    after(() => opened.close())

    const rows = async (brand: string) => {
      const [result] = await database.read([
        statement('select "id", "n", "body" from "t" where "brand" = ?1 order by "id"', brand),
      ])
      return result
    }

    it('stores texts, numbers and nulls unchanged', async () => {
      await database.write(async (session) => {
        await session.bulkInsert(
          't',
          ['brand', 'id', 'n', 'body'],
          [
            ['stored', 'a', 2_147_483_647, '{"é":"🧵 \\" ß"}'],
            ['stored', 'b', null, null],
          ],
        )
      })
      assert.deepEqual(
        (await rows('stored'))?.map((row) => [...row]),
        [
          ['a', 2_147_483_647, '{"é":"🧵 \\" ß"}'],
          ['b', null, null],
        ],
      )
    })

    it('inserts rows that are slices of a buffer', async () => {
      const texts = ['{"id":"ä","n":-12}', '{"id":"\\t🧵","n":null}', '{"id":"","n":0}']
      const bytes = Buffer.from(`.${texts.join('\n')}`)
      const offsets = texts.flatMap((text) => {
        const begin = bytes.indexOf(text)
        const at = (piece: string) => begin + Buffer.from(text.slice(0, text.indexOf(piece))).length
        const [id, n] = [at('":"') + 3, at(',"n":') + 5]
        const end = begin + Buffer.from(text).length
        const number = text.endsWith('null}') ? [-1, -1] : [n, end - 1]
        return [begin, end, id, at('","n"'), ...number]
      })
      await database.write((session) =>
        session.bulkInsertSlices('sliced', {
          bytes,
          offsets: new Int32Array(offsets),
          parts: [
            { name: 'id', kind: 'text' },
            { name: 'n', kind: 'integer' },
          ],
          whole: 'body',
          numbered: ['place', 'twice'],
          numbersOf: (row) => [row, row * 2],
        }),
      )
      const [result] = await database.read([
        statement('select "place", "twice", "id", "n", "body" from "sliced" order by "place"'),
      ])
      assert.deepEqual(
        result?.map((row) =>
          row.map((value) => (typeof value === 'bigint' ? Number(value) : value)),
        ),
        [
          [0, 0, 'ä', -12, texts[0]],
          [1, 2, '\\t🧵', null, texts[1]],
          [2, 4, '', 0, texts[2]],
        ],
      )
    })

    it('inserts identifiers that are slices of a buffer, some of them missing', async () => {
      const uuidOf = (n: number) => `0a1b2c3d-4e5f-4000-8fed-${String(n).padStart(12, '0')}`
      const places = Array.from({ length: 37 }, (_, index) => index)
      const isMissing = (place: number) => place % 5 === 3
      const { text, integer, identifier, uuidText } = database.dialect
      const bytes = Buffer.from(places.map((place) => uuidOf(place)).join(''))
      await database.write(async (session) => {
        await session.run(
          statement(
            `create temp table "identified" ("place" ${integer}, "one" ${identifier}, "two" ${identifier}, "body" ${text})`,
          ),
        )
        await session.bulkInsertSlices('identified', {
          bytes,
          offsets: new Int32Array(
            places.flatMap((place) => {
              const slice = [place * 36, place * 36 + 36]
              return [...slice, ...(isMissing(place) ? [-1, -1] : slice), ...slice]
            }),
          ),
          parts: [
            { name: 'one', kind: 'uuid' },
            { name: 'two', kind: 'uuid' },
          ],
          whole: 'body',
          numbered: ['place'],
          numbersOf: (row) => [row],
        })
        const rows = await session.all(
          statement(
            `select "place", case when "one" is not null then ${uuidText('"one"')} end, ${uuidText('"two"')}, "body" from "identified" order by "place"`,
          ),
        )
        assert.deepEqual(
          rows.map(([place, ...texts]) => [Number(place), ...texts]),
          places.map((place) => [
            place,
            isMissing(place) ? null : uuidOf(place),
            uuidOf(place),
            uuidOf(place),
          ]),
        )
      })
    })

    it('runs work after a state that meets a condition, or not at all', async () => {
      const other = await opened.again()
      const check = {
        query: statement('select count(*) from "t" where "brand" = ?1', 'awaited'),
        owner: 1,
        isMet: (row: readonly unknown[] | undefined) => Number(row?.[0]) > 0,
      }
      const work = () => rows('awaited')
      assert.equal(await database.readAfter(check, work), null)
      const insert = statement('insert into "t" values (?1, ?2, ?3, ?4)', 'awaited', 'a', 1, 'x')
      await other.write((session) => session.run(insert))
      assert.deepEqual(await database.readAfter(check, work), { result: [['a', 1, 'x']] })
      const failing = () => Promise.reject(new RangeError('of the work'))
      await assert.rejects(database.readAfter(check, failing), RangeError)
      await other.close()
    })

    it('returns a text as its bytes where a query says so', async () => {
      const texts = ['plain', 'é', '’', '中', '🧵', '', '\\x00 "{"', null]
      const queries = texts.map((text) => ({
        text: `select ${database.dialect.bytes('cast(?1 as text)')}`,
        values: [text],
      }))
      for (const results of [
        await database.read(queries),
        await database.readInSteps(1, undefined, (steps) =>
          Promise.all(queries.map((query) => steps.all(query))),
        ),
        await database.snapshot((all) => Promise.all(queries.map((query) => all(query)))),
      ]) {
        for (const [index, text] of texts.entries()) {
          const cell = results[index]?.[0]?.[0]
          if (text === null) assert.equal(cell, null)
          else {
            assert.ok(cell instanceof Uint8Array, `${typeof cell}`)
            assert.deepEqual([...cell], [...Buffer.from(text)])
          }
        }
      }
    })

    it('sorts and compares texts by their bytes', async () => {
      const ids = ['a', 'B', 'ä', 'A', 'b', 'Z', '_', 'é', 'e\u0301', '\u{1F9F5}', '\uFFFD', 'a ']
      await database.write((session) =>
        session.bulkInsert(
          't',
          ['brand', 'id'],
          ids.map((id) => ['bytes', id]),
        ),
      )
      const result = (await rows('bytes'))?.map(([id]) => id)
      const wanted = [...ids].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      assert.deepEqual(result, wanted)
      const [same] = await database.read([
        statement('select count(*) from "t" where "brand" = ?1 and "id" = ?2', 'bytes', 'A'),
      ])
      assert.equal(Number(same?.[0]?.[0]), 1)
    })

    it('notifies a listener of every commit, of its own and of other processes', async () => {
      const other = await opened.again()
      let notifications = 0
      let seen = 0
      const watch = await database.listen(async () => {
        const [result] = await database.read([
          statement('select count(*) from "t" where "brand" = ?1', 'watched'),
        ])
        seen = Number(result?.[0]?.[0])
        notifications += 1
      })
      const settle = async () => {
        const until = performance.now() + 60_000
        while (!watch.isCurrent()) {
          assert.ok(performance.now() < until, 'the listener never became current again')
          await new Promise((resolve) => setTimeout(resolve, 2))
        }
      }
      await settle()
      assert.equal(seen, 0)
      for (const [index, each] of [database, other, other, database].entries()) {
        await each.write((session) =>
          session.bulkInsert('t', ['brand', 'id'], [['watched', String(index)]]),
        )
        const until = performance.now() + 60_000
        while (seen <= index) {
          watch.isCurrent()
          assert.ok(performance.now() < until, 'the listener was not notified')
          await new Promise((resolve) => setTimeout(resolve, 2))
        }
        await settle()
        assert.equal(seen, index + 1)
      }
      const before = notifications
      for (let n = 0; n < 20; n += 1) assert.equal(watch.isCurrent(), true)
      assert.ok(
        notifications - before <= 1,
        'nothing was committed, and it was notified again and again',
      )
      await watch.close()
      await other.close()
    })

    it('returns how many rows a statement changed', async () => {
      const changed = await database.write(async (session) => {
        await session.run(statement('insert into "t" ("brand", "id") values (?1, ?2)', 'run', 'a'))
        await session.run(statement('insert into "t" ("brand", "id") values (?1, ?2)', 'run', 'b'))
        return session.run(statement('update "t" set "n" = ?2 where "brand" = ?1', 'run', 1))
      })
      assert.equal(changed, 2)
    })

    it('runs statements that are called together in the order of the calls', async () => {
      const add = (text: string) =>
        statement(`insert into "joined" values ((select count(*) from "joined"), '${text}')`)
      const [, , changed, stored] = await database.write(async (session) => {
        const first = await Promise.all([
          session.runAll([
            'create temp table "joined" ("place" int, "id" text)',
            'delete from "joined"',
          ]),
          session.run(add('a')),
          session.run(statement(`update "joined" set "id" = 'b'`)),
          session.all(statement('select * from "joined"')),
        ])
        await session.bulkInsert('joined', ['place', 'id'], [[7, 'c']])
        await Promise.all([
          session.run(add('d')),
          session.runAll([`delete from "joined" where "place" = 7`]),
        ])
        assert.equal((await session.all(statement('select * from "joined"'))).length, 2)
        return first
      })
      assert.equal(changed, 1)
      assert.deepEqual(
        stored.map(([place, id]) => [Number(place), id]),
        [[0, 'b']],
      )
    })

    it('undoes statements that are called together where one of them is refused', async () => {
      const insert = (id: string) =>
        statement(`insert into "t" ("brand", "id") values ('together', '${id}')`)
      await assert.rejects(
        database.write((session) =>
          Promise.all([
            session.run(insert('a')),
            session.run(insert('a')),
            session.run(insert('b')),
          ]),
        ),
        (error: Error) => /unique/i.test(String(error.cause ?? error)),
      )
      assert.deepEqual(await rows('together'), [])
      await database.write((session) =>
        Promise.all([session.run(insert('a')), session.run(insert('b'))]),
      )
      assert.equal((await rows('together'))?.length, 2)
    })

    it('says why statements failed that were called together, whichever is waited for first', async () => {
      const insert = (id: string) =>
        statement(`insert into "t" ("brand", "id") values ('failed', '${id}')`)
      const ran: string[] = []
      await assert.rejects(
        database.write(async (session) => {
          const later = async () => {
            await session.all(statement('select 1'))
            await session.run(insert('c'))
            ran.push('c')
          }
          await session.run(insert('a'))
          await together([later(), session.run(insert('a')), session.run(insert('b'))])
        }),
        (error: Error) => /unique/i.test(String(error.cause ?? error)),
      )
      const before = [...ran]
      await database.write((session) => session.run(insert('d')))
      assert.deepEqual(ran, before, 'nothing runs after the end of its transaction')
      assert.deepEqual(
        (await rows('failed'))?.map(([id]) => id),
        ['d'],
      )
    })

    it('shows nothing of a write before it is committed, and all of it after', async () => {
      const other = await opened.again()
      const count = async (from: Database) => {
        const [result] = await from.read([
          statement('select count(*) from "t" where "brand" = ?1', 'seen'),
        ])
        return Number(result?.[0]?.[0])
      }
      await database.write(async (session) => {
        await session.bulkInsert('t', ['brand', 'id'], [['seen', 'a']])
        assert.deepEqual([await count(database), await count(other)], [0, 0])
        await session.bulkInsert('t', ['brand', 'id'], [['seen', 'b']])
      })
      assert.deepEqual([await count(database), await count(other)], [2, 2])
      await other.close()
    })

    it('rolls back a write that fails, and continues', async () => {
      const failing = database.write(async (session) => {
        await session.bulkInsert('t', ['brand', 'id'], [['undone', 'a']])
        throw new RangeError('on purpose')
      })
      await assert.rejects(failing, /on purpose/)
      assert.deepEqual(await rows('undone'), [])
      await database.write((session) => session.bulkInsert('t', ['brand', 'id'], [['undone', 'b']]))
      assert.equal((await rows('undone'))?.length, 1)
    })

    it('undoes a write whose statement is refused', async () => {
      const failing = database.write(async (session) => {
        await session.bulkInsert('t', ['brand', 'id'], [['twice', 'a']])
        await session.bulkInsert('t', ['brand', 'id'], [['twice', 'a']])
      })
      await assert.rejects(failing, {
        constructor: DatabaseRefusedError,
        failure: 'refused',
        reason: /^another record has the same value, which must be unique \(.+\)$/,
      })
      assert.deepEqual(await rows('twice'), [])
    })

    it('runs the queries of one read against one state', async () => {
      const other = await opened.again()
      let writing = true
      const writer = (async () => {
        for (let n = 0; writing; n += 1) {
          await other.write(async (session) => {
            await session.run(statement('delete from "t" where "brand" = ?1', 'state'))
            await session.bulkInsert(
              't',
              ['brand', 'id', 'n'],
              [
                ['state', 'a', n],
                ['state', 'b', n],
              ],
            )
          })
          await new Promise(setImmediate)
        }
      })()
      const query = (id: string) =>
        statement('select "n" from "t" where "brand" = ?1 and "id" = ?2', 'state', id)
      let different = 0
      for (let round = 0; round < 200; round += 1) {
        const [a, b] = await database.read([query('a'), query('b')])
        if (a?.[0]?.[0] !== b?.[0]?.[0]) different += 1
        await new Promise(setImmediate)
      }
      writing = false
      await writer
      await other.close()
      assert.equal(different, 0)
    })

    it('lets a long piece of work read one state while others write', async () => {
      const count = statement('select count(*) from "t" where "brand" = ?1', 'long')
      const add = (id: string) =>
        database.write((session) => session.bulkInsert('t', ['brand', 'id'], [['long', id]]))
      await add('a')
      const seen = await database.snapshot(async (all) => {
        const before = await all(count)
        await add('b')
        const [now] = await database.read([count])
        return [before, await all(count), now].map((result) => Number(result?.[0]?.[0]))
      })
      assert.deepEqual(seen, [1, 1, 2])
    })

    it('reads one state in steps while others write, and lets others read between two steps', async () => {
      const count = statement('select count(*) from "t" where "brand" = ?1', 'steps')
      const add = (id: string) =>
        database.write((session) => session.bulkInsert('t', ['brand', 'id'], [['steps', id]]))
      await add('a')
      const seen = await database.readInSteps(1, undefined, async ({ all, stepMs }) => {
        assert.ok(stepMs > 0)
        const before = await all(count)
        await add('b')
        const [now] = await database.read([count], 1)
        return [before, await all(count), now].map((result) => Number(result?.[0]?.[0]))
      })
      assert.deepEqual(seen, [1, 1, 2])
    })

    it('gives a read in steps a time limit, and each owner its turn', async () => {
      const query = statement('select count(*) from "t" where "brand" = ?1', 'steps')
      const endless = () =>
        database.readInSteps(1, undefined, async ({ all }) => {
          for (;;) await all(query)
        })
      let ended = 0
      const others = Array.from({ length: 8 }, () =>
        assert.rejects(endless(), DatabaseError).finally(() => {
          ended += 1
        }),
      )
      await database.readInSteps(2, undefined, ({ all }) => all(query))
      // Those of one owner wait for each other; a fast one of another owner waits for none of them.
      assert.ok(ended < others.length / 2, `${ended} of ${others.length} had ended`)
      await Promise.all(others)
      await database.readInSteps(1, undefined, ({ all }) => all(query))
    })

    it('lets a read in steps take a time of its own, beside those that wait for their turn', async () => {
      const query = statement('select count(*) from "t" where "brand" = ?1', 'steps')
      const everyone = Promise.withResolvers<void>()
      let begun = 0
      const reads = Array.from({ length: 8 }, () =>
        database.readInSteps(
          1,
          undefined,
          async ({ all }) => {
            await all(query)
            begun += 1
            if (begun === 8) everyone.resolve()
            // Not one of them has to wait for another one's end.
            await everyone.promise
            await database.readInSteps(1, undefined, (steps) => steps.all(query))
            return all(query)
          },
          { timeMs: 60_000, hasRoom: true },
        ),
      )
      await Promise.all(reads)
      const endless = database.readInSteps(
        1,
        undefined,
        async ({ all }) => {
          for (;;) await all(query)
        },
        { timeMs: 50, hasRoom: true },
      )
      await assert.rejects(endless, QueryTimeoutError)
    })

    it('ends a statement that never ends when its time is over, and serves others meanwhile', async () => {
      const endless = {
        text: [
          'with recursive n(i) as (',
          'select 1',
          'union all',
          `select 1 from n where ${['i = 1', ...database.dialect.inTime].join(' and ')})`,
          'select count(*) from n',
        ].join('\n'),
        values: [],
      }
      const query = statement('select count(*) from "t" where "brand" = ?1', 'steps')
      let hasEnded = false
      const long = database
        .readInSteps(1, undefined, ({ all }) => all(endless))
        .finally(() => {
          hasEnded = true
        })
      const failed = assert.rejects(long, QueryTimeoutError)
      // Of another brand: the key of this one has read much in the tests before.
      await database.read([query], 2)
      await database.readInSteps(2, undefined, ({ all }) => all(query))
      assert.equal(hasEnded, false)
      await failed
      await database.readInSteps(1, undefined, ({ all }) => all(query))
    })

    it('ends a read in steps that is cancelled, and gives its place to the next', async () => {
      const query = statement('select count(*) from "t" where "brand" = ?1', 'steps')
      let isCancelled = false
      const begun = Promise.withResolvers<void>()
      const endless = () =>
        database.readInSteps(
          1,
          () => isCancelled,
          async ({ all }) => {
            for (;;) {
              await all(query)
              begun.resolve()
            }
          },
        )
      const cancelled = Array.from({ length: 8 }, () =>
        assert.rejects(endless(), ReadCancelledError),
      )
      await begun.promise
      const next = database.readInSteps(1, undefined, ({ all }) => all(query))
      isCancelled = true
      // Those that have begun and those that wait: none has reached its time limit.
      await Promise.all([...cancelled, next])
    })

    it('ends a long read once too much was written during it, at once if it asks for nothing', async () => {
      // Pages of SQLite, and rows of PostgreSQL.
      const holdLimits = { heldMax: 20, ageMs: 100, everyMs: 20 }
      const limited = await opened.again({ holdLimits })
      const count = statement('select count(*) from "t" where "brand" = ?1', 'held')
      const add = (index: number) =>
        database.write((session) =>
          session.bulkInsert('t', ['brand', 'id'], [['held', `${index}`]]),
        )
      const replaceAll = (body: string) =>
        database.write((session) =>
          session.run(statement('update "t" set "body" = ?1 where "brand" = \'held\'', body)),
        )
      for (let index = 0; index < 5; index += 1) await add(index)
      let isEnded = false
      const read = limited.readInSteps(
        1,
        undefined,
        async ({ all }) => {
          assert.equal(Number((await all(count))[0]?.[0]), 5)
          for (let n = 0; !isEnded; n += 1) {
            await replaceAll(`${n}`.padEnd(20_000, 'x'))
            // The writer of SQLite leaves timers no turn.
            await wait(1)
          }
          await assert.rejects(all(count), SnapshotLimitError)
          return 'ended'
        },
        {
          ...{ timeMs: 60_000, hasRoom: true },
          onEnded: () => {
            isEnded = true
          },
        },
      )
      assert.equal(await read, 'ended')
      // The next one begins with a new state, as soon as the log is copied.
      const options = { timeMs: 60_000, hasRoom: true }
      let total = 0
      await until(async () => {
        try {
          const [row] = await limited.readInSteps(1, undefined, ({ all }) => all(count), options)
          total = Number(row?.[0])
          return true
        } catch (error) {
          if (error instanceof SnapshotLimitError) return false
          throw error
        }
      })
      assert.equal(total, 5)
      await limited.close()
    })

    it('lets one writer in at a time', async () => {
      const other = await opened.again()
      await database.write((session) =>
        session.bulkInsert('t', ['brand', 'id', 'n'], [['turns', 'a', 0]]),
      )
      const add = (to: Database) =>
        to.write(async (session) => {
          const read = statement('select "n" from "t" where "brand" = ?1', 'turns')
          const [row] = await session.all(read)
          await new Promise((done) => setTimeout(done, 2))
          await session.run(
            statement('update "t" set "n" = ?2 where "brand" = ?1', 'turns', Number(row?.[0]) + 1),
          )
        })
      await Promise.all(Array.from({ length: 20 }, (_, n) => add(n % 2 ? database : other)))
      assert.equal(Number((await rows('turns'))?.[0]?.[1]), 20)
      await other.close()
    })

    it('lists its tables, columns and indexes', async () => {
      assert.deepEqual((await database.tables()).get('t'), ['brand', 'id', 'n', 'body'])
      assert.ok((await database.indexes()).has('t__n'))
    })

    it('reads a value out of JSON text', async () => {
      const body = JSON.stringify({ a: { b: 'deep ✓' }, c: null })
      await database.write((session) =>
        session.bulkInsert('t', ['brand', 'id', 'body'], [['json', 'a', body]]),
      )
      const expressions = [['a', 'b'], ['c'], ['missing']]
        .map((path) => database.dialect.jsonText('"body"', path))
        .join(', ')
      const [result] = await database.read([
        statement(`select ${expressions} from "t" where "brand" = ?1`, 'json'),
      ])
      assert.deepEqual([...(result?.[0] ?? [])], ['deep ✓', null, null])
    })

    it('fails as unavailable once it is closed, and can be closed twice', async () => {
      const other = await opened.again()
      await other.close()
      await assert.rejects(other.read([statement('select 1')]), DatabaseError)
      await other.close()
    })

    it('reports a broken statement as a failure of its own', async () => {
      await assert.rejects(database.read([statement('select nonsense from "t"')]), {
        constructor: DatabaseError,
        failure: 'unavailable',
      })
    })
  })
}
