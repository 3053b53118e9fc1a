import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Catalog, id, integer, nullable, type Resource, text } from '#contract'
import type { Session } from '#database'
import { ownerNumber } from '#store'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { resource } from '../../../src/contract/resource.ts'
import { type Body, decodeBody } from '../../../src/store/read/body.ts'
import { countedMax } from '../../../src/store/schema/collection-stats.ts'
import { MigrationError } from '../../../src/store/schema/migration-error.ts'
import { NewerDatabaseError } from '../../../src/store/schema/schema-version.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import {
  brand,
  colours,
  crate,
  crates,
  described,
  type OpenedForStore,
  places,
  small,
  uuid,
} from './samples.ts'

/** What a store does with the database of another version. */
export const migrationConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`a migration on ${name}`, () => {
    const reopened = async (
      grown: Catalog,
      work: (store: Store, logged: string[]) => Promise<void>,
    ) => {
      const { database, close } = await open()
      const store = await createStore(small, database)
      await store.write('m', async (writer) => {
        await writer.stage(crates, [crate(1), crate(2)] as never)
        await writer.merge(crates)
      })
      const logged: string[] = []
      try {
        await work(
          await createStore(grown, database, { log: (sentence) => logged.push(sentence) }),
          logged,
        )
      } finally {
        await close()
      }
    }
    const replacing = (changed: Resource): Catalog =>
      joinCatalog([
        brand,
        colours,
        places,
        ...(changed.path === 'crates' ? [changed] : [crates, changed]),
      ])

    it('does nothing when the catalog is the same', async () => {
      await reopened(small, async (_store, logged) => assert.deepEqual(logged, []))
    })

    it('adds a collection', async () => {
      const shelves = resource({
        ...described,
        group: 'Shelves',
        path: 'shelves',
        name: 'Shelf',
        scope: 'brand',
        fields: { id: id(), code: text() },
        filters: ['code'],
      })
      await reopened(replacing(shelves), async (store, logged) => {
        assert.equal(logged[0], 'Migration: create shelves.')
        assert.ok(
          logged.slice(1).every((each) => /^Row-level security was set up on 1 table/.test(each)),
        )
        const page = { filters: new Map(), limit: 1, after: null, include: [] }
        assert.equal((await store.list({ resource: shelves, brand: 'm', ...page })).total, 0)
      })
    })

    it('adds a filter with its index, filled from the records that are there', async () => {
      const grown = resource({
        ...described,
        group: 'Crates',
        path: 'crates',
        name: 'Crate',
        scope: 'brand',
        fields: { ...crates.fields, tone: nullable(text()), grade: nullable(integer()) },
        filters: ['colourId', 'code', 'size', ['labelState', 'label.state'], 'tone', 'grade'],
      })
      await reopened(replacing(grown), async (store, logged) => {
        assert.deepEqual(logged, [
          'Migration: add tone to crates.',
          'Migration: add grade to crates.',
          'Migration: create crates__tone.',
          'Migration: create crates__grade.',
          'Migration: add fields to the records of crates.',
        ])
        const record = await store.get({ resource: grown, brand: 'm', key: [uuid(1)], include: [] })
        assert.equal(
          decodeBody(record?.body as Body),
          JSON.stringify({ ...crate(1), tone: null, grade: null }),
        )
      })
    })

    it('adds a filter with the totals of its large values, so that wide filters are recognised', async () => {
      const { database, close } = await open()
      try {
        const store = await createStore(small, database)
        const numbers = Array.from({ length: countedMax + 1 }, (_, n) => n)
        for (const brand of ['m', 'n']) {
          await store.write(brand, async (writer) => {
            const put = numbers.map((n) => crate(n, { weight: brand === 'm' || n ? 'w' : null }))
            await writer.stage(crates, put as never)
            await writer.merge(crates)
          })
        }
        const weight = { name: 'weight', kind: 'string', field: 'weight' } as const
        await createStore(replacing({ ...crates, filters: [...crates.filters, weight] }), database)
        const text =
          'select "collection", "value", "total" from "selvedge_totals" where "owner" = ?1 and "filter" = ?2'
        const storedTotals = async (brand: string) =>
          (
            await database.read(
              [{ text, values: [ownerNumber(brand), 'weight'] }],
              ownerNumber(brand),
            )
          )[0]?.map((row) => row.join(' '))
        assert.deepEqual(await storedTotals('m'), [`crates w ${countedMax + 1}`])
        assert.deepEqual(await storedTotals('n'), [])
      } finally {
        await close()
      }
    })

    it('continues where another one was interrupted', async () => {
      const { database, close } = await open()
      const store = await createStore(small, database)
      await store.write('m', async (writer) => {
        await writer.stage(crates, [crate(1), crate(2)] as never)
        await writer.merge(crates)
      })
      const filters = [
        ...crates.filters,
        { name: 'weight', kind: 'string', field: 'weight' } as const,
      ]
      const grown = { ...crates, filters }
      let writes = 0
      const breakingOff = {
        ...database,
        write: <T>(work: (session: Session) => Promise<T>) => {
          writes += 1
          return writes === 1 ? database.write(work) : Promise.reject(new Error('broken off'))
        },
      }
      try {
        await assert.rejects(createStore(replacing(grown), breakingOff), /broken off/)
        // What served before serves on, and writes.
        await store.write('m', async (writer) => {
          await writer.stage(crates, [crate(3)] as never)
          await writer.merge(crates)
        })
        const newer = await createStore(replacing(grown), database)
        const page = await newer.list({
          resource: grown,
          brand: 'm',
          filters: new Map([['weight', crate(1).weight]]),
          limit: 10,
          after: null,
          include: [],
        })
        assert.equal(page.total, 3)
        const logged: string[] = []
        await createStore(replacing(grown), database, { log: (sentence) => logged.push(sentence) })
        assert.deepEqual(logged, [])
      } finally {
        await close()
      }
    })

    it('refuses to guess a field or to change an identity', async () => {
      const shape = { ...described, group: 'Crates', path: 'crates', name: 'Crate' } as const
      const refused: [Resource, RegExp][] = [
        [
          resource({ ...shape, scope: 'brand', fields: { ...crates.fields, must: text() } }),
          /lack must, which may not be null/,
        ],
        [
          resource({ ...shape, scope: 'brand', key: ['code'], fields: crates.fields }),
          /is identified by id there and by code here/,
        ],
      ]
      for (const [changed, reason] of refused) {
        await assert.rejects(
          reopened(replacing(changed), async () => undefined),
          (error) =>
            error instanceof MigrationError &&
            reason.test(error.message) &&
            /Nothing was changed\. Export/.test(error.message),
        )
      }
    })

    it('refuses the storage layout of a later version, with what to do about it', async () => {
      const { database, close } = await open()
      try {
        await createStore(small, database)
        const run = (text: string) => database.write((session) => session.run({ text, values: [] }))
        await run(`update "selvedge_settings" set "value" = '3' where "name" = 'layout'`)
        await assert.rejects(createStore(small, database), {
          constructor: MigrationError,
          message: /^The database has storage layout 3, .* Upgrade this program, then try again\.$/,
        })
      } finally {
        await close()
      }
    })

    describe('to a newer version, of which an older one knows nothing', () => {
      const { weight: _, ...without } = crates.fields
      const shape = { ...described, group: 'Crates', path: 'crates', name: 'Crate' } as const
      const filters = crates.filters.filter(({ name }) => name !== 'code')
      const older = {
        'a filter': [replacing({ ...crates, filters }), 'the filter code of crates'],
        'a field': [
          replacing(
            resource({ ...shape, scope: 'brand', fields: without, filters: ['code', 'size'] }),
          ),
          'the field weight of crates',
        ],
        'a group': [joinCatalog([brand, colours, crates]), 'the group places'],
      } as const

      for (const [what, [catalog, addition]] of Object.entries(older)) {
        it(`${what}: the older one reads on, and refuses to write`, async () => {
          await reopened(catalog, async (store, logged) => {
            assert.match(
              logged.join(),
              new RegExp(`newer version.*, which has added .*${addition}`),
            )
            const [its] = [catalog.byPath.get('crates') as Resource]
            const record = await store.get({
              resource: its,
              brand: 'm',
              key: [uuid(1)],
              include: [],
            })
            assert.equal(decodeBody(record?.body as Body), JSON.stringify(crate(1)))
            await assert.rejects(
              store.write('m', async () => assert.fail('It was let in.')),
              (error) =>
                error instanceof NewerDatabaseError &&
                error.message.startsWith('Nothing was written: ') &&
                error.message.includes(addition) &&
                error.message.endsWith('Upgrade this program, then try again.'),
            )
          })
        })
      }

      it('refuses the writes of one that was opened before, and lets it continue to read', async () => {
        const { database, close } = await open()
        try {
          const before = await createStore(replacing({ ...crates, filters }), database)
          const write = (store: Store, number: number) =>
            store.write('m', async (writer) => {
              await writer.stage(crates, [{ ...crate(number), code: 'Same' }] as never)
              await writer.merge(crates)
            })
          await write(before, 1)
          const newer = await createStore(small, database)
          await assert.rejects(write(before, 2), NewerDatabaseError)
          const page = { brand: 'm', limit: 10, after: null, include: [] }
          const every = await before.list({ ...page, resource: crates, filters: new Map() })
          assert.equal(every.total, 1)
          const same = new Map([['code', 'Same']])
          const list = await newer.list({ ...page, resource: crates, filters: same })
          assert.equal(list.total, 1)
        } finally {
          await close()
        }
      })

      it('is closed to programs that compare shapes alone', async () => {
        const { database, close } = await open()
        const shapes = async () => {
          const text = 'select "collection" from "selvedge_shapes"'
          const [rows = []] = await database.read([{ text, values: [] }])
          return rows.map(([name]) => name)
        }
        try {
          await createStore(replacing({ ...crates, filters }), database)
          await database.write((session) =>
            session.run({
              text: 'delete from "selvedge_shapes" where "collection" = ?1',
              values: ['a newer version'],
            }),
          )
          await createStore(replacing({ ...crates, filters }), database)
          assert.ok(!(await shapes()).includes('a newer version'), 'nothing was added')
          await createStore(small, database)
          assert.ok((await shapes()).includes('a newer version'))
        } finally {
          await close()
        }
      })

      it('refuses a version that has additions of its own, and changes nothing', async () => {
        const grown = { ...crates, fields: { ...crates.fields, tone: nullable(text()) }, filters }
        await assert.rejects(
          reopened(replacing(grown), async () => undefined),
          /another version has added the filter code of crates, and this one would add fields to the records of crates\. Nothing was changed/,
        )
      })
    })

    it('deletes the stored totals of a filter that is no longer in the contract', async () => {
      const { database, close } = await open()
      try {
        const store = await createStore(small, database)
        const write = (first: number, count: number) =>
          store.write('m', async (writer) => {
            const records = Array.from({ length: count }, (_, at) => crate(first + at))
            await writer.stage(crates, records as never)
            await writer.merge(crates)
          })
        await write(1, 1)
        await database.write((session) =>
          session.run({
            text: 'insert into "selvedge_totals" ("owner", "collection", "filter", "value", "total") values (?1, ?2, ?3, ?4, 2000)',
            values: [ownerNumber('m'), 'crates', 'gone', 'x'],
          }),
        )
        await write(2, 1)
        const text = 'select count(*) from "selvedge_totals" where "filter" = ?1'
        const [rows] = await database.read([{ text, values: ['gone'] }])
        assert.equal(Number(rows?.[0]?.[0]), 0)
      } finally {
        await close()
      }
    })
  })
}
