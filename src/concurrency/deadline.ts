import { createSharedTimeouts, type SharedTimeout } from './shared-timeouts.ts'

/** A time limit shared by several waits. */
export interface Deadline {
  /** Resolves with the work's result; rejects once the time is over. The work itself continues. */
  race<T>(work: Promise<T>): Promise<T>
  leftMs(): number
  close(): void
}

type ToError = () => Error

export const openDeadline = (
  ms: number,
  toError: ToError = () => new Error(`No response within ${ms} ms.`),
): Deadline => {
  const end = performance.now() + ms
  const late = Promise.withResolvers<never>()
  late.promise.catch(() => undefined)
  // After a pause of this process, timers run before sockets are read. Read responses that have
  // arrived first.
  const timer = setTimeout(() => setImmediate(() => late.reject(toError())), ms)
  return {
    race: (work) => Promise.race([work, late.promise]),
    leftMs: () => Math.max(0, end - performance.now()),
    close: () => clearTimeout(timer),
  }
}

/** Resolves with the work's result, or rejects once the time is over. */
export const withTimeout = <T>(ms: number, work: Promise<T>, toError?: ToError): Promise<T> => {
  const deadline = openDeadline(ms, toError)
  return deadline.race(work).finally(deadline.close)
}

/** Runs work with one common time limit. */
export interface TimeLimit {
  /** Resolves with the work's result; rejects once the time is over. The work itself continues. */
  run<T>(work: (timeout: Pick<SharedTimeout, 'leftMs'>) => Promise<T>): Promise<T>
}

/** Like `withTimeout`, for very many pieces of work, such as the reads of all requests. */
export const createTimeLimit = (ms: number, toError: ToError): TimeLimit => {
  const timeouts = createSharedTimeouts(ms)
  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        const timeout = timeouts.begin(() => reject(toError()))
        work(timeout).then(
          (result) => {
            timeout.cancel()
            resolve(result)
          },
          (error: unknown) => {
            timeout.cancel()
            reject(error)
          },
        )
      }),
  }
}
