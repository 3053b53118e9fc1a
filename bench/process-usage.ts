/** What Linux says of processes. Elsewhere there is nothing to read, and nothing is said. */
import { readdirSync, readFileSync } from 'node:fs'

/** The unit of times in /proc, the same on every Linux that Node runs on. */
const tickMs = 10

/**
 * The processor time that processes have had, with that of children that have ended, in milliseconds.
 * Null where it cannot be read.
 */
export const cpuMsOf = (pids: readonly number[]): number | null => {
  const times = pids.flatMap((pid) => {
    const fields = statOf(pid)
    return fields ? [fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)] : []
  })
  // One that has just ended is counted with its parent.
  return times.length === 0 ? null : times.reduce((sum, ticks) => sum + ticks, 0) * tickMs
}

/**
 * The private memory of a process in MB: without what it shares with files, such as its program and
 * a mapped database, which the operating system takes back when it needs the room.
 */
export const privateMbOf = (pid: number): number | null => {
  const status = textOf(`/proc/${pid}/status`)
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB/m.exec(status ?? '') ?? []
  return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1_024)
}

/** Private memory of the process of several that has the most. */
export interface Memory {
  readonly nowMb: number
  /** The most that was seen since the watch began. */
  readonly peakMb: number
}

export interface MemoryWatch {
  /** Null where it cannot be read. */
  memory(): Memory | null
  /** Ends the watch and returns the peak in MB. */
  stop(): number
}

/** Linux keeps no peak of private memory, so it is read often. */
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

/** A process and everything that it started. */
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

/** The fields after the name, which may itself hold spaces and brackets. */
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
