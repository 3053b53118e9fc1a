import { useQuery } from '@tanstack/react-query'
import type { SourceUnit } from '../../../client/src/index.ts'
import type { Api } from '../api.ts'
import { countText, momentText } from '../figures.ts'
import { Failure, Loading } from '../states.tsx'
import { texts } from '../texts/index.ts'
import { titleOf } from './group-title.ts'

/** Sources work while the page is open. */
const refreshMs = 30_000

/** The last batches, files and rounds, and what each changed. */
export const Units = ({ api }: { api: Api }) => {
  const words = texts().sources
  const { data, error, refetch } = useQuery({
    queryKey: ['source units', api.brand],
    queryFn: ({ signal }) => api.sourceUnits({ signal }),
    refetchInterval: refreshMs,
  })
  return (
    <section aria-labelledby="sources-units">
      <div className="sources-section">
        <h2 id="sources-units">{words.recentUnits}</h2>
        <p>{words.unitsMeaning}</p>
      </div>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data?.items.length === 0 && <p className="sources-quiet">{words.noUnits}</p>}
      {data && data.items.length > 0 && (
        <table className="sources-units">
          <thead>
            <tr>
              <th scope="col">{words.unit}</th>
              <th scope="col" className="sources-wide">
                {words.finished}
              </th>
              {[words.added, words.changed, words.removed].map((label) => (
                <th key={label} scope="col" className="number">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.items.map((unit) => (
              <UnitRow key={unit.id} unit={unit} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

const tones = { done: 'good', refused: 'bad', quarantined: 'bad' } as const

const UnitRow = ({ unit }: { unit: SourceUnit }) => {
  const words = texts().sources
  const { kind, source, title, state, finishedAt, groups, firstProblem, isDryRun } = unit
  const sum = (what: 'added' | 'changed' | 'removed' | 'quarantined') =>
    groups.reduce((total, each) => total + each[what], 0)
  const rows = sum('quarantined')
  const touched = groups.filter(({ added, changed, removed }) => added + changed + removed > 0)
  return (
    <tr>
      <td>
        <span className="unit-name">
          {words.unitKinds[kind]} {title ?? ''}
        </span>{' '}
        {state !== 'done' && (
          <span className={`chip chip-${tones[state]}`}>{words.unitStates[state]}</span>
        )}{' '}
        {isDryRun && <span className="chip chip-quiet">{words.dryRun}</span>}
        <span className="unit-note">
          {[
            source?.name,
            touched.map(({ group }) => titleOf(group)).join(', '),
            rows > 0 && words.unitRows(rows),
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
        <time className="unit-note sources-narrow" dateTime={finishedAt}>
          {momentText(finishedAt)}
        </time>
        {firstProblem && (
          <span className="unit-problem">
            {words.problems(unit.problems)} {placeOf(firstProblem)}{' '}
            <span lang="en">{firstProblem.reason}</span>
          </span>
        )}
      </td>
      <td className="sources-wide">
        <time dateTime={finishedAt}>{momentText(finishedAt)}</time>
      </td>
      <td className="number">{countText(sum('added'))}</td>
      <td className="number">{countText(sum('changed'))}</td>
      <td className="number">{countText(sum('removed'))}</td>
    </tr>
  )
}

/** Where a problem is. Its reason is in English, because it comes from the server. */
const placeOf = (problem: NonNullable<SourceUnit['firstProblem']>): string => {
  const { line, key, column, field, value } = problem
  const place = [
    line === null ? '' : texts().sources.lineOf(line),
    key,
    column ?? field.replace(/^\//, ''),
    value && `(${value})`,
  ]
  return place.filter(Boolean).join(' ')
}
