import { Link } from 'wouter'
import type { OperatorKey } from '../../../../src/contract/index.ts'
import { countText, momentText } from '../../figures.ts'
import { adminTexts } from '../../texts/admin.ts'
import { UsageChart } from '../usage/usage-chart.tsx'

/** What else there is to know of a key, and how it was used in the last 30 days. */
export const KeyDetails = ({ operatorKey: key }: { operatorKey: OperatorKey }) => {
  const words = adminTexts().keys
  const rate =
    key.perSecond === null && key.burst === null
      ? words.serverRate
      : words.ownRate(
          key.perSecond === null ? '–' : countText(key.perSecond),
          key.burst === null ? '–' : countText(key.burst),
        )
  const facts: readonly (readonly [string, string])[] = [
    [words.created, momentText(key.createdAt)],
    [words.kind, words.kinds[key.kind]],
    [words.rate, rate],
    ...(key.kind === 'ingest'
      ? [[words.signed, key.webhook ? adminTexts().tables.yes : adminTexts().tables.no] as const]
      : []),
    ...(key.successorId ? [[words.successor, key.successorId] as const] : []),
  ]
  return (
    <div className="admin-key-details">
      <dl className="admin-facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <UsageChart query={{ key: key.id }} />
      <p className="admin-links">
        <Link href={`/usage?${new URLSearchParams({ key: key.id, by: 'operation' })}`}>
          {words.usageByOperation}
        </Link>
      </p>
    </div>
  )
}
