/** A worker that lived so long did not die of how it was started. */
export const youngMs = 1_000

/** At once the first time, then ever later: what cannot start should not keep the machine busy. */
export const pauseMs = (failures: number): number =>
  failures < 2 ? 0 : Math.min(250 * 2 ** (failures - 2), 10_000)
