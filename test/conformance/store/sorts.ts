/** What the columns promise that lists are sorted by, on every engine. */
import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { describe, it } from 'node:test'
import {
  amount,
  compareDecimals,
  compileCanonicalScanner,
  date,
  foldText,
  id,
  integer,
  nullable,
  parseDecimal,
  type Resource,
  text,
  timestamp,
} from '#contract'
import type { Database, Session, SqlValue } from '#database'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { resource } from '../../../src/contract/resource.ts'
import { MigrationError } from '../../../src/store/schema/migration-error.ts'
import { NewerDatabaseError } from '../../../src/store/schema/schema-version.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import { rowFormatOf } from '../../../src/store/write/row-format.ts'
import type { StagedRows } from '../../../src/store/write/staging.ts'
import { rewriteAsLayout1 } from '../../support/layout-1.ts'
import { seeded } from '../../support/model.ts'
import { brand, described, type OpenedForStore, uuid } from './samples.ts'

const definition = {
  ...described,
  group: 'Parcels',
  path: 'parcels',
  name: 'Parcel',
  scope: 'brand',
  fields: {
    id: id(),
    name: nullable(text()),
    count: nullable(integer()),
    price: nullable(amount('money')),
    dueDate: nullable(date()),
    seenAt: nullable(timestamp()),
    updatedAt: timestamp(),
  },
  filters: ['name', 'count'],
} as const

const parcels = resource({
  ...definition,
  sortable: ['name', 'count', 'price', 'dueDate', 'seenAt'],
})
/** The same without an index for a filter by its text. */
const onlySorted = resource({ ...definition, filters: ['count'], sortable: ['name'] })
/** The version before, which knows nothing of sorting. */
const before: Resource = { ...resource(definition), sortable: [] }
const catalogOf = (its: Resource) => joinCatalog([brand, its])

/** Letters of several scripts, with one to four bytes each in UTF-8. */
const letters =
  'abcdefghijklmnopqrstuvwxyzéüßçøñαβγδελμπσωжщыюябдф上海北京深圳面料订单한국어あいうえお😀👕🧵'

/** A text that a database cannot compress to a size that fits into an index. */
const incompressible = (alphabet: string, length: number, seed: number): string => {
  const characters = [...alphabet]
  const draw = seeded(seed)
  return Array.from({ length }, () => characters[draw(characters.length)]).join('')
}

type Value = string | number | null
type Compare = (one: never, other: never) => number

const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** The order of each field's values, in plain JavaScript. */
const orders: { readonly [field: string]: Compare } = {
  name: (one: string, other: string) => byBytes(foldText(one), foldText(other)),
  count: (one: number, other: number) => one - other,
  price: (one: string, other: string) => compareDecimals(parseDecimal(one), parseDecimal(other)),
  dueDate: byBytes,
  seenAt: byBytes,
  updatedAt: byBytes,
}

const values: { readonly [field: string]: readonly Value[] } = {
  name: [
    'PO-5512',
    'po-0099',
    'Éclair',
    'eclair b',
    'Zürich',
    'zurich a',
    '上海',
    '',
    null,
    'x'.repeat(99),
  ],
  count: [0, 1, 5, 10, 100, null, 999_999_999],
  price: [
    '0',
    '-0.00',
    '1.5',
    '1.50',
    '-1.55',
    '-1.5',
    '10',
    '9.99',
    '0.000001',
    null,
    `${'9'.repeat(38)}.1`,
    `-${'9'.repeat(38)}`,
  ],
  dueDate: ['2026-03-01', '2025-12-31', '0001-01-01', '9999-12-31', null],
  seenAt: [
    '2026-03-01T09:30:00.000Z',
    '2026-03-01T09:30:00.001Z',
    '1969-12-31T23:59:59.999Z',
    '0004-02-29T00:00:00.000Z',
    '9999-12-31T23:59:59.999Z',
    null,
  ],
}

const parcel = (n: number, changed: object = {}) => ({
  id: uuid(n),
  ...Object.fromEntries(
    Object.entries(values).map(([field, all], index) => [
      field,
      all[(n * (index + 1)) % all.length],
    ]),
  ),
  updatedAt: `2026-01-${String(1 + (n % 28)).padStart(2, '0')}T00:00:00.000Z`,
  ...changed,
})

type Parcel = ReturnType<typeof parcel> & { readonly [field: string]: unknown }

const some: readonly Parcel[] = Array.from({ length: 150 }, (_, n) => parcel(n))

/** Records as an import brings them: validated byte by byte, with the offsets of their columns. */
const canonical = (its: Resource, records: readonly object[]): StagedRows => {
  const { fields, textBytes, createDigester } = rowFormatOf(catalogOf(its), its)
  const scanner = compileCanonicalScanner(its, { wanted: fields, wantedBytes: textBytes, isUtf8 })
  assert.ok(scanner)
  const bytes = Buffer.from(records.map((record) => JSON.stringify(record)).join('\n'))
  const offsets: number[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = scanner.endOf(bytes, at)
    assert.ok(end > at, bytes.toString('utf8', at, at + 100))
    offsets.push(at, end, ...scanner.offsets)
    at = end + 1
  }
  const rows = { bytes, offsets: new Int32Array(offsets) }
  const digester = createDigester()
  digester.addCanonical(rows)
  const lines = records.map((_, index) => index + 1)
  return { source: 0, lines, canonical: rows, others: [], cells: [], digest: digester.take() }
}

const importAll = (store: Store, its: Resource, records: readonly object[], options = {}) =>
  store.write('m', async (writer) => {
    await writer.stageRows(its, canonical(its, records))
    return writer.merge(its, options)
  })

/** The values of the sort columns, with each identity, as texts. */
const sortValues = async (database: Database): Promise<readonly string[]> => {
  const columns = parcels.sortable.map((field) => `"${field}__sort"`)
  const [rows = []] = await database.read([
    {
      text: `select "id", ${columns.join(', ')}\nfrom "parcels"\norder by "owner", "id"`,
      values: [],
    },
  ])
  const show = (value: SqlValue) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)
  return rows.map((row) => row.map(show).join(' '))
}

export const sortConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`columns that lists are sorted by, on ${name}`, () => {
    const using = async (work: (database: Database) => Promise<void>) => {
      const { database, close } = await open()
      try {
        await work(database)
      } finally {
        await close()
      }
    }

    it('have the order of the values, whatever their kind, and equal values are equal', async () => {
      await using(async (database) => {
        await importAll(await createStore(catalogOf(parcels), database), parcels, some)
        const numbers = new Map(some.map((record) => [record.id, record]))
        for (const field of parcels.sortable) {
          const column = `"${field}__sort"`
          const [rows = []] = await database.read([
            {
              text: [
                `select ${database.dialect.uuidText('"id"')}, dense_rank() over (order by ${column})`,
                'from "parcels"',
                `where ${column} is not null`,
                `order by ${column}, "id"`,
              ].join('\n'),
              values: [],
            },
          ])
          const compare = orders[field] as (one: unknown, other: unknown) => number
          const expected = some
            .filter((record) => record[field] !== null)
            .toSorted(
              (one, other) => compare(one[field], other[field]) || byBytes(one.id, other.id),
            )
          assert.deepEqual(
            rows.map(([key]) => key),
            expected.map((record) => record.id),
            field,
          )
          for (const [index, row] of rows.entries()) {
            const [one, other] = [rows[index - 1], row].map((each) =>
              numbers.get(String(each?.[0])),
            )
            if (!one || !other) continue
            const isEqual = String(rows[index - 1]?.[1]) === String(row[1])
            assert.equal(isEqual, compare(one[field], other[field]) === 0, field)
          }
        }
      })
    })

    it('are the same for records that came as bytes, as cells, or before the column', async () => {
      const contents: (readonly string[])[] = []
      await using(async (database) => {
        await importAll(await createStore(catalogOf(parcels), database), parcels, some)
        contents.push(await sortValues(database))
      })
      await using(async (database) => {
        const store = await createStore(catalogOf(parcels), database)
        await store.write('m', async (writer) => {
          await writer.stage(parcels, some as never)
          await writer.merge(parcels)
        })
        contents.push(await sortValues(database))
      })
      await using(async (database) => {
        await importAll(await createStore(catalogOf(before), database), before, some)
        const logged: string[] = []
        await createStore(catalogOf(parcels), database, {
          log: (sentence) => logged.push(sentence),
        })
        assert.deepEqual(logged, [
          'Migration: sort parcels by name, count, price, dueDate, seenAt, updatedAt.',
        ])
        contents.push(await sortValues(database))
        const indexes = await database.indexes()
        for (const field of parcels.sortable) assert.ok(indexes.has(`parcels__${field}__sort`))
      })
      await using(async (database) => {
        await importAll(await createStore(catalogOf(before), database), before, some)
        await rewriteAsLayout1(database, { catalog: catalogOf(before) })
        await createStore(catalogOf(parcels), database)
        contents.push(await sortValues(database))
        const indexes = await database.indexes()
        for (const field of parcels.sortable) assert.ok(indexes.has(`parcels__${field}__sort`))
      })
      const [first = [], ...others] = contents
      assert.equal(first.length, some.length)
      for (const other of others) assert.deepEqual(other, first)
    })

    it('follow records that are changed, replaced and only added', async () => {
      await using(async (database) => {
        const store = await createStore(catalogOf(parcels), database)
        const counts = async () =>
          (await sortValues(database)).map((row) => row.split(' ').at(-5)).join()
        const numbered = (...all: readonly (readonly [number, number])[]) =>
          all.map(([n, count]) => parcel(n, { name: 'a', count }))
        await importAll(store, parcels, numbered([1, 10], [2, 20]))
        assert.equal(await counts(), '10,20')
        await importAll(store, parcels, numbered([2, 21], [3, 30]))
        assert.equal(await counts(), '10,21,30')
        await importAll(store, parcels, numbered([1, 11], [4, 40]), { onlyMissing: true })
        assert.equal(await counts(), '10,21,30,40')
        await importAll(store, parcels, numbered([4, 41], [5, 50]), { replace: true })
        assert.equal(await counts(), '41,50')
      })
    })

    /** The last digits of the ids, in the order of a field, after all records were written. */
    const orderBy = async (
      field: string,
      its: Resource,
      records: readonly object[],
    ): Promise<readonly number[]> => {
      let ordered: readonly number[] = []
      await using(async (database) => {
        const store = await createStore(catalogOf(its), database)
        await store.write('m', async (writer) => {
          await writer.stage(its, records as never)
          await writer.merge(its)
        })
        const text = `select "body" from "parcels" order by "${field}__sort"`
        const [rows = []] = await database.read([{ text, values: [] }])
        ordered = rows.map(([body]) => Number(JSON.parse(String(body)).id.slice(-1)))
      })
      return ordered
    }

    it('hold numbers that are too long for an index, as far as that goes', async () => {
      const digits = `1${incompressible('0123456789', 150_000, 1)}`
      const long = [
        parcel(1, { price: '5' }),
        parcel(2, { price: digits }),
        parcel(3, { price: `-${digits}` }),
        parcel(4, { price: `4.${digits}` }),
      ]
      assert.deepEqual(await orderBy('price', parcels, long), [3, 4, 1, 2])
    })

    const longTexts = [
      parcel(1, { name: 'c' }),
      parcel(2, { name: `b${incompressible(letters, 50_000, 2)}` }),
      // Some kilobytes: an index of PostgreSQL has room for 2,704 bytes.
      parcel(3, { name: `a${incompressible(letters, 2_000, 3)}` }),
      parcel(4, { name: `${'a'.repeat(99)}😀` }),
    ]

    it('hold texts that are too long for an index, as far as that goes', async () => {
      assert.deepEqual(await orderBy('name', onlySorted, longTexts), [4, 3, 2, 1])
    })

    it('hold such texts beside the column of a filter', async () => {
      assert.deepEqual(await orderBy('name', parcels, longTexts), [4, 3, 2, 1])
    })

    it('are filled by the next start if a migration is interrupted, also for what was written since', async () => {
      await using(async (database) => {
        const older = await createStore(catalogOf(before), database)
        await importAll(older, before, some.slice(0, 100))
        let writes = 0
        const breakingOff: Database = {
          ...database,
          write: (work) => {
            writes += 1
            // The columns are added; what fills them is rolled back after it has run.
            if (writes === 1) return database.write(work)
            return database.write(async (session: Session) => {
              await work(session)
              throw new Error('broken off')
            })
          },
        }
        await assert.rejects(createStore(catalogOf(parcels), breakingOff), /broken off/)
        await importAll(older, before, some.slice(100))
        await createStore(catalogOf(parcels), database)
        const migrated = await sortValues(database)
        await using(async (other) => {
          await importAll(await createStore(catalogOf(parcels), other), parcels, some)
          assert.deepEqual(migrated, await sortValues(other))
        })
        await assert.rejects(importAll(older, before, some), NewerDatabaseError)
      })
    })

    it('are refused by a version that knows nothing of them, with what it lacks', async () => {
      await using(async (database) => {
        await createStore(catalogOf(parcels), database)
        const older = await createStore(catalogOf(before), database)
        await assert.rejects(importAll(older, before, some), {
          constructor: NewerDatabaseError,
          message:
            /^Nothing was written: .* has added sorting parcels by name, .* and 1 more\. .*Upgrade this program, then try again\.$/,
        })
        const grown = { ...before, fields: { ...before.fields, tone: nullable(text()) } }
        await assert.rejects(createStore(catalogOf(grown), database), MigrationError)
      })
    })
  })
}
