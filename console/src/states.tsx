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

/** Whether the same request may succeed later: not if the record or the parameter does not exist. */
const isTemporary = (error: unknown): boolean =>
  !(error instanceof SelvedgeError && (error.status === 400 || error.status === 404))

/** The server's error message, its details, and a button to try again if that may help. */
export const Failure = ({ error, onRetry }: { error: unknown; onRetry?: () => void }) => {
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
      {onRetry && isTemporary(error) && (
        <button type="button" onClick={onRetry}>
          {texts().states.retry}
        </button>
      )}
    </div>
  )
}
