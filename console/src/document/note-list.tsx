import type { Row } from '../api.ts'
import { momentText } from '../figures.ts'
import { valueLabel } from '../texts/contract.ts'

/** Comments, the newest first. */
export const Notes = ({ rows }: { rows: readonly Row[] }) => (
  <ul className="notes">
    {rows.map((row) => (
      <li key={String(row['id'])}>
        <p>{String(row['body'])}</p>
        <p className="quiet small">
          {momentText(String(row['createdAt']))} · {valueLabel(String(row['visibility']))}
        </p>
      </li>
    ))}
  </ul>
)
