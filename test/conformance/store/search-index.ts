/** The search index, and the columns that lists are sorted by, are what building them again gives. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  amount,
  type Catalog,
  date,
  id,
  integer,
  nullable,
  type Resource,
  ref,
  text,
  timestamp,
} from '#contract'
import { type Database, quote } from '#database'
import { joinCatalog } from '../../../src/contract/catalog.ts'
import { resource } from '../../../src/contract/resource.ts'
import { sharedOwner } from '../../../src/store/schema/owners.ts'
import { tablesOf } from '../../../src/store/schema/tables.ts'
import { createStore, type Store } from '../../../src/store/store.ts'
import { seeded } from '../../support/model.ts'
import { assertIndex } from '../../support/search-model.ts'
import { brand, described, type OpenedForStore, uuid } from './samples.ts'

const definition = {
  ...described,
  group: 'Looms',
  path: 'looms',
  name: 'Loom',
  scope: 'brand',
  fields: {
    id: id(),
    code: text(),
    name: nullable(text()),
    count: nullable(integer()),
    price: nullable(amount('money')),
    dueDate: nullable(date()),
    seenAt: nullable(timestamp()),
    updatedAt: timestamp(),
  },
  filters: ['code', 'count'],
} as const

const looms = resource({
  ...definition,
  sortable: ['code', 'name', 'count', 'price', 'dueDate', 'seenAt'],
  searchable: ['code', 'name'],
})
const beams = resource({
  ...described,
  group: 'Beams',
  path: 'beams',
  name: 'Beam',
  scope: 'brand',
  key: ['loomId', 'number'],
  fields: { loomId: ref('looms'), number: text(), label: nullable(text()) },
  searchable: ['number', 'label'],
})
const yarns = resource({
  ...described,
  group: 'Yarns',
  path: 'yarns',
  name: 'Yarn',
  scope: 'shared',
  fields: { id: id(), name: text() },
  searchable: ['name'],
})
const written = [looms, beams, yarns] as const

const catalog = joinCatalog([brand, ...written])
/** The versions before: without search, without columns to sort by, with less of both. */
const earlier: readonly Catalog[] = [
  { searchable: [], sortable: [] },
  { searchable: ['code'], sortable: ['name'] },
].map((less) =>
  joinCatalog([
    brand,
    { ...resource(definition), ...less } as Resource,
    { ...beams, searchable: [] } as Resource,
    yarns,
  ]),
)

const brands = ['one', 'two'] as const
const texts = [
  'PO-5512',
  'po 5512',
  'Łódź GmbH',
  'lodz',
  'Costa & Filhos',
  '東京商店 2',
  '',
  '1Z999',
  'ß',
]
const amounts = ['0', '0.00', '-12.5', '12.50', '99999999999999999999.01']
const days = ['2025-12-31', '2026-02-28', '2026-03-01']
const times = ['1969-12-31T23:59:59.999Z', '2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.001Z']

/** Everything that is kept beside the records' texts, as sorted lines. */
const readDerived = async (database: Database): Promise<readonly string[]> => {
  const lines: string[] = []
  const read = async (table: string, columns: readonly string[]) => {
    const names = columns.map((name) => quote(name)).join(', ')
    const [rows = []] = await database.read([
      { text: `select ${names} from ${quote(table)}`, values: [] },
    ])
    for (const row of rows) {
      const cells = row.map((cell) =>
        cell instanceof Uint8Array ? Buffer.from(cell).toString('hex') : String(cell),
      )
      lines.push(`${table} ${cells.join(' ')}`)
    }
  }
  await read('selvedge_search', ['owner', 'collection', 'rank', 'text', 'key'])
  for (const { name, key, sorts } of tablesOf(catalog).values()) {
    if (sorts.length === 0) continue
    await read(name, ['owner', ...[...key, ...sorts].map((column) => column.name)])
  }
  return lines.sort()
}

/** Temporary tables end with the connection of a program; here, two versions have the same one. */
const endProgram = (database: Database): Promise<void> =>
  database.write(async (session) => {
    for (const { path } of written) {
      await session.run({ text: `drop table if exists ${quote(`staged_${path}`)}`, values: [] })
    }
  })

/** Has the next program to open the database build everything again. */
const forget = (database: Database): Promise<void> =>
  database.write(async (session) => {
    const run = (statement: string, ...values: string[]) => session.run({ text: statement, values })
    await run('delete from "selvedge_search"')
    await run(`delete from "selvedge_settings" where "name" like 'search _%'`)
    for (const { name, sorts } of tablesOf(catalog).values()) {
      // A column that is a filter too is not one that sorting has added.
      for (const column of sorts.filter((each) => each.name.endsWith('__sort'))) {
        await run(`update ${quote(name)} set ${quote(column.name)} = null`)
        await run(
          'insert into "selvedge_settings" ("name", "value") values (?1, ?2)',
          `unfilled ${name}.${column.name}`,
          'yes',
        )
      }
    }
  })

export const searchIndexConformance = (name: string, open: () => Promise<OpenedForStore>): void => {
  describe(`what is kept beside records on ${name}`, () => {
    for (const [version, before] of [null, ...earlier].entries()) {
      const since = before ? `begun by an earlier version (${version})` : 'begun by this version'
      it(`is what building it again gives, after any imports into a database ${since}`, async () => {
        const { database, close } = await open()
        const draw = seeded(70 + version)
        const oneOf = <T>(values: readonly T[]): T => values[draw(values.length)] as T
        const orNull = <T>(value: T): T | null => (draw(3) === 0 ? null : value)
        const recordOf: Record<string, () => Record<string, unknown>> = {
          looms: () => ({
            id: uuid(draw(15)),
            code: `${oneOf(texts)}${draw(4)}`,
            name: orNull(`${oneOf(texts)} ${oneOf(texts)}`),
            count: orNull(draw(5) - 2),
            price: orNull(oneOf(amounts)),
            dueDate: orNull(oneOf(days)),
            seenAt: orNull(oneOf(times)),
            updatedAt: oneOf(times),
          }),
          beams: () => ({
            loomId: uuid(draw(3)),
            number: `B-${draw(4)}`,
            label: orNull(oneOf(texts.slice(0, 3))),
          }),
          yarns: () => ({ id: uuid(draw(9)), name: oneOf(texts) }),
        }
        const importOne = async (store: Store, owner: string, into: Resource) => {
          const make = recordOf[into.path] as () => Record<string, unknown>
          const kind = oneOf(['upsert', 'upsert', 'replace', 'remove', 'onlyMissing', 'nothing'])
          const count = kind === 'nothing' || kind === 'remove' ? 0 : 1 + draw(9)
          const records = Array.from({ length: count }, make)
          const keyOf = (each: Record<string, unknown>) =>
            into.key.map((field) => String(each[field]))
          const drawn = kind === 'remove' ? Array.from({ length: 5 }, () => keyOf(make())) : []
          const removed = new Map(drawn.map((key) => [key.join(), key]))
          await store.write(owner, async (writer) => {
            await writer.stage(into, records as never)
            await writer.stageRemoval(into, removed.values())
            // Replaced by nothing: all records of the brand are removed.
            const replace = kind === 'replace' || (kind === 'nothing' && draw(3) === 0)
            await writer.merge(into, { replace, onlyMissing: kind === 'onlyMissing' })
          })
        }
        const importSome = async (store: Store, own: Catalog, imports: number) => {
          for (let count = 0; count < imports; count += 1) {
            const { path } = oneOf(written)
            const into = own.byPath.get(path) as Resource
            await importOne(store, into.scope === 'shared' ? sharedOwner : oneOf(brands), into)
          }
        }
        try {
          if (before) {
            await importSome(await createStore(before, database), before, 8)
            await endProgram(database)
          }
          let store = await createStore(catalog, database)
          for (let round = 0; round < 3; round += 1) {
            await importSome(store, catalog, before ? 6 : 20)
            await assertIndex(database, catalog)
            const derived = await readDerived(database)
            await forget(database)
            store = await createStore(catalog, database)
            assert.deepEqual(await readDerived(database), derived, `round ${round}`)
            assert.ok(derived.length > 10)
          }
        } finally {
          await close()
        }
      })
    }
  })
}
