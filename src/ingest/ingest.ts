import { type Catalog, importOrder, type Resource } from '#contract'
import { type RejectedRow, type Store, sharedOwner, type Writer } from '#store'
import { parseSource } from './parse-thread.ts'
import { cutValue, pointerOf, type Report } from './report.ts'
import { SourceError } from './row.ts'
import type { Source } from './source.ts'

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
  readonly report: Report
  readonly onProgress?: (progress: Progress) => void
  readonly now: () => number
}

/** How much of a source has been read. */
export interface Progress {
  readonly source: Source
  readonly bytes: number
  readonly rows: number
  readonly done: boolean
}

/** What an import did to one collection. */
export interface CollectionResult {
  readonly collection: string
  /** How many records of the owner were stored before. */
  readonly stored: number
  readonly read: number
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly removed: number
  readonly refused: number
  readonly seconds: number
  /** A replacement that removed nothing, because rejected rows may be the same records. */
  readonly keptMissing: boolean
  /** A replacement that is rejected, because it would remove more than half of the records. */
  readonly removesTooMany: boolean
}

export interface IngestResult {
  readonly collections: readonly CollectionResult[]
  /** Whether the import was committed. */
  readonly written: boolean
  /** Whether problems prevent the import; in a dry run, whether they would. */
  readonly refused: boolean
}

/** Rolls a transaction back and carries the results out of it. */
class Rollback extends Error {
  readonly collections: readonly CollectionResult[]
  readonly refused: boolean

  constructor(collections: readonly CollectionResult[], refused: boolean) {
    super('nothing was written')
    this.collections = collections
    this.refused = refused
  }
}

/**
 * Imports the records of the sources, all or nothing, in one transaction: parse, validate, stage,
 * reject duplicates and dangling references, merge. Collections are imported in the order in which
 * they refer to each other.
 *
 * The fast path. Files in the form of an export are loaded without parsing their records, which
 * makes the import of large files several times faster. Its pieces:
 * - `contract/canonical-json.ts` recognises the bytes of a record that can be stored as they are and
 *   finds the values of its columns in them, by the same rules per kind as `checkRecord`;
 * - `read-ndjson.ts` passes such lines on as bytes and offsets and parses only the others;
 * - `row-batch.ts` joins both into one batch in the order of the lines, and hands its buffers from
 *   the parse thread (`parse-thread.ts`) to this one without a copy;
 * - the store's `row-digest.ts` hashes the identities and collects the references of a batch in the
 *   parse thread; `duplicate-filter.ts` and `references.ts` use that to skip the queries for
 *   duplicates and dangling references when there can be none;
 * - the database's `bulkInsertSlices` loads the columns as slices of the bytes.
 * A row that the fast path does not recognise takes the ordinary one, with the same result.
 */
export const ingest = async (options: IngestOptions): Promise<IngestResult> => {
  const { store, owner, report, dryRun, skipInvalid } = options
  const groups = inImportOrder(store.catalog, options.sources)
  checkScope(groups, owner)
  try {
    const collections = await store.write(owner, async (writer) => {
      const results: CollectionResult[] = []
      for (const { resource, sources } of groups) {
        results.push(await ingestCollection(options, writer, resource, sources))
      }
      const rowErrors = report.errors
      reportRemovals(options, groups, results)
      await reportOrphans(options, writer)
      await reportNoBrand(options, results)
      // Problems that no row causes cannot be avoided by skipping rows.
      const refused = report.errors > (skipInvalid ? rowErrors : 0)
      if (dryRun || refused) throw new Rollback(results, refused)
      return results
    })
    return { collections, written: true, refused: false }
  } catch (error) {
    if (!(error instanceof Rollback)) throw error
    const { collections, refused } = error
    return { collections, written: false, refused }
  }
}

interface Group {
  readonly resource: Resource
  readonly sources: readonly Source[]
}

const inImportOrder = (catalog: Catalog, sources: readonly Source[]): readonly Group[] =>
  importOrder(catalog)
    .flat()
    .flatMap((path) => {
      const of = sources.filter(({ resource }) => resource.path === path)
      const [first] = of
      return first ? [{ resource: first.resource, sources: of }] : []
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

const ingestCollection = async (
  options: IngestOptions,
  writer: Writer,
  resource: Resource,
  sources: readonly Source[],
): Promise<CollectionResult> => {
  const { store, report, now, owner, allowRemovals } = options
  const began = now()
  const before = report.errors
  let read = 0
  let validRows = 0
  for (const [index, source] of sources.entries()) {
    let bytes = 0
    let rows = 0
    const reportProgress = (done: boolean) => options.onProgress?.({ source, bytes, rows, done })
    reportProgress(false)
    for await (const batch of parseSource({
      catalog: store.catalog,
      source,
      owner,
      validBefore: validRows,
    })) {
      for (const problem of batch.problems) report.add(problem)
      await writer.stageRows(resource, { source: index, ...batch })
      bytes += batch.bytes
      rows += batch.rows
      validRows += batch.lines.length
      reportProgress(false)
    }
    read += rows
    reportProgress(true)
  }
  const rejected = await reportRejectedRows(options, writer, resource, sources)
  const keptMissing = options.replace && report.errors > before
  // A brand has one record: a new one replaces it, and an empty file leaves it in place.
  const replace = resource.lookup ? validRows > 0 : options.replace && !keptMissing
  const stored = await writer.count(resource)
  const merged = await writer.merge(resource, { replace })
  return {
    collection: resource.path,
    stored,
    read,
    ...merged,
    refused: read - validRows + rejected,
    keptMissing,
    removesTooMany: !allowRemovals && !resource.lookup && merged.removed * 2 > stored,
    seconds: (now() - began) / 1_000,
  }
}

/** Reports duplicates and dangling references, and returns how many rows were rejected for them. */
const reportRejectedRows = async (
  { report, allowDangling }: IngestOptions,
  writer: Writer,
  resource: Resource,
  sources: readonly Source[],
): Promise<number> => {
  const add = (row: RejectedRow, severity: 'error' | 'warning') => {
    const { source, line, reference, value, first } = row
    report.add({
      file: sources[source]?.name ?? '',
      line,
      field: reference ? pointerOf(reference.field) : '',
      value: cutValue(value),
      reason: first
        ? `has the same identity as line ${first.line} of ${sources[first.source]?.name ?? ''}`
        : `refers to a record of ${reference?.to} that is neither in this import nor stored`,
      severity,
    })
  }
  let rejected = 0
  for await (const row of writer.rejectInvalid(resource, { references: !allowDangling })) {
    add(row, 'error')
    rejected += 1
  }
  if (allowDangling) for await (const row of writer.dangling(resource)) add(row, 'warning')
  return rejected
}

/**
 * An empty or incomplete file looks like one from which records were removed. Removing more than
 * half of a collection therefore needs an option of its own.
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

/** Stored records must not refer to records that a replacement removes. */
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

/** Records of a brand need the brand's own record, stored or in the same import. */
const reportNoBrand = async (
  { store, owner, report }: IngestOptions,
  results: readonly CollectionResult[],
): Promise<void> => {
  const comes = ({ collection, added }: CollectionResult) =>
    added > 0 && store.catalog.byPath.get(collection)?.lookup !== undefined
  if (owner === sharedOwner || results.some(comes) || (await store.has(owner))) return
  report.add({
    file: '',
    line: 0,
    field: '',
    value: owner,
    reason: 'is a brand that does not exist, and this import does not contain its record',
    severity: 'error',
  })
}
