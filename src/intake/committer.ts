import { setTimeout as wait } from 'node:timers/promises'
import { type Database, DatabaseBusyError, DatabaseRefusedError, together } from '#database'
import { SourceError } from '#ingest'
import {
  isDatabaseError,
  type SourceChange,
  type SourceName,
  type Store,
  type WriteGroup,
} from '#store'
import { type ApplyParts, applyBatch } from './apply-batch.ts'
import type { BatchResult } from './batch.ts'
import { unpackBody } from './body.ts'
import { createFairSchedule } from './fair-schedule.ts'
import { errorReason, type OpenedBatch, type PreparedBatch, refusedBatch } from './prepare-batch.ts'
import { largeBytes, type Preparer } from './preparer.ts'
import {
  bodyQuery,
  headQuery,
  leftQuery,
  parseBatch,
  parseBody,
  type QueuedBatch,
  waitingBrandsQuery,
} from './queue-table.ts'

export interface CommitterParts extends ApplyParts {
  readonly store: Store
  /** Of the queue. */
  readonly database: Database
  /** Called with the results of batches as soon as they are committed, in their order. */
  readonly onFinished: (results: readonly FinishedBatch[]) => void
  /** Called when the batches of a brand, or what waits, cannot be read or stored. It is tried again. */
  readonly onFailure: (brand: string | null, error: unknown) => void
  /** The batches that are committed and whose results are not in the queue yet, with their brands. */
  readonly unmarked: () => ReadonlyMap<string, string>
  readonly preparer: Preparer
  /** Counts a batch that a thread begins to prepare. Returns how often that has begun and not ended. */
  readonly beginAttempt: (id: string) => Promise<number>
  /** Forgets an attempt that the end of the process did not interrupt. */
  readonly endAttempt: (id: string) => Promise<void>
  /** Of brands whose batches are committed at the same time. */
  readonly concurrency: number
  /** How long results are kept beside the records. */
  readonly keepMs: number
}

export interface FinishedBatch {
  readonly batch: QueuedBatch
  readonly result: BatchResult
}

interface BatchGroup {
  readonly batches: readonly QueuedBatch[]
  readonly bytes: number
}

/** Batches of a brand in order. Another process has finished those that are null. */
type PreparedGroup = { readonly batch: QueuedBatch; readonly prepared: PreparedBatch | null }[]

const endedReason =
  'was being converted when the server ended, twice: send it in smaller batches, or look for the row that it ends with'

/** Stores the batches that wait, in the order of each brand. */
export interface Committer {
  /** Says that there is something new. */
  wake(): void
  /** The batches that are being stored. */
  readonly working: ReadonlySet<string>
  /** Ends after the groups that are being applied. The others stay in the queue. */
  close(): Promise<void>
}

/** So many consecutive batches, of so many bytes in all, are committed together. */
const groupBatches = 64
const groupBytes = largeBytes
/** What applying a group takes on an ordinary machine, to order turns by. */
const msPerMegabyte = 200
/** So many brands have a group that is being prepared or waits for its turn. */
const brandsMax = 32
/** A batch that was being prepared when the process ended so often is not tried again. */
const attemptsMax = 2
/** Batches that another process has accepted and left are found after this time. */
const pollMs = 1_000
/** After a failure of the database, the brand is tried again after this time. */
const retryMs = 500
/** Old results beside the records are deleted so often. */
const pruneMs = 3_600_000

/** What the states of sources call the batches of a brand. */
const source: SourceName = { kind: 'ingest', name: 'batches' }

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

const countBy = (brands: Iterable<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const brand of brands) counts.set(brand, (counts.get(brand) ?? 0) + 1)
  return counts
}

export const openCommitter = (parts: CommitterParts): Committer => {
  const { store, database, now, preparer } = parts
  const schedule = createFairSchedule(parts.concurrency)
  /** One large group is prepared while another is applied, and one turn is left for small ones. */
  const largeSchedule = createFairSchedule(Math.max(2, parts.concurrency - 1))
  const working = new Set<string>()
  const busy = new Set<string>()
  const pausedUntil = new Map<string, number>()
  const prunedAt = new Map<string, number>()
  const running = new Set<Promise<void>>()
  let isClosed = false
  let isWoken = false
  let notify: () => void = () => undefined

  const wake = () => {
    isWoken = true
    notify()
  }

  const open = async (batch: QueuedBatch): Promise<OpenedBatch | null> => {
    const query = bodyQuery(batch.id)
    const [rows = []] = await database.read([query])
    // A replica may not have it yet.
    const [row] = rows.length > 0 ? rows : await database.snapshot((all) => all(query))
    const body = row ? parseBody(row) : null
    // Another process has finished it meanwhile.
    if (!body) return null
    return { ...batch, body: await unpackBody(body) }
  }

  const readGroup = async (brand: string): Promise<BatchGroup> => {
    // Taken before the queue is read: one that is marked meanwhile is not taken for a new one.
    const unmarked = parts.unmarked()
    const query = headQuery(brand, groupBatches + unmarked.size)
    const [rows = []] = await database.read([query])
    let bytes = 0
    const group: QueuedBatch[] = []
    for (const row of rows) {
      const batch = parseBatch(row)
      if (unmarked.has(batch.id)) continue
      const more = Number(row.at(-1))
      if (group.length === groupBatches || (group.length > 0 && bytes + more > groupBytes)) break
      bytes += more
      group.push(batch)
    }
    return { batches: group, bytes }
  }

  /** Reads, converts and validates a batch before the transaction begins; null if it is gone. */
  const prepare = async (batch: QueuedBatch): Promise<PreparedBatch | null> => {
    const opened = await open(batch)
    if (!opened) return null
    const importedAt = new Date(now()).toISOString()
    let hasBegun = false
    const begin = async () => {
      hasBegun = true
      if ((await parts.beginAttempt(batch.id)) > attemptsMax) throw new SourceError(endedReason)
    }
    try {
      return await preparer.prepare(opened, importedAt, begin)
    } catch (error) {
      if (error instanceof SourceError) return refusedBatch(error.message)
      if (isClosed || isDatabaseError(error)) throw error
      parts.onError(error)
      return refusedBatch(errorReason)
    } finally {
      if (hasBegun) await parts.endAttempt(batch.id)
    }
  }

  /** How many of a brand's batches wait after a group, and since when. */
  const updateState = async (
    writes: WriteGroup,
    brand: string,
    group: readonly QueuedBatch[],
    results: readonly FinishedBatch[],
  ): Promise<void> => {
    const [rows = []] = await database.read([leftQuery(brand, group.at(-1)?.number ?? 0)])
    const [waiting, behindSince] = rows[0] ?? []
    await writes.updateSource(source, {
      waiting: Number(waiting ?? 0),
      behindSince: (behindSince ?? null) as string | null,
      ...outcomeOf(results),
    })
  }

  /** Says that batches wait because of an error, where that can be said at all. */
  const markFailing = async (brand: string, error: unknown): Promise<void> => {
    // Another import or command is at work, which is not a failure.
    if (error instanceof DatabaseBusyError) return
    const failedAt = new Date(now()).toISOString()
    const reason = error instanceof Error ? error.message : String(error)
    await store.sources
      .update(brand, source, { state: 'failing', failedAt, error: reason })
      .catch(() => undefined)
  }

  /** Commits the first batches of a brand. The records' lock of the brand keeps other processes away. */
  const commitGroup = async (brand: string): Promise<void> => {
    const { batches, bytes } = await readGroup(brand)
    if (batches.length === 0) return
    const estimatedMs = (bytes / 1_048_576) * msPerMegabyte
    for (const { id } of batches) working.add(id)
    const commit = async () => {
      const group: PreparedGroup = []
      for (const batch of batches) {
        if (isClosed) return
        group.push({ batch, prepared: await prepare(batch) })
      }
      await schedule.take(brand, estimatedMs, () => applyGroup(brand, group))
    }
    try {
      if (bytes > groupBytes) await largeSchedule.take(brand, estimatedMs, commit)
      else await commit()
    } finally {
      for (const { id } of batches) working.delete(id)
    }
  }

  /** If the database refuses a group, finds the batch at fault by halving, and refuses it alone. */
  const applyGroup = async (brand: string, group: PreparedGroup): Promise<void> => {
    try {
      await applyTogether(brand, group)
    } catch (error) {
      const [only] = group
      if (!(error instanceof DatabaseRefusedError) || !only) throw error
      if (group.length > 1) {
        const middle = Math.ceil(group.length / 2)
        await applyGroup(brand, group.slice(0, middle))
        await applyGroup(brand, group.slice(middle))
      } else {
        const prepared = refusedBatch(`is refused by the database: ${error.reason}`)
        await applyTogether(brand, [{ batch: only.batch, prepared }])
      }
    }
  }

  const applyTogether = async (brand: string, group: PreparedGroup): Promise<void> => {
    if (isClosed) return
    const batches = group.map(({ batch }) => batch)
    const { results, change } = await store.writeGroup(brand, async (writes) => {
      const { batchResults } = writes
      const stored = await batchResults.find(batches.map(({ id }) => id))
      const results: FinishedBatch[] = []
      const applied: FinishedBatch[] = []
      for (const { batch, prepared } of group) {
        const earlier = stored.get(batch.id)
        if (earlier !== undefined) {
          results.push({ batch, result: JSON.parse(earlier) as BatchResult })
          continue
        }
        if (!prepared) continue
        const result = await applyBatch(parts, writes, batch, prepared)
        applied.push({ batch, result })
        results.push({ batch, result })
      }
      await together([
        ...applied.map(({ batch, result }) =>
          batchResults.store(batch.id, String(result.finishedAt), JSON.stringify(result)),
        ),
        updateState(writes, brand, batches, results),
      ])
      if (now() - (prunedAt.get(brand) ?? 0) > pruneMs) {
        await batchResults.prune(new Date(now() - parts.keepMs).toISOString())
        prunedAt.set(brand, now())
      }
      return { results, change: writes.change }
    })
    parts.onFinished(results.map((each) => withChange(each, change())))
  }

  const run = async (brand: string): Promise<void> => {
    busy.add(brand)
    try {
      await commitGroup(brand)
      pausedUntil.delete(brand)
    } catch (error) {
      if (isClosed) return
      parts.onFailure(brand, error)
      await markFailing(brand, error)
      pausedUntil.set(brand, performance.now() + retryMs)
    } finally {
      busy.delete(brand)
    }
  }

  /** The brands that can be worked on, those that have used the least time first. */
  const readyBrands = async (): Promise<readonly string[]> => {
    try {
      const unmarked = countBy(parts.unmarked().values())
      const [rows = []] = await database.read([waitingBrandsQuery])
      return rows
        .map(([brand, waiting]) => ({ brand: String(brand), waiting: Number(waiting) }))
        .filter(({ brand, waiting }) => waiting > (unmarked.get(brand) ?? 0) && !busy.has(brand))
        .filter(({ brand }) => (pausedUntil.get(brand) ?? 0) <= performance.now())
        .map(({ brand }) => brand)
        .sort((a, b) => schedule.usedMs(a) - schedule.usedMs(b))
    } catch (error) {
      parts.onFailure(null, error)
      return []
    }
  }

  const loop = async () => {
    while (!isClosed) {
      isWoken = false
      for (const brand of await readyBrands()) {
        while (running.size >= brandsMax) await Promise.race(running)
        if (isClosed) break
        const one = run(brand).finally(() => running.delete(one))
        running.add(one)
      }
      await untilWoken()
    }
    await Promise.all(running)
  }

  /** Until something new may be there to do. */
  const untilWoken = async () => {
    if (isWoken) return
    const woken = new Promise<void>((resolve) => {
      notify = resolve
    })
    const timeout = new AbortController()
    const pause = wait(pausedUntil.size > 0 ? retryMs : pollMs, undefined, timeout)
    await Promise.race([woken, pause.catch(() => undefined), ...running])
    timeout.abort()
  }

  const looping = loop()
  return {
    wake,
    working,
    close: async () => {
      isClosed = true
      wake()
      await preparer.close()
      await looping
    },
  }
}
