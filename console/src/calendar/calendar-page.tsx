import { useQuery } from '@tanstack/react-query'
import { useCallback, useMemo, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { Calendar } from '../../../client/src/index.ts'
import type { Api } from '../api.ts'
import { useBrand } from '../brand.ts'
import { Skeleton } from '../charts/part.tsx'
import { calendarLink } from '../links.ts'
import { Failure } from '../states.tsx'
import { texts } from '../texts/index.ts'
import { useTitle } from '../title.ts'
import {
  type CalendarChoice,
  chosenOf,
  collectionName,
  groupings,
  groupsOf,
  type OrderGroup,
  ordersOf,
  weeksOfOrders,
} from './calendar.ts'
import { CalendarView } from './calendar-view.tsx'
import '../charts/charts.css'
import './calendar.css'

/** So few orders need no folding. */
const unfoldedMax = 100

/** The open orders by week, from one request. The address holds what is chosen. */
export const CalendarPage = ({ api }: { api: Api }) => {
  const words = texts().calendar
  useTitle(words.title, useBrand().name)
  const { data, error, refetch } = useQuery({
    queryKey: ['calendar', api.brand],
    queryFn: ({ signal }) => api.calendar({ signal }),
    staleTime: 60_000,
  })
  return (
    <div className="calendar">
      <header className="calendar-header">
        <h1>{words.title}</h1>
        {data && (
          <p>
            {words.ordersOf(data.open.items)} · {words.pieces(data.open.pieces)}
            {data.late.items > 0 && (
              <>
                {' · '}
                <span className="calendar-late">{words.lateOf(data.late.items)}</span>
              </>
            )}
          </p>
        )}
      </header>
      {error && !data && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={12} />}
      {data && <Orders api={api} calendar={data} />}
    </div>
  )
}

const choiceOf = (search: string): CalendarChoice => {
  const query = new URLSearchParams(search)
  return {
    by: groupings.find((each) => each === query.get('by')) ?? 'supplier',
    supplier: query.get('supplier'),
    collection: query.get('collection'),
    isLate: query.get('late') === 'true',
  }
}

const searchOf = ({ by, supplier, collection, isLate }: CalendarChoice): string =>
  new URLSearchParams({
    ...(by !== 'supplier' && { by }),
    ...(supplier !== null && { supplier }),
    ...(collection !== null && { collection }),
    ...(isLate && { late: 'true' }),
  }).toString()

const Orders = ({ api, calendar }: { api: Api; calendar: Calendar }) => {
  const words = texts().calendar
  const [, navigate] = useLocation()
  const search = useSearch()
  const choice = useMemo(() => choiceOf(search), [search])
  const choose = (next: Partial<CalendarChoice>) => {
    const query = searchOf({ ...choice, ...next })
    navigate(`${calendarLink(api.brand)}${query && `?${query}`}`, { replace: true })
  }
  const all = useMemo(() => ordersOf(calendar), [calendar])
  const weeks = useMemo(() => weeksOfOrders(all, calendar.asOf), [all, calendar.asOf])
  const chosen = useMemo(() => chosenOf(all, choice), [all, choice])
  const groups = useMemo(() => groupsOf(chosen, calendar, choice), [chosen, calendar, choice])
  // The groups that were folded or unfolded by hand, by grouping.
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const isUnfolded = chosen.length <= unfoldedMax
  const nameOf = useCallback((group: OrderGroup) => `${choice.by} ${group.id}`, [choice.by])
  const isOpen = useCallback(
    (group: OrderGroup) => toggled.has(nameOf(group)) !== isUnfolded,
    [toggled, nameOf, isUnfolded],
  )
  const toggle = (names: readonly string[]) =>
    setToggled((last) => last.symmetricDifference(new Set(names)))
  const areOpen = groups.every(isOpen)
  return (
    <>
      {calendar.isCut && (
        <p className="calendar-cut">{words.cut(calendar.orders.length, calendar.open.items)}</p>
      )}
      <div className="calendar-choices">
        <label>
          {words.groupBy}{' '}
          <select
            value={choice.by}
            onChange={({ currentTarget }) =>
              choose({ by: groupings.find((each) => each === currentTarget.value) ?? 'supplier' })
            }
          >
            {groupings.map((each) => (
              <option key={each} value={each}>
                {words.groupings[each]}
              </option>
            ))}
          </select>
        </label>
        <Choice
          label={words.supplier}
          value={choice.supplier}
          options={calendar.suppliers.map(({ id, name }) => [id, name ?? id])}
          onChange={(supplier) => choose({ supplier })}
        />
        <Choice
          label={words.collection}
          value={choice.collection}
          options={calendar.collections.map((each) => [each.id, collectionName(each)])}
          onChange={(collection) => choose({ collection })}
        />
        <label>
          <input
            type="checkbox"
            checked={choice.isLate}
            onChange={({ currentTarget }) => choose({ isLate: currentTarget.checked })}
          />{' '}
          {words.onlyLate}
        </label>
        {groups.length > 0 && (
          <button
            type="button"
            className="charts-button"
            onClick={() => toggle(groups.filter((group) => isOpen(group) === areOpen).map(nameOf))}
          >
            {areOpen ? words.fold : words.unfold}
          </button>
        )}
        <span className="calendar-shown" role="status">
          {chosen.length < all.length && words.ordersOf(chosen.length)}
        </span>
      </div>
      {groups.length === 0 ? (
        <p className="part-empty">{words.empty}</p>
      ) : (
        <>
          <CalendarView
            brand={api.brand}
            groups={groups}
            weeks={weeks}
            today={calendar.asOf}
            isOpen={isOpen}
            onToggle={(group) => toggle([nameOf(group)])}
          />
          <Legend />
        </>
      )}
    </>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string | null
  readonly options: readonly (readonly [id: string, name: string])[]
  readonly onChange: (value: string | null) => void
}

const Choice = ({ label, value, options, onChange }: ChoiceProps) => (
  <label>
    {label}{' '}
    <select
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value || null)}
    >
      <option value="">{texts().calendar.all}</option>
      {options
        .toSorted(([, one], [, other]) => one.localeCompare(other))
        .map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
    </select>
  </label>
)

const Legend = () => {
  const words = texts().calendar
  return (
    <ul className="calendar-legend">
      {(['made', 'late', 'way', 'done', 'window'] as const).map((tone) => (
        <li key={tone}>
          <span
            className={
              tone === 'window' ? 'calendar-sample-window' : `calendar-sample calendar-bar-${tone}`
            }
          />{' '}
          {words.legend[tone]}
        </li>
      ))}
    </ul>
  )
}
