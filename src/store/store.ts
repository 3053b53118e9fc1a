import type { Catalog, Resource } from '#contract'
import { type Database, DatabaseBusy, DatabaseUnavailable, type Row } from '#database'
import { compileGet, type GetRequest, planGet } from './get.ts'
import { compileInclude } from './include.ts'
import { compileStanding, nextChange } from './ledger.ts'
import { compileList, type Key, type ListRequest, planList, tableAt } from './list.ts'
import { planMigration } from './migrate.ts'
import { type AsOf, type News, openNews } from './news.ts'
import {
  openPages,
  type Page,
  readBodies,
  readKey,
  readState,
  type State,
  type StateRequest,
} from './page.ts'
import { ownerOf, sharedOwner, type Table, tablesOf } from './tables.ts'
import { openWriter, type Writer } from './write.ts'

export interface Found extends State {
  readonly body: string
}

export interface Store {
  readonly catalog: Catalog
  list(request: ListRequest): Promise<Page>
  /** The record, or null. Its version is there either way, from the same state. */
  get(request: GetRequest): Promise<Found | null>
  /** The state that an answer depends on. It is read without reading a record. */
  state(request: StateRequest): Promise<State>
  /** Whether there is such a brand. */
  has(brand: string): Promise<boolean>
  /** As of which state there is such a brand; null when there is none. */
  find(brand: string): Promise<AsOf | null>
  /** Tells what has changed since something was read. */
  follow(): Promise<News>
  /** Writes to one owner's collections, all or nothing. `sharedOwner` owns the shared ones. */
  write<T>(owner: string, work: (writer: Writer) => Promise<T>): Promise<T>
  /** Lets a long piece of work read a brand's records from one and the same state. */
  walk<T>(brand: string, work: (walker: Walker) => Promise<T>): Promise<T>
  /** A setting that is made on first use and then stays, the same for every node. */
  setting(name: string, make: () => string): Promise<string>
  /** A setting that may not have been made. */
  findSetting(name: string): Promise<string | undefined>
  /** Every brand there is, with the number of its records. */
  brands(): Promise<readonly BrandStanding[]>
  /** How many records are shared by all brands. */
  sharedRecords(): Promise<number>
}

/** Reads whole collections from one state. */
export interface Walker {
  standing(resource: Resource): Promise<{ readonly version: number; readonly total: number }>
  /** Every record's JSON text in the order of the identity, in batches. */
  bodies(resource: Resource): AsyncIterable<readonly string[]>
}

const walkBatch = 2_000

export interface BrandStanding {
  readonly slug: string
  readonly name: string
  readonly records: number
}

export interface StoreOptions {
  /** Told, in a sentence, what a migration does. */
  readonly say?: (sentence: string) => void
  /** Whether a page is joined into bytes by the database. Switched off for comparison only. */
  readonly joinsPages?: boolean
  /** Whether totals are kept and remembered. Switched off, every list counts. */
  readonly keepsTotals?: boolean
}

/** Opens the records of a database, bringing its tables up to what the catalog wants first. */
export const openStore = async (
  catalog: Catalog,
  database: Database,
  { say = () => undefined, joinsPages = true, keepsTotals = true }: StoreOptions = {},
): Promise<Store> => {
  const tables = tablesOf(catalog)
  await migrate(catalog, tables, database, say)
  const { dialect } = database

  const pages = openPages({ catalog, database, tables, joinsPages, keepsTotals })
  const { behind } = pages

  const find = async (brand: string): Promise<AsOf | null> => {
    const results = await database.read([compileStanding(brand, 'brand')], brand)
    const total = Number(results[0]?.[0]?.[1] ?? 0)
    return total > 0 ? readState([{ owner: brand, path: 'brand' }], results).asOf : null
  }

  return {
    catalog,
    list: pages.list,
    get: async (request) => {
      const { resource, brand, include } = request
      const plan = planGet(request, tables)
      const query = compileGet(plan, dialect)
      const on = behind({ resource, brand, filters: [], include })
      const states = on.map(({ owner, path }) => compileStanding(owner, path))
      const width = plan.table.key.length + 1
      const included = include.map((relation, index) => {
        const columns = { count: width + include.length, reference: width + index }
        return compileInclude(query, columns, relation, brand, tables)
      })
      const results = await database.read([query, ...states, ...included], brand)
      const [body] = readBodies(
        results[0] ?? [],
        plan.table,
        include,
        results.slice(1 + states.length),
      )
      if (body === undefined) return null
      return { body, ...readState(on, results.slice(1, 1 + states.length)) }
    },
    state: async (request) => {
      const on = behind(request)
      const states = on.map(({ owner, path }) => compileStanding(owner, path))
      return readState(on, await database.read(states, request.brand))
    },
    find,
    has: async (brand) => (await find(brand)) !== null,
    follow: () => openNews(database),
    write: (owner, work) =>
      database.write(async (session) => {
        let number: Promise<number> | undefined
        const change = () => {
          number ??= nextChange(session, dialect)
          return number
        }
        return work(openWriter({ session, dialect, catalog, tables, owner, change }))
      }),
    walk: (brand, work) =>
      database.snapshot((all) =>
        work({
          standing: async (resource) => {
            const [row] = await all(compileStanding(ownerOf(resource, brand), resource.path))
            return { version: Number(row?.[0] ?? 0), total: Number(row?.[1] ?? 0) }
          },
          async *bodies(resource) {
            const plan = { resource, brand, filters: new Map(), limit: walkBatch, include: [] }
            const { key } = tableAt(tables, resource.path)
            let after: Key | null = null
            for (;;) {
              const listed = planList({ ...plan, after }, tables)
              const rows: readonly Row[] = await all(compileList(listed, dialect))
              const shown = rows.slice(0, walkBatch)
              if (shown.length > 0) yield shown.map((row) => row[key.length] as string)
              const last = shown.at(-1)
              if (rows.length <= walkBatch || !last) return
              after = readKey(last, listed.table)
            }
          },
        }),
      ),
    setting: async (name, make) => {
      const found = await readSetting(database, name)
      if (found !== undefined) return found
      return database.write(async (session) => {
        await session.run({
          text: 'insert into "selvedge_settings" ("name", "value") values (?1, ?2) on conflict do nothing',
          values: [name, make()],
        })
        const [row] = await session.all(settingQuery(name))
        return String(row?.[0])
      })
    },
    findSetting: (name) => readSetting(database, name),
    brands: async () => {
      const [records = [], totals = []] = await database.read([
        { text: 'select "brand", "body" from "brand" order by "brand"', values: [] },
        ownersQuery,
      ])
      const counted = new Map(totals.map(([owner, total]) => [owner, Number(total)]))
      return records.map(([slug, body]) => ({
        slug: slug as string,
        name: (JSON.parse(body as string) as { name: string }).name,
        records: counted.get(slug as string) ?? 0,
      }))
    },
    sharedRecords: async () => {
      const [totals = []] = await database.read([ownersQuery])
      return Number(totals.find(([owner]) => owner === sharedOwner)?.[1] ?? 0)
    },
  }
}

const ownersQuery = {
  text: 'select "brand", sum("total") from "selvedge_collections" group by "brand"',
  values: [],
}

const migrate = async (
  catalog: Catalog,
  tables: ReadonlyMap<string, Table>,
  database: Database,
  say: (sentence: string) => void,
): Promise<void> => {
  const planned = await planMigration(catalog, tables, database)
  if (planned.steps.length === 0) return
  if (planned.widens) await widenTables(catalog, tables, database)
  await database.write(async (session) => {
    // Another process may have migrated while this one waited for its turn.
    const { steps, run, isNew } = await planMigration(catalog, tables, database)
    if (isNew) say('The database is new; its tables are being created.')
    else for (const step of steps) say(`Migration: ${step}.`)
    await run(session)
  })
}

const widenWaitMs = 60_000
const widenPauseMs = 200

/** Adds columns as soon as nobody is in the way, without being in the way of anybody. */
const widenTables = async (
  catalog: Catalog,
  tables: ReadonlyMap<string, Table>,
  database: Database,
): Promise<void> => {
  const deadline = performance.now() + widenWaitMs
  for (;;) {
    try {
      const widened = await database.write(async (session) => {
        const { widens, widen } = await planMigration(catalog, tables, database)
        if (widens) await widen(session)
        return widens
      })
      if (!widened) return
    } catch (error) {
      if (!(error instanceof DatabaseBusy) || performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, widenPauseMs))
    }
  }
}

const settingQuery = (name: string) => ({
  text: 'select "value" from "selvedge_settings" where "name" = ?1',
  values: [name],
})

const readSetting = async (database: Database, name: string): Promise<string | undefined> => {
  const [rows = []] = await database.read([settingQuery(name)])
  return rows[0]?.[0] as string | undefined
}

export const isUnavailable = (error: unknown): boolean => error instanceof DatabaseUnavailable
