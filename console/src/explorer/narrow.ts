import { useSyncExternalStore } from 'react'
import { usePrinting } from '../printing.ts'

const narrow = matchMedia('screen and (max-width: 700px)')

const subscribe = (listener: () => void): (() => void) => {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** Whether the screen is too narrow for tables. Paper is not. */
export const useNarrow = (): boolean => {
  const isNarrow = useSyncExternalStore(subscribe, () => narrow.matches)
  return !usePrinting() && isNarrow
}
