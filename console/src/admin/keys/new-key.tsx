import type { OperatorIssuedKey } from '../../../../src/contract/index.ts'
import { Copy } from '../../copy.tsx'
import { momentText } from '../../figures.ts'
import { Dialog } from '../../shell/dialog.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { texts } from '../../texts/index.ts'
import { KeyScope } from './key-scope.tsx'

interface NewKeyProps {
  readonly issued: OperatorIssuedKey
  readonly onClose: () => void
}

/** Shows a new key, which no later response has. */
export const NewKey = ({ issued, onClose }: NewKeyProps) => {
  const words = adminTexts().keys
  const { key, signingSecret, replaces, expiresAt } = issued
  return (
    <Dialog label={words.issuedTitle} className="admin-dialog" isForm onClose={onClose}>
      <div className="admin-dialog-body">
        <h2>{words.issuedTitle}</h2>
        <p className="admin-warning">{words.onceSentence}</p>
        <Secret label={words.key} text={key} />
        {signingSecret && <Secret label={words.signingSecret} text={signingSecret} />}
        <dl className="admin-facts">
          <div>
            <dt>{words.scope}</dt>
            <dd>
              <KeyScope operatorKey={issued} />
            </dd>
          </div>
          <div>
            <dt>{words.expires}</dt>
            <dd>{expiresAt ? momentText(expiresAt) : adminTexts().tables.never}</dd>
          </div>
        </dl>
        {replaces && (
          <p>
            {words.replaces(replaces.id, replaces.expiresAt ? momentText(replaces.expiresAt) : '')}
          </p>
        )}
        <footer className="admin-dialog-foot">
          <button type="button" className="primary" onClick={onClose}>
            {words.stored}
          </button>
        </footer>
      </div>
    </Dialog>
  )
}

/** A secret that is shown once. */
export const Secret = ({ label, text }: { label: string; text: string }) => (
  <div className="admin-secret">
    <span className="quiet small">{label}</span>
    <code>{text}</code>
    <Copy className="primary" text={text} label={texts().states.copy} />
  </div>
)
