import { type FocusEvent, type ReactNode, useId, useRef, useState } from 'react'
import './menu.css'

interface MenuProps {
  readonly title: ReactNode
  /** The accessible name, where the title is a drawing. */
  readonly label?: string
  readonly className?: string
  /** Created when the menu is opened. The function closes it. */
  readonly children: ReactNode | ((close: () => void) => ReactNode)
}

/**
 * A menu below its title: a native popover. Escape, a click outside, another menu and moving the focus
 * outside close it.
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
        // Its content stays until it is closed: the focus returns to the title only from within.
        onToggle={(event) => event.newState === 'closed' && setOpen(false)}
      >
        {isOpen && (typeof children === 'function' ? children(close) : children)}
      </div>
    </div>
  )
}
