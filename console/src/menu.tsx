import { type ReactNode, useEffect, useRef } from 'react'

interface MenuProps {
  readonly title: ReactNode
  readonly children: ReactNode
}

/** What opens below its title. Escape, a click elsewhere and the focus elsewhere close it. */
export const Menu = ({ title, children }: MenuProps) => {
  const details = useRef<HTMLDetailsElement>(null)
  // The element keeps the state itself: state in React would lag behind a fast keyboard.
  useEffect(() => {
    const closeOutside = ({ target }: Event) => {
      const menu = details.current
      if (menu?.open && target instanceof Node && !menu.contains(target)) menu.open = false
    }
    const closeOnEscape = (event: KeyboardEvent) => {
      const menu = details.current
      if (event.key !== 'Escape' || !menu?.open) return
      event.preventDefault()
      menu.open = false
      menu.querySelector('summary')?.focus()
    }
    document.addEventListener('pointerdown', closeOutside)
    document.addEventListener('focusin', closeOutside)
    document.addEventListener('keydown', closeOnEscape)
    return () => {
      document.removeEventListener('pointerdown', closeOutside)
      document.removeEventListener('focusin', closeOutside)
      document.removeEventListener('keydown', closeOnEscape)
    }
  }, [])
  return (
    <details ref={details} className="menu">
      <summary>{title}</summary>
      <div className="menu-body">{children}</div>
    </details>
  )
}
