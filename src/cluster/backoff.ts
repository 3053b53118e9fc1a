/** A worker that exits sooner than this is counted as a failed start. */
export const earlyExitMs = 1_000

/** No delay for the first failure, then exponential: a worker that cannot start must not keep the CPU busy. */
export const backoffMs = (failures: number): number =>
  failures < 2 ? 0 : Math.min(250 * 2 ** (failures - 2), 10_000)
