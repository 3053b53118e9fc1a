import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'

type PartProps<T> = {
  query: UseQueryResult<T>
  /** The number of lines it will have, so that the layout does not shift. */
  lines: number
  /** The text for an empty result. */
  empty: string
  isEmpty: (data: T) => boolean
  children: (data: T) => ReactNode
}

/** The result of a query, or its loading, empty or error state. */
export const Part = <T,>({ query, lines, empty, isEmpty, children }: PartProps<T>) => {
  if (query.data !== undefined) {
    return isEmpty(query.data) ? <p className="part-empty">{empty}</p> : children(query.data)
  }
  if (query.error) return <Refusal error={query.error} onRetry={() => void query.refetch()} />
  return <Skeleton lines={lines} />
}

export const Skeleton = ({ lines }: { lines: number }) => (
  <div className="part-skeleton" role="status">
    <span className="charts-unseen">Loading</span>
    {widths(lines).map(([key, width]) => (
      <span key={key} className="part-skeleton-line" style={{ width }} />
    ))}
  </div>
)

const widths = (lines: number): readonly (readonly [key: string, width: string])[] =>
  Array.from({ length: lines }, (_, line) => [`line ${line}`, `${90 - (line % 4) * 14}%`] as const)

export const Refusal = ({ error, onRetry }: { error: Error; onRetry: () => void }) => (
  <div className="part-refusal" role="alert">
    <p>{error.message}</p>
    <button type="button" className="charts-button" onClick={onRetry}>
      Try again
    </button>
  </div>
)
