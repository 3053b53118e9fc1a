import { createSharedTimeouts, type SharedTimeout } from './shared-timeouts.ts'

/** A time limit that several waits share. */
export interface Deadline {
  /** What the work resolves to; rejects once the time is over. The work itself continues. */
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
  // After a pause of this process timers run before sockets are read. A response that has arrived
  // meanwhile is read first.
  const timer = setTimeout(() => setImmediate(() => late.reject(toError())), ms)
  return {
    race: (work) => Promise.race([work, late.promise]),
    leftMs: () => Math.max(0, end - performance.now()),
    close: () => clearTimeout(timer),
  }
}

/** What the work resolves to, if it does so in time. */
export const withTimeout = <T>(ms: number, work: Promise<T>, toError?: ToError): Promise<T> => {
  const deadline = openDeadline(ms, toError)
  return deadline.race(work).finally(deadline.close)
}

/** Runs work that all has the same time limit. */
export interface TimeLimit {
  /** What the work resolves to; rejects once the time is over. The work itself continues. */
  run<T>(work: (timeout: Pick<SharedTimeout, 'leftMs'>) => Promise<T>): Promise<T>
}

/** The same as `withTimeout` for very many pieces of work, such as the reads of all requests. */
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
