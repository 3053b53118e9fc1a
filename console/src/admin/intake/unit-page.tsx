import { Link, useParams } from 'wouter'
import type { OperatorImportDetails, OperatorUnit } from '../../../../src/contract/index.ts'
import { Skeleton } from '../../charts/part.tsx'
import { countText } from '../../figures.ts'
import { Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { Moment } from '../moment.tsx'
import { Page } from '../page.tsx'
import { useRead } from '../reading.ts'
import { Facts } from '../section.tsx'
import { UnitState } from './intake-page.tsx'
import { UnitActions } from './unit-actions.tsx'
import { UnitCounts, UnitProblems } from './unit-report.tsx'
import { importLink, ownerText, placeOf, unitTitle } from './unit-title.ts'

/** A unit: its state, its report, and what can be done with it. */
export const UnitPage = () => {
  const { id = '' } = useParams()
  const { data: unit, error, refetch } = useRead<OperatorUnit>(`/units/${encodeURIComponent(id)}`)
  const words = adminTexts().intake
  if (!unit) {
    return (
      <Page title={words.unit} about={<BackLink />}>
        {error ? <Failure error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />}
      </Page>
    )
  }
  return (
    <Page title={unitTitle(unit)} about={<BackLink />} actions={<UnitActions unit={unit} />}>
      <p>
        <UnitState state={unit.state} /> {words.stateMeanings[unit.state]}
        {unit.isAccepted && ` ${words.isAccepted}`}
      </p>
      {unit.lastError && (
        <p className={unit.state === 'quarantined' ? 'admin-warn-note' : 'admin-bad-note'}>
          <b>{words.lastError}</b> <span lang="en">{unit.lastError}</span>
        </p>
      )}
      <Facts
        facts={[
          [words.brand, ownerText(unit.brand)],
          [words.source, unit.source],
          [words.position, placeOf(unit.position) || null],
          [words.attempts, countText(unit.attempts)],
          [words.received, <Moment key="received" at={unit.receivedAt} />],
          [words.finished, unit.finishedAt && <Moment key="finished" at={unit.finishedAt} />],
          [words.holder, unit.holder],
          [words.id, <code key="id">{unit.id}</code>],
        ]}
      />
      {unit.finishedAt !== null && <Report key={unit.finishedAt} unit={unit} />}
    </Page>
  )
}

const BackLink = () => (
  <Link className="crumbs" href="/intake">
    {adminTexts().intake.title}
  </Link>
)

/** What a unit that has ended did. */
const Report = ({ unit }: { unit: OperatorUnit }) => {
  const words = adminTexts().intake
  const path = `/imports/${encodeURIComponent(unit.id)}`
  const { data, error, refetch } = useRead<OperatorImportDetails>(path)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton lines={4} />
  const rowsQuery = new URLSearchParams({ brand: unit.brand })
  return (
    <>
      <UnitProblems {...data} />
      <UnitCounts collections={data.collections} />
      <p className="admin-links">
        {data.added + data.changed + data.removed > 0 && (
          <Link href={importLink(data)}>{words.differences}</Link>
        )}
        {data.quarantined > 0 && <Link href={`/quarantine?${rowsQuery}`}>{words.rows}</Link>}
      </p>
    </>
  )
}
