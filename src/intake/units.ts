import { createAuditOutbox, type RecordAudit } from '#audit'
import type { Database, Session } from '#database'
import { hasProcessEnded, type SourceStates, type Store } from '#store'
import { keptByDefault, prune } from './batch-table.ts'
import { type CombinedWrites, combineWrites, TakenBackError } from './combined-writes.ts'
import {
  afterFailure,
  claimMs,
  endedError,
  errorText,
  type FailedUnit,
  type Fault,
  faultOf,
  mayBegin,
  renewMs,
  sourceKinds,
  type Unit,
} from './unit.ts'
import { unitEntry } from './unit-entries.ts'
import type { KeptResult } from './unit-result.ts'
import {
  claimUnits,
  countAttempt,
  createUnitTables,
  discardUnit,
  failUnit,
  findUnit,
  finishUnit,
  freeUnit,
  listUnits,
  type NewUnit,
  noResult,
  openUnit,
  parseUnit,
  removeUnits,
  renewClaims,
  reopenUnit,
  retryableQuery,
  retryUnit,
  type UnitFilter,
} from './unit-table.ts'

/** The units of a database, for sources that take one after the other, and for operators. */
export interface Units {
  /**
   * Begins an attempt of the unit at a place of a source, which is counted before this resolves. The
   * unit is `working`, or `quarantined` if processes died too often in the middle of it. The caller
   * ensures that no other process takes units of the source, by a lease. `last`, if it is done and
   * has the same place, is opened again: a sync that reads nothing new leaves one unit.
   */
  begin(unit: Omit<NewUnit, 'id' | 'receivedAt'>, last?: Unit): Promise<Unit>
  /** Ends a unit; the reason says why it is refused, and the result what it did. */
  finish(unit: Unit, state: 'done' | 'refused', reason?: string, result?: KeptResult): Promise<void>
  /**
   * Takes the current attempt of units back if they wait for long, for a turn or a lock: a process
   * that ends meanwhile has not worked on them. The returned function ends the wait and counts the
   * attempt again; call it in any case.
   */
  waitUncounted(units: readonly Unit[]): () => Promise<void>
  /** Ends a failed attempt. The unit waits for the next one, or is quarantined. */
  fail(unit: Unit, error: unknown, fault?: Fault): Promise<Unit>
  /** Quarantines a unit at once, until an operator accepts it. */
  hold(unit: Unit, error: unknown): Promise<Unit>
  list(filter: UnitFilter): Promise<readonly Unit[]>
  find(id: string): Promise<Unit | null>
  /**
   * Lets the process that takes units of its source try a unit again that is quarantined, or whose
   * process has ended. `accepts` says that what it is held for is right.
   */
  retry(id: string, accepts?: boolean): Promise<boolean>
  /**
   * Refuses a unit that waits or is quarantined, or whose process has ended. Without a reason, an
   * operator does.
   */
  discard(id: string, reason?: string): Promise<boolean>
  /**
   * Deletes the units of a brand, with their bodies, before its records and again when these are
   * about to be committed; until they are, none is accepted. If the records stay, so do the units
   * that were accepted meanwhile. Returns how many were deleted.
   */
  removeBrand(
    brand: string,
    removeRecords: (beforeCommit: () => Promise<void>) => Promise<void>,
  ): Promise<number>
  /** Ends the log of a brand's later changes, if no unit of it needs the log. */
  release(unit: Unit): Promise<void>
}

export interface UnitsParts {
  /** See `openQueueDatabase`. */
  readonly database: Database
  readonly store: Pick<Store, 'rewrites'> & {
    readonly sources: Pick<SourceStates, 'find' | 'update'>
    readonly quarantine: Pick<Store['quarantine'], 'lastChange'>
  }
  /** The name of this process. */
  readonly holder: string
  /** Whether another process is known to have ended. */
  readonly hasEnded?: (holder: string) => boolean
  /** In milliseconds since 1970. */
  readonly now: () => number
  readonly newId: () => string
  /** Records what becomes of units in the audit log. */
  readonly recordAudit?: RecordAudit | undefined
}

/** Opens the units of a database, and creates their tables. */
export const openUnits = async (parts: UnitsParts): Promise<Units> => {
  await createUnitTables(parts.database)
  await createAuditOutbox(parts.database)
  return createUnits(parts, combineWrites(parts.database))
}

export const createUnits = (parts: UnitsParts, write: CombinedWrites): Units => {
  const { database, store, holder, now, recordAudit = async () => undefined } = parts
  const hasEnded = parts.hasEnded ?? hasHolderEnded
  const at = () => new Date(now()).toISOString()

  /** The units that this process has begun, with the timers that renew their claims. */
  const renewals = new Map<number, NodeJS.Timeout>()
  const keepClaim = ({ number }: Unit) => {
    const renewal = setInterval(() => {
      // A claim that cannot be renewed expires.
      write((session) => renewClaims(session, holder, at())).catch(() => undefined)
    }, renewMs)
    renewal.unref()
    clearInterval(renewals.get(number))
    renewals.set(number, renewal)
  }
  const dropClaim = ({ number }: Unit) => {
    clearInterval(renewals.get(number))
    renewals.delete(number)
  }

  /** Frees a unit of a process that has ended, in the transaction of its caller. */
  const free = (session: Session, unit: Unit): Promise<boolean> => {
    const isEnded = unit.holder !== null && unit.holder !== holder && hasEnded(unit.holder)
    const expiredBefore = new Date(now() - claimMs).toISOString()
    return freeUnit(session, unit.id, { expiredBefore, ended: isEnded ? unit.holder : null })
  }

  const endAttempt = async (unit: Unit, error: unknown, end: FailedUnit): Promise<Unit> => {
    dropClaim(unit)
    const failed = { ...end, lastError: errorText(error) }
    const isLast = failed.state === 'quarantined'
    // Later units continue once this one is marked, so their changes are logged before.
    const writtenTo = unit.writtenTo ?? (isLast ? await store.rewrites.hold(unit.brand) : null)
    const ended = { ...failed, writtenTo, finishedAt: isLast ? at() : null }
    await write(async (session) => {
      const isFailed = await failUnit(session, unit.number, holder, ended)
      if (isFailed && isLast) await recordAudit(session, unitEntry('unit.quarantined', unit))
    })
    return { ...unit, ...ended }
  }
  const fail = (unit: Unit, error: unknown, fault: Fault = faultOf(error)): Promise<Unit> =>
    endAttempt(unit, error, afterFailure(unit.attempts, fault))

  const find = async (id: string): Promise<Unit | null> => {
    const [rows = []] = await database.read([findUnit(id)])
    return rows[0] ? parseUnit(rows[0]) : null
  }

  const release = async ({ brand, writtenTo }: Unit): Promise<void> => {
    if (writtenTo === null) return
    await store.rewrites.release(brand, async () => {
      const rows = await database.snapshot((all) => all(retryableQuery(brand)))
      return rows.length > 0
    })
  }

  /** A source that fails because of a unit works again without it. */
  const endError = async ({ brand, kind, source, lastError }: Unit): Promise<void> => {
    const sourceKind = sourceKinds[kind]
    if (sourceKind === null || lastError === null) return
    const name = { kind: sourceKind, name: source }
    const { error = null } = (await store.sources.find(brand, name)) ?? {}
    if (error === lastError) await store.sources.update(brand, name, { state: 'idle', error: null })
  }

  let prunedAt = Number.NEGATIVE_INFINITY
  /** A source may be taken in without a server that accepts batches, which also does this. */
  const pruneOften = async (): Promise<void> => {
    if (now() - prunedAt < pruneMs) return
    prunedAt = now()
    await prune(write, now(), keptByDefault, recordAudit)
  }

  const waitUncounted = (waiting: readonly Unit[]) => {
    const numbers = waiting.map(({ number }) => number)
    const count = (isCounted: boolean) =>
      write((session) => countAttempt(session, database.dialect, numbers, { holder, isCounted }))
    let takenBack: Promise<boolean> | undefined
    const timer = setTimeout(() => {
      takenBack = count(false).then(
        () => true,
        () => false,
      )
    }, longWaitMs)
    return async () => {
      clearTimeout(timer)
      if (await takenBack) await count(true)
      takenBack = undefined
    }
  }

  return {
    waitUncounted,
    begin: async (place, last) => {
      await pruneOften()
      const unit = await write(async (session) => {
        const isSame = last?.position === place.position
        const again = isSame ? await reopenUnit(session, last.id, at()) : null
        const open =
          again ?? (await openUnit(session, { ...place, id: parts.newId(), receivedAt: at() }))
        const claim = { holder, at: at(), expiredBefore: afterAll, ended: [] }
        const claimed = await claimUnits(session, database.dialect, [open.number], claim)
        return { ...open, holder, attempts: claimed.get(open.number) ?? open.attempts }
      })
      const working: Unit = { ...unit, state: 'working' }
      if (mayBegin(unit.attempts)) {
        keepClaim(working)
        return working
      }
      return fail({ ...working, attempts: unit.attempts - 1 }, unit.lastError ?? endedError, 'unit')
    },
    finish: async (unit, state, reason, result) => {
      dropClaim(unit)
      const hasWritten =
        state === 'done' &&
        result?.collections.some((each) => each.added + each.changed + each.removed > 0)
      const change = hasWritten ? await store.quarantine.lastChange(unit.brand) : null
      const { changes, ...summary } = { ...result, change }
      const ended = (value: object) => (result === undefined ? null : JSON.stringify(value))
      const end = {
        ...{ state, at: at(), lastError: reason ?? null },
        ...{ result: ended({ ...summary, changes }), summary: ended(summary) },
      }
      await write(async (session) => {
        const isFinished = await finishUnit(session, unit.id, end)
        const isRefused = isFinished && state === 'refused'
        // What is stored is recorded with the records.
        if (isRefused) await recordAudit(session, unitEntry('unit.refused', unit))
      })
      await release(unit)
    },
    fail,
    hold: (unit, error) =>
      endAttempt(unit, error, { state: 'quarantined', attempts: unit.attempts }),
    list: async (filter) => {
      const [rows = []] = await database.read([listUnits(filter)])
      return rows.map(parseUnit)
    },
    find,
    retry: async (id, accepts = false) => {
      const unit = await find(id)
      if (!unit) return false
      return write(async (session) => {
        const from = (await free(session, unit)) ? 'waiting' : 'quarantined'
        const isRetried = await retryUnit(session, id, { from, accepts })
        if (isRetried) await recordAudit(session, unitEntry('unit.retried', unit))
        return isRetried
      })
    },
    discard: async (id, reason = discardedError) => {
      const unit = await find(id)
      if (!unit) return false
      const end = { state: 'refused', at: at(), lastError: reason, ...noResult } as const
      const isDiscarded = await write(async (session) => {
        await free(session, unit)
        const isDiscarded = await discardUnit(session, id, end)
        if (isDiscarded) await recordAudit(session, unitEntry('unit.discarded', unit))
        return isDiscarded
      })
      if (isDiscarded) {
        await release(unit)
        await endError(unit)
      }
      return isDiscarded
    },
    removeBrand: async (brand, removeRecords) => {
      const before = await write((session) => removeUnits(session, brand))
      const reached = Promise.withResolvers<void>()
      const removed = Promise.withResolvers<boolean>()
      let late: Promise<number> | undefined
      const beforeCommit = () => {
        late = write(async (session) => {
          const units = await removeUnits(session, brand)
          reached.resolve()
          if (!(await removed.promise)) throw new TakenBackError('The brand was not removed.')
          return units
        })
        late.catch(reached.reject)
        return reached.promise
      }
      try {
        await removeRecords(beforeCommit)
      } catch (error) {
        removed.resolve(false)
        await late?.catch(() => undefined)
        throw error
      }
      removed.resolve(true)
      return before + ((await late) ?? 0)
    },
    release,
  }
}

/** Writes the records of a unit. No attempt counts while that waits for their lock. */
export const writeUnit =
  (units: Units, unit: Unit, write: Store['write']): Store['write'] =>
  async (owner, work) => {
    const endWait = units.waitUncounted([unit])
    try {
      return await write(owner, async (writer) => {
        await endWait()
        writer.describe({ ...unit, isRepeated: unit.kind === 'round' })
        return work(writer)
      })
    } finally {
      await endWait().catch(() => undefined)
    }
  }

/** Whether a process has ended. The last word of a holder tells processes of one name apart. */
export const hasHolderEnded = (holder: string): boolean =>
  hasProcessEnded(holder.replace(/ \S+$/, ''))

/** A shorter wait is part of the attempt, which takes no statement more. */
const longWaitMs = 200

/** The time between two deletions of old units, in milliseconds. */
const pruneMs = 3_600_000

/** The caller's lease decides who may claim units, so every claim has expired. */
const afterAll = '9999'

const discardedError = 'An operator discarded it.'
