import { type ReactNode, useEffect, useRef, useState } from 'react'

interface MenuProps {
  readonly title: ReactNode
  readonly children: ReactNode
}

/** What opens below its title. Escape, a click elsewhere and the focus elsewhere close it. */
export const Menu = ({ title, children }: MenuProps) => {
  const [isOpen, setOpen] = useState(false)
  const place = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const leave = ({ target }: Event) => {
      if (target instanceof Node && !place.current?.contains(target)) setOpen(false)
    }
    const hear = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      event.preventDefault()
      setOpen(false)
      place.current?.querySelector('summary')?.focus()
    }
    document.addEventListener('pointerdown', leave)
    document.addEventListener('focusin', leave)
    document.addEventListener('keydown', hear)
    return () => {
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('focusin', leave)
      document.removeEventListener('keydown', hear)
    }
  }, [isOpen])
  return (
    <details
      ref={place}
      className="menu"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>{title}</summary>
      <div className="menu-body">{children}</div>
    </details>
  )
}
