import { useSyncExternalStore } from 'react'

/** The same width as in the style sheets. */
const query = matchMedia('(max-width: 860px)')

const watch = (listener: () => void): (() => void) => {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether the screen is too narrow to show the navigation beside the page. */
export const useIsNarrow = (): boolean => useSyncExternalStore(watch, () => query.matches)
