import type { RecordAudit } from '#audit'
import type { Catalog, Checks } from '#contract'
import {
  type Database,
  DatabaseBusyError,
  DatabaseError,
  DatabaseMissingError,
  ReadCancelledError,
  ReadLimitError,
  type Session,
  SnapshotLimitError,
} from '#database'
import { allStoreTables } from './all-store-tables.ts'
import { type BrandOverviews, readBrandOverviews } from './brand-overview.ts'
import { type CalendarRequest, createCalendars, type OrderCalendar } from './document/calendar.ts'
import { createDocuments, type Documents } from './document/document.ts'
import { createGrids, type Grids } from './document/grid.ts'
import { createScorecards, type Scorecards } from './document/scorecards.ts'
import { type CheckResults, createCheckResults } from './quality/check-results.ts'
import type { DayFigures } from './query/day-figures.ts'
import { createDaySnapshots, type DaySnapshots } from './query/day-snapshots.ts'
import { createDownloads, type Download, type DownloadRequest } from './query/download.ts'
import { createListReader } from './query/list-reader.ts'
import type { QueryPage, QueryRequest } from './query/request.ts'
import { createSummaries } from './query/summary.ts'
import type { Summary, SummaryRequest } from './query/summary-request.ts'
import { createToday, type TodayRequest } from './query/today.ts'
import { createTotalledLists } from './query/totalled-list.ts'
import { createTrends, type TrendDay, type TrendRequest } from './query/trend.ts'
import { type BrandProfiles, createBrandProfiles } from './read/brand-profile.ts'
import {
  type BrandSummary,
  type CollectionCount,
  createBrands,
  type ListedBrand,
} from './read/brands.ts'
import { type ChangeTracker, openChangeTracker, type ReadState } from './read/change-tracker.ts'
import { createFeed, type Feed } from './read/feed.ts'
import type { GetRequest } from './read/get.ts'
import type { ListRequest, Page } from './read/list.ts'
import { createQuarantinedRows, type QuarantinedRows } from './read/quarantined-rows.ts'
import { createRecordReader, type RecordBody } from './read/record-reader.ts'
import { createSnapshotReader, type SnapshotReader } from './read/snapshot.ts'
import { createDependencies, readState, type State, type StateRequest } from './read/state.ts'
import { brandChecksQuery, parseChecks, storeChecks } from './schema/brand-checks.ts'
import { type History, parseHistory, restoresSetting } from './schema/history.ts'
import { OldLayoutError } from './schema/layout.ts'
import { planMigration } from './schema/migrate.ts'
import { ownerNumber, sharedOwner } from './schema/owners.ts'
import { secureRows } from './schema/row-security.ts'
import { runMigration } from './schema/run-migration.ts'
import { createWriteGuard, generationQuery, listed } from './schema/schema-version.ts'
import { readOrCreateSetting, readSetting } from './schema/settings.ts'
import { tablesOf } from './schema/tables.ts'
import { createSearch, type Search } from './search/search.ts'
import { createImportedFiles, type ImportedFiles } from './sources/imported-files.ts'
import { createLeases, type Leases } from './sources/lease.ts'
import { createSourceStates, type SourceStates } from './sources/source-states.ts'
import { beginRecording } from './write/change-log.ts'
import { createPublishedViews, type PublishedViews } from './write/published-views.ts'
import { retryAll } from './write/quarantine-statements.ts'
import { type RemovedRows, removeBrand } from './write/remove-brand.ts'
import { holdRewrites, releaseRewrites } from './write/rewrites.ts'
import { type OpenWriteGroup, openWriteGroup, type WriteGroup } from './write/write-group.ts'
import { hasWrite, writeQuery } from './write/write-log.ts'
import type { Writer } from './write/writer.ts'

export interface Store {
  readonly catalog: Catalog
  /**
   * What the engine lacks to hide other brands' rows; null if nothing, or if it does not support
   * that.
   */
  readonly missingSecurity: string | null
  /** What a newer version has added to the tables. If anything, this version writes no records. */
  readonly additions: readonly string[]
  /** The restores of the database, as they were when it was opened. */
  readonly history: History
  list(request: ListRequest): Promise<Page>
  /** The record; null if it does not exist. */
  get(request: GetRequest): Promise<RecordBody | null>
  /** Reads the state that a response depends on, without reading records. */
  state(request: StateRequest): Promise<State>
  /** Reads a page of the query API. */
  query(request: QueryRequest): Promise<QueryPage>
  /** Reads the state that a page of the query API depends on. */
  queryState(request: QueryRequest): Promise<State>
  /** Reads all records of a list from one snapshot, which stays open until `work` ends. */
  download<T>(request: DownloadRequest, work: (download: Download) => Promise<T>): Promise<T>
  /** Counts and aggregates the records of a list. */
  summary(request: SummaryRequest): Promise<Summary>
  /** The figures of a brand's day, each with the list behind it. */
  today(request: TodayRequest): Promise<DayFigures>
  /** Some of these figures on each of the last days, the current one last. */
  trend(request: TrendRequest): Promise<readonly TrendDay[]>
  /** The dates of a brand's open orders. */
  calendar(request: CalendarRequest): Promise<OrderCalendar>
  /** The figures of past days. */
  readonly daySnapshots: DaySnapshots
  /** Records with related records, as people read them. */
  readonly documents: Documents
  /** The scorecards of lists of suppliers. */
  readonly scorecards: Scorecards
  readonly grids: Grids
  /** The fields of a brand's record that decide how its records are read; null if it does not exist. */
  readonly profile: BrandProfiles['profile']
  /** Changed records in commit order, if the database records changes. */
  readonly feed: Feed
  /** Finds records of a brand by number, code or name, in all collections. */
  readonly search: Search
  has(brand: string): Promise<boolean>
  /** The state in which a brand exists; null if it does not. */
  find(brand: string): Promise<ReadState | null>
  /**
   * Runs work whose reads all contain the write of a brand, or of shared records, with this number.
   * Returns null without running it if the write is lost: the database was restored from a backup.
   */
  readAfter<T>(
    brand: string,
    change: number,
    work: () => Promise<T>,
  ): Promise<{ readonly result: T } | null>
  /** Tracks which collections have changed since something was read. */
  trackChanges(): Promise<ChangeTracker>
  /** Writes to one owner's collections atomically. `sharedOwner` owns the shared ones. */
  write<T>(owner: string, work: (writer: Writer) => Promise<T>): Promise<T>
  /**
   * Like `write`, in parts that succeed or fail independently within one transaction. Does not compact
   * indexes, which other writers of their table wait for.
   */
  writeGroup<T>(owner: string, work: (group: WriteGroup) => Promise<T>): Promise<T>
  /** The order of a brand's writes, for units that are applied later than those after them. */
  readonly rewrites: Rewrites
  /** Lets long work read a brand's records from one snapshot. */
  snapshot<T>(brand: string, work: (reader: SnapshotReader) => Promise<T>): Promise<T>
  /** A setting, created on first use and then the same for every process. */
  setting(name: string, make: () => string): Promise<string>
  /** A setting that may not exist. */
  findSetting(name: string): Promise<string | undefined>
  /** Results of checks of the business rules. */
  readonly quality: CheckResults
  /** The sources of records, and their progress. */
  readonly sources: SourceStates
  readonly files: ImportedFiles
  /** Locks for work that only one process may do at a time. */
  readonly leases: Leases
  /** Rows of sources that cannot be stored now. */
  readonly quarantine: QuarantinedRows
  /** Views of lists that an operator publishes for a brand. */
  readonly views: PublishedViews
  /** Every brand, with the number of its records. */
  brands(): Promise<readonly BrandSummary[]>
  /** The brands after a slug with what is stored about them, for operators. */
  brandOverviews(page: { readonly after: string; readonly limit: number }): Promise<BrandOverviews>
  /** The checks of an owner's records on the way in. */
  checks(owner: string): Promise<Checks>
  setChecks(owner: string, checks: Checks): Promise<void>
  /** The number of a brand's own records by collection, largest first. */
  brandCounts(brand: string): Promise<readonly CollectionCount[]>
  /** Removes a brand and all its data atomically. */
  removeBrand(
    brand: string,
    onRemoved?: (removed: RemovedRows) => void,
    beforeCommit?: () => Promise<void>,
  ): Promise<void>
  /**
   * The brands with these slugs, or all brands, ordered by slug, with their profiles. Reads in
   * batches, so that a key for thousands of brands does not delay other requests.
   */
  listBrands(slugs: Iterable<string> | null): Promise<readonly ListedBrand[]>
}

export interface Rewrites {
  /**
   * The number of the brand's last change so far. From then on its changes are logged, for
   * `Writer.dropSuperseded`, until they are released.
   */
  hold(brand: string): Promise<number>
  /** Ends the log, unless it is needed. `isNeeded` is called while `hold` of the brand waits. */
  release(brand: string, isNeeded: () => Promise<boolean>): Promise<void>
}

export interface StoreOptions {
  /** Receives a sentence about each step of a migration. */
  readonly log?: (sentence: string) => void
  /** Whether to create tables in a database that has none; true by default. */
  readonly creates?: boolean
  /**
   * Whether to start recording changes. Once a database records changes, every program continues
   * to.
   */
  readonly recordsChanges?: boolean
  /** Whether to repair row-level security, which waits for an import; true by default. */
  readonly repairsSecurity?: boolean
  /** Records changes in the audit log. */
  readonly recordAudit?: RecordAudit
  /** Replaces the built-in conversion of an earlier storage layout. */
  readonly convert?: () => Promise<void>
}

/** Maximum consecutive migrations between inspecting the tables and writing. */
const migrationsMax = 5

/** Creates the store of a database's records. Migrates the database to the catalog first. */
export const createStore = async (
  catalog: Catalog,
  database: Database,
  options: StoreOptions = {},
): Promise<Store> => {
  const { log = () => undefined, recordAudit = async () => undefined } = options
  const { dialect } = database
  const tables = tablesOf(catalog)
  const parts = { catalog, tables, storeTables: allStoreTables(dialect, catalog), database, log }
  if (options.creates === false && !(await database.tables()).has('selvedge_settings')) {
    throw new DatabaseMissingError('the address in DATABASE_URL: it has no tables of Selvedge')
  }
  const additions = await runMigration(parts, options.convert)
  if (additions.length > 0) {
    log(
      `The database belongs to a newer version of Selvedge, which has added ${listed(additions)}. This version reads it, and refuses to write records.`,
    )
  } else if (options.recordsChanges) await beginRecording(database, tables, log)
  const missingSecurity = await secureRows(parts, options.repairsSecurity)
  const history = parseHistory(await readSetting(database, restoresSetting))
  const guard = createWriteGuard(
    async () => {
      const [rows = []] = await database.read([generationQuery])
      return (rows[0]?.[0] ?? null) as string | null
    },
    async () => (await planMigration(parts)).additions,
  )
  const dependenciesOf = createDependencies(catalog)
  const brands = createBrands(database)
  const profiles = createBrandProfiles(database)
  const summaries = createSummaries({ catalog, database, tables })
  const get = createRecordReader({ database, tables, dependenciesOf })

  /** Writes once; null if the tables must be inspected first. */
  const tryWrite = <T>(slug: string, work: (session: Session) => Promise<T>) =>
    database.write(
      async (session) => {
        const [row] = await session.all(generationQuery)
        if (!guard.admits((row?.[0] as string | undefined) ?? null)) return null
        return { result: await work(session) }
      },
      // Every brand may reference shared records, so no brand's references may be checked while
      // they change.
      slug === sharedOwner ? 'records' : { owner: slug },
    )

  /** Best effort: the write is already committed, so a table that is in use stays as it is. */
  const compactIndexes = async (grown: ReadonlySet<string>): Promise<void> => {
    for (const table of grown) {
      try {
        await database.compactIndexes(table)
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error
      }
    }
  }

  const guardedWrite = async <T>(
    owner: string,
    work: (session: Session) => Promise<T>,
  ): Promise<T> => {
    for (let attempt = 0; attempt <= migrationsMax; attempt += 1) {
      const written = await tryWrite(owner, work)
      if (written) return written.result
      await guard.inspect()
    }
    throw new DatabaseBusyError('The tables of the database are being changed. Try again.')
  }

  const writeGroup = <T>(slug: string, work: (group: OpenWriteGroup) => Promise<T>): Promise<T> =>
    guardedWrite(slug, async (session) => {
      const group = await openWriteGroup({ session, dialect, catalog, tables, slug, recordAudit })
      const result = await work(group)
      await group.finish()
      return result
    })
  const lists = createListReader({ database, tables, dependenciesOf })
  const totalled = createTotalledLists({ database, lists, summaries })

  const today = createToday({ catalog, database, tables })
  return {
    catalog,
    missingSecurity,
    additions,
    history,
    list: lists.list,
    query: totalled.page,
    queryState: totalled.state,
    download: createDownloads({ database, tables }),
    get,
    summary: summaries.read,
    today,
    trend: createTrends({ catalog, database, today }),
    calendar: createCalendars({ catalog, database, tables }),
    daySnapshots: createDaySnapshots(database),
    documents: createDocuments({ catalog, database, tables, summaries }),
    scorecards: createScorecards({ catalog, database, tables, summaries }),
    grids: createGrids({ catalog, database, tables }),
    profile: profiles.profile,
    feed: createFeed({ catalog, database, tables, history }),
    search: createSearch({ database, tables }),
    state: (request) => readState(database, dependenciesOf(request), request.brand),
    find: brands.find,
    has: async (brand) => (await brands.find(brand)) !== null,
    readAfter: (brand, change, work) =>
      database.readAfter(
        {
          query: writeQuery(brand, change, dialect),
          owner: ownerNumber(brand),
          isMet: (row) => hasWrite(change, row),
        },
        work,
      ),
    trackChanges: () => openChangeTracker(database),
    write: async (owner, work) => {
      const { result, grown } = await writeGroup(owner, async ({ writer, grown }) => ({
        result: await work(writer),
        grown,
      }))
      await compactIndexes(grown)
      return result
    },
    writeGroup,
    rewrites: {
      hold: (slug) => guardedWrite(slug, (session) => holdRewrites(session, dialect, slug)),
      release: (slug, isNeeded) =>
        guardedWrite(slug, async (session) => {
          if (!(await isNeeded())) await releaseRewrites(session, ownerNumber(slug))
        }),
    },
    snapshot: (brand, work) =>
      database.snapshot((all) => work(createSnapshotReader({ all, dialect, tables, brand }))),
    setting: (name, make) => readOrCreateSetting(database, name, make),
    findSetting: (name) => readSetting(database, name),
    quality: createCheckResults(catalog, database),
    sources: createSourceStates(database),
    files: createImportedFiles(database),
    leases: createLeases(database),
    quarantine: createQuarantinedRows({ catalog, database, tables, recordAudit }),
    views: createPublishedViews({ database, write: guardedWrite, recordAudit }),
    brands: brands.all,
    checks: async (owner) => {
      const [rows = []] = await database.read([brandChecksQuery(ownerNumber(owner))])
      return parseChecks(rows[0])
    },
    setChecks: (owner, checks) =>
      guardedWrite(owner, async (session) => {
        const from = parseChecks((await session.all(brandChecksQuery(ownerNumber(owner))))[0])
        await storeChecks(session, owner, checks)
        await session.run(retryAll(ownerNumber(owner)))
        const details = { from: { ...from }, to: { ...checks } }
        await recordAudit(session, { action: 'checks.changed', brand: owner, details })
      }),
    brandCounts: brands.counts,
    brandOverviews: (page) => readBrandOverviews(database, page),
    removeBrand: (slug, onRemoved = () => undefined, beforeCommit = async () => undefined) =>
      guardedWrite(slug, async (session) => {
        let rows = 0
        await removeBrand({
          session,
          dialect,
          tables,
          storeTables: parts.storeTables.tables,
          owner: ownerNumber(slug),
          onRemoved: (removed) => {
            rows += removed.rows
            onRemoved(removed)
          },
        })
        await recordAudit(session, { action: 'brand.removed', brand: slug, details: { rows } })
        await beforeCommit()
      }),
    listBrands: brands.list,
  }
}

/**
 * The additions of a newer version that a database has; empty if this version knows all of it. Throws
 * `MigrationError` if it cannot be migrated.
 */
export const findAdditions = async (
  catalog: Catalog,
  database: Database,
): Promise<readonly string[]> => {
  const storeTables = allStoreTables(database.dialect, catalog)
  const parts = { catalog, tables: tablesOf(catalog), storeTables, database }
  try {
    return (await planMigration(parts)).additions
  } catch (error) {
    // An earlier version cannot have any.
    if (error instanceof OldLayoutError) return []
    throw error
  }
}

/** Whether a read reached a limit, which is expected; the same read may succeed later. */
export const isReadLimit = (error: unknown): boolean => error instanceof ReadLimitError

/** Whether it was ended, or did not begin, because of what is written during long reads. */
export const isSnapshotLimit = (error: unknown): boolean => error instanceof SnapshotLimitError

/** Whether a read ended because its client disconnected. */
export const isCancelledRead = (error: unknown): boolean => error instanceof ReadCancelledError

export const isDatabaseError = (error: unknown): boolean => error instanceof DatabaseError
