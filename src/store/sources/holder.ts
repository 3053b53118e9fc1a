import { createHash } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Where a process runs, and when it started, so that its number means one process. */
export interface ProcessPlace {
  readonly host: string
  /** Identifies the process numbers that it shares; null if the system does not tell. */
  readonly space: string | null
  /** The start of a process among these; null if there is none, or if it is not visible. */
  readonly startOf: (pid: number) => string | null
}

/** The name of this process as the holder of a lease. */
export const processName = (place = thisPlace(), pid = process.pid): string => {
  const start = place.startOf(pid)
  const instance = place.space === null || start === null ? '' : ` (${place.space}-${start})`
  return `${place.host} process ${pid}${instance}`
}

/**
 * Whether a process has ended. Known only for processes that share their numbers with this one:
 * containers may have the same host name, and each has its own process 1.
 */
export const hasProcessEnded = (holder: string, place = thisPlace()): boolean => {
  const [, host, id, space = null, start] =
    /^(.*) process (\d+)(?: \(([0-9a-f]+)-(\d+)\))?$/.exec(holder) ?? []
  if (host !== place.host || space !== place.space) return false
  const pid = Number(id)
  if (space === null) return pid === process.pid || !isRunning(pid)
  const running = place.startOf(pid)
  return running === null ? !isRunning(pid) : running !== start
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

const orNull = <T>(read: () => T): T | null => {
  try {
    return read()
  } catch {
    return null
  }
}

/** Linux tells the boot of the machine, and the namespace of the processes of a container. */
const readSpace = (): string | null =>
  orNull(() => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
    const namespace = readlinkSync('/proc/self/ns/pid')
    return createHash('sha256').update(`${boot}${namespace}`).digest('hex').slice(0, 12)
  })

/** In ticks since the boot: the 22nd field. The second one, a name in brackets, may contain spaces. */
const readStart = (pid: number): string | null =>
  orNull(() => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
    return fields?.[19] ?? null
  })

let place: ProcessPlace | undefined
const thisPlace = (): ProcessPlace => {
  place ??= { host: hostname(), space: readSpace(), startOf: readStart }
  return place
}
