import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 700px)')

const subscribe = (listener: () => void): (() => void) => {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** Whether the screen is too narrow for tables. */
export const useNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)
