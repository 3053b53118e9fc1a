import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import type { PublishedView } from '../../../src/contract/index.ts'
import type { Filters } from '../api.ts'
import type { Group } from '../contract.ts'
import { DayChoice } from '../day-choice.tsx'
import { viewTitle } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { viewDate } from './list-order.ts'
import { changed, type ListState, readListState, sortingOf, withParameters } from './list-state.ts'
import type { SavedView } from './saved-view.ts'

interface ViewTabsProps {
  readonly group: Group
  readonly state: ListState
  readonly saved: readonly SavedView[]
  /** The views that are published for the brand. */
  readonly published: readonly PublishedView[]
  /** The one of them that is shown. */
  readonly shown: PublishedView | undefined
  /** The day that is treated as today, and the real one. */
  readonly day: string
  readonly today: string
  readonly linkTo: (state: ListState) => string
  readonly onChange: (parameters: Filters) => void
}

/** The tabs of the views: the contract's, the brand's and the saved ones, and what the current one is. */
export const ViewTabs = (props: ViewTabsProps) => {
  const { group, state, saved, published, shown, linkTo } = props
  const t = texts().explorer
  const list = useRef<HTMLUListElement>(null)
  // On a phone, the tabs do not fit.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls to another current tab
  useEffect(() => {
    const tab = list.current?.querySelector('[aria-current]')?.getBoundingClientRect()
    const box = list.current?.getBoundingClientRect()
    if (!tab || !box) return
    // Not `scrollIntoView`, which may scroll the page too.
    list.current?.scrollBy({ left: Math.max(0, tab.right - box.right) })
  }, [state.parameters['view'], shown])
  const ofGroup = (each: PublishedView) => each.group === group.path
  const [own, ofBrand] = [saved.filter(ofGroup), published.filter(ofGroup)]
  if (group.views.length + own.length + ofBrand.length === 0) return null
  const current = state.parameters['view'] ?? null
  const linkOf = (view: string | null) =>
    linkTo(changed(state, { saved: null, parameters: viewParameters(state.parameters, view) }))
  const tab = (name: string | null, title: string) => (
    <li key={name ?? ''}>
      <Link href={linkOf(name)} aria-current={!shown && current === name ? 'true' : undefined}>
        {title}
      </Link>
    </li>
  )
  /** The first of its kind is set apart, and says what the others are too. */
  const namedTab = (view: PublishedView, key: string, index: number, kind: string | null) => (
    <li key={key} className={index === 0 ? 'view-tabs-own' : undefined}>
      {index === 0 && kind !== null && <span className="quiet small">{kind}</span>}
      <Link
        href={linkTo(savedState(state, view))}
        aria-current={view === shown ? 'true' : undefined}
      >
        {view.name}
      </Link>
    </li>
  )
  return (
    <nav className="view-tabs" aria-label={t.views}>
      <ul ref={list}>
        {tab(null, t.all)}
        {group.views.map((view) => tab(view.name, viewText(group, view)[0]))}
        {ofBrand.map((view, index) => namedTab(view, `brand ${view.name}`, index, t.brandTabs))}
        {own.map((view, index) => namedTab(view, view.id, index, null))}
      </ul>
      <ViewSentence {...props} />
    </nav>
  )
}

/** The state of a saved view with the current page size. */
const savedState = (state: ListState, { name, query }: PublishedView): ListState => ({
  ...readListState(query),
  limit: state.limit,
  saved: name,
})

/** Removes the parameters of the previous view. */
const viewParameters = (parameters: Filters, view: string | null): Filters =>
  withParameters(parameters, {
    view,
    days: null,
    ...(view === null && { asOf: null }),
    ...(sortingOf(parameters)?.field === viewDate && { sort: null }),
  })

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
