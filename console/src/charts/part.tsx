import { texts } from '../texts/index.ts'

export const Skeleton = ({ lines }: { lines: number }) => (
  <div className="part-skeleton" role="status">
    <span className="charts-unseen">{texts().states.loading}</span>
    {widths(lines).map(([key, width]) => (
      <span key={key} className="part-skeleton-line" style={{ width }} />
    ))}
  </div>
)

const widths = (lines: number): readonly (readonly [key: string, width: string])[] =>
  Array.from({ length: lines }, (_, line) => [`line ${line}`, `${90 - (line % 4) * 14}%`] as const)
