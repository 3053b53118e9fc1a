import { useId, useState } from 'react'
import { brandPath, type ListOptions, queryOf, queryPath } from '../api.ts'
import { Copy } from '../copy.tsx'
import { texts } from '../texts/index.ts'
import { languages } from './languages.ts'
import './call.css'

interface CallProps {
  readonly brand: string
  /** Relative to the path of the brand. */
  readonly path: string
  /** The API of the request. The default is public. */
  readonly api?: 'public' | 'query'
  readonly query?: Omit<ListOptions, 'signal'>
  /** The query API serves lists. */
  readonly isList?: boolean
  /** Whether it opens on a click only. The default is true for lists. */
  readonly isFolded?: boolean
}

/** The API request behind the page, ready to copy in several languages. */
export const Call = (props: CallProps) => {
  const { brand, path, api = 'public', query = {}, isList = false, isFolded = isList } = props
  const [at, setAt] = useState(0)
  const id = useId()
  const language = languages[at] ?? languages[0]
  const base = isList || api === 'query' ? queryPath(brand) : brandPath(brand)
  const url = `${location.origin}${base}${path}${queryOf(query)}`
  const text = language?.write({ url, isList }) ?? ''
  return (
    <details className="call" open={!isFolded}>
      <summary>
        {texts().call.title} <span className="quiet">{texts().call.purpose}</span>
      </summary>
      <div className="call-body">
        <div className="call-bar">
          <div role="tablist" aria-label={texts().call.language}>
            {languages.map(({ name }, index) => (
              <button
                key={name}
                type="button"
                role="tab"
                id={`${id}-tab-${index}`}
                aria-selected={index === at}
                aria-controls={`${id}-text`}
                onClick={() => setAt(index)}
              >
                {name}
              </button>
            ))}
          </div>
          <Copy label={texts().states.copy} text={text} />
        </div>
        <pre id={`${id}-text`} role="tabpanel" aria-labelledby={`${id}-tab-${at}`} tabIndex={0}>
          {text}
        </pre>
      </div>
    </details>
  )
}
