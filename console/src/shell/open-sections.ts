import { useState } from 'react'

const place = 'selvedge-navigation'

const read = (): ReadonlySet<string> => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(place) ?? '[]')
    return new Set(Array.isArray(stored) ? stored.map(String) : [])
  } catch {
    return new Set()
  }
}

/**
 * The open sections of the navigation. This browser stores those that the user opened. The sections
 * of the current group are open too; closing them lasts until the next group.
 */
export const useOpenSections = (
  current: readonly string[],
): { isOpen: (name: string) => boolean; toggle: (name: string, isOpen: boolean) => void } => {
  const [opened, setOpened] = useState(read)
  const [closed, setClosed] = useState<{ at: string; names: ReadonlySet<string> }>({
    at: '',
    names: new Set(),
  })
  const at = current.join(' ')
  const closedHere = closed.at === at ? closed.names : new Set<string>()
  const isOpen = (name: string) =>
    opened.has(name) || (current.includes(name) && !closedHere.has(name))
  return {
    isOpen,
    toggle: (name, wanted) => {
      // The element also reports its initial state.
      if (wanted === isOpen(name)) return
      const others = [...opened].filter((each) => each !== name)
      const next = wanted ? [...others, name] : others
      setOpened(new Set(next))
      localStorage.setItem(place, JSON.stringify(next))
      const names = [...closedHere].filter((each) => each !== name)
      setClosed({ at, names: new Set(wanted ? names : [...names, name]) })
    },
  }
}
