import { totalmem } from 'node:os'

/** The memory that this process can use: that of the machine, or of its container (cgroup). */
export const memoryLimit = (): number =>
  Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
