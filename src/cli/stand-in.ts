import { type ChildProcess, fork } from 'node:child_process'
import type { SharedSocket } from '#cluster'
import { processProgram } from '#installation'

/**
 * A process that responds with 503 on the shared socket while no worker can serve, because the
 * database is unreachable or being converted. The supervisor cannot listen itself without keeping
 * the socket.
 */
export interface StandIn {
  /** Starts it unless it is running. */
  start(): void
  stop(): void
}

export const createStandIn = (socket: SharedSocket): StandIn => {
  let child: ChildProcess | null = null
  return {
    start: () => {
      if (child) return
      const started = fork(processProgram('cli/stand-in-process.ts'), {
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
