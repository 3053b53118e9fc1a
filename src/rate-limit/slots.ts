/** Limits of long work, by its owner and in all. */
export interface SlotLimits {
  readonly total: number
  readonly perOwner: number
  /** Seconds of work of one owner, regained evenly within an hour, also while it works. */
  readonly secondsPerHour: number
}

/** Why there is no slot: too many in all, too many of the owner, or too many seconds of it. */
export type SlotRefusal = {
  readonly reason: 'total' | 'owner' | 'seconds'
  readonly retryAfterSeconds: number
}

export interface Slot {
  /** Resolves when the next one can be taken. Calling it again has no effect. */
  release(): Promise<void>
}

/**
 * Slots for long work. The last free one is kept for an owner that has none, so that a few owners
 * cannot hold all of them.
 */
export interface Slots {
  take(owner: string): Promise<Slot | SlotRefusal>
}

/** Seconds after which a retry is worthwhile. */
const retryAfterSeconds = 5
const hourMs = 3_600_000

interface Owner {
  held: number
  /** Milliseconds of work that are not regained, at a time. */
  usedMs: number
  at: number
}

/** Slots of one process. `now` is a monotonic clock in milliseconds. */
export const createSlots = (
  { total, perOwner, secondsPerHour }: SlotLimits,
  now: () => number,
): Slots => {
  const owners = new Map<string, Owner>()
  const budgetMs = secondsPerHour * 1_000
  const regainedPerMs = budgetMs / hourMs
  let held = 0

  /** Brings an owner's used time up to date. */
  const update = (owner: Owner): void => {
    const passedMs = now() - owner.at
    owner.usedMs = Math.max(0, owner.usedMs + passedMs * (owner.held - regainedPerMs))
    owner.at += passedMs
  }
  const forgetIdle = () => {
    for (const [name, owner] of owners) {
      update(owner)
      if (owner.held === 0 && owner.usedMs === 0) owners.delete(name)
    }
  }
  const ownerOf = (name: string): Owner => {
    const owner = owners.get(name) ?? { held: 0, usedMs: 0, at: now() }
    owners.set(name, owner)
    update(owner)
    return owner
  }

  return {
    take: async (name) => {
      forgetIdle()
      const owner = ownerOf(name)
      if (owner.held >= perOwner) return { reason: 'owner', retryAfterSeconds }
      const free = total - held
      if (free <= (owner.held > 0 ? 1 : 0)) return { reason: 'total', retryAfterSeconds }
      if (owner.usedMs >= budgetMs) {
        const waitMs = (owner.usedMs - budgetMs) / regainedPerMs
        return { reason: 'seconds', retryAfterSeconds: Math.max(60, Math.ceil(waitMs / 1_000)) }
      }
      owner.held += 1
      held += 1
      let isHeld = true
      return {
        release: async () => {
          if (!isHeld) return
          isHeld = false
          update(owner)
          owner.held -= 1
          held -= 1
        },
      }
    },
  }
}
