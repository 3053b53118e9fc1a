import { type Catalog, importOrder, type Resource, resourceAt } from '#contract'
import {
  DatabaseRefusedError,
  quarantineMax,
  type RejectedRow,
  type RejectOptions,
  releasedSource,
  type Store,
  sharedOwner,
  TooManyRefusedError,
  type Writer,
} from '#store'
import { createCheckReport } from './check-report.ts'
import type { CpuLimit } from './cpu-limit.ts'
import { addTimes, futureProblem, noFutureTimes } from './future-times.ts'
import { parseSource } from './parse-thread.ts'
import { createKeyedReport } from './reference-keys.ts'
import { cutValue, plainText, pointerOf, type Report, type RowProblem } from './report.ts'
import { SourceError } from './row.ts'
import { originOf, type Source } from './source.ts'
import { repeatReason } from './validate.ts'

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
  /** Report dangling references as warnings. */
  readonly allowDangling: boolean
  /** Import the valid rows even if there are invalid ones. */
  readonly skipInvalid: boolean
  /**
   * Import the other rows if the database refuses some, without those that refer to them. The
   * source cannot send a part of them again: it continues after all.
   */
  readonly skipRefused?: boolean
  /** Let rows wait that refer to a missing record, instead of rejecting them. */
  readonly park?: boolean
  /** Leave out records that changed after this number of a change, and warn of them; null for none. */
  readonly supersededAfter?: number | null
  readonly report: Report
  /** Called with the warnings of rows that were in quarantine before. Without it, the report has them. */
  readonly onReleasedProblem?: (problem: RowProblem) => void
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
  /** Milliseconds since 1970. */
  readonly now: () => number
}

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
  readonly seconds: number
  /**
   * A replacement that removed nothing, because rejected rows may be the same records, or because
   * others are newer.
   */
  readonly keptMissing: boolean
  /** A replacement that was rejected, because it would remove more than half of the records. */
  readonly removesTooMany: boolean
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
    return ingestSearching(options)
  }
}

/** Repeats an import that the database has refused, and finds the records that it refuses. */
const ingestSearching = async (options: IngestOptions): Promise<IngestResult> => {
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
    const { collection, rows } = error
    const sources = options.sources.filter(({ resource }) => resource.path === collection)
    for (const row of rows) report.add(refusalProblem(row, sources[row.source]))
    const reason = `has more than ${rows.length.toLocaleString('en')} records that the database refuses: correct these first`
    report.add({ file: '', line: 0, field: '', value: collection, reason, severity: 'error' })
    return { collections: [], waiting: [], change: null, written: false, refused: true }
  }
}

/** Rows that are left out because the database refuses them, or a record that they refer to. */
interface LeftOut {
  /** The records that it refuses, each with its collection. */
  readonly records: Set<string>
  /** The collections of rows that refer to left out ones. */
  readonly dependents: Set<string>
  problems: number
}

const ingestOnce = async (
  ingestOptions: IngestOptions,
  searchesRefused: boolean,
): Promise<IngestResult> => {
  const leftOut: LeftOut = { records: new Set(), dependents: new Set(), problems: 0 }
  const options = { ...ingestOptions, leftOut }
  const { store, owner, report, dryRun, write = store.write } = options
  const skipped = ({ skipInvalid, skipRefused }: IngestOptions, rowErrors: number): number =>
    skipInvalid ? rowErrors : skipRefused ? leftOut.problems : 0
  const groups = inImportOrder(store.catalog, options.sources)
  checkScope(groups, owner)
  try {
    const outcome = await write(owner, async (writer) => {
      if (searchesRefused) writer.searchRefused()
      const results: CollectionResult[] = []
      const parked = await writer.quarantined()
      for (const group of inImportOrder(store.catalog, options.sources, parked)) {
        const result = await ingestCollection(options, writer, group)
        if (result) results.push(result)
      }
      const waiting = waitingRows(await writer.quarantined())
      const rowErrors = report.errors
      reportRemovals(options, groups, results)
      await reportOrphans(options, writer)
      await reportNoBrand(options, writer)
      // Skipping rows cannot avoid problems that no row causes.
      const refused = report.errors > skipped(options, rowErrors)
      const all = { collections: results, waiting }
      if (dryRun || refused) throw new Rollback(all, refused)
      await options.beforeCommit?.(writer, results)
      return { ...all, change: writer.change }
    })
    return { ...outcome, change: outcome.change(), written: true, refused: false }
  } catch (error) {
    if (!(error instanceof Rollback)) throw error
    const { outcome, refused } = error
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
  options: IngestOptions & { readonly leftOut: LeftOut },
  writer: Writer,
  { resource, sources }: Group,
): Promise<CollectionResult | null> => {
  const { store, report, now, owner, allowRemovals } = options
  const began = now()
  const before = report.errors
  const addReleased = options.onReleasedProblem ?? report.add
  const checks = createCheckReport({ report, addReleased }, resource, sources)
  let read = 0
  let validRows = 0
  let removals = 0
  for (const [index, source] of sources.entries()) {
    let bytes = 0
    let rows = 0
    let futureTimes = noFutureTimes
    const reportProgress = (done: boolean) => options.onProgress?.({ source, bytes, rows, done })
    reportProgress(false)
    for await (const batch of parseSource({
      catalog: store.catalog,
      source,
      owner,
      validBefore: validRows,
      now: began,
      cpuMs: options.cpuMs,
    })) {
      for (const problem of batch.problems) report.add(problem)
      futureTimes = addTimes(futureTimes, batch.futureTimes)
      if (batch.lines.length > 0) {
        const rows = { source: index, ...batch }
        checks.addCodes(rows, await writer.stageRows(resource, rows, source.mapping))
      }
      if (batch.removals.length > 0) await writer.stageRemoval(resource, batch.removals)
      bytes += batch.bytes
      rows += batch.rows
      validRows += batch.lines.length
      removals += batch.removals.length
      reportProgress(false)
    }
    read += rows
    const future = futureProblem(source, futureTimes, began)
    if (future) report.add(future)
    reportProgress(true)
  }
  const superseded = await reportSuperseded(options, writer, resource, sources)
  // A replacement supersedes everything before it, including quarantined rows.
  const replaces = options.replace && sources.length > 0
  const retried = replaces ? 0 : await writer.stageReleased(resource)
  if (sources.length === 0 && retried === 0) return null
  const { rejected, repeated, parked, parkedAgain } = await reportRejectedRows(
    options,
    writer,
    resource,
    sources,
    {
      onBroken: checks.addKey,
      onHeldCode: checks.addHeldCode,
      replaces: () => replaces && report.errors === before,
    },
  )
  const keptMissing = replaces && (report.errors > before || superseded > 0)
  // A brand has one record: a new one replaces it, and an empty file keeps it.
  const replace = resource.lookup
    ? validRows > superseded + checks.rejectedRows
    : replaces && !keptMissing
  const { stored, ...merged } = await writer.merge(resource, { replace, onBroken: checks.addKey })
  return {
    collection: resource.path,
    stored,
    read: read - repeated,
    ...merged,
    parked,
    unparked: retried - parkedAgain,
    refused: read - validRows - removals + rejected + checks.rejectedRows,
    keptMissing,
    removesTooMany: replace && !allowRemovals && !resource.lookup && merged.removed * 2 > stored,
    seconds: (now() - began) / 1_000,
  }
}

/** Leaves out what was written after the sources were sent. Returns the number of rows. */
const reportSuperseded = async (
  { report, supersededAfter = null }: IngestOptions,
  writer: Writer,
  resource: Resource,
  sources: readonly Source[],
): Promise<number> => {
  if (supersededAfter === null || sources.length === 0) return 0
  const rows = await writer.dropSuperseded(resource, supersededAfter)
  for (const { source, line, identity } of rows) {
    report.add({
      file: sources[source]?.name ?? '',
      line,
      field: '',
      value: cutValue(identity),
      reason: `is superseded: the record of ${resource.path} has changed since, and stays as it is`,
      severity: 'warning',
    })
  }
  return rows.length
}

/** Rows that were not imported because of other rows, or because of missing records. */
interface RejectedRows {
  readonly rejected: number
  /** Rows that repeat another row's record. The record counts once. */
  readonly repeated: number
  readonly parked: number
  /** Rows that waited before. */
  readonly parkedAgain: number
}

/** Reports duplicates and dangling references. On request, lets rows with dangling references wait. */
const reportRejectedRows = async (
  options: IngestOptions & { readonly leftOut: LeftOut },
  writer: Writer,
  resource: Resource,
  sources: readonly Source[],
  keys: Required<Pick<RejectOptions, 'onBroken' | 'onHeldCode' | 'replaces'>>,
): Promise<RejectedRows> => {
  const { report, owner, allowDangling, park = false, leftOut } = options
  const addReleased = options.onReleasedProblem ?? report.add
  const add = (row: RejectedRow, severity: 'error' | 'warning', key?: string) => {
    const { source, line, reference, value, first } = row
    const field = reference ? pointerOf(reference.field) : ''
    report.add({
      file: sources[source]?.name ?? '',
      line,
      field,
      value: key === undefined ? cutValue(value) : `${cutValue(key)}, id ${cutValue(value)}`,
      reason: first
        ? `has the same identity as line ${first.line} of ${sources[first.source]?.name ?? ''}`
        : `refers to a record of ${reference?.to} that is neither in this import nor stored${note(row)}`,
      severity,
      ...originOf(sources[source], field === '' ? '/id' : field),
    })
  }
  const rows = createKeyedReport(sources, owner, add)
  const note = ({ isQuarantined, reference }: RejectedRow): string => {
    if (isQuarantined) return ': the row waits for it'
    return park && reference
      ? `. It cannot wait: ${quarantineMax.toLocaleString('en')} rows are in quarantine, which is the maximum. Import what they refer to, or discard them: selvedge intake rows`
      : ''
  }
  const counts = { rejected: 0, repeated: 0, parked: 0, parkedAgain: 0 }
  const names = sources.map(({ name }) => name)
  const checks = {
    references: !allowDangling,
    park: park ? names : undefined,
    ...keys,
    // References are reported late.
    replaces: () => keys.replaces() && counts.rejected === 0,
  }
  for await (const row of writer.rejectInvalid(resource, checks)) {
    const { mapping, name } = sources[row.source] ?? { name: '' }
    const addRefused = row.source === releasedSource ? addReleased : report.add
    if (row.refusal) addRefused(refusalProblem(row, sources[row.source]))
    if (row.source !== releasedSource && !row.isQuarantined) noteLeftOut(leftOut, resource, row)
    if (row.source === releasedSource) counts.parkedAgain += 1
    else if (row.refusal) counts.rejected += 1
    else if (mapping && row.first?.isSame) {
      counts.repeated += 1
      const reason = repeatReason(row.first.line, sources[row.first.source]?.name ?? '')
      const place = { file: name, line: row.line, field: '', value: '' }
      if (!mapping.distinct) report.add({ ...place, reason, severity: 'warning' })
    } else {
      await rows.add(row, row.isQuarantined ? 'warning' : 'error')
      counts[row.isQuarantined ? 'parked' : 'rejected'] += 1
    }
  }
  if (allowDangling) {
    for await (const row of writer.dangling(resource)) await rows.add(row, 'warning')
  }
  await rows.end()
  return counts
}

/** Notes a row that is left out because of a record that the database refuses. */
const noteLeftOut = (
  leftOut: LeftOut,
  { path }: Resource,
  { refusal, reference, value }: RejectedRow,
): void => {
  const isDependent =
    reference !== null &&
    (leftOut.records.has(`${reference.to} ${value}`) || leftOut.dependents.has(reference.to))
  if (!refusal && !isDependent) return
  leftOut.problems += 1
  if (refusal) leftOut.records.add(`${path} ${value}`)
  else leftOut.dependents.add(path)
}

/** A row that the database refuses. A quarantined one stays there, and does not fail this import. */
const refusalProblem = (
  { source, line, value, refusal }: RejectedRow,
  of: Source | undefined,
): RowProblem => {
  const isReleased = source === releasedSource
  const field = refusal?.field ? pointerOf(refusal.field) : ''
  const remedy = isReleased
    ? '. It stays in quarantine; selvedge intake discard-rows deletes it'
    : ''
  return {
    file: of?.name ?? '',
    line: isReleased ? 0 : line,
    field,
    value: cutValue(value),
    reason: `is refused by the database: ${plainText(refusal?.reason ?? '')}${remedy}`,
    severity: isReleased ? 'warning' : 'error',
    ...originOf(of, field === '' ? '/id' : field),
  }
}

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
  { report, allowDangling }: IngestOptions,
  writer: Writer,
): Promise<void> => {
  const severity = allowDangling ? 'warning' : 'error'
  for await (const { from, field, to, first, count } of writer.orphans()) {
    const place = { file: '', line: 0, field: pointerOf(field), severity } as const
    for (const { key, value } of first) {
      const reason = `the stored record ${key.join(' ')} of ${from} refers to this record of ${to}, which the import removes`
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
