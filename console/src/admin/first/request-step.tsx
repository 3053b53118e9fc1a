import { useId, useState } from 'react'
import {
  basePath,
  type FirstRequest,
  type FirstResponse,
  type OperatorRemoval,
} from '../../../../src/contract/index.ts'
import { Copy } from '../../copy.tsx'
import { Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../action.ts'
import { useAdmin } from '../admin.ts'
import { Field } from '../form-dialog.tsx'
import { useRead } from '../reading.ts'
import { collectionTitle } from './previews.tsx'

interface RequestStepProps {
  readonly brand: string
  readonly operatorKey: string
  readonly onFinish: () => void
}

/** The first request: as a line for a terminal, and as a button. */
export const RequestStep = ({ brand, operatorKey, onFinish }: RequestStepProps) => {
  const words = adminTexts().first
  const { api, session } = useAdmin()
  const id = useId()
  const [chosen, setChosen] = useState<string | null>(null)
  const [response, setResponse] = useState<FirstResponse | null>(null)
  const { data } = useRead<OperatorRemoval>(`/brands/${encodeURIComponent(brand)}/removal`)
  // The record of the brand is there in any case.
  const stored = (data?.collections ?? []).map(({ collection }) => collection)
  const collections = stored.length > 0 ? stored : ['brand']
  const collection = chosen ?? collections.find((each) => each !== 'brand') ?? 'brand'
  const url = `${session.apiUrl}${basePath}/brands/${brand}${collection === 'brand' ? '' : `/${collection}?limit=3`}`
  const curl = `curl -H "Authorization: Bearer ${operatorKey}" \\\n  "${url}"`
  const { isBusy, error, run } = useAction(async () => {
    const body: FirstRequest = { brand, key: operatorKey, collection }
    setResponse(null)
    setResponse(await api.change<FirstResponse>('POST', '/first-request', body))
  })
  return (
    <section className="first-step">
      <h2>{words.requestTitle}</h2>
      <p>{words.requestAbout}</p>
      <Field id={id} label={adminTexts().upload.collection}>
        <select
          id={id}
          value={collection}
          onChange={({ target }) => {
            setChosen(target.value)
            setResponse(null)
          }}
        >
          {collections.map((path) => (
            <option key={path} value={path}>
              {collectionTitle(path)}
            </option>
          ))}
        </select>
      </Field>
      <div className="admin-command">
        <code className="first-curl">{curl}</code>
        <Copy text={curl} label={texts().states.copy} />
      </div>
      <div className="admin-actions">
        <button
          type="button"
          className={response ? undefined : 'primary'}
          disabled={isBusy}
          onClick={() => void run()}
        >
          {isBusy ? adminTexts().tables.working : words.run}
        </button>
        <button type="button" className={response ? 'primary' : undefined} onClick={onFinish}>
          {words.finish}
        </button>
      </div>
      {error !== null && <Failure error={error} />}
      {response && (
        <div className="first-response">
          <p role="status">
            <span className={response.status < 400 ? 'chip chip-good' : 'chip chip-bad'}>
              {response.status}
            </span>{' '}
            {words.answered(Math.round(response.milliseconds))}
          </p>
          <section className="first-body" aria-label={words.response} tabIndex={0}>
            <pre>{response.body}</pre>
          </section>
        </div>
      )}
    </section>
  )
}
