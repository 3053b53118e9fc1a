import { type FocusEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import './menu.css'

interface MenuProps {
  readonly title: ReactNode
  /** The accessible name, if the title is an icon. */
  readonly label?: string
  readonly className?: string
  /** Rendered when the menu has opened. The function receives `close`. */
  readonly children: ReactNode | ((close: () => void) => ReactNode)
}

/** Of a group of choices, the chosen one takes the focus. */
const focusable = 'input:not([type="radio"]:not(:checked)), select, button, a'

/**
 * A menu below its title: a native popover. It takes the focus, and closes on Escape, a click
 * outside, another menu, or when the focus leaves it.
 */
export const Menu = ({ title, label, className = '', children }: MenuProps) => {
  const body = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const close = () => body.current?.hidePopover()
  // A field with `autoFocus` has the focus already.
  useEffect(() => {
    if (isOpen && !body.current?.contains(document.activeElement)) {
      body.current?.querySelector<HTMLElement>(focusable)?.focus()
    }
  }, [isOpen])
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
        // After the change: a hidden field cannot take the focus, and the focus returns to the title
        // only from within.
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        {isOpen && (typeof children === 'function' ? children(close) : children)}
      </div>
    </div>
  )
}
