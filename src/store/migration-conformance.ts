import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  type Catalog,
  id,
  integer,
  joinCatalog,
  nullable,
  type Resource,
  resource,
  text,
} from '#contract'
import type { Session } from '#database'
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
} from './conformance-samples.ts'
import { MigrationRefused } from './migrate.ts'
import { openStore, type Store } from './store.ts'

/** What a store does with the database of another version. */
export const migrationConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`a migration on ${name}`, () => {
    const reopened = async (
      grown: Catalog,
      work: (store: Store, said: string[]) => Promise<void>,
    ) => {
      const { database, close } = await open()
      const store = await openStore(small, database)
      await store.write('m', async (writer) => {
        await writer.stage(crates, [crate(1), crate(2)] as never)
        await writer.merge(crates)
      })
      const said: string[] = []
      try {
        await work(
          await openStore(grown, database, { say: (sentence) => said.push(sentence) }),
          said,
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
      await reopened(small, async (_store, said) => assert.deepEqual(said, []))
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
      await reopened(replacing(shelves), async (store, said) => {
        assert.deepEqual(said, ['Migration: create shelves.'])
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
      await reopened(replacing(grown), async (store, said) => {
        assert.deepEqual(said, [
          'Migration: add tone to crates.',
          'Migration: add grade to crates.',
          'Migration: create crates__tone.',
          'Migration: create crates__grade.',
          'Migration: add fields to the records of crates.',
        ])
        const found = await store.get({ resource: grown, brand: 'm', key: [uuid(1)], include: [] })
        assert.equal(found?.body, JSON.stringify({ ...crate(1), tone: null, grade: null }))
      })
    })

    it('goes on where another one was broken off', async () => {
      const { database, close } = await open()
      const store = await openStore(small, database)
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
        await assert.rejects(openStore(replacing(grown), breakingOff), /broken off/)
        // What served before serves on, and writes.
        await store.write('m', async (writer) => {
          await writer.stage(crates, [crate(3)] as never)
          await writer.merge(crates)
        })
        const newer = await openStore(replacing(grown), database)
        const page = await newer.list({
          resource: grown,
          brand: 'm',
          filters: new Map([['weight', crate(1).weight]]),
          limit: 10,
          after: null,
          include: [],
        })
        assert.equal(page.total, 3)
        const said: string[] = []
        await openStore(replacing(grown), database, { say: (sentence) => said.push(sentence) })
        assert.deepEqual(said, [])
      } finally {
        await close()
      }
    })

    it('refuses to lose a field, to guess one, or to change an identity', async () => {
      const { weight: _, ...without } = crates.fields
      const shape = { ...described, group: 'Crates', path: 'crates', name: 'Crate' } as const
      const refused: [Resource, RegExp][] = [
        [resource({ ...shape, scope: 'brand', fields: without }), /have weight, which is gone/],
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
            error instanceof MigrationRefused &&
            reason.test(error.message) &&
            /Nothing was changed\. Export/.test(error.message),
        )
      }
      await assert.rejects(
        reopened(joinCatalog([brand, colours, crates]), async () => undefined),
        /it has records of places, which this version does not know/,
      )
    })
  })
}
