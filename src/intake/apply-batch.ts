import {
  type ChangeCollector,
  type CollectionResult,
  ingest,
  openReport,
  type Report,
  type RowProblem,
  type Source,
  SourceError,
} from '#ingest'
import { type Store, sharedOwner, type WriteGroup } from '#store'
import type { BatchResult, CollectionCounts } from './batch.ts'
import { createBatchChanges } from './batch-changes.ts'
import { batchSource, type QueuedBatch } from './batch-table.ts'
import { bodyName } from './body.ts'
import { createItemResults } from './item-results.ts'
import { type PreparedBatch, problemsMax, sourcesOf } from './prepare-batch.ts'
import { sentFields } from './sent-fields.ts'
import { keyActor } from './unit-entries.ts'
import { countsOf } from './unit-result.ts'

export interface ApplyParts {
  readonly store: Store
  /** In milliseconds since 1970. */
  readonly now: () => number
  /** Called with the warnings of quarantined rows of a brand, which are not those of the batch's sender. */
  readonly onReleasedProblem: (brand: string, problem: RowProblem) => void
}

/** Applies a batch in the transaction of its group, all or nothing. Throws what is not the sender's fault. */
export const applyBatch = async (
  parts: ApplyParts,
  group: WriteGroup,
  batch: Pick<QueuedBatch, 'brand' | 'keyId' | 'options' | 'writtenTo'>,
  { items, named, problems, problemsLeftOut, refusal, ...prepared }: PreparedBatch,
): Promise<BatchResult> => {
  const report = openReport(undefined)
  const { dryRun } = batch.options
  const sources = sourcesOf(parts.store.catalog, prepared)
  const shared = sources.filter(({ resource }) => resource.scope === 'shared')
  const own = sources.filter(({ resource }) => resource.scope !== 'shared')
  const sent = sentFields(sources)
  const changes = dryRun ? createBatchChanges(own, sent, batch.options.collections) : null
  const results = batch.options.results ? createItemResults(named) : null
  let collections: readonly CollectionResult[] = []
  let isRefused = true
  const addProblem = (reason: string) =>
    report.add({ file: bodyName, line: 0, field: '', value: '', reason, severity: 'error' })
  try {
    for (const problem of problems) report.add(problem)
    if (refusal !== null) throw new SourceError(refusal)
    if (items === 0) addProblem('has no items')
    const unchanged = await rehearseShared(parts, group, shared, report)
    const { park, quarantine, maxBadRows } = batch.options
    const run: Parameters<typeof ingest>[0] = {
      store: parts.store,
      sources: own,
      owner: batch.brand,
      replace: false,
      allowRemovals: true,
      dryRun,
      allowDangling: false,
      onError: quarantine ? 'quarantine' : park ? 'park' : 'refuse',
      badRowsPercentMax: maxBadRows ?? undefined,
      source: { kind: 'ingest', name: batchSource },
      mayRead: false,
      supersededAfter: batch.writtenTo,
      report,
      changes: collectAll([changes, results]),
      onQuarantined: results?.quarantine,
      onReleasedProblem: (problem: RowProblem) => parts.onReleasedProblem(batch.brand, problem),
      now: parts.now,
    }
    const result = await ingest({
      ...run,
      write: (_owner, work) => group.attempt(work, keyActor(batch)),
    })
    collections = [...unchanged, ...result.collections]
    isRefused = result.refused
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    addProblem(error.message)
  }
  const state = isRefused ? 'refused' : dryRun ? 'checked' : 'committed'
  // Those of the body itself are known to its sender.
  const shown = [...problems, ...report.first.slice(problems.length).map(sent.problem)]
  return {
    state,
    finishedAt: new Date(parts.now()).toISOString(),
    items,
    collections: collections
      .filter(isOfSender(batch.options))
      .map((each) => (isRefused ? nothingOf(each) : countsOf(each))),
    problems: shown.slice(0, problemsMax),
    problemCount: report.errors + report.warnings + problemsLeftOut,
    ...(changes && { changes: changes.first }),
    ...(results && { results: results.all(state, shown) }),
  }
}

/** Passes changes on to some collectors, until none takes more. */
const collectAll = (some: readonly (ChangeCollector | null)[]): ChangeCollector | undefined => {
  const collectors = some.filter((each) => each !== null)
  if (collectors.length === 0) return undefined
  return {
    add: (resource, change) => {
      const takesMore = collectors.map((each) => each.add(resource, change))
      return takesMore.includes(true)
    },
    clear: () => {
      for (const each of collectors) each.clear()
    },
  }
}

/**
 * The change feed of a brand has shared records too, which belong to no brand. A batch may have them as
 * they are stored, so that what a feed gives out can be poured in; it cannot change them.
 */
const rehearseShared = async (
  { store, now }: Pick<ApplyParts, 'store' | 'now'>,
  group: WriteGroup,
  sources: readonly Source[],
  report: Report,
): Promise<readonly CollectionResult[]> => {
  if (sources.length === 0) return []
  const { collections } = await ingest({
    store,
    sources,
    owner: sharedOwner,
    replace: false,
    allowRemovals: true,
    dryRun: true,
    allowDangling: false,
    mayRead: false,
    report,
    now,
    write: (owner, work) => group.rehearse(owner, work),
  })
  for (const { collection, added, changed, removed } of collections) {
    const changes = added + changed + removed
    if (changes === 0) continue
    report.add({
      file: bodyName,
      line: 0,
      field: '',
      value: collection,
      reason: `is shared by all brands, and the batch would change ${changes.toLocaleString('en')} of its records: import them with selvedge import --shared`,
      severity: 'error',
    })
  }
  return collections
}

/** Quarantined rows of other collections may be stored with the batch. A limited key does not see them. */
const isOfSender =
  ({ collections }: QueuedBatch['options']) =>
  ({ collection }: CollectionResult): boolean =>
    // A batch that an earlier version accepted may have none.
    !collections || collections.includes(collection)

/** The counts of a refused batch, which changes nothing. */
const nothingOf = ({ collection, read }: CollectionResult): CollectionCounts => {
  const none = { added: 0, changed: 0, unchanged: 0, removed: 0, parked: 0, unparked: 0 }
  return { collection, read, ...none }
}
