import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Kills a process that may have ended already, and waits for its end. */
export const killProcess = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}
