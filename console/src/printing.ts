import { useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'

let isPrinting = false
const listeners = new Set<() => void>()

/** The page is printed as soon as the event has been handled, so it must have changed by then. */
const change = (next: boolean) => () =>
  flushSync(() => {
    isPrinting = next
    for (const listener of listeners) listener()
  })
addEventListener('beforeprint', change(true))
addEventListener('afterprint', change(false))

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Whether the page is being printed: on paper, nothing can be unfolded. */
export const usePrinting = (): boolean => useSyncExternalStore(subscribe, () => isPrinting)
