import { useId, useState } from 'react'
import { brandPath, type ListOptions, queryOf } from '../api.ts'
import { Copy } from '../copy.tsx'
import { languages } from './languages.ts'
import './call.css'

interface CallProps {
  readonly brand: string
  /** Relative to the path of the brand. */
  readonly path: string
  readonly query?: Omit<ListOptions, 'signal'>
  readonly isList?: boolean
}

/** The API request behind the page, in several languages, to copy. */
export const Call = ({ brand, path, query = {}, isList = false }: CallProps) => {
  const [at, setAt] = useState(0)
  const id = useId()
  const language = languages[at] ?? languages[0]
  const url = `${location.origin}${brandPath(brand)}${path}${queryOf(query)}`
  const text = language?.write({ url, isList }) ?? ''
  return (
    <details className="call" open>
      <summary>
        Call <span className="quiet">the API request behind this page</span>
      </summary>
      <div className="call-body">
        <div className="call-bar">
          <div role="tablist" aria-label="Language">
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
          <Copy label="Copy" text={text} />
        </div>
        <pre id={`${id}-text`} role="tabpanel" aria-labelledby={`${id}-tab-${at}`} tabIndex={0}>
          {text}
        </pre>
      </div>
    </details>
  )
}
