import { useId, useState } from 'react'
import type { OperatorIssuedKey, OperatorKey } from '../../../../src/contract/index.ts'
import { adminTexts } from '../../texts/admin.ts'
import { useAdmin } from '../admin.ts'
import { Field, FormDialog } from '../form-dialog.tsx'

interface RotateKeyProps {
  readonly operatorKey: OperatorKey
  readonly onIssued: (issued: OperatorIssuedKey) => void
  readonly onClose: () => void
}

const overlaps = ['1h', '24h', '7d', '30d'] as const

/** Replaces a key by a new one with the same rights. */
export const RotateKey = ({ operatorKey: key, onIssued, onClose }: RotateKeyProps) => {
  const words = adminTexts().keys
  const { api } = useAdmin()
  const [overlap, setOverlap] = useState<string>('7d')
  const id = useId()
  const submit = async () =>
    onIssued(await api.change<OperatorIssuedKey>('POST', `/keys/${key.id}/rotate`, { overlap }))
  return (
    <FormDialog
      title={words.rotateTitle(key.name || key.id)}
      action={words.rotateNow}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{words.rotateSentence}</p>
      <Field id={id} label={words.overlap} note={words.overlapNote}>
        <select
          id={id}
          aria-describedby={`${id}-note`}
          value={overlap}
          onChange={(event) => setOverlap(event.target.value)}
        >
          {overlaps.map((each) => (
            <option key={each} value={each}>
              {words.overlaps[each]}
            </option>
          ))}
        </select>
      </Field>
    </FormDialog>
  )
}
