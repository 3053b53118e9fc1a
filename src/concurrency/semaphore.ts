import { createSharedTimeouts } from './shared-timeouts.ts'

export interface SemaphoreOptions {
  /** Units that all owners together may hold. */
  readonly total: number
  /** Units that one owner may hold. */
  readonly perOwner: number
  /** Units that are kept for owners that hold none. By default 0. */
  readonly keptForNew?: number
  /** Maximum number of waiting calls per owner. */
  readonly waitingPerOwner: number
  /** Maximum wait of a call. */
  readonly waitMs: number
}

/** Releases the units. Calling it again has no effect. */
export type Release = () => void

/**
 * Limits concurrency in total and per owner. Serves waiting owners in turn, and the calls of one
 * owner in arrival order, so that an owner with many calls does not delay the others.
 */
export interface Semaphore {
  /**
   * Takes units, at once or as soon as they are free. Rejects with `OverloadedError` if too many
   * calls of the owner already wait, or after `waitMs`. Never succeeds for more than `perOwner`
   * units.
   */
  acquire(owner: string, units?: number): Release | Promise<Release>
}

/** The units were not available in time. */
export class OverloadedError extends Error {}

interface Waiting {
  readonly units: number
  readonly grant: () => void
}

/** Owners that hold nothing are dropped if there are more. */
const idleOwnersMax = 100

export const createSemaphore = (options: SemaphoreOptions): Semaphore => {
  const { total, perOwner, keptForNew = 0, waitingPerOwner, waitMs } = options
  const timeouts = createSharedTimeouts(waitMs)
  let held = 0
  const heldBy = new Map<string, number>()
  /** In the order in which owners are served. */
  const queues = new Map<string, Waiting[]>()

  const hold = (owner: string, units: number): Release => {
    held += units
    heldBy.set(owner, (heldBy.get(owner) ?? 0) + units)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      held -= units
      const left = (heldBy.get(owner) ?? 0) - units
      // Removing an owner that soon returns costs more than keeping it.
      if (left > 0 || heldBy.size <= idleOwnersMax) heldBy.set(owner, left)
      else heldBy.delete(owner)
      if (queues.size > 0) serve()
    }
  }

  const ownerHasRoom = (owner: string, units: number): boolean => {
    const own = heldBy.get(owner) ?? 0
    return own + units <= perOwner && (own === 0 || held + units <= total - keptForNew)
  }

  /** Grants free units. A call that waits for the total is not overtaken. */
  const serve = (): void => {
    for (let hasGranted = true; hasGranted; ) {
      hasGranted = false
      for (const owner of [...queues.keys()]) {
        const queue = queues.get(owner) ?? []
        const [first] = queue
        if (!first || !ownerHasRoom(owner, first.units)) continue
        if (held + first.units > total) return
        queue.shift()
        // Round robin: the next call of this owner comes after one of each other owner.
        queues.delete(owner)
        if (queue.length > 0) queues.set(owner, queue)
        first.grant()
        hasGranted = true
      }
    }
  }

  const wait = (owner: string, units: number): Promise<Release> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(owner) ?? []
      if (queue.length >= waitingPerOwner || units > perOwner || units > total) {
        reject(new OverloadedError('Too many calls wait already.'))
        return
      }
      const waiting: Waiting = {
        units,
        grant: () => {
          timeout.cancel()
          resolve(hold(owner, units))
        },
      }
      const timeout = timeouts.begin(() => {
        const queued = queues.get(owner) ?? []
        const place = queued.indexOf(waiting)
        if (place >= 0) queued.splice(place, 1)
        if (queued.length === 0) queues.delete(owner)
        reject(new OverloadedError(`Nothing became free within ${waitMs} ms.`))
        // This call may have blocked the others.
        if (queues.size > 0) serve()
      })
      queue.push(waiting)
      queues.set(owner, queue)
      // The calls ahead may wait for units that this one does not need.
      serve()
    })

  return {
    acquire: (owner, units = 1) =>
      queues.size === 0 && held + units <= total && ownerHasRoom(owner, units)
        ? hold(owner, units)
        : wait(owner, units),
  }
}
