import { type ReactNode, useEffect, useRef } from 'react'

interface DialogProps {
  readonly label: string
  readonly className?: string
  /** A form stays open when somebody clicks outside, so that nothing typed is lost. */
  readonly isForm?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A native modal dialog. Escape, its buttons or, unless it is a form, a click outside close it. */
export const Dialog = ({ label, className = '', isForm, onClose, children }: DialogProps) => {
  const ref = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    ref.current?.showModal()
  }, [])
  return (
    <dialog
      ref={ref}
      aria-label={label}
      className={className}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === ref.current && !isForm) ref.current.close()
      }}
    >
      {children}
    </dialog>
  )
}
