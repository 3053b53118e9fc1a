/** What became of imports on one engine. */
interface Become {
  readonly old: number
  readonly new: number
  readonly half: number
  readonly lost: number
  readonly wrongTotals: number
}

/** The same over all engines, by the names that are published. */
export const sumsOf = (all: readonly Become[]) => {
  const sum = (name: keyof Become) => all.reduce((total, each) => total + each[name], 0)
  return {
    before: sum('old'),
    after: sum('new'),
    half: sum('half'),
    lost: sum('lost'),
    wrongTotals: sum('wrongTotals'),
  }
}
