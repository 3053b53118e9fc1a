import { type Catalog, collectionsBehind, type Resource } from '#contract'
import { type Database, DatabaseUnavailable, type Row } from '#database'
import { compileGet, type GetRequest, planGet } from './get.ts'
import { bodiesById, compileInclude, spliceIncluded } from './include.ts'
import { compileStanding, compileTotal, nextChange } from './ledger.ts'
import { compileCount, compileList, type Key, type ListRequest, planList, tableAt } from './list.ts'
import { planMigration } from './migrate.ts'
import { ownerOf, sharedOwner, type Table, tablesOf } from './tables.ts'
import { openWriter, type Writer } from './write.ts'

/** One page: the records' JSON texts, how many match in all, and where the next page begins. */
export interface Page {
  readonly bodies: readonly string[]
  readonly total: number
  readonly next: Key | null
  readonly version: string
}

export interface Found {
  readonly body: string
  readonly version: string
}

export interface Store {
  readonly catalog: Catalog
  list(request: ListRequest): Promise<Page>
  /** The record, or null. Its version is there either way, from the same state. */
  get(request: GetRequest): Promise<Found | null>
  /**
   * The state that an answer depends on, as a text that changes whenever one of the collections
   * behind it does. It is read without reading a record.
   */
  version(request: VersionRequest): Promise<string>
  /** Whether there is such a brand. */
  has(brand: string): Promise<boolean>
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

export interface VersionRequest {
  readonly resource: Resource
  readonly brand: string
  readonly filters: Iterable<string>
  readonly include: ListRequest['include']
}

export interface StoreOptions {
  /** Told, in a sentence, what a migration does. */
  readonly say?: (sentence: string) => void
}

/** Opens the records of a database, bringing its tables up to what the catalog wants first. */
export const openStore = async (
  catalog: Catalog,
  database: Database,
  { say = () => undefined }: StoreOptions = {},
): Promise<Store> => {
  const tables = tablesOf(catalog)
  await migrate(catalog, tables, database, say)
  const { dialect } = database

  const standings = ({ resource, brand, filters, include }: VersionRequest) => {
    const behind = [
      ...collectionsBehind(catalog, resource, filters),
      ...include.map(({ to }) => to),
    ]
    return [...new Set(behind)].map((path) => {
      const owner = ownerOf(catalog.byPath.get(path) ?? resource, brand)
      return compileStanding(owner, path)
    })
  }

  return {
    catalog,
    list: async (request) => {
      const { resource, brand, filters, include, limit } = request
      const plan = planList(request, tables)
      const page = compileList(plan, dialect)
      const states = standings({ resource, brand, filters: filters.keys(), include })
      const [only] = plan.own
      const count = compileCount(plan, dialect)
      const totals =
        filters.size === 0
          ? []
          : filters.size === 1 && only
            ? [compileTotal(plan.table, only.column, only.value as string, count)]
            : [count]
      const width = plan.table.key.length + 1
      const included = include.map((relation, index) => {
        const columns = { count: width + include.length, reference: width + index }
        return compileInclude(page, columns, relation, brand, tables)
      })
      const results = await database.read([page, ...states, ...totals, ...included], brand)
      const rows = results[0] ?? []
      const stateRows = results.slice(1, 1 + states.length)
      const totalRow =
        filters.size === 0 ? stateRows[0]?.[0]?.[1] : results[1 + states.length]?.[0]?.[0]
      const shown = rows.slice(0, limit)
      const last = shown.at(-1)
      return {
        bodies: readBodies(
          shown,
          plan.table,
          include,
          results.slice(1 + states.length + totals.length),
        ),
        total: Number(totalRow ?? 0),
        next: rows.length > limit && last ? readKey(last, plan.table) : null,
        version: readVersion(stateRows),
      }
    },
    get: async (request) => {
      const { resource, brand, include } = request
      const plan = planGet(request, tables)
      const query = compileGet(plan, dialect)
      const states = standings({ resource, brand, filters: [], include })
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
      return { body, version: readVersion(results.slice(1, 1 + states.length)) }
    },
    version: async (request) => readVersion(await database.read(standings(request), request.brand)),
    has: async (brand) => {
      const [rows = []] = await database.read([compileStanding(brand, 'brand')], brand)
      return Number(rows[0]?.[1] ?? 0) > 0
    },
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
  await database.write(async (session) => {
    // Another process may have migrated while this one waited for its turn.
    const { steps, run, isNew } = await planMigration(catalog, tables, database)
    if (isNew) say('The database is new; its tables are being created.')
    else for (const step of steps) say(`Migration: ${step}.`)
    await run(session)
  })
}

const settingQuery = (name: string) => ({
  text: 'select "value" from "selvedge_settings" where "name" = ?1',
  values: [name],
})

const readSetting = async (database: Database, name: string): Promise<string | undefined> => {
  const [rows = []] = await database.read([settingQuery(name)])
  return rows[0]?.[0] as string | undefined
}

const readKey = (row: Row, table: Table): Key => row.slice(0, table.key.length) as string[]

const readBodies = (
  rows: readonly Row[],
  table: Table,
  include: ListRequest['include'],
  results: readonly (readonly Row[])[],
): readonly string[] => {
  const place = table.key.length
  if (include.length === 0) return rows.map((row) => row[place] as string)
  const included = include.map(({ name }, index) => ({
    name,
    bodies: bodiesById(results[index] ?? []),
  }))
  return rows.map((row) => spliceIncluded(row[place] as string, row.slice(place + 1), included))
}

const readVersion = (states: readonly (readonly Row[])[]): string =>
  states.map((rows) => rows[0]?.[0] ?? 0).join('.')

export const isUnavailable = (error: unknown): boolean => error instanceof DatabaseUnavailable
