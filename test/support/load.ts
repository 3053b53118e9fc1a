import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

const script = new URL('rate-limit-process.ts', import.meta.url)

/** Another process with buckets; see `rate-limit-process.ts` for its arguments. */
export const startLimiterProcess = (...words: readonly string[]): ChildProcess =>
  fork(script, words)

interface Done {
  readonly tries: number
  readonly admitted: number
  readonly startedAt: number
  /** When the last request that was refused was made. */
  readonly refusedAt: number
  readonly endedAt: number
}

/** Lets processes loose on one bucket of 50 a second and 100 at once, and adds up. */
export const runLoad = async (children: readonly ChildProcess[]) => {
  await Promise.all(children.map((child) => messageOf(child, 'ready')))
  const done = children.map((child) => messageOf<Done>(child, 'done'))
  for (const child of children) child.send({ type: 'go' })
  const results = await Promise.all(done)
  for (const child of children) child.kill()
  const sum = (of: (result: Done) => number) =>
    results.reduce((total, result) => total + of(result), 0)
  const startedAt = Math.min(...results.map((result) => result.startedAt))
  const admissibleUntil = (times: readonly number[]) =>
    100 + (50 * (Math.max(...times) - startedAt)) / 1_000
  return {
    tries: sum(({ tries }) => tries),
    admitted: sum(({ admitted }) => admitted),
    /** What may have been admitted until the end. */
    most: admissibleUntil(results.map(({ endedAt }) => endedAt)),
    /** What could be admitted until the last refusal. */
    offered: admissibleUntil(results.map(({ refusedAt }) => refusedAt)),
    admittedEach: results.map(({ admitted }) => admitted),
  }
}

const messageOf = async <Message>(child: ChildProcess, type: string): Promise<Message> => {
  const ended = once(child, 'exit').then(([code]) => assert.fail(`a process ended: ${code}`))
  ended.catch(() => undefined)
  for (;;) {
    const [message] = await Promise.race([once(child, 'message'), ended])
    if (message.type === type) return message
  }
}
