import {
  ApiError,
  type Catalog,
  type GroupScope,
  limits,
  type Resource,
  wholeScope,
} from '#contract'
import { type Database, DatabaseError, type IsCancelled, type Row, type Steps } from '#database'
import { newestNumber } from '../schema/change-tables.ts'
import { type History, lastNumbersQuery } from '../schema/history.ts'
import { ownerNumber, ownerOf, sharedNumber } from '../schema/owners.ts'
import { type Key, type Table, tableAt } from '../schema/tables.ts'
import { previousWriteQuery } from '../write/write-log.ts'
import type { Body } from './body.ts'
import { dependencyOf } from './change-tracker.ts'
import {
  changeColumns,
  compileChanges,
  compileFeedState,
  compileNumbers,
  compilePage,
  type FeedGroups,
  isLongText,
  keyIn,
} from './feed-query.ts'
import type { Reserve } from './list.ts'
import { bind, createTemplateCache, type QueryTemplate } from './query-template.ts'
import { type Measured, measureRecords, readText } from './records.ts'
import type { State } from './state.ts'

/** A position in the feed, after this change. */
export interface FeedPosition {
  /** The number of the transaction. */
  readonly change: number
  readonly collection: string
  readonly key: Key
}

/** The latest state of a changed record: its current text, or its removal. */
export interface Change {
  /** The number of the transaction that changed it last. */
  readonly number: number
  readonly collection: string
  readonly key: Key
  /** Null if it was removed. */
  readonly body: Body | null
}

export interface ChangesRequest {
  readonly brand: string
  /** The collection whose changes to read; null for all that the brand can read. */
  readonly resource: Resource | null
  /** Changes in other groups are left out; all groups by default. */
  readonly scope?: GroupScope | undefined
  readonly after: FeedPosition
  readonly limit: number
  /** Without it, a read may use up to `limits.pageBytes`, regardless of concurrent reads. */
  readonly reserve?: Reserve | undefined
  /** Cancelling ends a read in steps. */
  readonly isCancelled?: IsCancelled | undefined
}

/** A page of changes from one snapshot. It ends early if its records are large. */
export interface ChangesPage extends State {
  readonly changes: readonly Change[]
  /** Where the next page begins. */
  readonly next: FeedPosition
  readonly hasMore: boolean
  /**
   * Whether the position belongs to this database's history. If not, it was issued before the
   * database was restored from a backup, and the changes after it are unknown.
   */
  readonly isKnown: boolean
}

/** Reads which records changed, in commit order. */
export interface Feed {
  /**
   * Whether no restore has lost a position. One that is ahead of this database counts as kept: a
   * replica may lag behind, and `ChangesPage.isKnown` says the rest.
   */
  isKept(brand: string, position: FeedPosition): Promise<boolean>
  page(request: ChangesRequest): Promise<ChangesPage>
  /** Reads the state that a page depends on, without reading changes. */
  state(request: Pick<ChangesRequest, 'brand' | 'resource' | 'scope'>): Promise<State>
  /**
   * Counts the changes after a position, at most `limit`. Null if the position does not belong to
   * this database's history.
   */
  lag(request: Pick<ChangesRequest, 'brand' | 'resource' | 'scope' | 'after' | 'limit'>): Promise<{
    readonly changes: number
    readonly hasMore: boolean
  } | null>
  /**
   * The first records of a brand that a write has changed, as far as no later one has. The write has
   * the number that `readAfter` takes; its changes have numbers between that and the write before.
   */
  writtenBy(brand: string, change: number, limit: number): Promise<readonly Change[]>
  /** Whether the database records changes. */
  isRecording(): Promise<boolean>
}

/** Before the first change. */
export const feedStart: FeedPosition = { change: 0, collection: '', key: [] }

/** After all changes with this number: no collection's name sorts after `~`. */
export const afterNumber = (change: number): FeedPosition => ({ change, collection: '~', key: [] })

export interface FeedParts {
  readonly catalog: Catalog
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
  readonly history: History
}

/** Long records are measured in groups of this size until the page is full. */
const measuredAtOnce = 8

export const createFeed = ({ catalog, database, tables, history }: FeedParts): Feed => {
  const { dialect } = database
  const templates = createTemplateCache<QueryTemplate<ChangesRequest>>()

  const groupsOf = ({
    resource,
    scope = wholeScope,
  }: Pick<ChangesRequest, 'resource' | 'scope'>): FeedGroups => {
    if (resource) return [resource]
    return scope.isWhole ? null : catalog.resources.filter(({ path }) => scope.has(path))
  }
  const nameOfGroups = ({
    resource,
    scope = wholeScope,
  }: Pick<ChangesRequest, 'resource' | 'scope'>): string => `${resource?.path} ${scope.id}`

  const dependenciesOf = (brand: string, groups: FeedGroups): readonly string[] =>
    (groups ?? catalog.resources).map((each) => dependencyOf(ownerOf(each, brand), each.path))

  /**
   * Reads a page with long records, or of many groups, in steps on one snapshot: first their lengths,
   * then one by one the records that fit into a response.
   */
  const readLong = (request: ChangesRequest): Promise<ChangesPage> =>
    database.readInSteps(ownerNumber(request.brand), request.isCancelled, async (steps) => {
      const { brand, after, limit, reserve } = request
      const groups = groupsOf(request)
      const template = templates(`changes ${nameOfGroups(request)}`, () =>
        compileChanges(groups, tables, dialect),
      )
      const rows = await steps.all(bind(template, request))
      const [state] = await steps.all(compileFeedState(brand, groups))
      const [numbers] = await steps.all(compileNumbers(brand, after))
      const entries = rows.map((row) => readEntry(row, tables))
      const page = entries.slice(0, limit)
      const measured = new Map<string, Measured>()
      let total = 0
      for (let from = 0; from < page.length && total <= limits.pageBytes; from += measuredAtOnce) {
        const next = await measureEntries(steps, page.slice(from, from + measuredAtOnce))
        for (const [name, each] of next) {
          measured.set(name, each)
          total += each.bytes
        }
      }
      const shown = page.slice(0, fitting(page, measured))
      const bytes = bytesOf(shown, measured)
      if (bytes > limits.unreservedBytes) await reserve?.(bytes)
      const changes: Change[] = []
      for (const entry of shown) {
        const { owner, collection, key } = entry
        const body = entry.isRemoved
          ? null
          : (measured.get(nameOf(entry))?.body ??
            (await readText(steps, dialect, tableAt(tables, collection), owner, key)))
        changes.push(changeOf(entry, body))
      }
      return {
        ...parseState(state, dependenciesOf(brand, groups)),
        changes,
        next: shown.at(-1) ?? after,
        hasMore: entries.length > shown.length,
        isKnown: isKnown(after, numbers),
      }
    })

  const measureEntries = async (
    steps: Steps,
    entries: readonly Entry[],
  ): Promise<ReadonlyMap<string, Measured>> => {
    const measured = new Map<string, Measured>()
    const stored = entries.filter(({ isRemoved }) => !isRemoved)
    for (const [collection, changed] of Map.groupBy(stored, (entry) => entry.collection)) {
      const owner = changed[0]?.owner ?? sharedNumber
      const table = tableAt(tables, collection)
      const keys = changed.map(({ key }) => key)
      for (const each of await measureRecords(steps, dialect, table, owner, keys)) {
        measured.set(nameOf({ owner, collection, key: each.key }), each)
      }
    }
    return measured
  }

  const page: Feed['page'] = async (request) => {
    const { brand, after, limit, reserve } = request
    const groups = groupsOf(request)
    // Merging the changes of many groups takes longer than the event loop may be blocked.
    if (groups && groups.length > 1) return readLong(request)
    const template = templates(`page ${nameOfGroups(request)}`, () =>
      compilePage(groups, tables, dialect),
    )
    const first = groups ? [] : dialect.reusePlan
    const queries = [
      bind(template, request),
      compileFeedState(brand, groups),
      compileNumbers(brand, after),
    ]
    const results = await database.read([...first, ...queries], ownerNumber(brand))
    const [rows = [], [state] = [], [numbers] = []] = results.slice(first.length)
    const entries = rows.map((row) => readEntry(row, tables))
    const shown = entries.slice(0, limit)
    const isOfThisDatabase = isKnown(after, numbers)
    const hasLong = shown.some(({ body }) => body !== null && isLongText(body))
    if (hasLong && isOfThisDatabase) return readLong(request)
    const length = shown.reduce((sum, { body }) => sum + (body?.length ?? 0), 0)
    if (length > limits.unreservedBytes) await reserve?.(length)
    return {
      ...parseState(state, dependenciesOf(brand, groups)),
      changes: shown.map((entry) => changeOf(entry, entry.body)),
      next: shown.at(-1) ?? after,
      hasMore: entries.length > shown.length,
      isKnown: isOfThisDatabase,
    }
  }

  return {
    isKept: async (brand, { change }) => {
      const restores = change === 0 ? [] : history.since(change)
      if (restores.length === 0) return true
      const owner = ownerNumber(brand)
      const [[row = []] = []] = await database.read([lastNumbersQuery(owner, restores)], owner)
      return row.every((last) => change <= Number(last))
    },
    page,
    state: async (request) => {
      const { brand } = request
      const groups = groupsOf(request)
      const [[row] = []] = await database.read(
        [compileFeedState(brand, groups)],
        ownerNumber(brand),
      )
      return parseState(row, dependenciesOf(brand, groups))
    },
    lag: async (request) => {
      const { brand, after, limit } = request
      const template = templates(`lag ${nameOfGroups(request)}`, () => {
        const { text, params } = compileChanges(groupsOf(request), tables, dialect)
        return { text: `select count(*)\nfrom (${text}) as l`, params }
      })
      const queries = [bind(template, request), compileNumbers(brand, after)]
      const [[row] = [], [numbers] = []] = await database.read(queries, ownerNumber(brand))
      if (!isKnown(after, numbers)) return null
      const changes = Number(row?.[0] ?? 0)
      return { changes: Math.min(changes, limit), hasMore: changes > limit }
    },
    writtenBy: async (brand, change, limit) => {
      const [[row] = []] = await database.read([previousWriteQuery(ownerNumber(brand), change)])
      const request = { brand, resource: null, after: afterNumber(Number(row?.[0] ?? 0)), limit }
      const { changes } = await page(request)
      return changes.filter(
        ({ number, collection }) =>
          number <= change && catalog.byPath.get(collection)?.scope === 'brand',
      )
    },
    isRecording: async () => {
      const [rows = []] = await database.read([newestNumber])
      return (rows[0]?.[0] ?? null) !== null
    },
  }
}

const isKnown = ({ change }: FeedPosition, numbers: Row | undefined): boolean => {
  const newest = numbers?.[0] ?? null
  if (newest === null) {
    throw new DatabaseError('The database does not record changes any more.')
  }
  if (change === 0) return true
  // The changes after a position from before the brand's removal were deleted with it.
  if (change <= Number(numbers?.[2] ?? 0)) return false
  // A position beyond the newest number is ahead of a lagging replica.
  return change > Number(newest) || Number(numbers?.[1]) > 0
}

/** A change as it was read. */
interface Entry extends FeedPosition {
  readonly owner: number
  readonly isRemoved: boolean
  /** Null for a removed record, or if the text was not read. */
  readonly body: Body | null
}

const readEntry = (row: Row, tables: ReadonlyMap<string, Table>): Entry => {
  const [owner, change, collection, removed, ...rest] = row
  return {
    owner: Number(owner),
    change: Number(change),
    collection: collection as string,
    isRemoved: Number(removed) > 0,
    key: keyIn(rest, tableAt(tables, collection as string)),
    body: (row[changeColumns.length] ?? null) as Body | null,
  }
}

const changeOf = ({ change, collection, key, isRemoved }: Entry, body: Body | null): Change => {
  if (body === null && !isRemoved) {
    throw new DatabaseError(
      `The change log names ${collection} ${key.join(',')}, which is not stored.`,
    )
  }
  return { number: change, collection, key, body }
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
