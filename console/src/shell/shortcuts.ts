import { useEffect } from 'react'

interface Shortcuts {
  readonly onSearch: () => void
  readonly onHelp: () => void
}

/** `/` and Ctrl+K open the search, `?` opens help, except while the user types or a dialog is open. */
export const useShortcuts = ({ onSearch, onHelp }: Shortcuts): void => {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (document.querySelector('dialog[open]')) return
      const isSearch = event.key === 'k' && (event.ctrlKey || event.metaKey)
      const isOther = event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)
      if (!isSearch && isOther) return
      if (isSearch || event.key === '/') onSearch()
      else if (event.key === '?') onHelp()
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [onSearch, onHelp])
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')
