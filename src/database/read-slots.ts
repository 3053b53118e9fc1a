import { createSharedTimeouts, OverloadedError, type Release } from '#concurrency'
import type { PoolFigures } from './figures.ts'
import { compareShares, type ReadShare } from './read-shares.ts'

export interface ReadSlotsOptions {
  /** Maximum number of reads at once. */
  readonly total: number
  /** Maximum number of waiting reads per key. */
  readonly waitingPerKey: number
  /** Maximum wait of a read. */
  readonly waitMs: number
}

/**
 * The slots of long reads. One key holds at most half of them, and one brand leaves one for the
 * others. Heavy keys hold one each, and together leave one for keys that read little.
 */
export interface ReadSlots {
  /**
   * Takes a slot once one is free for the key. Rejects with `OverloadedError` if too many reads of
   * the key already wait, or after `waitMs`. A read that comes again, since it has given its slot
   * back, comes first and is not refused.
   */
  take(share: ReadShare, isAgain?: boolean): Promise<Release>
  /**
   * Whether a read should give its slot back: its key has more than a heavy one may, and a read of
   * another key waits that could then begin.
   */
  isWanted(share: ReadShare): boolean
  figures(): Pick<PoolFigures, 'size' | 'inUse' | 'waiting'>
}

interface Slot {
  readonly share: ReadShare
}

interface Waiting extends Slot {
  readonly grant: () => void
}

export const createReadSlots = (options: ReadSlotsOptions): ReadSlots => {
  const { total, waitingPerKey, waitMs } = options
  const half = Math.max(1, Math.floor(total / 2))
  const allButOne = Math.max(1, total - 1)
  const timeouts = createSharedTimeouts(waitMs)
  const held = new Set<Slot>()
  /** In arrival order, after those that come again. */
  const queue: Waiting[] = []

  const isFreeFor = ({ brand, key, isHeavy }: ReadShare, slots: ReadonlySet<Slot>): boolean =>
    slots.size < total &&
    countOf(slots, (each) => each.brand.name === brand.name) < allButOne &&
    countOf(slots, (each) => each.key.name === key.name) < (isHeavy ? 1 : half) &&
    (!isHeavy || countOf(slots, (each) => each.isHeavy) < allButOne)

  const hold = (share: ReadShare): Release => {
    const slot = { share }
    held.add(slot)
    return () => {
      if (held.delete(slot)) serve()
    }
  }

  const serve = (): void => {
    for (;;) {
      let next: Waiting | undefined
      for (const each of queue) {
        if (next && compareShares(each.share, next.share) >= 0) continue
        if (isFreeFor(each.share, held)) next = each
      }
      if (!next) return
      queue.splice(queue.indexOf(next), 1)
      next.grant()
    }
  }

  return {
    figures: () => ({ size: total, inUse: held.size, waiting: queue.length }),
    isWanted: ({ key, isHeavy }) => {
      const own = [...held].filter(({ share }) => share.key.name === key.name)
      if (!isHeavy || own.length < 2 || queue.length === 0) return false
      const others = new Set([...held].filter((slot) => slot !== own[0]))
      return queue.some(({ share }) => share.key.name !== key.name && isFreeFor(share, others))
    },
    take: (share, isAgain = false) =>
      new Promise((resolve, reject) => {
        const waitingOfKey = countOf(queue, ({ key }) => key.name === share.key.name)
        if (!isAgain && waitingOfKey >= waitingPerKey) {
          reject(new OverloadedError('Too many reads wait already.'))
          return
        }
        const waiting: Waiting = {
          share,
          grant: () => {
            timeout.cancel()
            resolve(hold(share))
          },
        }
        const timeout = timeouts.begin(() => {
          queue.splice(queue.indexOf(waiting), 1)
          reject(new OverloadedError(`No slot became free within ${waitMs} ms.`))
        })
        if (isAgain) queue.unshift(waiting)
        else queue.push(waiting)
        serve()
      }),
  }
}

const countOf = (slots: Iterable<Slot>, isCounted: (share: ReadShare) => boolean): number => {
  let count = 0
  for (const { share } of slots) if (isCounted(share)) count += 1
  return count
}
