import { useId } from 'react'
import type { OperatorKey } from '../../../../src/contract/index.ts'
import { momentText } from '../../figures.ts'
import { adminTexts } from '../../texts/admin.ts'
import { useAdmin } from '../admin.ts'
import { Field, FormDialog } from '../form-dialog.tsx'
import { useReload } from '../reading.ts'
import { KeyFields } from './key-fields.tsx'
import { changesOf, formOf, isComplete, useKeyForm } from './key-form.ts'

interface UpdateKeyProps {
  readonly operatorKey: OperatorKey
  readonly onClose: () => void
}

const expiries = ['unchanged', '30d', '90d', '365d', 'day', 'never'] as const

/** Changes what a key may do. */
export const UpdateKey = ({ operatorKey: key, onClose }: UpdateKeyProps) => {
  const words = adminTexts().keys
  const { api, report } = useAdmin()
  const reload = useReload()
  const { form, set } = useKeyForm(formOf(key))
  const id = useId()
  const title = words.updateTitle(key.name || key.id)
  const submit = async () => {
    await api.change<OperatorKey>('PATCH', `/keys/${key.id}`, changesOf(key, form))
    await reload('/keys')
    report(words.updated(form.name.trim() || key.id))
    onClose()
  }
  return (
    <FormDialog
      title={title}
      action={words.save}
      isReady={isComplete(form)}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="quiet">
        {words.updateSentence} {key.expiresAt && words.nowExpires(momentText(key.expiresAt))}
      </p>
      <Field id={id} label={words.name} note={words.nameNote}>
        <input
          id={id}
          aria-describedby={`${id}-note`}
          autoComplete="off"
          value={form.name}
          onChange={(event) => set({ name: event.target.value })}
        />
      </Field>
      <KeyFields form={form} set={set} expiries={expiries} />
    </FormDialog>
  )
}
