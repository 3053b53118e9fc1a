import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Database, quote, type Session } from '#database'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { countedMax } from '../../../src/store/schema/collection-stats.ts'
import { MigrationError } from '../../../src/store/schema/migration-error.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import { type Layout1Options, rewriteAsLayout1 } from '../../support/layout-1.ts'
import {
  brand,
  colours,
  crate,
  crates,
  type OpenedForStore,
  places,
  small,
  uuid,
} from './samples.ts'

/** What a store does with a database in storage layout 1. */
export const conversionConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`the conversion of a database on ${name}`, () => {
    /** A database in layout 1, and what it held before it was rewritten so. */
    const inLayout1 = async (
      work: (parts: {
        readonly database: Database
        readonly before: Contents
        readonly convert: () => Promise<readonly string[]>
      }) => Promise<void>,
      options: Layout1Options = {},
    ) => {
      const { database, close } = await open()
      try {
        await fill(await createStore(small, database, { recordsChanges: true }))
        const before = await contentsOf(database)
        await rewriteAsLayout1(database, { catalog: small, ...options })
        const convert = async () => {
          const logged: string[] = []
          await createStore(small, database, { log: (sentence) => logged.push(sentence) })
          return logged
        }
        await work({ database, before, convert })
      } finally {
        await close()
      }
    }

    it('keeps records, versions, totals, changes and settings, in tables as new ones are', async () => {
      await inLayout1(async ({ database, before, convert }) => {
        assert.deepEqual((await database.tables()).get('crates')?.slice(0, 2), ['brand', 'id'])
        const logged = await convert()
        assert.deepEqual(await contentsOf(database), before)
        assert.match(logged[0] ?? '', /^The database is being converted to storage layout 2\./)
        assert.ok(
          logged.includes(`Conversion: crates, ${(countedMax + 3).toLocaleString('en')} rows.`),
        )
        assert.ok(
          logged.some((each) => /^Conversion: 1,010 records converted in [\d.]+ s\.$/.test(each)),
          logged.join('\n'),
        )
        assert.deepEqual(await convert(), [], 'nothing is left to do')
      })
    })

    it('fills columns that an earlier version did not have, or had not filled, with their totals', async () => {
      const options = { without: ['crates.size'], unfilled: ['crates.labelState'] }
      await inLayout1(async ({ database, before, convert }) => {
        await convert()
        assert.deepEqual(await contentsOf(database), before)
      }, options)
    })

    it('changes nothing if it is interrupted, whenever that is', async () => {
      await inLayout1(async ({ database, before, convert }) => {
        const layout1 = await contentsOf(database)
        let interrupted = 0
        for (let statement = 1; ; statement += 7) {
          const broken = brokenAfter(database, statement)
          const failure = await createStore(small, broken).then(
            () => null,
            (error: unknown) => error as Error,
          )
          if (failure === null) break
          assert.equal(failure.message, 'interrupted')
          assert.deepEqual(await contentsOf(database), layout1)
          interrupted += 1
        }
        assert.ok(interrupted > 5, `${interrupted}`)
        await convert()
        assert.deepEqual(await contentsOf(database), before)
      })
    })

    it('is done by one of several programs that start at once', async () => {
      await inLayout1(async ({ database, before, convert }) => {
        const logs = await Promise.all([convert(), convert(), convert()])
        const converting = logs.filter((log) => log.some((each) => /is being converted/.test(each)))
        assert.equal(converting.length, 1)
        assert.deepEqual(await contentsOf(database), before)
      })
    })

    it('is refused where the migration after it would be, and changes nothing', async () => {
      await inLayout1(async ({ database }) => {
        const layout1 = await contentsOf(database)
        const { weight: _, ...fields } = crates.fields
        for (const [catalog, reason] of [
          [joinCatalog([brand, colours, crates]), /another version has added the group places/],
          [
            joinCatalog([brand, colours, places, { ...crates, fields } as typeof crates]),
            /another version has added the field weight of crates/,
          ],
          [
            joinCatalog([brand, colours, places, { ...crates, key: ['code'] } as never]),
            /crates is identified by id there and by code here/,
          ],
        ] as const) {
          await assert.rejects(
            createStore(catalog, database),
            (error) =>
              error instanceof MigrationError &&
              reason.test(error.message) &&
              /Nothing was changed/.test(error.message),
          )
          assert.deepEqual(await contentsOf(database), layout1)
        }
      })
    })
  })
}

/** Three owners, one with a value that many records share; a removed record; texts in identities. */
const fill = async (store: Store): Promise<void> => {
  const many = Array.from({ length: countedMax + 1 }, (_, n) => crate(n))
  await store.write('*', async (writer) => {
    await writer.stage(colours, [{ id: uuid(1), name: 'Ecru' }] as never)
    await writer.merge(colours)
  })
  for (const [owner, records] of [
    ['m', many],
    ['n', [crate(1, { code: 'Zoë ’ 中', colourId: uuid(1) }), crate(2), crate(3)]],
  ] as const) {
    await store.write(owner, async (writer) => {
      await writer.stage(brand, [{ id: uuid(9), name: owner }] as never)
      await writer.merge(brand)
      await writer.stage(crates, records as never)
      await writer.merge(crates)
      await writer.stage(places, [
        { crateId: uuid(1), rackId: uuid(7), slot: 'exactly16 bytes!', note: null },
        { crateId: uuid(1), rackId: uuid(7), slot: 'é', note: '\u2019' },
      ] as never)
      await writer.merge(places)
    })
  }
  await store.write('n', async (writer) => {
    await writer.stageRemoval(crates, [[uuid(3)]])
    await writer.merge(crates)
  })
}

type Contents = Readonly<Record<string, readonly string[]>>

/** Every row of every table, and the tables themselves. */
const contentsOf = async (database: Database): Promise<Contents> => {
  const contents: Record<string, readonly string[]> = {}
  const tables = await database.tables()
  for (const [table, columns] of tables) {
    if (table.startsWith('sqlite_')) continue
    const names = columns.map(quote).join(', ')
    const [rows = []] = await database.read([
      { text: `select ${names} from ${quote(table)} order by ${names}`, values: [] },
    ])
    contents[table] = rows
      .filter(([first]) => first !== 'schema generation')
      .map((row) => JSON.stringify(row))
  }
  const schema =
    database.dialect.name === 'sqlite'
      ? 'select "type", "name", "sql" from sqlite_schema order by 1, 2'
      : "select indexname, indexdef, '' from pg_indexes where schemaname = 'public' order by 1"
  const [rows = []] = await database.read([{ text: schema, values: [] }])
  return { ...contents, schema: rows.map((row) => JSON.stringify(row)) }
}

/** The same database, but a transaction fails at its so manieth statement. */
const brokenAfter = (database: Database, statements: number): Database => ({
  ...database,
  write: (work, lock) =>
    database.write((session) => {
      let left = statements
      const counted =
        <Arguments extends readonly unknown[], Result>(
          run: (...args: Arguments) => Promise<Result>,
        ) =>
        async (...args: Arguments): Promise<Result> => {
          left -= 1
          if (left < 0) throw new Error('interrupted')
          return run(...args)
        }
      const broken: Session = { ...session, all: counted(session.all), run: counted(session.run) }
      return work(broken)
    }, lock),
})
