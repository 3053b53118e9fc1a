import { useState } from 'react'

export interface Action {
  readonly isBusy: boolean
  /** Why the last run failed; null if it did not. */
  readonly error: unknown
  run(): Promise<void>
}

/** Runs something once at a time and remembers why it failed. */
export const useAction = (work: () => Promise<void>): Action => {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const run = async () => {
    if (isBusy) return
    setBusy(true)
    setError(null)
    try {
      await work()
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, error, run }
}
