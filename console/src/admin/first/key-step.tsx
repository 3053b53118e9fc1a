import type { OperatorIssuedKey, OperatorNewKey } from '../../../../src/contract/index.ts'
import { Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { useAction } from '../action.ts'
import { useAdmin } from '../admin.ts'
import { Secret } from '../keys/new-key.tsx'

interface KeyStepProps {
  readonly brand: string
  readonly issued: string | null
  readonly onIssued: (key: string) => void
  readonly onNext: () => void
}

/** The first key, shown once. */
export const KeyStep = ({ brand, issued, onIssued, onNext }: KeyStepProps) => {
  const words = adminTexts().first
  const { api } = useAdmin()
  const { isBusy, error, run } = useAction(async () => {
    const body: OperatorNewKey = { name: words.keyName, brands: [brand] }
    onIssued((await api.change<OperatorIssuedKey>('POST', '/keys', body)).key)
  })
  return (
    <section className="first-step">
      <h2>{words.keyTitle}</h2>
      <p>{words.keyAbout(brand)}</p>
      {error !== null && <Failure error={error} />}
      {issued === null ? (
        <div className="admin-actions">
          <button type="button" className="primary" disabled={isBusy} onClick={() => void run()}>
            {isBusy ? adminTexts().tables.working : words.issueKey}
          </button>
        </div>
      ) : (
        <>
          <p className="admin-warning">{adminTexts().keys.onceSentence}</p>
          <Secret label={adminTexts().keys.key} text={issued} />
          <div className="admin-actions">
            <button type="button" className="primary" onClick={onNext}>
              {words.toRequest}
            </button>
          </div>
        </>
      )}
    </section>
  )
}
