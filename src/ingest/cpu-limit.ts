import { setTimeout as wait } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { formatCount } from '#contract'
import { SourceError } from './row.ts'

/** The CPU time, in milliseconds, that converting this many bytes may take. */
export type CpuLimit = (bytes: number) => number

/** Ten times what a mapping of a dozen fields takes. */
export const cpuLimitMs: CpuLimit = (bytes) => 10_000 + (bytes / 1_048_576) * 3_000

const outOfTimeError = (limitMs: number): SourceError =>
  new SourceError(
    `was not converted within ${formatCount(Math.ceil(limitMs / 1_000), 'second')} of CPU time: send it in smaller parts, or simplify the mapping`,
  )

/** Counts the CPU time of one source in this thread. */
export interface CpuMeter {
  /** Raises the limit by bytes that were read. */
  read(bytes: number): void
  /** Begins synchronous work. The returned function ends it. */
  begin(): () => void
  /** Throws `SourceError` once the source has used its CPU time. */
  check(): void
}

/** A meter for a source of this many bytes, or of those that are read. */
export const createCpuMeter = (limit: CpuLimit, bytes: number | null): CpuMeter => {
  let readBytes = 0
  let usedMs = 0
  return {
    read: (more) => {
      readBytes += more
    },
    begin: () => {
      const before = process.threadCpuUsage()
      return () => {
        const { user, system } = process.threadCpuUsage(before)
        usedMs += (user + system) / 1_000
      }
    },
    check: () => {
      const limitMs = limit(bytes ?? readBytes)
      if (usedMs > limitMs) throw outOfTimeError(limitMs)
    },
  }
}

const pollMs = 250
/** A thread that does not answer is given up after this multiple of its CPU time. */
const silentFactor = 10

/**
 * Waits for a thread. Fails with `SourceError` once the thread has used its CPU time, counted from
 * `before` or from now; a thread that is counted from `before` may wait for a file in between. The
 * caller ends the thread.
 */
export const withinCpuTime = async <T>(
  thread: Worker,
  limitMs: number,
  answer: Promise<T>,
  before?: NodeJS.CpuUsage,
): Promise<T> => {
  const answered = new AbortController()
  try {
    return await Promise.race([answer, outOfTime(thread, limitMs, answered.signal, before)])
  } finally {
    answered.abort()
  }
}

const outOfTime = async (
  thread: Worker,
  limitMs: number,
  signal: AbortSignal,
  before?: NodeJS.CpuUsage,
): Promise<never> => {
  const silentMs = limitMs * silentFactor
  let endAt = performance.now() + silentMs
  let from = before
  for (;;) {
    const usage = await Promise.race([
      thread.cpuUsage().catch(() => undefined),
      wait(pollMs, undefined, { signal }).catch(() => undefined),
    ])
    from ??= usage
    if (usage && before) endAt = performance.now() + silentMs
    const used = usage && from ? usage.user + usage.system - from.user - from.system : 0
    if (signal.aborted) return new Promise<never>(() => undefined)
    if (used / 1_000 > limitMs || performance.now() > endAt) throw outOfTimeError(limitMs)
    await wait(pollMs, undefined, { signal }).catch(() => undefined)
  }
}
