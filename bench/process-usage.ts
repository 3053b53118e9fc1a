/** Resource usage of processes from Linux's /proc. Other systems return nothing. */
import { readdirSync, readFileSync } from 'node:fs'

/** The unit of times in /proc, the same on every Linux that Node supports. */
const tickMs = 10

/**
 * The CPU time of processes and their terminated children in milliseconds; null if it cannot be
 * read.
 */
export const cpuMsOf = (pids: readonly number[]): number | null => {
  const times = pids.flatMap((pid) => {
    const fields = statOf(pid)
    return fields ? [fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)] : []
  })
  // The time of a process that has just ended is included in that of its parent.
  return times.length === 0 ? null : times.reduce((sum, ticks) => sum + ticks, 0) * tickMs
}

/**
 * The private memory of a process in MB. Excludes mapped files, such as its program and a database,
 * which the operating system can reclaim.
 */
export const privateMbOf = (pid: number): number | null => {
  const status = textOf(`/proc/${pid}/status`)
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB/m.exec(status ?? '') ?? []
  return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1_024)
}

/** The private memory of the largest of several processes. */
export interface Memory {
  readonly nowMb: number
  /** The peak since the watch began. */
  readonly peakMb: number
}

export interface MemoryWatch {
  /** Null if it cannot be read. */
  memory(): Memory | null
  /** Ends the watch and returns the peak in MB. */
  stop(): number
}

/** Samples often, since Linux records no peak of private memory. */
export const watchMemory = (pids: readonly number[], everyMs = 50): MemoryWatch => {
  let peakMb = 0
  const read = (): number | null => {
    const sizes = pids.map(privateMbOf).filter((size) => size !== null)
    if (sizes.length === 0) return null
    const most = Math.max(...sizes)
    peakMb = Math.max(peakMb, most)
    return most
  }
  const reading = setInterval(read, everyMs).unref()
  read()
  return {
    memory: () => {
      const nowMb = read()
      return nowMb === null ? null : { nowMb, peakMb }
    },
    stop: () => {
      clearInterval(reading)
      read()
      return peakMb
    },
  }
}

/** A process and all its descendants. */
export const familyOf = (pid: number): readonly number[] => {
  const parents = new Map<number, number>()
  for (const name of foldersIn('/proc')) {
    const parent = Number(statOf(Number(name))?.[1])
    if (parent > 0) parents.set(Number(name), parent)
  }
  const family = [pid]
  for (const member of family) {
    for (const [child, parent] of parents) if (parent === member) family.push(child)
  }
  return family
}

/** The fields after the name, which may contain spaces and brackets. */
const statOf = (pid: number): readonly string[] | null => {
  const stat = textOf(`/proc/${pid}/stat`)
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

const foldersIn = (path: string): readonly string[] => {
  try {
    return readdirSync(path).filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

const textOf = (path: string): string | null => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
