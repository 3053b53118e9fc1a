import { useId, useState } from 'react'
import type { OperatorAuditVerified } from '../../../../src/contract/index.ts'
import { Copy } from '../../copy.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { texts } from '../../texts/index.ts'
import { useAdmin } from '../admin.ts'
import { Field, FormDialog } from '../form-dialog.tsx'

/** Verifies the chain of the log: whether an entry was changed, removed or added. */
export const VerifyAudit = ({ onClose }: { onClose: () => void }) => {
  const words = adminTexts().audit
  const { api } = useAdmin()
  const [expected, setExpected] = useState('')
  const [result, setResult] = useState<OperatorAuditVerified | null>(null)
  const id = useId()
  const submit = async () => {
    setResult(null)
    const expect = expected.trim()
    const body = expect === '' ? {} : { expect }
    setResult(await api.change<OperatorAuditVerified>('POST', '/audit/verify', body))
  }
  return (
    <FormDialog title={words.verify} action={words.verifyNow} onSubmit={submit} onClose={onClose}>
      <p>{words.verifyAbout}</p>
      <Field id={id} label={words.expected} note={words.expectedNote}>
        <input
          id={id}
          aria-describedby={`${id}-note`}
          className="mono"
          autoComplete="off"
          spellCheck={false}
          value={expected}
          onChange={(event) => setExpected(event.target.value)}
        />
      </Field>
      <div role="status">
        {result?.problem && (
          <p className="admin-problem">
            {words.broken(result.problem.number)} <span lang="en">{result.problem.reason}</span>
          </p>
        )}
        {result && !result.problem && (
          <div className="admin-verified">
            <p>{words.verified(result.entries)}</p>
            <p className="admin-command">
              <code>{result.head}</code> <Copy text={result.head} label={texts().states.copy} />
            </p>
            <p className="quiet small">{words.keepHead}</p>
          </div>
        )}
      </div>
    </FormDialog>
  )
}
