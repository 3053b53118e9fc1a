import { useQuery } from '@tanstack/react-query'
import type { Api } from '../api.ts'
import { clockText, dayText, momentText } from '../figures.ts'
import { Menu } from '../menu.tsx'
import { texts } from '../texts/index.ts'
import { todayQuery } from '../today-data.ts'
import { type Freshness, freshnessOf, staleAfterHours } from './freshness.ts'

/** Polling interval for imports while a page is open. */
const refreshMs = 5 * 60_000

export const useFreshness = (api: Api): Freshness | null => {
  const { data } = useQuery({ ...todayQuery(api), refetchInterval: refreshMs })
  return data ? freshnessOf(data.records, Date.now()) : null
}

/** The time of the last confirmation of the records; amber if an import is overdue. */
export const FreshnessMenu = ({ freshness }: { freshness: Freshness }) => (
  <Menu
    className={freshness.isStale ? 'freshness freshness-stale' : 'freshness'}
    title={<FreshnessText freshness={freshness} />}
  >
    <FreshnessDetails freshness={freshness} />
  </Menu>
)

export const FreshnessText = ({ freshness: { at, changed } }: { freshness: Freshness }) => {
  const words = texts().shell
  // Shows the day unless it is today in the brand's time zone.
  const isToday = dayText(at) === dayText(new Date().toISOString())
  const when = isToday ? clockText(at) : `${dayText(at)}, ${clockText(at)}`
  return (
    <>
      <span>{words.asOf(when)}</span>
      {changed !== null && <span> · {words.lastImport(changed)}</span>}
    </>
  )
}

const FreshnessDetails = ({
  freshness: { at, changed, ageHours, isStale },
}: {
  freshness: Freshness
}) => {
  const words = texts().shell
  return (
    <>
      <p>{words.confirmed(momentText(at))}</p>
      {changed !== null && <p>{words.importChanged(changed)}</p>}
      <p className={isStale ? 'freshness-why' : 'quiet'}>
        {isStale ? words.stale(ageHours, staleAfterHours) : words.whenStale(staleAfterHours)}
      </p>
    </>
  )
}
