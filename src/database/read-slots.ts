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
   * the key already wait, or after `waitMs`.
   */
  take(share: ReadShare): Promise<Release>
  /** Whether a read should give its slot back: its key has more than a heavy one may, and others wait. */
  isWanted(share: ReadShare): boolean
  figures(): Pick<PoolFigures, 'size' | 'inUse' | 'waiting'>
}

interface Waiting {
  readonly share: ReadShare
  readonly grant: () => void
}

export const createReadSlots = (options: ReadSlotsOptions): ReadSlots => {
  const { total, waitingPerKey, waitMs } = options
  const half = Math.max(1, Math.floor(total / 2))
  const allButOne = Math.max(1, total - 1)
  const timeouts = createSharedTimeouts(waitMs)
  const held = new Set<{ readonly share: ReadShare }>()
  /** In arrival order. */
  const queue: Waiting[] = []

  const countHeld = (isCounted: (share: ReadShare) => boolean): number => {
    let count = 0
    for (const { share } of held) if (isCounted(share)) count += 1
    return count
  }
  const heldBy = (name: string) => countHeld(({ key }) => key.name === name)
  const isFreeFor = ({ brand, key, isHeavy }: ReadShare): boolean =>
    held.size < total &&
    countHeld((each) => each.brand.name === brand.name) < allButOne &&
    heldBy(key.name) < (isHeavy ? 1 : half) &&
    (!isHeavy || countHeld((each) => each.isHeavy) < allButOne)

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
        if (isFreeFor(each.share)) next = each
      }
      if (!next) return
      queue.splice(queue.indexOf(next), 1)
      next.grant()
    }
  }

  return {
    figures: () => ({ size: total, inUse: held.size, waiting: queue.length }),
    isWanted: ({ key, isHeavy }) =>
      isHeavy && heldBy(key.name) > 1 && queue.some(({ share }) => share.key.name !== key.name),
    take: (share) =>
      new Promise((resolve, reject) => {
        if (
          queue.filter((each) => each.share.key.name === share.key.name).length >= waitingPerKey
        ) {
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
        queue.push(waiting)
        serve()
      }),
  }
}
