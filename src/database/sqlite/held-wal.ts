import { SnapshotLimitError } from '../errors.ts'
import {
  createSnapshotRegister,
  type HeldSnapshots,
  type HoldLimits,
  holdAges,
} from '../held-snapshots.ts'
import type { WalLength } from './wal-policy.ts'

export interface HeldWalParts {
  /** The WAL as far as it is committed: the pages of a running import do not count. */
  readonly readLength: () => WalLength
  /** Copies the WAL into the database, as far as readers allow. */
  readonly copy: () => Promise<void>
  readonly limits?: HoldLimits
}

/** Pages of 16 KB, 500 MB: twice the space that a writer keeps for its next transactions. */
const pagesMax = 32_000

/**
 * Keeps the WAL from growing without end behind long reads. SQLite writes to the start of the WAL
 * again only when no read needs any of it, so reads that overlap in turn hold all of it. Beyond the
 * limit, reads that are old enough are ended, and no other begins until it is released.
 *
 * The largest growth between two looks during reads does not count: one import, however large, ends
 * no read. Other growth may be that of many transactions, which other processes count as such.
 */
export const createHeldWal = ({
  readLength,
  copy,
  limits = { ...holdAges, heldMax: pagesMax },
}: HeldWalParts): HeldSnapshots => {
  let pages = 0
  let largestGrowth = 0

  const measure = () => {
    const length = readLength()
    if (length.pages < pages) {
      // The WAL began again.
      pages = 0
      largestGrowth = 0
      for (const each of register.all) each.from = 0
    }
    if (!register.isEmpty) largestGrowth = Math.max(largestGrowth, length.pages - pages)
    pages = length.pages
    const isTooLong = length.pages - largestGrowth > limits.heldMax
    return { ...length, isTooLong }
  }
  const endOld = async () => {
    const { pages: now, isTooLong } = measure()
    if (!isTooLong) return
    for (const each of register.all) {
      // Nothing was written since a read without growth began: ending it would release nothing.
      if (each.ageMs >= limits.ageMs && now > (each.from ?? 0)) each.end()
    }
  }
  const register = createSnapshotRegister(endOld, limits.everyMs)

  return {
    begin: async (end) => {
      let length = measure()
      if (length.isTooLong && length.uncopied > 0) {
        await copy()
        length = measure()
      }
      // A read of a WAL that is fully copied does not hold it.
      if (length.isTooLong && length.uncopied > 0) throw new SnapshotLimitError()
      return register.add(end, length.pages)
    },
    figures: register.figures,
  }
}
