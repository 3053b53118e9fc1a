import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** A program that runs tasks in a separate process, so that it does not block this one. */
export interface Client<Task, Result> {
  run(task: Task): Promise<Result>
  /** The next message that it sends without a task. */
  next(): Promise<unknown>
  close(): Promise<void>
}

export const openClient = <Task extends object, Result>(
  file: URL,
  words: readonly (string | number)[],
  env: NodeJS.ProcessEnv = process.env,
): Client<Task, Result> => {
  const child = fork(file, words.map(String), { env })
  return {
    run: async (task) => {
      child.send(task)
      return (await nextMessage(child)) as Result
    },
    next: () => nextMessage(child),
    close: async () => {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

const nextMessage = async (child: ChildProcess): Promise<unknown> => {
  const end = new AbortController()
  const { signal } = end
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('A process of clients ended by itself.')
  })
  ended.catch(() => undefined)
  try {
    return (await Promise.race([once(child, 'message', { signal }), ended]))[0]
  } finally {
    end.abort()
  }
}
