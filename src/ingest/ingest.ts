import { type Catalog, importOrder, type Resource } from '#contract'
import { type RejectedRow, type Store, sharedOwner, type Writer } from '#store'
import { readAside } from './parse-thread.ts'
import { cutValue, pointerOf, type Report } from './report.ts'
import { SourceRefused } from './row.ts'
import type { Source } from './source.ts'

export interface IngestOptions {
  readonly store: Store
  readonly sources: readonly Source[]
  /** A brand's slug, or `sharedOwner`. */
  readonly owner: string
  /** The given collections become equal to the sources. */
  readonly replace: boolean
  /** A replacement may remove more than half of the records that a collection has. */
  readonly allowRemovals: boolean
  /** Check and report only. */
  readonly dryRun: boolean
  /** References that point nowhere are warnings. */
  readonly allowDangling: boolean
  /** Load the good rows although there are bad ones. */
  readonly skipInvalid: boolean
  readonly report: Report
  readonly onProgress?: (progress: Progress) => void
  readonly now: () => number
}

/** How far a source has been read. */
export interface Progress {
  readonly source: Source
  readonly bytes: number
  readonly rows: number
  readonly done: boolean
}

/** What became of one collection. */
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
  /** A replacement that removed nothing, because rows were refused and may be the same records. */
  readonly keptMissing: boolean
  /** A replacement that is refused, because it would remove more than half of the records. */
  readonly removesTooMany: boolean
}

export interface IngestResult {
  readonly collections: readonly CollectionResult[]
  /** Whether anything of the run can now be seen. */
  readonly written: boolean
  /** Whether problems stand against the run; those of a dry run would keep the real one back. */
  readonly refused: boolean
}

/** Ends a transaction without writing, with the results it came to. */
class Unwritten extends Error {
  readonly collections: readonly CollectionResult[]
  readonly refused: boolean

  constructor(collections: readonly CollectionResult[], refused: boolean) {
    super('nothing was written')
    this.collections = collections
    this.refused = refused
  }
}

/**
 * Brings the records of the sources in, all or nothing: read, check, stage, compare, merge, within
 * one transaction. Collections come in the order in which they refer to each other.
 */
export const ingest = async (options: IngestOptions): Promise<IngestResult> => {
  const { store, owner, report, dryRun, skipInvalid } = options
  const groups = inImportOrder(store.catalog, options.sources)
  refuseForeignScope(groups, owner)
  try {
    const collections = await store.write(owner, async (writer) => {
      const results: CollectionResult[] = []
      for (const { resource, sources } of groups) {
        results.push(await ingestCollection(options, writer, resource, sources))
      }
      const ofRows = report.errors
      reportRemovals(options, groups, results)
      await reportOrphans(options, writer)
      await reportNoBrand(options, results)
      // What is no row's fault cannot be left out with the row.
      const refused = report.errors > (skipInvalid ? ofRows : 0)
      if (dryRun || refused) throw new Unwritten(results, refused)
      return results
    })
    return { collections, written: true, refused: false }
  } catch (error) {
    if (!(error instanceof Unwritten)) throw error
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

const refuseForeignScope = (groups: readonly Group[], owner: string): void => {
  const wanted = owner === sharedOwner ? 'shared' : 'brand'
  for (const { resource } of groups) {
    if (resource.scope === wanted) continue
    throw new SourceRefused(
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
  let goodRows = 0
  for (const [index, source] of sources.entries()) {
    let bytes = 0
    let rows = 0
    const tell = (done: boolean) => options.onProgress?.({ source, bytes, rows, done })
    tell(false)
    for await (const batch of readAside({
      catalog: store.catalog,
      source,
      owner,
      goodBefore: goodRows,
    })) {
      for (const problem of batch.problems) report.add(problem)
      await writer.stageRows(resource, { source: index, ...batch })
      bytes += batch.bytes
      rows += batch.rows
      goodRows += batch.lines.length
      tell(false)
    }
    read += rows
    tell(true)
  }
  const flawed = await reportFlaws(options, writer, resource, sources)
  const keptMissing = options.replace && report.errors > before
  // A brand has one record: another one takes its place, and none leaves it there.
  const replace = resource.lookup ? goodRows > 0 : options.replace && !keptMissing
  const stored = await writer.count(resource)
  const merged = await writer.merge(resource, { replace })
  return {
    collection: resource.path,
    stored,
    read,
    ...merged,
    refused: read - goodRows + flawed,
    keptMissing,
    removesTooMany: !allowRemovals && !resource.lookup && merged.removed * 2 > stored,
    seconds: (now() - began) / 1_000,
  }
}

/** Reports rows that are there twice or point at nothing, and says how many were taken out. */
const reportFlaws = async (
  { report, allowDangling }: IngestOptions,
  writer: Writer,
  resource: Resource,
  sources: readonly Source[],
): Promise<number> => {
  const add = (flaw: RejectedRow, severity: 'error' | 'warning') => {
    const { source, line, reference, value, first } = flaw
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
  let taken = 0
  for await (const flaw of writer.rejectInvalid(resource, { references: !allowDangling })) {
    add(flaw, 'error')
    taken += 1
  }
  if (allowDangling) for await (const flaw of writer.dangling(resource)) add(flaw, 'warning')
  return taken
}

/**
 * A file that is empty or cut off looks like one from which records were removed. What would remove
 * more than half of a collection has to be asked for.
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
      reason: `would remove ${of} of the ${all} stored records of ${collection}, more than half: check that the file is complete, and add --allow-removals if they are to be removed`,
      severity: 'error',
    })
  }
}

/** What a replacement removed must not be pointed at by what stays. */
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

/** Records are not brought in for a brand that is not there and does not come with them. */
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
    reason: 'is a brand that is not stored, and this import does not bring its record',
    severity: 'error',
  })
}
