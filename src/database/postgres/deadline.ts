import { DatabaseError } from '../database.ts'

/** A limit on several waits together. */
export interface Deadline {
  /** What the work gives, or `DatabaseError` once the time is over. */
  within<T>(work: Promise<T>): Promise<T>
  leftMs(): number
  close(): void
}

export const openDeadline = (ms: number, Failure = DatabaseError): Deadline => {
  const end = performance.now() + ms
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Failure('The database is too slow.')), ms)
  })
  over.catch(() => undefined)
  return {
    within: (work) => Promise.race([work, over]),
    leftMs: () => Math.max(0, end - performance.now()),
    close: () => clearTimeout(timer),
  }
}
