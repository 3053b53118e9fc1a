import type { ReactNode } from 'react'
import { SelvedgeError } from './api.ts'
import { texts } from './texts/index.ts'

export const Loading = ({ text = texts().states.loading }: { text?: string }) => (
  <p className="state" role="status">
    {text}
  </p>
)

export const Empty = ({ children }: { children: ReactNode }) => (
  <div className="state state-empty">{children}</div>
)

/** The server's error message, its details, and a button to try again. */
export const Failure = ({ error, onRetry }: { error: unknown; onRetry?: () => void }) => {
  const code = error instanceof SelvedgeError ? error.code : null
  const problems = error instanceof SelvedgeError ? error.problems : []
  return (
    <div className="state state-failure" role="alert">
      <p className="state-sentence">{error instanceof Error ? error.message : String(error)}</p>
      {problems.length > 1 && (
        <ul>
          {problems.map(({ parameter, issue }) => (
            <li key={`${parameter} ${issue}`}>
              <code>{parameter}</code> {issue}
            </li>
          ))}
        </ul>
      )}
      {code && <p className="quiet">{code}</p>}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {texts().states.retry}
        </button>
      )}
    </div>
  )
}
