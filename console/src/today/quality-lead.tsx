import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Api } from '../api.ts'
import { countText } from '../figures.ts'
import { qualityLink } from '../links.ts'
import { qualityQuery } from '../quality/quality-data.ts'
import { texts } from '../texts/index.ts'

/** How many records break business rules, as one of the main figures. */
export const QualityLead = ({ api }: { api: Api }) => {
  const { data } = useQuery({ ...qualityQuery(api), staleTime: 60_000 })
  const words = texts().today
  const count = (severity: 'error' | 'warning') =>
    (data?.findings ?? [])
      .filter((finding) => finding.severity === severity)
      .reduce((sum, finding) => sum + finding.count, 0)
  const [errors, warnings] = [count('error'), count('warning')]
  const isKnown = data !== undefined && data.checkedAt !== null
  const tone = errors > 0 ? 'bad' : warnings > 0 ? 'warn' : 'plain'
  return (
    <li>
      <Link className="today-lead" href={qualityLink(api.brand)}>
        <span className="today-lead-label">{words.toReview}</span>
        <span className={`today-lead-value lead-${tone}`}>
          {isKnown ? (
            countText(errors + warnings)
          ) : (
            <span className="today-unknown">{data ? words.unknown : '…'}</span>
          )}
        </span>
        {isKnown && (
          <span className="today-lead-note">{words.errorsAndWarnings(errors, warnings)}</span>
        )}
        {data !== undefined && data.rules.unchecked > 0 && (
          <span className="today-lead-note">{words.rulesUnchecked(data.rules.unchecked)}</span>
        )}
      </Link>
    </li>
  )
}
