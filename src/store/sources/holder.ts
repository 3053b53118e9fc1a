import { hostname } from 'node:os'

/** The name of this process as the holder of a lease. */
export const processName = (): string => `${hostname()} process ${process.pid}`

/** Whether a process of this machine has ended. For other machines this is unknown. */
export const hasProcessEnded = (holder: string): boolean => {
  const [, host, id] = /^(.*) process (\d+)$/.exec(holder) ?? []
  if (host !== hostname()) return false
  if (Number(id) === process.pid) return true
  try {
    process.kill(Number(id), 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
