import { type Database, DatabaseRefusedError, together } from '#database'
import type { SourceChange, SourceName, WriteGroup } from '#store'
import { type ApplyParts, applyBatch } from './apply-batch.ts'
import type { BatchResult } from './batch.ts'
import { batchSource, keptByDefault, type QueuedBatch, stillOpenQuery } from './batch-table.ts'
import { type PreparedBatch, refusedBatch } from './prepare-batch.ts'
import { batchEntries } from './unit-entries.ts'

export interface FinishedBatch {
  readonly batch: QueuedBatch
  readonly result: BatchResult
}

/** Batches of a brand in order. Another process has finished those that are null. */
export type PreparedGroup = readonly {
  readonly batch: QueuedBatch
  readonly prepared: PreparedBatch | null
}[]

/** What happens while batches are applied. */
export interface ApplyEvents extends Pick<ApplyParts, 'onReleasedProblem'> {
  /** Called when the lock of the records is held, and work on them begins. */
  readonly onLocked: () => Promise<void>
  /** Called with the numbers of the batches whose records are written now. */
  readonly onBegun: (numbers: readonly number[]) => void
  /** Called with the results of batches as soon as they are committed, in their order. */
  readonly onFinished: (results: readonly FinishedBatch[]) => void
}

/** Commits batches. */
export interface GroupApplier {
  /** Applies batches of a brand in their order, and takes over their bytes. */
  apply(brand: string, group: PreparedGroup, events: ApplyEvents): Promise<void>
}

export interface GroupApplierParts extends Omit<ApplyParts, 'onReleasedProblem'> {
  /** Of the units. */
  readonly database: Database
  /** How long results are kept beside the records. */
  readonly keepMs?: number | undefined
}

/** The time between two deletions of old results beside the records, in milliseconds. */
const pruneMs = 3_600_000

/** What the states of sources call the batches of a brand. */
export const ingestSource: SourceName = { kind: 'ingest', name: batchSource }

/** Rolls back a transaction that has nothing to do. */
class NothingOpenError extends Error {}

/** Applies batches in this thread. The records' lock of the brand keeps other writers away. */
export const createGroupApplier = (parts: GroupApplierParts): GroupApplier => {
  const { store, database, now, keepMs = keptByDefault.keepMs } = parts
  const prunedAt = new Map<string, number>()

  /**
   * The batches that are still to be applied, while the records are locked. A removed brand or an
   * operator may have removed them since they were read; what is removed must not be applied.
   */
  const stillOpen = async (group: PreparedGroup): Promise<PreparedGroup> => {
    const ids = group.map(({ batch }) => batch.id)
    const query = stillOpenQuery(ids, database.dialect)
    const [read = []] = await database.read([query])
    // A replica may not have them yet.
    const rows = read.length === group.length ? read : await database.snapshot((all) => all(query))
    const open = new Set(rows.map(([id]) => String(id)))
    return group.filter(({ batch }) => open.has(batch.id))
  }

  const applyAll = async (
    brand: string,
    writes: WriteGroup,
    group: PreparedGroup,
    { onReleasedProblem }: ApplyEvents,
  ): Promise<readonly FinishedBatch[]> => {
    const { batchResults } = writes
    const stored = await batchResults.find(group.map(({ batch }) => batch.id))
    const results: FinishedBatch[] = []
    const applied: FinishedBatch[] = []
    for (const { batch, prepared } of group) {
      const earlier = stored.get(batch.id)
      if (earlier !== undefined) {
        results.push({ batch, result: JSON.parse(earlier) as BatchResult })
        continue
      }
      if (!prepared) continue
      const result = await applyBatch({ store, now, onReleasedProblem }, writes, batch, prepared)
      applied.push({ batch, result })
      results.push({ batch, result })
    }
    await together([
      ...applied.map(({ batch, result }) =>
        batchResults.store(batch.id, String(result.finishedAt), JSON.stringify(result)),
      ),
      writes.recordAudit(...batchEntries(brand, applied)),
      // The units say what waits.
      writes.updateSource(ingestSource, { waiting: 0, behindSince: null, ...outcomeOf(results) }),
    ])
    return results
  }

  const writeOpen = async (
    brand: string,
    group: PreparedGroup,
    events: ApplyEvents,
  ): Promise<readonly FinishedBatch[]> => {
    const { results, change } = await store.writeGroup(brand, async (writes) => {
      await events.onLocked()
      const open = await stillOpen(group)
      if (open.length === 0) throw new NothingOpenError()
      events.onBegun(open.map(({ batch }) => batch.number))
      const results = await applyAll(brand, writes, open, events)
      if (now() - (prunedAt.get(brand) ?? 0) > pruneMs) {
        await writes.batchResults.prune(new Date(now() - keepMs).toISOString())
        prunedAt.set(brand, now())
      }
      return { results, change: writes.change }
    })
    return results.map((each) => withChange(each, change()))
  }

  const applyTogether: GroupApplier['apply'] = async (brand, group, events) => {
    try {
      events.onFinished(await writeOpen(brand, group, events))
    } catch (error) {
      if (!(error instanceof NothingOpenError)) throw error
    }
  }

  /** If the database refuses a group, finds the batch at fault by halving, and refuses it alone. */
  const apply: GroupApplier['apply'] = async (brand, group, events) => {
    try {
      await applyTogether(brand, group, events)
    } catch (error) {
      const [only] = group
      if (!(error instanceof DatabaseRefusedError) || !only) throw error
      if (group.length > 1) {
        const middle = Math.ceil(group.length / 2)
        await apply(brand, group.slice(0, middle), events)
        await apply(brand, group.slice(middle), events)
        return
      }
      const prepared = refusedBatch(`is refused by the database: ${error.reason}`)
      await applyTogether(brand, [{ batch: only.batch, prepared }], events)
    }
  }

  return { apply }
}

/** The state after some batches: that of the last one. A dry run changes nothing about it. */
const outcomeOf = (finished: readonly FinishedBatch[]): SourceChange => {
  const results = finished.filter(({ batch }) => !batch.options.dryRun)
  const committed = results.filter(({ result }) => result.state === 'committed')
  const refused = results.filter(({ result }) => result.state === 'refused')
  const last = results.at(-1)
  const [problem] = last?.result.problems ?? []
  const where = problem ? `: line ${problem.line} ${problem.field} ${problem.reason}` : ''
  return {
    ...(last && { startedAt: results[0]?.batch.receivedAt ?? null }),
    ...(last?.result.state === 'committed' && { state: 'idle', error: null }),
    ...(last?.result.state === 'refused' && {
      state: 'failing',
      error: `The batch ${last.batch.id} was refused${where.replace(/ +/g, ' ')}`,
    }),
    ...(committed.length > 0 && { succeededAt: committed.at(-1)?.result.finishedAt ?? null }),
    ...(refused.length > 0 && { failedAt: refused.at(-1)?.result.finishedAt ?? null }),
    processed: committed.length,
    failed: refused.length,
  }
}

/** A batch that was stored earlier, before a crash, gets the number of a later write. */
const withChange = ({ batch, result }: FinishedBatch, change: number | null): FinishedBatch => {
  const isStored = result.state === 'committed' && !batch.options.dryRun
  return { batch, result: { ...result, change: isStored ? change : null } }
}
