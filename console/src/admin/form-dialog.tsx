import { type ReactNode, useId, useState } from 'react'
import { Marked } from '../marked.tsx'
import { Dialog } from '../shell/dialog.tsx'
import { Failure } from '../states.tsx'
import { adminTexts } from '../texts/admin.ts'
import { useAction } from './action.ts'

interface FormDialogProps {
  readonly title: string
  /** The button that does it. */
  readonly action: string
  readonly isDangerous?: boolean
  readonly isReady?: boolean
  /** Throws if it fails: the dialog shows why and stays open. */
  readonly onSubmit: () => Promise<void>
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A dialog with a form. A click outside does not close it, so that nothing typed is lost. */
export const FormDialog = (props: FormDialogProps) => {
  const { title, action, isDangerous, isReady = true, onSubmit, onClose, children } = props
  const words = adminTexts().tables
  const { isBusy, error, run } = useAction(onSubmit)
  return (
    <Dialog label={title} className="admin-dialog" isForm onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady) void run()
        }}
      >
        <h2>{title}</h2>
        {children}
        {error !== null && <Failure error={error} />}
        <footer className="admin-dialog-foot">
          <button type="button" onClick={onClose} disabled={isBusy}>
            {words.cancel}
          </button>
          <button
            type="submit"
            className={isDangerous ? 'primary admin-danger' : 'primary'}
            disabled={!isReady || isBusy}
          >
            {isBusy ? words.working : action}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

interface ConfirmProps extends Omit<FormDialogProps, 'isDangerous'> {
  /** What must be typed first, for what cannot be undone. */
  readonly typed?: string
}

/** Asks before something destructive is done. */
export const Confirm = ({ typed, isReady = true, children, ...dialog }: ConfirmProps) => {
  const [text, setText] = useState('')
  const id = useId()
  return (
    <FormDialog
      {...dialog}
      isDangerous
      isReady={isReady && (typed === undefined || text === typed)}
    >
      {children}
      {typed !== undefined && (
        <Field id={id} label={<Marked text={adminTexts().tables.typeToConfirm(typed)} />}>
          <input
            id={id}
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </Field>
      )}
    </FormDialog>
  )
}

interface FieldProps {
  /** The id of the control. */
  readonly id: string
  readonly label: ReactNode
  readonly note?: ReactNode
  readonly children: ReactNode
}

/** A control with its label and a note. The control has `aria-describedby` of its id and `-note`. */
export const Field = ({ id, label, note, children }: FieldProps) => (
  <div className="admin-field">
    <label htmlFor={id}>{label}</label>
    {children}
    {note && (
      <p id={`${id}-note`} className="quiet small">
        {note}
      </p>
    )}
  </div>
)
