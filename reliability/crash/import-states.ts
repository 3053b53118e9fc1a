/**
 * A database with the demo story, and files with two states to import. Checks that interrupt
 * imports use it to verify the result.
 */
import { createHash } from 'node:crypto'
import { catalog, fieldAt, resourceAt } from '#contract'
import { type Database, openDatabase } from '#database'
import { type DemoRecord, openStory } from '#demo'
import { createStore, kindOf, ownerNumber, type Store, sharedOwner } from '#store'
import { ndjson, openSandbox, type Sandbox } from '../../test/support/command.ts'
import { idOf, recordsAt } from '../../test/support/model.ts'
import { openPostgres, type Postgres } from '../../test/support/postgres.ts'
import type { Engine } from '../engine.ts'
import { importRecords } from '../importing.ts'
import { wrongIndex } from '../search-index.ts'

export const words = ['before', 'after'] as const
export type Word = (typeof words)[number]

export interface Open {
  readonly database: Database
  readonly store: Store
}

export interface World {
  readonly engine: Engine
  readonly place: Sandbox
  /** The PostgreSQL server of the records, if any. */
  readonly postgres: Postgres | null
  readonly brand: string
  withRecords<T>(work: (open: Open) => Promise<T>): Promise<T>
  /** The arguments that import a state. */
  importing(word: string): readonly string[]
  /** Imports a state without interruption and returns its timings. */
  importWhole(word: string): Promise<Took>
  /** The state that is stored; null if it is neither of the two. */
  wordIn(open: Open): Promise<Word | null>
  close(): Promise<void>
}

export interface Took {
  /** Until it begins to read. */
  readonly startMs: number
  /** From then until it is done. */
  readonly writeMs: number
}

export interface WorldOptions {
  /** The tags and order items of a state beyond those of the story. */
  readonly tags: number
  readonly items: number
}

/** The first output of an import, with its transaction open, and the output after the commit. */
export const [opened, committed] = ['tags.ndjson: ', 'Imported.']

/** The collections in which the two states differ. */
const paths = ['tags', 'orders', 'order-items'] as const

export const openWorld = async (
  engine: Engine,
  { tags, items }: WorldOptions,
  server?: Postgres,
): Promise<World> => {
  const story = await openStory()
  const { brand } = story
  const postgres = engine === 'postgres' ? (server ?? (await openPostgres())) : null
  const place = openSandbox(await postgres?.url())
  const contents = new Map<string, Word>()

  const withRecords: World['withRecords'] = async (work) => {
    const database = openDatabase(place.databaseUrl)
    try {
      return await work({ database, store: await createStore(catalog, database) })
    } finally {
      await database.close()
    }
  }
  const importing = (word: string) => [
    ...['import', word, '--brand', brand],
    ...['--replace', '--allow-removals'],
  ]
  const importWhole = async (word: string): Promise<Took> => {
    const began = performance.now()
    const { ended, said } = place.start(importing(word))
    await said(opened)
    const startMs = performance.now() - began
    await said(committed)
    const writeMs = performance.now() - began - startMs
    const { code, stderr } = await ended
    if (code !== 0)
      throw new Error(`An import that was not disturbed ended with ${code}: ${stderr}`)
    return { startMs, writeMs }
  }

  await withRecords(async ({ store }) => {
    for (const [owner, records] of [
      [sharedOwner, story.shared],
      [brand, story.records],
    ] as const) {
      await store.write(owner, async (writer) => {
        for (const [path, each] of Object.entries(records)) {
          await writer.stage(resourceAt(catalog, path), each as readonly DemoRecord[])
          await writer.merge(resourceAt(catalog, path))
        }
      })
    }
  })
  place.put({
    ...filesOf('before', { from: 1_000, tags, items }),
    ...filesOf('after', { from: 1_000 + Math.ceil(items / 5), tags, items }),
  })
  for (const word of words) {
    await importWhole(word)
    contents.set(await withRecords((open) => contentOf(open, brand)), word)
  }
  if (contents.size !== words.length) throw new Error('The two states are the same.')

  return {
    engine,
    place,
    postgres,
    brand,
    withRecords,
    importing,
    importWhole,
    wordIn: async (open) => contents.get(await contentOf(open, brand)) ?? null,
    close: async () => {
      place.close()
      if (postgres !== server) await postgres?.close()
    },
  }
}

/** The story's records and additional ones from number `from` on, all with `word`. */
export const filesOf = (
  word: string,
  { from, tags, items }: WorldOptions & { readonly from: number },
): { readonly [name: string]: string } => {
  const [order] = recordsAt('orders')
  const [item] = recordsAt('order-items')
  const [tag] = recordsAt('tags')
  const many = (of: number, make: (number: number) => object) =>
    ndjson(Array.from({ length: of }, (_, index) => make(from + index)))
  return {
    [`${word}/tags.ndjson`]:
      ndjson(recordsAt('tags')) +
      many(tags, (number) => ({ ...tag, id: idOf(number), name: `${word} ${number}` })),
    [`${word}/orders.ndjson`]: ndjson([
      ...recordsAt('orders').map((each) => ({ ...each, memo: word })),
      ...[1, 2].map((number) => ({ ...order, id: idOf(number), orderNumber: `${number}` })),
    ]),
    [`${word}/order-items.ndjson`]:
      ndjson(recordsAt('order-items')) +
      many(items, (number) => ({
        ...item,
        id: idOf(number),
        orderId: idOf(1 + (number % 2)),
        itemType: number % 3 === 0 ? 'sample' : 'product',
        memo: word,
      })),
  }
}

const tableOf = (path: string) => path.replaceAll('-', '_')

/** A digest of every collection that an import changes. */
export const contentOf = async ({ database }: Open, brand: string): Promise<string> => {
  const hash = createHash('sha256')
  for (const path of paths) {
    const text = `select "body" from "${tableOf(path)}" where "owner" = ?1 order by "id"`
    const [rows = []] = await database.read([{ text, values: [ownerNumber(brand)] }])
    hash.update(`${path} ${rows.length}\n`)
    for (const [body] of rows) hash.update(`${body}\n`)
  }
  return hash.digest('hex')
}

/** Errors in derived data: stored totals that differ from the counts, and the search index. */
export const wrongBeside = async ({ database }: Open): Promise<readonly string[]> => {
  const wrong: string[] = [...(await wrongIndex(database))]
  const [collections = [], values = []] = await database.read([
    { text: 'select "owner", "collection", "total" from "selvedge_collections"', values: [] },
    {
      text: 'select "owner", "collection", "filter", "value", "total" from "selvedge_totals"',
      values: [],
    },
  ])
  if (collections.length === 0) wrong.push('No totals are kept.')
  if (database.dialect.name === 'sqlite') {
    const [sound = []] = await database.read([{ text: 'pragma integrity_check', values: [] }])
    if (sound[0]?.[0] !== 'ok') wrong.push(`The file is damaged: ${JSON.stringify(sound)}.`)
  }
  for (const [owner, path, total] of collections) {
    const text = `select count(*) from "${tableOf(String(path))}" where "owner" = ?1`
    const [rows] = await database.read([{ text, values: [owner ?? ''] }])
    const count = rows?.[0]?.[0]
    if (count !== total) wrong.push(`${owner} has ${count} ${path}; ${total} are kept.`)
  }
  for (const [owner, path, filter, value, total] of values) {
    const { fields, filters } = resourceAt(catalog, String(path))
    const field = filters.find(({ name }) => name === filter)?.field ?? ''
    const isIdentifier = kindOf(fieldAt(fields, field)) === 'uuid'
    const column = `"${filter}"`
    const stored = isIdentifier ? database.dialect.uuidText(column) : `cast(${column} as text)`
    const text = `select count(*) from "${tableOf(String(path))}" where "owner" = ?1 and ${stored} = ?2`
    const [rows] = await database.read([{ text, values: [owner ?? '', value ?? ''] }])
    const count = rows?.[0]?.[0]
    if (count === total) continue
    wrong.push(`${owner} has ${count} ${path} with ${filter}=${value}; ${total} are kept.`)
  }
  return wrong
}

/** Imports within this process, quickly: a color whose name is a number. */
export const importColor = async (
  { brand }: Pick<World, 'brand'>,
  { store }: Open,
  number: number,
): Promise<void> => {
  const records = [{ ...recordsAt('colors')[0], name: `${number}` }]
  await importRecords(store, { owner: brand, collection: 'colors', records })
}
