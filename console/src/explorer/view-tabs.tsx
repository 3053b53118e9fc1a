import { Link } from 'wouter'
import type { Filters } from '../api.ts'
import type { Group } from '../contract.ts'
import { DayChoice } from '../day-choice.tsx'
import { viewTitle } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { changed, type ListState, readListState, withParameters } from './list-state.ts'
import type { SavedView } from './saved-view.ts'

interface ViewTabsProps {
  readonly group: Group
  readonly state: ListState
  readonly saved: readonly SavedView[]
  /** The day that is treated as today, and the real one. */
  readonly day: string
  readonly today: string
  readonly linkTo: (state: ListState) => string
  readonly onChange: (parameters: Filters) => void
}

/** The tabs of the contract's views and the saved views, with a description of the current one. */
export const ViewTabs = (props: ViewTabsProps) => {
  const { group, state, saved, linkTo } = props
  const t = texts().explorer
  const own = saved.filter((each) => each.group === group.path)
  if (group.views.length === 0 && own.length === 0) return null
  const current = state.parameters['view'] ?? null
  const isSaved = own.some(({ name }) => name === state.saved)
  const linkOf = (view: string | null) =>
    linkTo(changed(state, { saved: null, parameters: viewParameters(state.parameters, view) }))
  const tab = (name: string | null, title: string) => (
    <li key={name ?? ''}>
      <Link href={linkOf(name)} aria-current={!isSaved && current === name ? 'true' : undefined}>
        {title}
      </Link>
    </li>
  )
  return (
    <nav className="view-tabs" aria-label={t.views}>
      <ul>
        {tab(null, t.all)}
        {group.views.map((view) => tab(view.name, viewText(group, view)[0]))}
        {own.map((view, index) => (
          <li key={view.id} className={index === 0 ? 'view-tabs-own' : undefined}>
            <Link
              href={linkTo(savedState(state, view))}
              aria-current={view.name === state.saved ? 'true' : undefined}
            >
              {view.name}
            </Link>
          </li>
        ))}
      </ul>
      <ViewSentence {...props} />
    </nav>
  )
}

/** The state of a saved view with the current page size. */
const savedState = (state: ListState, { name, query }: SavedView): ListState => ({
  ...readListState(query),
  limit: state.limit,
  saved: name,
})

/** Removes the parameters of the previous view. */
const viewParameters = (parameters: Filters, view: string | null): Filters =>
  withParameters(parameters, { view, days: null, ...(view === null && { asOf: null }) })

const viewText = (
  { path }: Group,
  view: Group['views'][number],
): readonly [title: string, sentence: string] =>
  texts().explorer.viewTexts[`${path}.${view.name}`] ?? [viewTitle(view), view.summary]

/** Describes the view in a sentence, in which its parameters can be changed. */
const ViewSentence = ({ group, state, day, today, linkTo, onChange }: ViewTabsProps) => {
  const { parameters } = state
  const view = group.views.find(({ name }) => name === parameters['view'])
  if (!view) return null
  const [, sentence] = viewText(group, view)
  return (
    <p className="view-sentence quiet">
      <span title={view.summary}>{sentence}</span>
      {view.parameters.map(({ name, minimum, maximum, default: standard }) => (
        <input
          key={name}
          type="number"
          aria-label={texts().explorer.viewParameters[name] ?? name}
          min={minimum}
          max={maximum}
          defaultValue={parameters[name] ?? standard}
          onChange={({ target }) => {
            if (target.validity.valid && target.value !== '') {
              onChange(withParameters(parameters, { [name]: target.value }))
            }
          }}
        />
      ))}
      {countsDays(view.where) && (
        <DayChoice
          {...{ day, today }}
          todayLink={linkTo(
            changed(state, { parameters: withParameters(parameters, { asOf: null }) }),
          )}
          onDay={(next) => onChange(withParameters(parameters, { asOf: next }))}
        />
      )}
    </p>
  )
}

/** Whether a condition depends on today. If not, changing the day has no effect on the view. */
const countsDays = (part: unknown): boolean =>
  typeof part === 'object' &&
  part !== null &&
  ('day' in part || 'weekday' in part || Object.values(part).some(countsDays))
