import { useId } from 'react'
import type { OperatorIssuedKey, OperatorNewKey } from '../../../../src/contract/index.ts'
import { adminTexts } from '../../texts/admin.ts'
import { useAdmin } from '../admin.ts'
import { RadioList } from '../check-list.tsx'
import { Field, FormDialog } from '../form-dialog.tsx'
import { KeyFields } from './key-fields.tsx'
import { isComplete, limitsOf, newForm, useKeyForm } from './key-form.ts'

interface IssueKeyProps {
  readonly onIssued: (issued: OperatorIssuedKey) => void
  readonly onClose: () => void
}

const expiries = ['30d', '90d', '365d', 'day', 'never'] as const

/** Issues a key. */
export const IssueKey = ({ onIssued, onClose }: IssueKeyProps) => {
  const words = adminTexts().keys
  const { api } = useAdmin()
  const { form, set } = useKeyForm(newForm)
  const id = useId()
  const { name, kind, isGlobal, brands, hasWebhook } = form
  const submit = async () => {
    // A new key has no limit to remove.
    const limits = Object.fromEntries(
      Object.entries(limitsOf(form)).filter(([, limit]) => limit !== null),
    )
    const body: OperatorNewKey = {
      ...limits,
      ...{ name: name.trim(), kind },
      ...(isGlobal ? { global: true } : { brands }),
      ...(kind === 'ingest' && hasWebhook && { webhook: true }),
    }
    onIssued(await api.change<OperatorIssuedKey>('POST', '/keys', body))
  }
  return (
    <FormDialog
      title={words.issue}
      action={words.issueNow}
      isReady={isComplete(form)}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field id={id} label={words.name} note={words.nameNote}>
        <input
          id={id}
          aria-describedby={`${id}-note`}
          autoComplete="off"
          autoFocus
          value={name}
          onChange={(event) => set({ name: event.target.value })}
        />
      </Field>
      <RadioList
        label={words.kind}
        value={kind}
        choices={(['read', 'ingest'] as const).map(
          (each) => [each, words.kindSentences[each]] as const,
        )}
        onChange={(next) => set({ kind: next, ...(next === 'ingest' && { isGlobal: false }) })}
      />
      {kind === 'ingest' && (
        <div className="admin-choice">
          <label>
            <input
              type="checkbox"
              checked={hasWebhook}
              onChange={(event) => set({ hasWebhook: event.target.checked })}
            />
            <span>{words.webhook}</span>
          </label>
        </div>
      )}
      <KeyFields form={form} set={set} expiries={expiries} />
    </FormDialog>
  )
}
