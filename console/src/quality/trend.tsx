import { texts } from '../texts/index.ts'

const width = 96
const height = 24
/** Room for the line and the dot at its end. */
const margin = 3

/** The course of a count over the last checks; empty if there was only one check. */
export const Trend = ({ counts }: { counts: readonly number[] }) => {
  const [first = 0] = counts
  const last = counts.at(-1) ?? 0
  if (counts.length < 2) return <span className="trend" />
  const most = Math.max(1, ...counts)
  const points = counts.map((count, index) => [
    margin + ((width - 2 * margin) * index) / (counts.length - 1),
    height - margin - ((height - 2 * margin) * count) / most,
  ])
  const [x = 0, y = 0] = points.at(-1) ?? []
  const label = texts().quality.trend(first, last, counts.length)
  return (
    <svg className="trend" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <title>{label}</title>
      <polyline points={points.map((point) => point.join()).join(' ')} />
      <circle cx={x} cy={y} r="2" />
    </svg>
  )
}
