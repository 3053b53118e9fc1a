import type { ReactNode } from 'react'
import { ApiError } from './api.ts'

export const Loading = ({ what = 'Loading' }: { what?: string }) => (
  <p className="state" role="status">
    {what} …
  </p>
)

export const Empty = ({ children }: { children: ReactNode }) => (
  <div className="state state-empty">{children}</div>
)

interface Detail {
  readonly parameter?: string
  readonly issue?: string
}

/** What went wrong, in the server's own sentence, and what can be done. */
export const Failure = ({ error, onRetry }: { error: unknown; onRetry?: () => void }) => {
  const code = error instanceof ApiError ? error.code : null
  const details = error instanceof ApiError && Array.isArray(error.details) ? error.details : []
  return (
    <div className="state state-failure" role="alert">
      <p className="state-sentence">{error instanceof Error ? error.message : String(error)}</p>
      {details.length > 1 && (
        <ul>
          {(details as Detail[]).map(({ parameter, issue }) => (
            <li key={`${parameter} ${issue}`}>
              <code>{parameter}</code> {issue}
            </li>
          ))}
        </ul>
      )}
      {code && <p className="quiet">{code}</p>}
      {onRetry && (
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  )
}
