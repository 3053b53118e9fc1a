import { type FocusEvent, type ReactNode, useId, useRef, useState } from 'react'
import './menu.css'

interface MenuProps {
  readonly title: ReactNode
  /** The accessible name, if the title is an icon. */
  readonly label?: string
  readonly className?: string
  /** Rendered when the menu opens. The function receives `close`. */
  readonly children: ReactNode | ((close: () => void) => ReactNode)
}

/**
 * A menu below its title: a native popover. It closes on Escape, a click outside, another menu, or
 * when the focus leaves it.
 */
export const Menu = ({ title, label, className = '', children }: MenuProps) => {
  const body = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const close = () => body.current?.hidePopover()
  const closeOutside = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (relatedTarget && !currentTarget.contains(relatedTarget)) close()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only learns that the focus left what is in it
    <div className={`menu ${className}`} onBlur={closeOutside}>
      <button type="button" className="menu-title" popoverTarget={id} aria-label={label}>
        {title}
      </button>
      <div
        ref={body}
        id={id}
        popover="auto"
        className="menu-body"
        onBeforeToggle={(event) => event.newState === 'open' && setOpen(true)}
        // Keeps the content until the menu has closed: the focus returns to the title only from
        // within.
        onToggle={(event) => event.newState === 'closed' && setOpen(false)}
      >
        {isOpen && (typeof children === 'function' ? children(close) : children)}
      </div>
    </div>
  )
}
