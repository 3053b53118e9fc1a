/** Mean and variance of samples. */
export interface Running {
  readonly count: number
  readonly mean: number
  readonly variance: number
}

/** Drops times above the 90th percentile, which other work on the machine causes. */
export const cropped = (samples: readonly Float64Array[]): readonly Running[] => {
  const all = Float64Array.from(samples.flatMap((each) => [...each])).sort()
  const most = all[Math.floor(all.length * 0.9)] ?? Number.POSITIVE_INFINITY
  return samples.map((each) => summaryOf(each.filter((time) => time <= most)))
}

const summaryOf = (samples: Float64Array): Running => {
  const count = samples.length
  const mean = samples.reduce((sum, each) => sum + each, 0) / count
  const squares = samples.reduce((sum, each) => sum + (each - mean) ** 2, 0)
  return { count, mean, variance: squares / (count - 1) }
}

/** Welch's t: the difference of two means relative to its standard error. */
export const welch = (one: Running, other: Running): number =>
  (one.mean - other.mean) / Math.sqrt(one.variance / one.count + other.variance / other.count)
