/** Runs one piece of work at a time, in call order. A failure does not stop the next. */
export type Mutex = <T>(work: () => Promise<T>) => Promise<T>

export const createMutex = (): Mutex => {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}
