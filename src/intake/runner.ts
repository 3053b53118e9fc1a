import { setTimeout as wait } from 'node:timers/promises'
import { createMutex } from '#concurrency'
import { type Database, DatabaseUnreachableError, databaseFailureOf } from '#database'
import { SourceError } from '#ingest'
import type { SourceChange, Store } from '#store'
import {
  type ApplyEvents,
  type GroupApplier,
  ingestSource,
  type PreparedGroup,
} from './apply-group.ts'
import { type AskContext, answerQuestion, DeferredError } from './batch-context.ts'
import {
  bodyQuery,
  headQuery,
  parseBatch,
  parseBody,
  type QueuedBatch,
  waitingBrandsQuery,
} from './batch-table.ts'
import { unpackBody } from './body.ts'
import type { CombinedWrites } from './combined-writes.ts'
import { createConnectionLosses } from './connection-losses.ts'
import { createFairSchedule } from './fair-schedule.ts'
import { type OpenedBatch, type PreparedBatch, refusedBatch } from './prepare-batch.ts'
import { largeBytes, type Preparer } from './preparer.ts'
import {
  backoffMs,
  claimMs,
  endedError,
  errorText,
  faultOf,
  mayBegin,
  renewMs,
  type Unit,
} from './unit.ts'
import { claimUnits, releaseUnits, renewClaims } from './unit-table.ts'
import type { Units } from './units.ts'

export interface RunnerParts extends Omit<ApplyEvents, 'onLocked' | 'onBegun'> {
  readonly store: Store
  /** Of the units. */
  readonly database: Database
  readonly write: CombinedWrites
  readonly units: Units
  /** The name of this process, and whether another one has ended. */
  readonly holder: string
  readonly hasEnded: (holder: string) => boolean
  /** Called with a batch that was put into quarantine. */
  readonly onQuarantined: (unit: Unit) => void
  /** Called when the batches of a brand, or what waits, cannot be read or stored. It is tried again. */
  readonly onFailure: (brand: string | null, error: unknown) => void
  /** The batches that are committed and whose results are not in the queue yet, with their brands. */
  readonly unmarked: () => ReadonlyMap<string, string>
  readonly preparer: Preparer
  readonly applierOf: (size: GroupSize) => GroupApplier
  /** In milliseconds since 1970. */
  readonly now: () => number
  /** Of brands whose batches are committed at the same time. */
  readonly concurrency: number
}

/** A large group takes longer than others should wait for it. */
export type GroupSize = 'small' | 'large'

interface BatchGroup {
  readonly batches: readonly QueuedBatch[]
  readonly bytes: number
}

/** Takes units from the queue, applies them in the order of each brand, and decides about failures. */
export interface Runner {
  /** Says that there is something new. */
  wake(): void
  /** The batches that are being stored. */
  readonly working: ReadonlySet<string>
  /** Ends after the groups that are being applied. The others stay in the queue. */
  close(): Promise<void>
}

/** Maximum number of consecutive batches, and of their bytes, in one commit. */
const groupBatches = 64
const groupBytes = largeBytes
/** What applying a group takes on an ordinary machine, to order turns by. */
const msPerMegabyte = 200
/** Maximum number of brands with a group that is being prepared or waits for its turn. */
const brandsMax = 32
/** Batches that another process has accepted and left are found after this time. */
const pollMs = 1_000
/**
 * An engine that fails for a unit and can store other things within this time works: the unit may be
 * the cause, unless the error says that the engine is. A longer outage is not its fault.
 */
const outageMs = 10_000
/** Maximum time between two checks whether something can be stored again. */
const probeMsMax = 5_000
/** A brand whose pause has ended may still be worked on. */
const pausedMsMin = 50

const countBy = (brands: Iterable<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const brand of brands) counts.set(brand, (counts.get(brand) ?? 0) + 1)
  return counts
}

/** The part of the waiting batches that is applied together. One that failed before is alone. */
const groupOf = (
  rows: readonly { readonly batch: QueuedBatch; readonly bytes: number }[],
  aloneTo: number,
): BatchGroup => {
  const isSuspect = ({ attempts, writtenTo, number }: QueuedBatch) =>
    attempts > 0 || writtenTo !== null || number <= aloneTo
  const group: QueuedBatch[] = []
  let bytes = 0
  for (const { batch, bytes: more } of rows) {
    const isFull = group.length === groupBatches || bytes + more > groupBytes
    if (group.length > 0 && (isFull || isSuspect(batch))) break
    bytes += more
    group.push(batch)
    if (isSuspect(batch)) break
  }
  return { batches: group, bytes }
}

export const openRunner = (parts: RunnerParts): Runner => {
  const { store, database, now, preparer, units, holder, write } = parts
  const schedule = createFairSchedule(parts.concurrency)
  /** One large group is prepared while another is applied, and one turn is left for small ones. */
  const largeSchedule = createFairSchedule(Math.max(2, parts.concurrency - 1))
  /** What may end the process is not worked on at the same time as another such unit. */
  const suspects = createMutex()
  const working = new Set<string>()
  const busy = new Set<string>()
  const pausedUntil = new Map<string, number>()
  /** Up to these numbers, the batches of a brand are applied one by one. */
  const aloneTo = new Map<string, number>()
  /** The batches whose records were being written when their attempt ended. */
  const begun = new Set<number>()
  /** The batches that have lost their connection while they were applied alone, with the error. */
  const lost = new Map<number, DatabaseUnreachableError>()
  /** Outages in a row that a brand has met. */
  const outages = new Map<string, number>()
  const running = new Set<Promise<void>>()
  const closing = new AbortController()
  const { signal } = closing
  const losses = createConnectionLosses(database, signal)
  let isWoken = false
  let notify: () => void = () => undefined

  const at = () => new Date(now()).toISOString()
  const pause = (brand: string, ms: number) => pausedUntil.set(brand, performance.now() + ms)
  const wake = () => {
    isWoken = true
    notify()
  }

  const open = async (batch: QueuedBatch): Promise<OpenedBatch | null> => {
    const query = bodyQuery(batch.number)
    const [rows = []] = await database.read([query])
    // A replica may not have it yet. The primary says whether another process has finished it.
    const [row] = rows.length > 0 ? rows : await write((session) => session.all(query))
    return row ? { ...batch, body: await unpackBody(parseBody(row)) } : null
  }

  const readGroup = async (brand: string): Promise<BatchGroup> => {
    // Taken before the queue is read: one that is marked meanwhile is not taken for a new one.
    const unmarked = parts.unmarked()
    const query = headQuery(brand, groupBatches + unmarked.size)
    const [rows = []] = await database.read([query])
    const waiting = rows.map((row) => ({ batch: parseBatch(row), bytes: Number(row.at(-1)) }))
    const open = waiting.filter(({ batch }) => !unmarked.has(batch.id))
    return groupOf(open, aloneTo.get(brand) ?? 0)
  }

  /** Counts an attempt of each batch, and returns those that no other process works on. */
  const claim = async (batches: readonly QueuedBatch[]): Promise<readonly QueuedBatch[]> => {
    const numbers = batches.map(({ number }) => number)
    const others = new Set(batches.flatMap((each) => each.holder ?? []))
    const ended = [...others].filter((each) => each !== holder && parts.hasEnded(each))
    const expiredBefore = new Date(now() - claimMs).toISOString()
    const attempts = await write((session) =>
      claimUnits(session, database.dialect, numbers, { holder, at: at(), expiredBefore, ended }),
    )
    const missing = batches.findIndex(({ number }) => !attempts.has(number))
    const claimed = missing < 0 ? batches : batches.slice(0, missing)
    await giveBack(batches.slice(claimed.length).filter(({ number }) => attempts.has(number)))
    return claimed.map((batch) => ({ ...batch, attempts: attempts.get(batch.number) ?? 1 }))
  }

  /** Gives batches back whose attempt does not count. The error says why they wait. */
  const giveBack = async (batches: readonly Unit[], error?: unknown): Promise<void> => {
    if (batches.length === 0) return
    const numbers = batches.map(({ number }) => number)
    const lastError = error === undefined ? null : errorText(error)
    await write((session) =>
      releaseUnits(session, database.dialect, numbers, { holder, lastError }),
    )
  }

  /**
   * Reads, converts and validates a batch before the transaction begins; null if it is gone. Throws a
   * `DeferredError` if it looks records up and is not the first of its group.
   */
  const prepare = async (batch: QueuedBatch, isFirst: boolean): Promise<PreparedBatch | null> => {
    const opened = await open(batch)
    if (!opened) return null
    const ask: AskContext = async (question) => {
      // Batches before it may have the records.
      if (!isFirst && question.texts.size > 0) throw new DeferredError()
      return answerQuestion(question, batch, store)
    }
    try {
      return await preparer.prepare(opened, at(), ask)
    } catch (error) {
      if (error instanceof SourceError) return refusedBatch(error.message)
      throw error
    }
  }

  /** Changes the state of the brand's batches. Returns whether the records can be written. */
  const updateSource = async (brand: string, change: SourceChange): Promise<boolean> => {
    try {
      await store.sources.update(brand, ingestSource, change)
      return true
    } catch {
      return false
    }
  }

  /** Waits until the records can be written again. Returns how long that took. */
  const untilWritable = async (brand: string, error: unknown): Promise<number> => {
    const began = performance.now()
    const change: SourceChange = { state: 'failing', failedAt: at(), error: errorText(error) }
    for (let failures = 1; !signal.aborted; failures += 1) {
      if (await updateSource(brand, change)) break
      const ms = Math.min(backoffMs(failures, 'unavailable'), probeMsMax)
      await wait(ms, undefined, { signal }).catch(() => undefined)
    }
    return performance.now() - began
  }

  /** Applies the first batches of a brand, and ends their attempt if that fails. */
  const runGroup = async (brand: string): Promise<void> => {
    const { batches, bytes } = await readGroup(brand)
    const [first] = batches
    if (!first) return
    const isSuspect = first.attempts > 0 || losses.has(first.number)
    const run = async () => {
      const claimed = await claim(batches)
      if (claimed.length === 0) pause(brand, pollMs)
      else await attempt(brand, claimed, bytes)
    }
    await (isSuspect ? suspects(run) : run())
    await endLoss(first)
  }

  const attempt = async (
    brand: string,
    batches: readonly QueuedBatch[],
    bytes: number,
  ): Promise<void> => {
    const [first] = batches as readonly [QueuedBatch]
    for (const { id } of batches) working.add(id)
    for (const { number } of batches) begun.delete(number)
    try {
      const ended = losses.endedBy(first.number)
      if (ended !== null) {
        await failAlone({ ...first, attempts: ended }, first.lastError ?? endedError)
        losses.forget(first.number)
      } else if (!mayBegin(first.attempts)) {
        // Processes ended in all attempts before this one.
        const attempts = first.attempts - 1
        await failAlone({ ...first, attempts }, first.lastError ?? endedError)
      } else if (await commitGroup(brand, batches, bytes)) pausedUntil.delete(brand)
      else await giveBack(batches)
    } catch (error) {
      if (signal.aborted) await giveBack(batches)
      else await endAttempt(brand, batches, error)
    } finally {
      for (const { id, number } of batches) if (!lost.has(number)) working.delete(id)
    }
  }

  /** What happens after a failed attempt of some batches. */
  const endAttempt = async (
    brand: string,
    batches: readonly QueuedBatch[],
    error: unknown,
  ): Promise<void> => {
    const fault = faultOf(error)
    // Another import or command is at work, which is not a failure.
    if (fault === 'busy') {
      await giveBack(batches)
      pause(brand, backoffMs(1, fault))
      return
    }
    parts.onFailure(brand, error)
    const waitedMs = await untilWritable(brand, error)
    const isLongOutage = databaseFailureOf(error) === 'unavailable' && waitedMs > outageMs
    const isOutage = isLongOutage || fault === 'unavailable'
    const [first, ...more] = batches as readonly [QueuedBatch, ...QueuedBatch[]]
    const isLoss = error instanceof DatabaseUnreachableError && begun.has(first.number)
    if (signal.aborted || (isLongOutage && !isLoss) || more.length > 0) {
      await giveBack(batches, isOutage ? error : undefined)
      if (!signal.aborted && !isLongOutage) aloneTo.set(brand, (more.at(-1) ?? first).number)
    } else if (isLoss) lost.set(first.number, error)
    else if (isOutage) await waitOut(first, error)
    else await failAlone(first, error)
  }

  /** Ends an attempt that failed because of the engine. It does not count. */
  const waitOut = async (batch: QueuedBatch, error: unknown): Promise<void> => {
    const { brand } = batch
    const failures = (outages.get(brand) ?? 0) + 1
    outages.set(brand, failures)
    applyAlone(batch)
    await giveBack([batch], error)
    pause(brand, backoffMs(failures, 'unavailable'))
  }

  const applyAlone = ({ brand, number }: QueuedBatch) =>
    aloneTo.set(brand, Math.max(number, aloneTo.get(brand) ?? 0))

  /** Gives a batch back that has lost its connection, after the engine was watched without it. */
  const endLoss = async (batch: QueuedBatch): Promise<void> => {
    const { id, number } = batch
    const error = lost.get(number)
    if (error === undefined) return
    try {
      applyAlone(batch)
      // No other process takes the batch meanwhile.
      await losses.add(number)
      await giveBack([batch], error)
    } finally {
      lost.delete(number)
      working.delete(id)
    }
  }

  /** Ends a failed attempt that counts: the batch is tried again after a pause, or quarantined. */
  const failAlone = async (batch: QueuedBatch, error: unknown): Promise<void> => {
    const { brand } = batch
    const { state, attempts, lastError } = await units.fail(batch, error, 'unit')
    if (state !== 'quarantined') {
      pause(brand, backoffMs(attempts, 'unit'))
      return
    }
    pausedUntil.delete(brand)
    parts.onQuarantined({ ...batch, state, attempts, lastError })
    // As long as the unit is in quarantine, it says that the source is failing.
    await updateSource(brand, { state: 'idle', failedAt: at(), error: null, failed: 1 })
  }

  /** Commits batches of a brand. Returns false if the runner closes before that. */
  const commitGroup = async (
    brand: string,
    batches: readonly QueuedBatch[],
    bytes: number,
  ): Promise<boolean> => {
    const estimatedMs = (bytes / 1_048_576) * msPerMegabyte
    const isLarge = bytes > groupBytes
    const applier = parts.applierOf(isLarge ? 'large' : 'small')
    const onFinished: ApplyEvents['onFinished'] = (results) => {
      outages.delete(brand)
      for (const { number } of results.map(({ batch }) => batch)) {
        begun.delete(number)
        losses.forget(number)
      }
      parts.onFinished(results)
    }
    const onBegun: ApplyEvents['onBegun'] = (numbers) => {
      for (const number of numbers) begun.add(number)
    }
    const apply = async (group: PreparedGroup, onLocked: ApplyEvents['onLocked']) => {
      if (signal.aborted) return false
      await applier.apply(brand, group, { ...parts, onLocked, onBegun, onFinished })
      return true
    }
    const commit = async () => {
      const group: PreparedGroup[number][] = []
      for (const batch of batches) {
        if (signal.aborted) return false
        try {
          group.push({ batch, prepared: await prepare(batch, group.length === 0) })
        } catch (error) {
          if (!(error instanceof DeferredError)) throw error
          break
        }
      }
      await giveBack(batches.slice(group.length))
      const onLocked = units.waitUncounted(batches.slice(0, group.length))
      try {
        return await schedule.take(brand, estimatedMs, () => apply(group, onLocked))
      } finally {
        await onLocked().catch(() => undefined)
      }
    }
    return isLarge ? largeSchedule.take(brand, estimatedMs, commit) : commit()
  }

  const run = async (brand: string): Promise<void> => {
    busy.add(brand)
    try {
      await runGroup(brand)
    } catch (error) {
      if (signal.aborted) return
      parts.onFailure(brand, error)
      pause(brand, backoffMs(1, 'unavailable'))
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
    while (!signal.aborted) {
      isWoken = false
      for (const brand of await readyBrands()) {
        while (running.size >= brandsMax) await Promise.race(running)
        if (signal.aborted) break
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
    const next = Math.min(...pausedUntil.values()) - performance.now()
    const ms = Math.min(pollMs, Math.max(pausedMsMin, next))
    const paused = wait(ms, undefined, { signal: timeout.signal })
    await Promise.race([woken, paused.catch(() => undefined), ...running])
    timeout.abort()
  }

  const renewal = setInterval(() => {
    if (working.size === 0) return
    write((session) => renewClaims(session, holder, at())).catch(() => undefined)
  }, renewMs)
  renewal.unref()

  const looping = loop()
  return {
    wake,
    working,
    close: async () => {
      closing.abort()
      wake()
      await preparer.close()
      await looping
      clearInterval(renewal)
    },
  }
}
