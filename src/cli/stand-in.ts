import { type ChildProcess, fork } from 'node:child_process'
import type { SharedSocket } from '#cluster'

/**
 * A process that answers on the workers' socket while no worker can, because the database is away:
 * it says just that. The supervisor itself cannot listen without keeping the socket for itself.
 */
export interface StandIn {
  /** Starts it, if it does not run. */
  start(): void
  stop(): void
}

export const openStandIn = (socket: SharedSocket): StandIn => {
  let child: ChildProcess | null = null
  return {
    start: () => {
      if (child) return
      const started = fork(new URL('./stand-in-process.ts', import.meta.url), {
        stdio: ['inherit', 'inherit', 'inherit', 'ipc', socket.descriptor],
      })
      child = started
      started.once('error', () => undefined)
      started.once('exit', () => {
        if (child === started) child = null
      })
    },
    stop: () => {
      child?.kill()
      child = null
    },
  }
}
