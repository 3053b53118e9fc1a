import { useEffect } from 'react'

/** Names the page in its tab: what it shows, from the particular to the general. */
export const useTitle = (...parts: readonly string[]): void => {
  const title = [...parts, 'Selvedge'].filter((part) => part !== '').join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
