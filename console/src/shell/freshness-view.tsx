import { useQuery } from '@tanstack/react-query'
import type { Api } from '../api.ts'
import { clockText, dayText, momentText } from '../figures.ts'
import { Menu } from '../menu.tsx'
import { texts } from '../texts/index.ts'
import { todayQuery } from '../today-data.ts'
import { type Freshness, freshnessOf, staleAfterHours } from './freshness.ts'

/** An open page learns of an import within this time. */
const refreshMs = 5 * 60_000

export const useFreshness = (api: Api): Freshness | null => {
  const { data } = useQuery({ ...todayQuery(api), refetchInterval: refreshMs })
  return data ? freshnessOf(data.records, Date.now()) : null
}

/** When the records were last confirmed; amber when an import is overdue. */
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
  // The day is said where it is not the current one in the brand's zone.
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
