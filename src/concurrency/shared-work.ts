type IsCancelled = () => boolean

/** Runs work that several callers want at the same time once for all of them. */
export interface SharedWork<T> {
  /**
   * Joins the running work of this name, or begins it. Cancels it once every caller has left: the
   * work's `isCancelled` then returns true.
   */
  run(
    name: string,
    isCancelled: IsCancelled | undefined,
    work: (isCancelled: IsCancelled) => Promise<T>,
  ): Promise<T>
}

interface Running<T> {
  readonly result: Promise<T>
  readonly callers: (IsCancelled | undefined)[]
  /** Whether the work has seen that no caller waits any more: it may have ended early. */
  isGivenUp: boolean
}

export const createSharedWork = <T>(): SharedWork<T> => {
  const running = new Map<string, Running<T>>()
  return {
    run: (name, isCancelled, work) => {
      const current = running.get(name)
      if (current && !current.isGivenUp) {
        current.callers.push(isCancelled)
        return current.result
      }
      const callers = [isCancelled]
      const own: Running<T> = {
        callers,
        isGivenUp: false,
        result: Promise.resolve()
          .then(() =>
            work(() => {
              own.isGivenUp ||= callers.every((hasLeft) => hasLeft?.() ?? false)
              return own.isGivenUp
            }),
          )
          .finally(() => {
            if (running.get(name) === own) running.delete(name)
          }),
      }
      running.set(name, own)
      return own.result
    },
  }
}
