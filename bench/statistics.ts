export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  const [low = Number.NaN, high = Number.NaN] = [sorted[half - 1], sorted[half]]
  return sorted.length % 2 === 1 ? high : (low + high) / 2
}

/** The smallest of the sorted values that is at or above this share of them. */
export const percentile = (sorted: ArrayLike<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN

/** The results of several rounds. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

/** Ignores rounds without a value; null if all lack one. */
export const spreadOf = (values: readonly (number | null)[]): Spread | null => {
  const present = values.filter((value) => value !== null)
  if (present.length === 0) return null
  return { median: median(present), least: Math.min(...present), most: Math.max(...present) }
}

/** A pseudo-random number, the same in every run. */
export const mix = (n: number, salt: number): number => {
  let mixed = Math.imul(n ^ Math.imul(salt, 0x9e3779b1), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** Shuffles the values in the same way in every run. */
export const shuffled = <Value>(values: readonly Value[], salt: number): readonly Value[] =>
  values
    .map((value, index) => ({ value, at: mix(index, salt) }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value)
