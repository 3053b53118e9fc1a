import { setTimeout as wait } from 'node:timers/promises'
import { createAuditOutbox, type RecordAudit } from '#audit'
import { type Database, together } from '#database'
import type { RowProblem } from '#ingest'
import { processName, type Store } from '#store'
import { createGroupApplier, type FinishedBatch, type GroupApplier } from './apply-group.ts'
import { type Batch, type BatchRequest, IdempotencyConflictError, QueueFullError } from './batch.ts'
import {
  findQuery,
  findRepeated,
  insertBatch,
  keptByDefault,
  type PruneLimits,
  parseBatch,
  prune,
  type QueuedBatch,
  readWaiting,
  type Waiting,
} from './batch-table.ts'
import { bodyName } from './body.ts'
import { combineWrites } from './combined-writes.ts'
import { finishBatch } from './finish-batch.ts'
import { createPreparer, type PreparerOptions } from './preparer.ts'
import { openRunner } from './runner.ts'
import type { Unit } from './unit.ts'
import { createUnitTables } from './unit-table.ts'
import { createUnits, hasHolderEnded } from './units.ts'

/** Batches on their way into the store: durable from their acceptance, stored in their order. */
export interface BatchQueue {
  /**
   * Durable when it resolves. Takes over the bytes of the body. Throws `QueueFullError` and
   * `IdempotencyConflictError`. `repeated` says that it is the batch of an earlier request with the
   * same idempotency key and body.
   */
  accept(request: BatchRequest): Promise<{ readonly batch: Batch; readonly repeated: boolean }>
  find(brand: string, id: string): Promise<Batch | null>
  /** The batch once it is finished, or as it is after this time; null if there is none. */
  finished(brand: string, id: string, waitMs: number): Promise<Batch | null>
  /** Ends after the batches that are being stored. Those that wait are stored after the next start. */
  close(): Promise<void>
}

export interface QueueLimits extends PruneLimits {
  /** What may wait in all, as it is stored. */
  readonly total: Waiting
  /** What may wait of one brand. */
  readonly brand: Waiting
}

const defaultLimits: QueueLimits = {
  total: { batches: 10_000, bytes: 1_073_741_824 },
  brand: { batches: 5_000, bytes: 268_435_456 },
  ...keptByDefault,
}

export interface QueueParts {
  readonly store: Store
  /** See `openQueueDatabase`. */
  readonly database: Database
  readonly limits?: Partial<QueueLimits>
  /** The folder of the mapping files that senders name; null where there is none. */
  readonly mapsFolder?: string | null
  /** See `PreparerOptions`. */
  readonly cpuMs?: PreparerOptions['cpuMs']
  /**
   * Commits what would keep this thread from accepting batches: large batches, and all on an engine
   * whose statements block their thread. By default, this thread does.
   */
  readonly applier?: GroupApplier
  /** Brands whose batches are committed concurrently, on an engine with several writers. */
  readonly brandsAtOnce?: number
  /** In milliseconds since 1970. */
  readonly now: () => number
  readonly newId: () => string
  /** Records what becomes of units in the audit log; the store records what is committed. */
  readonly recordAudit?: RecordAudit
  /** The name of this process, and whether another one has ended. */
  readonly holder?: string
  readonly hasEnded?: (holder: string) => boolean
  /** Called with what fails and is tried again. */
  readonly onFailure: (brand: string | null, error: unknown) => void
  /** Called with a batch that failed too often. */
  readonly onQuarantined: (unit: Unit) => void
  /** Called once with each warning of a quarantined row: every later batch finds it again. */
  readonly onReleasedProblem: (brand: string, problem: RowProblem) => void
}

/** Poll interval for batches that another process stores, in milliseconds. */
const otherProcessMs = 250
/** What could not be written to the queue is written again after this time. */
const retryMs = 500
/** The time between two deletions of finished batches, in milliseconds. */
const pruneMs = 60_000
const retrySecondsMax = 60

/** Opens the queue of a database, and continues with what waits in it. */
export const openBatchQueue = async (parts: QueueParts): Promise<BatchQueue> => {
  const { database, now, recordAudit = async () => undefined } = parts
  const limits = { ...defaultLimits, ...parts.limits }
  await createUnitTables(database)
  await createAuditOutbox(database)
  const combined = combineWrites(database)
  // A process that is started again may have the same name.
  const holder = parts.holder ?? `${processName()} ${parts.newId()}`
  const hasEnded = parts.hasEnded ?? hasHolderEnded
  const units = createUnits({ ...parts, holder }, combined)
  /** Results that are committed, and that the queue does not have yet. */
  const unwritten = new Map<string, FinishedBatch>()
  const waiters = new Map<string, Set<() => void>>()
  const endWaits = (id: string) => {
    for (const end of waiters.get(id) ?? []) end()
  }
  const rate = createRate(now)
  const writing = new Set<Promise<void>>()
  let isClosed = false

  /** The results are stored beside the records already: a crash before this is done loses nothing. */
  const storeResults = async (finished: readonly FinishedBatch[]) => {
    for (const each of finished) unwritten.set(each.batch.id, each)
    do {
      try {
        await combined(async (session) => {
          for (const { batch, result } of finished) await finishBatch(session, batch.id, result)
        })
        for (const { batch } of finished) unwritten.delete(batch.id)
        for (const { batch } of finished) await units.release(batch)
        return
      } catch (error) {
        parts.onFailure(null, error)
        await wait(retryMs)
      }
    } while (!isClosed)
  }

  const blocks = database.dialect.name === 'sqlite'
  const ownApplier = createGroupApplier({ ...parts, keepMs: limits.keepMs })
  const { applier = ownApplier } = parts
  const runner = openRunner({
    ...parts,
    applierOf: (size) => (blocks || size === 'large' ? applier : ownApplier),
    write: combined,
    units,
    holder,
    hasEnded,
    preparer: createPreparer({
      catalog: parts.store.catalog,
      mapsFolder: parts.mapsFolder ?? null,
      ...(parts.cpuMs && { cpuMs: parts.cpuMs }),
    }),
    concurrency: blocks ? 1 : (parts.brandsAtOnce ?? 4),
    unmarked: () => new Map([...unwritten].map(([id, { batch }]) => [id, batch.brand])),
    onFinished: (finished) => {
      rate.add(finished.length)
      const stored = storeResults(finished).finally(() => writing.delete(stored))
      writing.add(stored)
      for (const { batch } of finished) endWaits(batch.id)
    },
    onReleasedProblem: onceEach(parts.onReleasedProblem),
    onQuarantined: (unit) => {
      endWaits(unit.id)
      parts.onQuarantined(unit)
    },
  })

  const toBatch = (queued: QueuedBatch): Batch => {
    const { id, brand, options, receivedAt } = queued
    const ended = unwritten.get(id)?.result ?? queued.result
    return {
      id,
      brand,
      dryRun: options.dryRun,
      receivedAt,
      sentWith: options.collections,
      change: null,
      ...(ended ?? withoutResult(queued, runner.working.has(id))),
    }
  }

  const refuseFull = (
    waiting: Waiting,
    { batches, bytes }: Waiting,
    more: number,
    what: string,
  ) => {
    if (waiting.batches < batches && waiting.bytes + more <= bytes) return
    const drained = Math.ceil(waiting.batches / rate.perSecond())
    const seconds = Math.min(retrySecondsMax, Math.max(1, drained))
    throw new QueueFullError(
      `${what}: ${waiting.batches.toLocaleString('en')} batches wait to be stored. Send the batch again in ${seconds} seconds.`,
      seconds,
    )
  }

  const find = async (brand: string, id: string): Promise<Batch | null> => {
    const query = findQuery(brand, id)
    const [rows = []] = await database.read([query])
    // A replica may not have it yet.
    const [row] = rows.length > 0 ? rows : await database.snapshot((all) => all(query))
    return row ? toBatch(parseBatch(row)) : null
  }

  /** Until a batch may be finished, or for this time. */
  const untilChanged = (id: string, waitMs: number) =>
    new Promise<void>((resolve) => {
      const endings = waiters.get(id) ?? new Set()
      const end = () => {
        clearTimeout(timer)
        endings.delete(end)
        if (endings.size === 0) waiters.delete(id)
        resolve()
      }
      const timer = setTimeout(end, waitMs)
      endings.add(end)
      waiters.set(id, endings)
    })

  const pruneOwn = () =>
    prune(combined, now(), limits, recordAudit).catch((error: unknown) =>
      parts.onFailure(null, error),
    )
  let pruning = pruneOwn()
  const pruneTimer = setInterval(() => {
    pruning = pruning.then(pruneOwn)
  }, pruneMs)
  pruneTimer.unref()

  return {
    accept: async ({ brand, keyId, idempotencyKey, body, ...options }) => {
      const { collections, map, form, dryRun, park = false, ...more } = options
      const { quarantine = false, maxBadRows = null, results = false } = more
      const { hash } = body
      const accepted = await combined(async (session) => {
        if (idempotencyKey !== null) {
          const earlier = await findRepeated(session, { brand, keyId, idempotencyKey })
          if (earlier && earlier.hash !== hash) throw conflict(idempotencyKey)
          if (earlier) return { batch: earlier, repeated: true }
        }
        const more = body.bytes.length
        const [all, ofBrand] = await together([readWaiting(session), readWaiting(session, brand)])
        refuseFull(all, limits.total, more, 'The queue is full')
        refuseFull(ofBrand, limits.brand, more, `The queue of ${brand} is full`)
        const batch = await insertBatch(
          session,
          {
            id: parts.newId(),
            brand,
            keyId,
            idempotencyKey,
            hash,
            options: { collections, map, form, dryRun, park, quarantine, maxBadRows, results },
            receivedAt: new Date(now()).toISOString(),
          },
          body,
        )
        return { batch, repeated: false }
      })
      if (!accepted.repeated) runner.wake()
      return { batch: toBatch(accepted.batch), repeated: accepted.repeated }
    },
    find,
    finished: async (brand, id, waitMs) => {
      const end = performance.now() + waitMs
      for (;;) {
        const batch = await find(brand, id)
        const left = end - performance.now()
        if (batch === null || batch.finishedAt !== null || left <= 0) return batch
        await untilChanged(id, Math.min(left, otherProcessMs))
      }
    },
    close: async () => {
      isClosed = true
      clearInterval(pruneTimer)
      await runner.close()
      await pruning
      await Promise.all(writing)
    },
  }
}

/** A batch that is not finished, is in quarantine, or was discarded from there. */
const withoutResult = (
  { state, finishedAt, attempts, lastError }: QueuedBatch,
  isWorking: boolean,
) => {
  const nothing = { finishedAt, items: 0, collections: [] }
  if (finishedAt === null) {
    const open = isWorking || state === 'working' ? ('working' as const) : ('queued' as const)
    return { ...nothing, state: open, problems: [], problemCount: 0 }
  }
  const isQuarantined = state === 'quarantined'
  const reason = isQuarantined
    ? `could not be stored in ${attempts} attempts, and waits for an operator (selvedge intake): ${lastError}`
    : `could not be stored: ${lastError}`
  const place = { file: bodyName, line: 0, field: '', value: '' }
  return {
    ...nothing,
    state: isQuarantined ? ('quarantined' as const) : ('refused' as const),
    problems: [{ ...place, reason, severity: 'error' as const }],
    problemCount: 1,
  }
}

const conflict = (idempotencyKey: string): IdempotencyConflictError =>
  new IdempotencyConflictError(
    `The Idempotency-Key ${JSON.stringify(idempotencyKey)} belongs to an earlier request with another body or other parameters. Use a new key for a new batch.`,
  )

/** Number of reported warnings that are remembered. */
const reportedMax = 10_000

/** Passes each warning of quarantined rows on once. */
const onceEach = (report: QueueParts['onReleasedProblem']): QueueParts['onReleasedProblem'] => {
  const reported = new Set<string>()
  return (brand, problem) => {
    const text = JSON.stringify([brand, problem.field, problem.value, problem.reason])
    if (reported.has(text)) return
    if (reported.size === reportedMax) reported.clear()
    reported.add(text)
    report(brand, problem)
  }
}

/** How many batches were stored in a second lately. */
const createRate = (now: () => number) => {
  let perSecond = 10
  let since = now()
  let batches = 0
  return {
    add: (count: number) => {
      batches += count
      const seconds = (now() - since) / 1_000
      if (seconds < 1) return
      perSecond = Math.max(0.1, batches / seconds)
      since = now()
      batches = 0
    },
    perSecond: () => perSecond,
  }
}
