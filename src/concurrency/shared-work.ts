/** Whether something is no longer wanted. */
type IsCancelled = () => boolean

/** Work that several callers want at the same time is done once for all of them. */
export interface SharedWork<T> {
  /**
   * Joins the work of this name that is in progress, or begins it. It is cancelled once every caller
   * has left: `isCancelled` of the work then returns true.
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
  /** Whether the work has learned that no caller waits for it any more: it may have ended early. */
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
