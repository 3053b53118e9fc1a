import { ApiError, type Catalog, limits, type Resource } from '#contract'
import {
  type Database,
  DatabaseError,
  type Dialect,
  type Query,
  quote,
  type Row,
  type SqlValue,
  type Steps,
} from '#database'
import { ownerOf, sharedOwner, type Table } from '../schema/tables.ts'
import {
  changeIndexes,
  changesTable,
  identityColumns,
  newestNumber,
  numbersTable,
} from '../write/change-log.ts'
import { dependencyOf } from './change-tracker.ts'
import { type Key, ofShort, type Reserve, tableAt } from './list.ts'
import type { State } from './page.ts'
import { createParams } from './query-template.ts'
import { type Measured, measureRecords, readText } from './records.ts'

/** A place between two changes: everything up to this one is before it. */
export interface FeedPosition {
  /** The number of the transaction. */
  readonly change: number
  readonly collection: string
  readonly key: Key
}

/** What became of a record: its text as it is now, or that it is gone. */
export interface Change {
  readonly collection: string
  readonly key: Key
  /** Null when it was removed. */
  readonly body: string | null
}

export interface ChangesRequest {
  readonly brand: string
  /** The collection whose changes are wanted; null for all that the brand can see. */
  readonly resource: Resource | null
  readonly after: FeedPosition
  readonly limit: number
  /** Without it, what is read may have `limits.pageBytes`, however much is read at the same time. */
  readonly reserve?: Reserve | undefined
}

/** A stretch of the changes, from one state. It ends early where its records are large. */
export interface ChangesPage extends State {
  readonly changes: readonly Change[]
  /** Where the next page begins. */
  readonly next: FeedPosition
  readonly hasMore: boolean
  /**
   * Whether the position belongs to what happened in this database. One that does not was handed
   * out by a state that was lost when the database was set back; what followed is not known.
   */
  readonly known: boolean
}

/** Reads which records changed, in the order in which their changes were committed. */
export interface Feed {
  page(request: ChangesRequest): Promise<ChangesPage>
  /** The state that a page depends on. It is read without reading a change. */
  state(request: Pick<ChangesRequest, 'brand' | 'resource'>): Promise<State>
}

/** Before the first change. */
export const feedStart: FeedPosition = { change: 0, collection: '', key: [] }

/** After everything that was changed under this number: no collection's name comes later. */
export const afterNumber = (change: number): FeedPosition => ({ change, collection: '~', key: [] })

export interface FeedParts {
  readonly catalog: Catalog
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
}

/** Long records are measured in small groups, until the page is full. */
const measuredAtOnce = 8

/** How often a page is read anew because what was read does not fit together. */
const attemptsMax = 10

export const createFeed = ({ catalog, database, tables }: FeedParts): Feed => {
  const { dialect } = database

  /** The collections that an answer depends on. */
  const dependencies = (brand: string, resource: Resource | null): readonly string[] =>
    (resource ? [resource] : catalog.resources).map((each) =>
      dependencyOf(ownerOf(each, brand), each.path),
    )

  const read = async (request: ChangesRequest, hint: readonly Entry[]) => {
    const { brand, resource, after, limit } = request
    const bodies = hintedRanges(hint)
    const [rows = [], [standing] = [], [numbers] = [], ...found] = await database.read(
      [
        compileChanges(request, limit + 1, dialect),
        compileState(brand, resource),
        compileKnown(after),
        ...bodies.map((range) => compileBodies(range, tableAt(tables, range.collection), dialect)),
      ],
      brand,
    )
    const texts = new Map<string, string>()
    for (const [index, { owner, collection }] of bodies.entries()) {
      for (const row of found[index] ?? []) {
        const [body, ...key] = row
        if (body === null) continue
        texts.set(nameOf({ owner, collection, key: key as string[] }), body as string)
      }
    }
    return {
      entries: rows.map((row) => readEntry(row, tables)),
      texts,
      state: parseState(standing, dependencies(brand, resource)),
      known: isKnown(after, numbers),
    }
  }

  /**
   * A page with long records, in steps on one state: their lengths first, then one by one those that
   * fit into a response.
   */
  const readLong = (request: ChangesRequest): Promise<ChangesPage> =>
    database.readInSteps(request.brand, async (steps) => {
      const { brand, resource, after, limit, reserve } = request
      const rows = await steps.all(compileChanges(request, limit + 1, dialect))
      const [standing] = await steps.all(compileState(brand, resource))
      const [numbers] = await steps.all(compileKnown(after))
      const entries = rows.map((row) => readEntry(row, tables))
      const page = entries.slice(0, limit)
      const measured = new Map<string, Measured>()
      let found = 0
      for (let from = 0; from < page.length && found <= limits.pageBytes; from += measuredAtOnce) {
        const next = await measureEntries(steps, page.slice(from, from + measuredAtOnce))
        for (const [name, each] of next) {
          measured.set(name, each)
          found += each.bytes
        }
      }
      const shown = page.slice(0, fitting(page, measured))
      const bytes = bytesOf(shown, measured)
      if (bytes > limits.unreservedBytes) await reserve?.(bytes)
      const changes: Change[] = []
      for (const entry of shown) {
        const { owner, collection, key } = entry
        const body = entry.removed
          ? null
          : (measured.get(nameOf(entry))?.body ??
            (await readText(steps, dialect, tableAt(tables, collection), owner, key)))
        changes.push({ collection, key, body })
      }
      return {
        ...parseState(standing, dependencies(brand, resource)),
        changes,
        next: shown.at(-1) ?? after,
        hasMore: entries.length > shown.length,
        known: isKnown(after, numbers),
      }
    })

  const measureEntries = async (
    steps: Steps,
    entries: readonly Entry[],
  ): Promise<ReadonlyMap<string, Measured>> => {
    const found = new Map<string, Measured>()
    const present = entries.filter(({ removed }) => !removed)
    for (const [collection, changed] of Map.groupBy(present, (entry) => entry.collection)) {
      const owner = changed[0]?.owner ?? ''
      const table = tableAt(tables, collection)
      const keys = changed.map(({ key }) => key)
      for (const each of await measureRecords(steps, dialect, table, owner, keys)) {
        found.set(nameOf({ owner, collection, key: each.key }), each)
      }
    }
    return found
  }

  return {
    page: async (request) => {
      const { after, limit } = request
      let hint: readonly Entry[] = []
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        const { entries, texts, state, known } = await read(request, hint)
        // What to read beside the changes is known from the last attempt only. A page ends before
        // the first change that came between, so that all of it is from one state.
        const page = entries.slice(0, limit)
        const lacking = page.findIndex((entry) => !entry.removed && !texts.has(nameOf(entry)))
        const shown = lacking === -1 ? page : page.slice(0, lacking)
        if (known && lacking !== -1 && (attempt === 0 || shown.length === 0)) {
          hint = page
          continue
        }
        const isLong = (entry: Entry) => texts.get(nameOf(entry)) === longText
        if (known && shown.some(isLong)) return readLong(request)
        const length = shown.reduce((sum, each) => sum + (texts.get(nameOf(each))?.length ?? 0), 0)
        if (length > limits.unreservedBytes) await request.reserve?.(length)
        return {
          ...state,
          changes: shown.map((entry) => ({
            collection: entry.collection,
            key: entry.key,
            body: entry.removed ? null : (texts.get(nameOf(entry)) ?? null),
          })),
          next: shown.at(-1) ?? after,
          hasMore: entries.length > shown.length,
          known,
        }
      }
      throw new DatabaseError('The changes could not be read from one state.')
    },
    state: async ({ brand, resource }) => {
      const [[row] = []] = await database.read([compileState(brand, resource)], brand)
      return parseState(row, dependencies(brand, resource))
    },
  }
}

/** Whether a position is one of this database's. */
const isKnown = ({ change }: FeedPosition, numbers: Row | undefined): boolean => {
  const newest = numbers?.[0] ?? null
  if (newest === null) {
    throw new DatabaseError('The database does not record changes any more.')
  }
  // A position beyond the newest is ahead of a replica that lags behind.
  return change === 0 || change > Number(newest) || Number(numbers?.[1]) > 0
}

interface Entry extends FeedPosition {
  readonly owner: string
  readonly removed: boolean
}

const readEntry = (row: Row, tables: ReadonlyMap<string, Table>): Entry => {
  const [owner, change, collection, removed, ...key] = row
  const { length } = tableAt(tables, collection as string).key
  return {
    owner: owner as string,
    change: Number(change),
    collection: collection as string,
    removed: Number(removed) > 0,
    key: key.slice(0, length) as string[],
  }
}

const nameOf = ({ owner, collection, key }: Pick<Entry, 'owner' | 'collection' | 'key'>): string =>
  JSON.stringify([owner, collection, ...key])

const bytesOf = (entries: readonly Entry[], measured: ReadonlyMap<string, Measured>): number =>
  entries.reduce((sum, entry) => sum + (measured.get(nameOf(entry))?.bytes ?? 0), 0)

/** How many of these changes fit into one response. */
const fitting = (entries: readonly Entry[], measured: ReadonlyMap<string, Measured>): number => {
  let sum = 0
  const tooMany = entries.findIndex((entry) => {
    sum += measured.get(nameOf(entry))?.bytes ?? 0
    return sum > limits.pageBytes
  })
  if (tooMany !== 0) return tooMany === -1 ? entries.length : tooMany
  const [{ collection, key }] = entries as [Entry]
  throw new ApiError(
    'page_too_large',
    `The record ${key.join(',')} of ${collection} has ${sum} bytes; at most ${limits.pageBytes} are sent. Import a smaller one in its place to continue.`,
    {
      details: [{ parameter: 'cursor', issue: 'is before a record that is too large to be sent' }],
    },
  )
}

const parseState = (row: Row | undefined, dependencies: readonly string[]): State => ({
  version: String(row?.[0] ?? 0),
  readState: { change: Number(row?.[1] ?? 0), dependencies },
})

const keyColumns = identityColumns.map((name) => `c.${quote(name)}`)

/** The changes after a position, from the brand's own and the shared ones, as one sequence. */
export const compileChanges = (
  { brand, resource, after }: ChangesRequest,
  take: number,
  dialect: Dialect,
): Query => {
  const values = createParams<SqlValue>()
  const size = values.add(take)
  const order = resource
    ? ['c."change"', ...keyColumns]
    : ['c."change"', 'c."collection"', ...keyColumns]
  const from = resource
    ? [after.change, ...filled(after.key)]
    : [after.change, after.collection, ...filled(after.key)]
  const marks = from.map(values.add)
  const columns = ['c."brand"', 'c."change"', 'c."collection"', 'c."removed"', ...keyColumns]
  const index = changeIndexes[resource ? 'collection' : 'all'].name
  const stretch = (owner: string) =>
    [
      `select ${columns.join(', ')} from ${dialect.indexedBy(changesTable, 'c', index)}`,
      `where c."brand" = ${values.add(owner)}`,
      ...(resource ? [`and c."collection" = ${values.add(resource.path)}`] : []),
      `and (${order.join(', ')}) > (${marks.join(', ')})`,
      `order by ${order.join(', ')} limit ${dialect.limit(size)}`,
    ].join(' ')
  if (resource) return { text: stretch(ownerOf(resource, brand)), values: values.all }
  const text = [
    `select * from (select * from (${stretch(brand)}) as o`,
    `union all select * from (${stretch(sharedOwner)}) as s) as c`,
    `order by ${order.join(', ')} limit ${dialect.limit(size)}`,
  ].join(' ')
  return { text, values: values.all }
}

/** A stretch of one collection's changes, both ends included. */
interface Range {
  readonly owner: string
  readonly collection: string
  readonly first: Entry
  readonly last: Entry
}

const hintedRanges = (entries: readonly Entry[]): readonly Range[] => {
  const ranges = new Map<string, Range>()
  for (const entry of entries) {
    if (entry.removed) continue
    const { owner, collection } = entry
    const first = ranges.get(collection)?.first ?? entry
    ranges.set(collection, { owner, collection, first, last: entry })
  }
  return [...ranges.values()]
}

/** The texts of the records that changed within a stretch. */
export const compileBodies = (range: Range, table: Table, dialect: Dialect): Query => {
  const values = createParams<SqlValue>(range.owner, range.collection)
  const order = ['c."change"', ...keyColumns].join(', ')
  const place = ({ change, key }: Entry) =>
    `(${[change, ...filled(key)].map(values.add).join(', ')})`
  const text = [
    `select ${[bodyAt(table), ...keyColumns.slice(0, table.key.length)].join(', ')}`,
    `from ${dialect.indexedBy(changesTable, 'c', changeIndexes.collection.name)}`,
    'where c."brand" = ?1 and c."collection" = ?2 and c."removed" = 0',
    `and (${order}) >= ${place(range.first)} and (${order}) <= ${place(range.last)}`,
  ].join(' ')
  return { text, values: values.all }
}

/** Instead of a text that is too long to be read with others. */
const longText = ''

/**
 * The text of a change's record: of the first one from its identity on, if that is it. Asked for in
 * this way it is found along the primary key, also by a planner that knows nothing of the table yet
 * and takes any index that holds the identity for as good.
 */
const bodyAt = (table: Table): string => {
  const names = table.key.map(({ name }) => quote(name))
  const own = (alias: string) => names.map((name) => `${alias}.${name}`).join(', ')
  const wanted = keyColumns.slice(0, names.length)
  const text = `coalesce(${ofShort('t."body"')}, '${longText}')`
  const same = names.map((name, index) => `n.${name} = ${wanted[index]}`).join(' and ')
  const from =
    names.length === 1 ? [own('t'), wanted[0]] : [`(${own('t')})`, `(${wanted.join(', ')})`]
  return [
    `(select case when ${same} then n."body" end from (select ${own('t')}, ${text} as "body"`,
    `from ${quote(table.name)} as t where t."brand" = ?1 and ${from.join(' >= ')}`,
    `order by ${own('t')} limit 1) as n)`,
  ].join(' ')
}

/** The newest change of what a page depends on, and the number of the last change at all. */
const compileState = (brand: string, resource: Resource | null): Query => {
  const values = createParams<SqlValue>(resource ? ownerOf(resource, brand) : brand)
  const where = resource
    ? `"brand" = ?1 and "collection" = ${values.add(resource.path)}`
    : `"brand" in (?1, ${values.add(sharedOwner)})`
  return {
    text: [
      `select (select coalesce(max("version"), 0) from "selvedge_collections" where ${where}),`,
      'coalesce((select "value" from "selvedge_settings" where "name" = \'change\'), \'0\')',
    ].join(' '),
    values: values.all,
  }
}

/** The newest number that was written down, and whether a position's is among them. */
const compileKnown = ({ change }: FeedPosition): Query => ({
  text: `select (${newestNumber.text}), (select count(*) from "${numbersTable}" where "change" = ?1)`,
  values: [change],
})

const filled = (key: Key): readonly string[] => identityColumns.map((_, index) => key[index] ?? '')
