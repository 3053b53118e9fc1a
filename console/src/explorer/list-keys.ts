import { useEffect, useRef } from 'react'

/** What the keys of a list do. */
export interface ListKeys {
  /** `j` and `k`: to the next or the previous row. */
  readonly move: (rows: 1 | -1) => void
  /** `x`: selects the row. */
  readonly select: (isRange: boolean) => void
}

/** `j`, `k` and `x` anywhere on the page of a list, except while the user types or a dialog is open. */
export const useListKeys = (keys: ListKeys): void => {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { target } = event
      const isTyping =
        target instanceof HTMLElement &&
        (target.matches('textarea, select, [contenteditable]') ||
          target.matches('input:not([type="checkbox"])'))
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      if (document.querySelector('dialog[open], :popover-open')) return
      const key = event.key.toLowerCase()
      if (key === 'j') latest.current.move(1)
      else if (key === 'k') latest.current.move(-1)
      else if (key === 'x') latest.current.select(event.shiftKey)
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}
