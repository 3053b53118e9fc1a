import { type ReactNode, useEffect, useRef } from 'react'

interface MenuProps {
  readonly title: ReactNode
  readonly children: ReactNode
}

/** A menu below its title. Escape, a click outside and moving the focus outside close it. */
export const Menu = ({ title, children }: MenuProps) => {
  const details = useRef<HTMLDetailsElement>(null)
  // The element holds the state: React state would lag behind fast typing.
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
