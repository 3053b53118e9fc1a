/** What Linux says of processes. Elsewhere there is nothing to read, and nothing is said. */
import { readdirSync, readFileSync } from 'node:fs'

/** The unit of times in /proc, the same on every Linux that Node runs on. */
const tickMs = 10

/** The processor time that processes have had, in milliseconds. */
export const cpuMsOf = (pids: readonly number[]): number | null => {
  const times = pids.map((pid) => {
    const fields = statOf(pid)
    return fields ? (Number(fields[11]) + Number(fields[12])) * tickMs : null
  })
  return times.some((ms) => ms === null)
    ? null
    : times.reduce((sum: number, ms) => sum + (ms ?? 0), 0)
}

export interface Memory {
  readonly residentMb: number
  /** The most that was ever resident. */
  readonly peakMb: number
  /** Without what is shared with files, such as a mapped database. */
  readonly ownMb: number
}

export const memoryOf = (pid: number): Memory | null => {
  const status = textOf(`/proc/${pid}/status`)
  if (status === null) return null
  const megabytes = (name: string) =>
    Math.round(Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1_024)
  return {
    residentMb: megabytes('VmRSS'),
    peakMb: megabytes('VmHWM'),
    ownMb: megabytes('RssAnon'),
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
