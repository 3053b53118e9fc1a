import { type Catalog, importOrder, type Resource, resourceAt } from '#contract'
import {
  DatabaseRefusedError,
  QuarantineFullError,
  sharedOwner,
  TooManyRefusedError,
  type Writer,
} from '#store'
import { createCheckReport } from './check-report.ts'
import { isCorrectionName } from './corrections.ts'
import { createHeldRows, heldSourcesOf } from './held-rows.ts'
import { createImportContext, type ImportContext } from './import-context.ts'
import {
  expireRows,
  noPlace,
  reportBadRows,
  reportNoBrand,
  reportOrphans,
  reportRemovals,
  reportSuperseded,
  storedMeanwhile,
} from './import-report.ts'
import type {
  CollectionResult,
  IngestOptions,
  IngestResult,
  RepeatedOptions,
  Unstored,
  WaitingRows,
} from './ingest-options.ts'
import { createNamedReport } from './named-report.ts'
import {
  type Referenced,
  ReferencedError,
  repetitionsMax,
  requireUnreferenced,
} from './referenced-removals.ts'
import { refusal, reportRejectedRows } from './rejected-report.ts'
import { type RemapParts, remappedSources } from './remapped-sources.ts'
import { SourceError } from './row.ts'
import type { Source } from './source.ts'
import { stageSource } from './stage-source.ts'

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
      reportRemovals(options, results)
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
