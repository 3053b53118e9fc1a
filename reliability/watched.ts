import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A server in a process of its own that measures how long its event loop is busy. */
export interface WatchedServer {
  readonly url: string
  readonly pid: number
  /** Of the brands that were named, in their order. */
  readonly keys: readonly string[]
  /**
   * The longest time that the event loop was busy while something was done: processor time of its
   * thread, in milliseconds, within one turn of the loop.
   */
  busyDuring(work: () => Promise<unknown>): Promise<number>
  close(): Promise<void>
}

export const openWatchedServer = async (
  env: NodeJS.ProcessEnv,
  brands: readonly string[] = [],
): Promise<WatchedServer> => {
  const child = fork(new URL('watched/process.ts', import.meta.url), [...brands], { env })
  const next = async <T>(): Promise<T> => (await once(child, 'message'))[0] as T
  const opened = await next<Pick<WatchedServer, 'url' | 'keys' | 'pid'>>()
  return {
    ...opened,
    busyDuring: async (work) => {
      const watching = next()
      child.send('watch')
      await watching
      await work()
      const results = next<{ busiestMs: number }>()
      child.send('tell')
      return (await results).busiestMs
    },
    close: async () => {
      if (!child.connected) return
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
