/** A total that was counted, good for as long as the collections behind it stay as they are. */
export interface CountedTotal {
  readonly version: string
  readonly total: number
  /** The filter whose index led there. */
  readonly along: string | undefined
}

/** Totals of filtered lists, so that only the first page of a walk counts. */
export interface Totals {
  find(name: string): CountedTotal | undefined
  keep(name: string, total: CountedTotal): void
}

const keptMax = 10_000

export const openTotals = (most: number = keptMax): Totals => {
  const kept = new Map<string, CountedTotal>()
  return {
    find: (name) => kept.get(name),
    keep: (name, total) => {
      kept.delete(name)
      kept.set(name, total)
      if (kept.size <= most) return
      for (const oldest of kept.keys()) {
        kept.delete(oldest)
        break
      }
    },
  }
}
