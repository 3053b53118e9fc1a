import { toDatabaseError } from './errors.ts'
import type { Pipeline } from './pipeline.ts'

/** Connections that each do one piece of work at a time. Idle ones are closed after a while. */
export interface PipelinePool {
  /** Runs work on a connection. Closes the connection if the work fails: its state is unknown. */
  use<T>(work: (pipeline: Pipeline) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export const createPipelinePool = (open: () => Pipeline, idleMs: number): PipelinePool => {
  /** Most recently used last. */
  const idle: { readonly pipeline: Pipeline; readonly timer: NodeJS.Timeout }[] = []
  const busy = new Set<Pipeline>()
  let isClosed = false

  const takeIdle = (): Pipeline | undefined => {
    for (let last = idle.pop(); last; last = idle.pop()) {
      clearTimeout(last.timer)
      if (last.pipeline.isReady) return last.pipeline
    }
    return undefined
  }
  const release = (pipeline: Pipeline): void => {
    if (isClosed) {
      void pipeline.close()
      return
    }
    const timer = setTimeout(() => {
      idle.splice(idle.indexOf(entry), 1)
      void pipeline.close()
    }, idleMs).unref()
    const entry = { pipeline, timer }
    idle.push(entry)
  }

  return {
    use: async (work) => {
      const pipeline = takeIdle() ?? open()
      busy.add(pipeline)
      try {
        await pipeline.ready.catch((error: unknown) => Promise.reject(toDatabaseError(error)))
        const result = await work(pipeline)
        release(pipeline)
        return result
      } catch (error) {
        pipeline.destroy()
        throw error
      } finally {
        busy.delete(pipeline)
      }
    },
    close: async () => {
      isClosed = true
      const waiting = idle.splice(0)
      for (const { timer } of waiting) clearTimeout(timer)
      await Promise.all(waiting.map(({ pipeline }) => pipeline.close()))
      await Promise.all([...busy].map((pipeline) => pipeline.close()))
    },
  }
}
