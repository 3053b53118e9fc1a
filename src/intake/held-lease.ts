import type { Store } from '#store'

/** The right of one process to take units of a source, extended as long as it is open. */
export interface HeldLease {
  /** Takes or extends it and returns null. If another process has it, returns the name of that. */
  take(): Promise<string | null>
  readonly isHeld: boolean
  /** Leaves it to other processes. */
  close(): Promise<void>
}

export interface HeldLeaseParts {
  readonly leases: Pick<Store['leases'], 'take' | 'release'>
  readonly owner: string
  /** The name of the work, such as `watch`. */
  readonly work: string
  /** This process, and whether another one has ended. */
  readonly holder: string
  readonly hasEnded: (holder: string) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** How long a process that has ended without notice keeps others from taking its place. */
const leaseMs = 120_000

export const openHeldLease = (parts: HeldLeaseParts): HeldLease => {
  const { leases, owner, work, holder, hasEnded, now } = parts
  let isHeld = false
  const take = async () => {
    const lease = { work, holder, hasEnded, now: now(), until: now() + leaseMs }
    const other = await leases.take(owner, lease)
    isHeld = other === null
    return other
  }
  let extending: Promise<unknown> | undefined
  const extend = async () => {
    // A lease that cannot be extended is noticed before the next unit.
    await take().catch(() => undefined)
    extending = undefined
  }
  const extension = setInterval(() => {
    if (isHeld) extending ??= extend()
  }, leaseMs / 4)
  extension.unref()
  return {
    take,
    get isHeld() {
      return isHeld
    },
    close: async () => {
      clearInterval(extension)
      // Otherwise it could take the lease again after the release.
      await extending
      await leases.release(owner, { work, holder }).catch(() => undefined)
    },
  }
}
