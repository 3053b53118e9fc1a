import { useEffect } from 'react'

/** Sets the title of the tab, from the most specific part to the most general. */
export const useTitle = (...parts: readonly string[]): void => {
  const title = [...parts, 'Selvedge'].filter((part) => part !== '').join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
