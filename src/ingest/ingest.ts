import { type Catalog, formatCount, importOrder, type Resource, resourceAt } from '#contract'
import type { CollectionMapping } from '#mapping'
import {
  DatabaseRefusedError,
  QuarantineFullError,
  quarantineDays,
  type SourceName,
  type Store,
  sharedOwner,
  TooManyRefusedError,
  type Writer,
  type YieldedRows,
} from '#store'
import { createCheckReport } from './check-report.ts'
import { isCorrectionName } from './corrections.ts'
import type { CpuLimit } from './cpu-limit.ts'
import { createHeldRows, type HeldRows, heldSourcesOf, type OnError } from './held-rows.ts'
import { createImportContext, type ImportContext } from './import-context.ts'
import { createNamedReport, type NamedReport, type UnnamedProblem } from './named-report.ts'
import type { ChangeCollector } from './record-changes.ts'
import {
  type Referenced,
  ReferencedError,
  repetitionsMax,
  requireUnreferenced,
} from './referenced-removals.ts'
import { nameOf, refusal, reportRejectedRows } from './rejected-report.ts'
import { type RemapParts, remappedSources } from './remapped-sources.ts'
import { cutValue, plainText, pointerOf, type Report, type RowProblem } from './report.ts'
import { SourceError } from './row.ts'
import { originOf, placeOf, type Source } from './source.ts'
import { stageSource } from './stage-source.ts'

export interface IngestOptions {
  readonly store: Store
  readonly sources: readonly Source[]
  /** A brand's slug, or `sharedOwner`. */
  readonly owner: string
  /** Remove stored records of these collections that are not in the sources. */
  readonly replace: boolean
  /** Allow a replacement to remove more than half of a collection. */
  readonly allowRemovals: boolean
  /** Validate and report only. */
  readonly dryRun: boolean
  /** Report dangling references as warnings: all of them, or those to some collections. */
  readonly allowDangling: boolean | ReadonlySet<string>
  /** What becomes of rows that cannot be stored; `refuse` by default. */
  readonly onError?: OnError
  /** The share of bad rows that refuses the import nevertheless, in percent; 5 by default. */
  readonly badRowsPercentMax?: number | undefined
  /** The source of the rows, for those that are put in quarantine; null for a command. */
  readonly source?: SourceName | null
  /**
   * Whether the sender may read records; true by default. Otherwise problems have no names of stored
   * records, and nothing of other brands.
   */
  readonly mayRead?: boolean
  /**
   * The mappings of the source, of all collections. Quarantined rows that another mapping has refused
   * are tried again.
   */
  readonly mappings?: readonly CollectionMapping[] | undefined
  /** Leave out records that changed after this number of a change, and warn of them; null for none. */
  readonly supersededAfter?: number | null
  readonly report: Report
  /** Called with the warnings of rows that were in quarantine before. Without it, the report has them. */
  readonly onReleasedProblem?: (problem: RowProblem) => void
  /** Called with the line of each row that is put in quarantine. */
  readonly onQuarantined?: ((line: number) => void) | undefined
  /** Receives the changes. None, if the import is refused. */
  readonly changes?: ChangeCollector | undefined
  /**
   * Leave out removals of records that stored ones refer to, and warn of them. The source has to send
   * them again.
   */
  readonly holdsRemovals?: boolean
  /** The transaction to write in, instead of a new one. */
  readonly write?: Store['write']
  readonly onProgress?: (progress: Progress) => void
  /** For each source; the common limit by default. */
  readonly cpuMs?: CpuLimit | undefined
  /** Writes further data in the records' transaction. Not called if nothing is written. */
  readonly beforeCommit?: (
    writer: Writer,
    collections: readonly CollectionResult[],
  ) => Promise<void>
  /**
   * Further work of a dry run, after the records were merged and before all is rolled back. If the
   * import is refused, the bad rows are missing.
   */
  readonly beforeRollback?: ((writer: Writer, isRefused: boolean) => Promise<void>) | undefined
  /** Receives how many rows of a source become no record of their own, and why. */
  readonly onUnstored?: ((source: Source, why: Unstored, rows: number) => void) | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Why a row of a source does not become a record of its own: `keep` leaves out some rows. */
export type Unstored = 'removal' | 'refused' | 'repeated' | 'leftOut'

/** The amount of a source that has been read. */
export interface Progress {
  readonly source: Source
  readonly bytes: number
  readonly rows: number
  readonly done: boolean
}

/** The effect of an import on one collection. */
export interface CollectionResult {
  readonly collection: string
  /** The owner's records before the import. */
  readonly stored: number
  readonly read: number
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly removed: number
  /** Rows of the sources that wait for a record. */
  readonly parked: number
  /** Rows that waited and that this import stored. */
  readonly unparked: number
  readonly refused: number
  /** Those of the refused rows that are in quarantine. */
  readonly quarantined: number
  readonly seconds: number
  /**
   * A replacement that removed nothing, because rejected rows may be the same records, or because
   * others are newer.
   */
  readonly keptMissing: boolean
  /** A replacement that was rejected, because it would remove more than half of the records. */
  readonly removesTooMany: boolean
  /** Removals that were left out because stored records refer to the records. */
  readonly heldRemovals: number
  /** Rows that were left out because newer ones are stored or in quarantine. */
  readonly superseded: number
}

export interface IngestResult {
  readonly collections: readonly CollectionResult[]
  /** Rows that are in quarantine after the import, including earlier ones. */
  readonly waiting: readonly WaitingRows[]
  /** Whether the import was committed. */
  readonly written: boolean
  /** The number of the write; null if nothing was committed, or if its transaction is still open. */
  readonly change: number | null
  /** Whether problems prevent the import; in a dry run, whether they would. */
  readonly refused: boolean
}

/** The number of rows of a collection that wait for records they refer to. */
export interface WaitingRows {
  readonly collection: string
  readonly rows: number
}

type Outcome = Pick<IngestResult, 'collections' | 'waiting'>

/** Rolls a transaction back and carries its results out. */
class Rollback extends Error {
  readonly outcome: Outcome
  readonly refused: boolean

  constructor(outcome: Outcome, refused: boolean) {
    super('nothing was written')
    this.outcome = outcome
    this.refused = refused
  }
}

/**
 * Imports the records of the sources in one transaction, all or nothing: parse, validate, stage,
 * reject duplicates and dangling references, merge. Collections are imported in the order of their
 * references.
 *
 * If the database refuses a record, the import is repeated and finds it: a problem of its row, like
 * any other. Only this repetition pays for the search.
 *
 * The fast path loads files in the form of an export without parsing their records, which makes
 * imports of large files several times faster. Its parts:
 * - `contract/canonical-json.ts` recognises records whose bytes can be stored unchanged and finds
 *   their column values, by the same rules per kind as `checkRecord`;
 * - `read-ndjson.ts` passes such lines on as bytes and offsets and parses only the others;
 * - `canonical-rows.ts` serialises the rows of other formats and of mappings to such texts, so that
 *   they use the fast path too;
 * - `row-batch.ts` merges both into one batch in line order, and transfers its buffers from the
 *   parse thread (`parse-thread.ts`) to this one without a copy;
 * - the store's `row-digest.ts` hashes the identities and collects the references of a batch in the
 *   parse thread; `duplicate-filter.ts` and `references.ts` use them to skip the queries for
 *   duplicates and dangling references if there can be none;
 * - the database's `bulkInsertSlices` loads the columns as slices of the bytes.
 * Rows that the fast path does not recognise take the ordinary path, with the same result.
 */
export const ingest = async (options: IngestOptions): Promise<IngestResult> => {
  let referenced: Referenced = new Map()
  for (let repetitions = 0; ; repetitions += 1) {
    const takeBack = options.report.mark()
    const holdsRemovals = options.holdsRemovals && repetitions < repetitionsMax
    try {
      return await ingestUnlessRefused({
        ...options,
        holdsRemovals: Boolean(holdsRemovals),
        referenced,
      })
    } catch (error) {
      if (!(error instanceof ReferencedError)) throw error
      takeBack()
      options.changes?.clear()
      referenced = error.referenced
    }
  }
}

export interface RepeatedOptions extends IngestOptions {
  /** Records that stay, whatever the sources say. */
  readonly referenced: Referenced
}

const ingestUnlessRefused = async (options: RepeatedOptions): Promise<IngestResult> => {
  const takeBack = options.report.mark()
  try {
    return await ingestOnce(options, false)
  } catch (error) {
    if (!(error instanceof DatabaseRefusedError)) throw error
    if (options.sources.some(({ input }) => input.kind === 'stream')) {
      throw new SourceError(
        `The database refuses a record: ${error.reason}. Import it from a file, to learn which one`,
      )
    }
    takeBack()
    options.changes?.clear()
    return ingestSearching(options)
  }
}

/** Repeats an import that the database has refused, and finds the records that it refuses. */
const ingestSearching = async (options: RepeatedOptions): Promise<IngestResult> => {
  const { report } = options
  try {
    return await ingestOnce(options, true)
  } catch (error) {
    if (error instanceof DatabaseRefusedError) {
      throw new SourceError(
        `The database refuses the records, and none of them alone is the reason: ${error.reason}`,
      )
    }
    if (!(error instanceof TooManyRefusedError)) throw error
    options.changes?.clear()
    const { collection, rows } = error
    const sources = options.sources.filter(({ resource }) => resource.path === collection)
    const named = createNamedReport(sources, report.add)
    for (const row of rows) named.add(refusal(row, sources[row.source]))
    await named.flush()
    const reason = `has more than ${rows.length.toLocaleString('en')} records that the database refuses: correct these first`
    report.add({ file: '', line: 0, field: '', value: collection, reason, severity: 'error' })
    return { collections: [], waiting: [], change: null, written: false, refused: true }
  }
}

const ingestOnce = async (
  options: RepeatedOptions,
  searchesRefused: boolean,
): Promise<IngestResult> => {
  const { store, owner, report, dryRun, onError = 'refuse', write = store.write } = options
  const earlierErrors = report.errors
  const groups = inImportOrder(store.catalog, options.sources)
  checkScope(groups, owner)
  try {
    const outcome = await write(owner, async (writer) => {
      if (searchesRefused) writer.searchRefused()
      if (onError !== 'refuse') writer.keepRejected()
      const results: CollectionResult[] = []
      await expireRows(options, writer)
      const parked = await writer.quarantined()
      const changed = new Set<string>()
      for (const group of inImportOrder(store.catalog, options.sources, parked)) {
        const { catalog } = store
        const context = createImportContext({ catalog, owner, writer, changed, ...group })
        const result = await ingestCollection(options, writer, group, context)
        if (!result) continue
        results.push(result)
        if (result.added + result.changed + result.removed > 0) changed.add(result.collection)
      }
      if (options.holdsRemovals) await requireUnreferenced(writer, options.referenced)
      const waiting = waitingRows(await writer.quarantined())
      const rowErrors = report.errors
      if (onError === 'quarantine') reportBadRows(options, results)
      reportRemovals(options, groups, results)
      await reportOrphans(options, writer)
      await reportNoBrand(options, writer)
      // The quarantine cannot take problems that no row causes.
      const held = onError === 'quarantine' ? rowErrors - earlierErrors : 0
      const refused = report.errors > held
      const all = { collections: results, waiting }
      if (dryRun) await options.beforeRollback?.(writer, refused)
      if (dryRun || refused) throw new Rollback(all, refused)
      await options.beforeCommit?.(writer, results)
      return { ...all, change: writer.change }
    })
    return { ...outcome, change: outcome.change(), written: true, refused: false }
  } catch (error) {
    if (error instanceof QuarantineFullError) {
      options.changes?.clear()
      report.add({ ...noPlace, reason: error.message, severity: 'error' })
      return { collections: [], waiting: [], change: null, written: false, refused: true }
    }
    if (!(error instanceof Rollback)) throw error
    const { outcome, refused } = error
    if (refused) options.changes?.clear()
    return { ...outcome, change: null, written: false, refused }
  }
}

const waitingRows = (parked: ReadonlyMap<string, number>): readonly WaitingRows[] =>
  [...parked].map(([collection, rows]) => ({ collection, rows }))

interface Group {
  readonly resource: Resource
  readonly sources: readonly Source[]
}

/** The collections with sources or quarantined rows, each after those that it refers to. */
const inImportOrder = (
  catalog: Catalog,
  sources: readonly Source[],
  parked: ReadonlyMap<string, number> = new Map(),
): readonly Group[] =>
  importOrder(catalog)
    .flat()
    .flatMap((path) => {
      const of = sources.filter(({ resource }) => resource.path === path)
      return of.length > 0 || parked.has(path)
        ? [{ resource: resourceAt(catalog, path), sources: of }]
        : []
    })

const checkScope = (groups: readonly Group[], owner: string): void => {
  const wanted = owner === sharedOwner ? 'shared' : 'brand'
  for (const { resource } of groups) {
    if (resource.scope === wanted) continue
    throw new SourceError(
      wanted === 'shared'
        ? `${resource.path} belongs to a brand: use --brand <slug>`
        : `${resource.path} is shared by all brands: import it with --shared`,
    )
  }
}

/** Returns null for a collection with quarantined rows only, if none of them can be stored yet. */
const ingestCollection = async (
  options: RepeatedOptions,
  writer: Writer,
  group: Group,
  context: ImportContext,
): Promise<CollectionResult | null> => {
  const { report, now, owner, allowRemovals, onError = 'refuse' } = options
  const { resource } = group
  const quarantines = onError === 'quarantine'
  const began = now()
  const before = report.errors
  const addReleased = options.onReleasedProblem ?? report.add
  const sources = await context.withContexts()
  const heldSources = [...heldSourcesOf(sources, options.source ?? null)]
  const { onQuarantined } = options
  const held = createHeldRows({
    ...{ writer, resource, sources, owner, onError, heldSources, onQuarantined },
  })
  const named = createNamedReport(sources, report.add)
  const onRejected = (index: number, why: Unstored) => {
    const source = group.sources[index]
    if (source) options.onUnstored?.(source, why, 1)
  }
  const checks = createCheckReport(
    { report, named, addReleased, held, onRejected },
    resource,
    sources,
  )
  const staging = { options, writer, resource, held, named, checks, began }
  let [read, validRows, removals, heldRemovals, stale] = [0, 0, 0, 0, 0]
  let isCorrection = sources.every(({ name }) => isCorrectionName(name))
  for (const [index, source] of sources.entries()) {
    const staged = await stageSource(staging, source, index, validRows)
    isCorrection ||= staged.isCorrection
    read += staged.rows
    validRows += staged.valid
    removals += staged.removals
    heldRemovals += staged.heldRemovals
    stale += staged.stale
    const { onUnstored } = options
    onUnstored?.(source, 'removal', staged.removals)
    onUnstored?.(source, 'refused', staged.rows - staged.valid - staged.removals)
    onUnstored?.(source, 'leftOut', staged.stale)
  }
  const dropped = await dropRepeated(options, writer, resource, sources)
  const superseded = stale + (await reportSuperseded(options, writer, named, resource, sources))
  // A replacement supersedes everything before it, including quarantined rows.
  const replaces = options.replace && sources.length > 0 && !isCorrection
  let retried = 0
  if (!replaces) {
    const remapped = { writer, resource, context, heldSources, began }
    for (const { source, ids } of await findRemapped(options, remapped)) {
      const index = sources.push(source) - 1
      heldSources.push(...heldSourcesOf([source], options.source ?? null))
      const { valid } = await stageSource(staging, source, index, validRows)
      const own = { source: index, ids, ownSources: group.sources.length }
      const { count, rejected } = await writer.yieldStaged(resource, own)
      retried += valid - count
      await writer.dropQuarantined(resource, ids)
      for (const row of rejected) named.add(storedMeanwhile(row, source, held))
    }
    retried += await writer.stageReleased(resource)
  }
  if (sources.length === 0 && retried === 0) return null
  /** Nothing is removed if a bad row may be one of the missing records. */
  const keepsMissing = () => (quarantines ? held.hasUnidentified : report.errors > before)
  const { rejected, repeated, parked, parkedAgain } = await reportRejectedRows({
    ...{ writer, resource, sources, report, named, addReleased, onError, held, onRejected },
    ownSources: group.sources.length,
    allowDangling: options.allowDangling,
    checks: {
      onBroken: checks.addKey,
      onHeldCode: checks.addHeldCode,
      replaces: () => replaces && !keepsMissing() && (quarantines || checks.rejectedRows === 0),
      park: onError === 'refuse' ? undefined : heldSources,
    },
  })
  const keptMissing = replaces && (keepsMissing() || superseded > 0)
  // A brand has one record: a new one replaces it, and an empty file keeps it.
  const replace = resource.lookup
    ? validRows > superseded + checks.rejectedRows
    : replaces && !keptMissing
  const { changes } = options
  const { stored, ...merged } = await writer.merge(resource, {
    replace,
    onBroken: checks.addKey,
    onChange: changes && ((change) => changes.add(resource, change)),
    mayMissChanges: changes?.isPartial,
  })
  await named.flush()
  await held.finish()
  return {
    collection: resource.path,
    stored,
    read: read - repeated - dropped,
    ...merged,
    parked,
    unparked: Math.max(0, retried - parkedAgain - checks.rejectedAgain),
    refused: read - validRows - removals + rejected + checks.rejectedRows,
    quarantined: quarantines ? held.badRows : 0,
    keptMissing,
    removesTooMany: replace && !allowRemovals && !resource.lookup && merged.removed * 2 > stored,
    heldRemovals,
    superseded,
    seconds: (now() - began) / 1_000,
  }
}

/** Quarantined rows that the changed mapping of their source may make records of. */
const findRemapped = async (
  { owner, source = null, mappings = [], onError }: IngestOptions,
  {
    began,
    ...parts
  }: Pick<RemapParts, 'writer' | 'resource' | 'context' | 'heldSources'> & {
    readonly began: number
  },
) => {
  if (onError !== 'quarantine' || mappings.length === 0) return []
  const importedAt = new Date(began).toISOString()
  return remappedSources({ ...parts, owner, source, mappings, importedAt })
}

/** A row that was in quarantine without its identity, which a stored record has by now. */
const storedMeanwhile = (
  row: YieldedRows['rejected'][number],
  source: Source,
  held: HeldRows,
): UnnamedProblem => {
  const { resource } = source
  const { line, value } = row
  return {
    ...{ source: row.source, line },
    describe: ({ key }) => ({
      ...placeOf(source, line, key),
      field: '',
      value: cutValue(value),
      reason: `is a record of ${resource.path} that is stored with other values, which may be newer, so that the row stays in quarantine: send it again, or discard it`,
      severity: 'warning',
      ...originOf(source, '/id'),
    }),
    onNamed: (problem) => held.addBeside(row, problem),
  }
}

/** Leaves out rows whose mapping says that another row with the same key counts. */
const dropRepeated = async (
  { onUnstored }: IngestOptions,
  writer: Writer,
  resource: Resource,
  sources: readonly Source[],
): Promise<number> => {
  let dropped = 0
  for (const [choice, of] of Map.groupBy(sources.keys(), (at) => sources[at]?.mapping?.keep?.row)) {
    const [first] = of
    const source = first === undefined ? undefined : sources[first]
    if (!choice || !source) continue
    const rows = await writer.dropRepeated(resource, choice, of)
    // Rows of several files can have one key; which file had the others is not known.
    onUnstored?.(source, 'leftOut', rows)
    dropped += rows
  }
  return dropped
}

/** Leaves out what was written after the sources were sent. Returns the number of rows. */
const reportSuperseded = async (
  { supersededAfter = null }: IngestOptions,
  writer: Writer,
  named: NamedReport,
  resource: Resource,
  sources: readonly Source[],
): Promise<number> => {
  if (supersededAfter === null || sources.length === 0) return 0
  const rows = await writer.dropSuperseded(resource, supersededAfter)
  for (const { source, line, identity } of rows) {
    named.add({
      ...{ source, line },
      describe: ({ key }) => ({
        ...placeOf(sources[source], line, key),
        field: '',
        value: cutValue(identity),
        reason: `is superseded: the record of ${resource.path} has changed since, and stays as it is`,
        severity: 'warning',
      }),
    })
  }
  return rows.length
}

/** Deletes rows that are in quarantine for too long, and says so. */
const expireRows = async (
  { now, report, onReleasedProblem = report.add }: IngestOptions,
  writer: Writer,
): Promise<void> => {
  if ((await writer.quarantined()).size === 0) return
  const before = new Date(now() - quarantineDays * dayMs).toISOString()
  const expired = await writer.expireQuarantined(before)
  if (expired === 0) return
  const reason = `${formatCount(expired, 'row')} in quarantine for more than ${quarantineDays} days ${expired > 1 ? 'were' : 'was'} deleted`
  onReleasedProblem({ ...noPlace, reason, severity: 'warning' })
}

const dayMs = 86_400_000

/** Few bad rows refuse no import, whatever their share. */
const badRowsMin = 20
const badRowsPercent = 5

/** Refuses an import with many bad rows: their cause is probably a common one. */
const reportBadRows = (
  { report, badRowsPercentMax = badRowsPercent, mayRead = true }: IngestOptions,
  results: readonly CollectionResult[],
): void => {
  const [bad, read] = [sumOf(results, 'quarantined'), sumOf(results, 'read')]
  if (bad <= badRowsMin || bad * 100 <= read * badRowsPercentMax) return
  const [of, all] = [bad, read].map((count) => count.toLocaleString('en'))
  const setting = mayRead ? '--max-bad-rows <percent>' : 'max-bad-rows=<percent>'
  const reason = `${of} of ${all} rows are bad, more than ${badRowsPercentMax} %: correct their cause, or allow more with ${setting}`
  report.add({ ...noPlace, reason, severity: 'error' })
}

const noPlace = { file: '', line: 0, field: '', value: '' }

const sumOf = (results: readonly CollectionResult[], field: 'quarantined' | 'read'): number =>
  results.reduce((sum, each) => sum + each[field], 0)

/**
 * An empty or truncated file looks like one from which records were removed. Removing more than
 * half of a collection therefore needs an explicit option.
 */
const reportRemovals = (
  { report }: IngestOptions,
  groups: readonly Group[],
  results: readonly CollectionResult[],
): void => {
  for (const { collection, removed, stored, removesTooMany } of results) {
    if (!removesTooMany) continue
    const { sources = [] } = groups.find(({ resource }) => resource.path === collection) ?? {}
    const [of, all] = [removed, stored].map((count) => count.toLocaleString('en'))
    report.add({
      file: sources.map(({ name }) => name).join(', '),
      line: 0,
      field: '',
      value: '',
      reason: `would remove ${of} of the ${all} stored records of ${collection}, more than half: check that the file is complete, or add --allow-removals to remove them`,
      severity: 'error',
    })
  }
}

/** Rejects removals of records that stored records refer to. */
const reportOrphans = async (
  { store, owner, report, allowDangling, mayRead = true }: IngestOptions,
  writer: Writer,
): Promise<void> => {
  // Records of all brands refer to shared ones.
  if (!mayRead && owner === sharedOwner) return
  const severity = allowDangling === true ? 'warning' : 'error'
  for await (const { from, field, to, first, count } of writer.orphans()) {
    const place = { file: '', line: 0, field: pointerOf(field), severity } as const
    for (const { key, value, body } of first) {
      const name = mayRead ? nameOf(resourceAt(store.catalog, from), { body }) : null
      const record = name ? `${name} (${key.join(' ')})` : key.join(' ')
      const reason = `the stored record ${plainText(record)} of ${from} refers to this record of ${to}, which the import removes`
      report.add({ ...place, value, reason })
    }
    const more = count - first.length
    if (more === 0) continue
    const reason = `and ${more.toLocaleString('en')} more stored records of ${from} refer to records of ${to} that the import removes`
    report.add({ ...place, value: '', reason })
  }
}

/** A brand's records need the brand record, stored or in the same import. */
const reportNoBrand = async (
  { store, owner, report }: IngestOptions,
  writer: Writer,
): Promise<void> => {
  const brand = store.catalog.resources.find(({ lookup }) => lookup !== undefined)
  if (owner === sharedOwner || !brand || (await writer.count(brand)) > 0) return
  report.add({
    file: '',
    line: 0,
    field: '',
    value: owner,
    reason: 'is a brand that does not exist, and this import does not contain its record',
    severity: 'error',
  })
}
