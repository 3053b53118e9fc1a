import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Catalog, Resource } from '#contract'
import {
  type Database,
  DatabaseBusyError,
  DatabaseError,
  DatabaseMissingError,
  type Query,
  type Row,
} from '#database'
import { type ChangeTracker, openChangeTracker, type ReadState } from './read/change-tracker.ts'
import { afterNumber, createFeed, type Feed, type FeedPosition } from './read/feed.ts'
import { compileGet, type GetPlan, type GetRequest, planGet } from './read/get.ts'
import { compileWithIncluded, splitIncluded } from './read/include.ts'
import { compileList, type Key, type ListRequest, planList, tableAt } from './read/list.ts'
import {
  createPageReader,
  type Dependency,
  type Page,
  parseState,
  readBodies,
  readKey,
  type State,
  type StateRequest,
  stateOf,
} from './read/page.ts'
import { bind, createTemplateCache, type QueryTemplate } from './read/query-template.ts'
import { readRecords, readText } from './read/records.ts'
import { compileCollectionState, joinState, nextChange } from './schema/collection-stats.ts'
import { planMigration } from './schema/migrate.ts'
import { secureRows } from './schema/row-security.ts'
import { createWriteGuard, generationQuery, listed } from './schema/schema-version.ts'
import { ownerOf, sharedOwner, type Table, tablesOf } from './schema/tables.ts'
import { whenFree } from './when-free.ts'
import { beginRecording, createRecorder, newestNumber } from './write/change-log.ts'
import { createWriter, type Writer } from './write/write.ts'

export interface Found extends State {
  readonly body: string
}

export interface Store {
  readonly catalog: Catalog
  /** What the engine lacks to hide other brands' rows by itself; null when nothing, or it cannot. */
  readonly missingSecurity: string | null
  list(request: ListRequest): Promise<Page>
  /** The record, or null. Its version is there either way, from the same state. */
  get(request: GetRequest): Promise<Found | null>
  /** The state that an answer depends on. It is read without reading a record. */
  state(request: StateRequest): Promise<State>
  /** Which records changed, in the order of their changes; where the database records them. */
  readonly feed: Feed
  /** Whether there is such a brand. */
  has(brand: string): Promise<boolean>
  /** As of which state there is such a brand; null when there is none. */
  find(brand: string): Promise<ReadState | null>
  /** Tells what has changed since something was read. */
  trackChanges(): Promise<ChangeTracker>
  /** Writes to one owner's collections, all or nothing. `sharedOwner` owns the shared ones. */
  write<T>(owner: string, work: (writer: Writer) => Promise<T>): Promise<T>
  /** Lets a long piece of work read a brand's records from one and the same state. */
  snapshot<T>(brand: string, work: (reader: SnapshotReader) => Promise<T>): Promise<T>
  /** A setting that is made on first use and then stays, the same for every node. */
  setting(name: string, make: () => string): Promise<string>
  /** A setting that may not have been made. */
  findSetting(name: string): Promise<string | undefined>
  /** Every brand there is, with the number of its records. */
  brands(): Promise<readonly BrandSummary[]>
  /**
   * The names of brands by their slugs, in order: of those given and there, or of all. Read in
   * slices, so that a key for thousands of brands does not delay other requests.
   */
  brandNames(slugs: Iterable<string> | null): Promise<readonly BrandName[]>
}

/** Reads whole collections from one state. */
export interface SnapshotReader {
  state(resource: Resource): Promise<{ readonly version: number; readonly total: number }>
  /** Every record's JSON text in the order of the identity, in batches. */
  bodies(resource: Resource): AsyncIterable<readonly string[]>
  /** After the last change in this state; null where the database does not record changes. */
  feedPosition(): Promise<FeedPosition | null>
}

/** The statements of gets that differ in nothing but their values. */
interface GetStatements {
  readonly plan: GetPlan
  readonly on: readonly Dependency[]
  /** The record and the standings in one row, where nothing is included. */
  readonly beside: QueryTemplate<GetRequest> | null
  /** Otherwise one by one, the record with what it includes. */
  readonly page: QueryTemplate<GetRequest>
}

const brandAlone: readonly Dependency[] = [{ owner: ({ brand }) => brand, path: 'brand' }]

const snapshotBatch = 2_000
/** A batch of a snapshot ends before the record that would make it longer, in characters. */
export const snapshotLengthMax = 8_388_608

/** So many migrations may come between looking at the tables and writing, one after the other. */
const migrationsMax = 5

export interface BrandSummary {
  readonly slug: string
  readonly name: string
  /** All that a key for it can read, in every group: its own and the shared ones. */
  readonly records: number
  /** Those that belong to it alone, the record of the brand itself included. */
  readonly own: number
}

export type BrandName = Pick<BrandSummary, 'slug' | 'name'>

export interface StoreOptions {
  /** Told, in a sentence, what a migration does. */
  readonly say?: (sentence: string) => void
  /** Whether tables are created in a database that has none; they are by default. */
  readonly creates?: boolean
  /** Whether changes are to be recorded. A database that records goes on to, for everybody. */
  readonly recordsChanges?: boolean
  /** Whether row-level security is repaired, which waits for an import; it is by default. */
  readonly repairsSecurity?: boolean
}

/** Opens the records of a database, bringing its tables up to what the catalog wants first. */
export const createStore = async (
  catalog: Catalog,
  database: Database,
  options: StoreOptions = {},
): Promise<Store> => {
  const { say = () => undefined } = options
  const tables = tablesOf(catalog)
  if (options.creates === false && !(await database.tables()).has('selvedge_settings')) {
    throw new DatabaseMissingError('the address in DATABASE_URL: it has no tables of Selvedge')
  }
  const additions = await migrate(catalog, tables, database, say)
  if (additions.length > 0) {
    say(
      `The database belongs to a newer version of Selvedge, which has added ${listed(additions)}. This version reads it, and refuses to write records.`,
    )
  } else if (options.recordsChanges) await beginRecording(database, tables, say)
  const missingSecurity = await secureRows(database, tables, say, options.repairsSecurity)
  const guard = createWriteGuard(
    async () => (await readCell(database, generationQuery)) ?? null,
    async () => (await planMigration(catalog, tables, database)).additions,
  )
  const { dialect } = database

  const pages = createPageReader({ catalog, database, tables })
  const { dependencies } = pages

  const find = async (brand: string): Promise<ReadState | null> => {
    const results = await database.read([compileCollectionState(brand, 'brand')], brand)
    const total = Number(results[0]?.[0]?.[1] ?? 0)
    return total > 0 ? parseState(brandAlone, brand, results).readState : null
  }

  const cachedStatements = createTemplateCache<GetStatements>()
  const statementsFor = (request: GetRequest): GetStatements => {
    const { resource, include } = request
    return cachedStatements(`${resource.path} ${include.map(({ name }) => name)}`, () => {
      const plan = planGet(request, tables)
      const on = dependencies({ resource, filters: [], include })
      const page = compileGet(plan, dialect)
      return {
        plan,
        on,
        beside:
          include.length === 0
            ? compileGet(plan, dialect, (values) => joinState(on, values))
            : null,
        page: compileWithIncluded(page, plan.table.key.length, include, tables),
      }
    })
  }

  /** A record that is long, or refers to one that is. */
  const getLong = (request: GetRequest): Promise<Found | null> =>
    database.readInSteps(request.brand, async (steps) => {
      const { brand, include, key, reserve } = request
      const { plan, on } = statementsFor(request)
      const standings: (readonly Row[])[] = []
      for (const { owner, path } of on) {
        standings.push(await steps.all(compileCollectionState(owner(request), path)))
      }
      const asked = { table: plan.table, brand, include, keys: [key], reserve }
      const [body] = await readRecords({ dialect, tables }, steps, asked)
      return body === undefined ? null : { body, ...parseState(on, brand, standings) }
    })

  return {
    catalog,
    missingSecurity,
    list: pages.list,
    feed: createFeed({ catalog, database, tables }),
    get: async (request) => {
      const { brand, include } = request
      const { plan, on, beside, page } = statementsFor(request)
      const place = plan.table.key.length
      if (beside) {
        const [rows] = await database.read([bind(beside, request)], brand)
        const row = rows?.[0]
        if (!row) return null
        const body = row[place] as string | null
        if (body === null) return getLong(request)
        const at = place + 1
        const versions = row.slice(at, at + on.length)
        return { body, ...stateOf(on, brand, versions, row[at + on.length + 1]) }
      }
      const standings = on.map(({ owner, path }) => compileCollectionState(owner(request), path))
      const [rows = [], ...states] = await database.read([bind(page, request), ...standings], brand)
      const { page: found, bodies } = splitIncluded(rows, place, include)
      if (found.length === 0) return null
      const [body] = readBodies(found, plan.table, include, bodies) ?? []
      return body === undefined ? getLong(request) : { body, ...parseState(on, brand, states) }
    },
    state: async (request) => {
      const on = dependencies(request)
      const standings = on.map(({ owner, path }) => compileCollectionState(owner(request), path))
      return parseState(on, request.brand, await database.read(standings, request.brand))
    },
    find,
    has: async (brand) => (await find(brand)) !== null,
    trackChanges: () => openChangeTracker(database),
    write: async (owner, work) => {
      for (let looks = 0; looks <= migrationsMax; looks += 1) {
        const written = await database.write(async (session) => {
          const [row] = await session.all(generationQuery)
          if (!guard.admits((row?.[0] as string | undefined) ?? null)) return null
          let number: Promise<number> | undefined
          const change = () => {
            number ??= nextChange(session, dialect)
            return number
          }
          const recorder = createRecorder({ session, dialect, change })
          const parts = { session, dialect, catalog, tables, owner, change, recorder }
          return { result: await work(createWriter(parts)) }
        })
        if (written) return written.result
        await guard.look()
      }
      throw new DatabaseBusyError('The tables of the database are being changed. Try again.')
    },
    snapshot: (brand, work) =>
      database.snapshot((all) =>
        work({
          state: async (resource) => {
            const [row] = await all(compileCollectionState(ownerOf(resource, brand), resource.path))
            return { version: Number(row?.[0] ?? 0), total: Number(row?.[1] ?? 0) }
          },
          feedPosition: async () => {
            const [row] = await all(newestNumber)
            return (row?.[0] ?? null) === null ? null : afterNumber(Number(row?.[0]))
          },
          async *bodies(resource) {
            const plan = { resource, brand, filters: new Map(), limit: snapshotBatch, include: [] }
            const { key } = tableAt(tables, resource.path)
            const owner = ownerOf(resource, brand)
            let after: Key | null = null
            for (;;) {
              const request: ListRequest = { ...plan, after }
              const listed = planList(request, tables)
              const { table } = listed
              const query = bind(compileList(listed, dialect), request)
              const rows: readonly Row[] = await all(query)
              const shown = rows.slice(0, snapshotBatch)
              let [batch, length]: [string[], number] = [[], 0]
              for (const row of shown) {
                const short = row[key.length] as string | null
                const body =
                  short ??
                  (await readText({ all }, dialect, table, owner, readKey(row, table))) ??
                  ''
                if (batch.length > 0 && length + body.length > snapshotLengthMax) {
                  yield batch
                  ;[batch, length] = [[], 0]
                }
                batch.push(body)
                length += body.length
              }
              if (batch.length > 0) yield batch
              const last = shown.at(-1)
              if (rows.length <= snapshotBatch || !last) return
              after = readKey(last, table)
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
      const shared = counted.get(sharedOwner) ?? 0
      return records.map(([slug, body]) => {
        const own = counted.get(slug as string) ?? 0
        const { name } = JSON.parse(body as string) as { name: string }
        return { slug: slug as string, name, records: own + shared, own }
      })
    },
    brandNames: async (slugs) => {
      const named: BrandName[] = []
      const add = async (query: Query) => {
        const [rows = []] = await database.read([query])
        for (const [slug, name] of rows) named.push({ slug: slug as string, name: name as string })
        await nextTurn()
        return rows.at(-1)?.[0] as string | undefined
      }
      const name = dialect.jsonText('b."body"', ['name'])
      if (slugs) {
        const asked = [...slugs].sort()
        for (let from = 0; from < asked.length; from += namesBatch) {
          await add({
            text: `select b."brand", ${name} from ${dialect.textsIn('?1', 'asked')} join "brand" as b on b."brand" = asked."value" order by b."brand"`,
            values: [JSON.stringify(asked.slice(from, from + namesBatch))],
          })
        }
        return named
      }
      for (let after: string | undefined = ''; after !== undefined; ) {
        after = await add({
          text: `select b."brand", ${name} from "brand" as b where b."brand" > ?1 order by b."brand" limit ${namesBatch}`,
          values: [after],
        })
      }
      return named
    },
  }
}

/** A slice takes a few milliseconds. */
const namesBatch = 500

const ownersQuery = {
  text: 'select "brand", sum("total") from "selvedge_collections" group by "brand"',
  values: [],
}

const migrate = async (
  catalog: Catalog,
  tables: ReadonlyMap<string, Table>,
  database: Database,
  say: (sentence: string) => void,
): Promise<readonly string[]> => {
  const planned = await planMigration(catalog, tables, database)
  if (planned.steps.length === 0) return planned.additions
  if (planned.addsColumns) await addMissingColumns(catalog, tables, database)
  await database.write(async (session) => {
    // Another process may have migrated while this one waited for its turn.
    const { steps, run, isNew } = await planMigration(catalog, tables, database)
    if (isNew) say('The database is new; its tables are being created.')
    else for (const step of steps) say(`Migration: ${step}.`)
    await run(session)
  })
  return []
}

/** Adds columns as soon as nobody is in the way, without being in the way of anybody. */
const addMissingColumns = async (
  catalog: Catalog,
  tables: ReadonlyMap<string, Table>,
  database: Database,
): Promise<void> => {
  const addToOneTable = () =>
    database.write(async (session) => {
      const { addsColumns, addColumns } = await planMigration(catalog, tables, database)
      if (addsColumns) await addColumns(session)
      return addsColumns
    })
  while (await whenFree(addToOneTable));
}

const settingQuery = (name: string) => ({
  text: 'select "value" from "selvedge_settings" where "name" = ?1',
  values: [name],
})

const readSetting = (database: Database, name: string): Promise<string | undefined> =>
  readCell(database, settingQuery(name))

const readCell = async (database: Database, query: Query): Promise<string | undefined> => {
  const [rows = []] = await database.read([query])
  return rows[0]?.[0] as string | undefined
}

export const isDatabaseError = (error: unknown): boolean => error instanceof DatabaseError
