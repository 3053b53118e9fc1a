import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { walkBounds } from '../../../src/contract/index.ts'
import type { Api } from '../api.ts'
import { Refusal } from '../charts/part.tsx'
import type { Group } from '../contract.ts'
import { countOf } from '../figures.ts'
import { recordLink } from '../links.ts'
import { useTitle } from '../title.ts'
import { Expand } from './expand.tsx'
import { GraphView } from './graph-view.tsx'
import { hiddenCount, type Lineage, missingCount, nameOf, nameOfStart } from './lineage.ts'
import { ListView } from './list-view.tsx'
import { QuantitiesView, type Subject } from './quantities-view.tsx'
import { TimelineView } from './timeline-view.tsx'
import {
  type LineageActions,
  type LineageState,
  quantitiesQuery,
  useLineage,
} from './use-lineage.ts'
import '../charts/charts.css'
import './lineage.css'

const views = { graph: 'Graph', timeline: 'Timeline', list: 'List' } as const

type View = keyof typeof views

/** Where a record came from and what follows from it, as a graph, a timeline and a list. */
export const LineagePage = ({ api, group, id }: { api: Api; group: Group; id: string }) => {
  const [state, actions] = useLineage(api, group, id)
  const [expanded, setExpanded] = useState<string | null>(null)
  const [view, setView] = useView()
  const { lineage, error } = state
  const name = lineage ? nameOfStart(lineage) : '…'
  useTitle(lineage ? `Lineage of ${name}` : 'Lineage', group.title, api.brand)
  const counting = useCounting(api, lineage, state.ended !== null)
  const expandedNode = expanded === null ? undefined : lineage?.nodes.get(expanded)
  const shown = { api, counted: counting.query.data, busy: state.busy }
  const acts = { onExpand: setExpanded, onMore: actions.showMore }

  if (!lineage && error) {
    return (
      <div className="lineage">
        <h1>Lineage</h1>
        <Refusal error={error} onRetry={actions.restart} />
      </div>
    )
  }
  return (
    <div className="lineage">
      <header className="lineage-head">
        <p>
          <Link href={recordLink(api.brand, group.path, id)}>
            {name.startsWith(group.singular) ? name : `${group.singular} ${name}`}
          </Link>
        </p>
        <h1>Lineage of {name}</h1>
      </header>
      {error && <Refusal error={error} onRetry={actions.restart} />}
      <QuantitiesView api={api} {...counting} isLooking={state.ended === null} />
      <div className="lineage-bar">
        <fieldset className="views">
          <legend className="charts-unseen">Show as</legend>
          {(Object.keys(views) as View[]).map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === view}
              onClick={() => setView(each)}
            >
              {views[each]}
            </button>
          ))}
        </fieldset>
        <Progress state={state} actions={actions} />
      </div>
      {lineage && state.ended ? (
        <>
          {view === 'graph' && <GraphView lineage={lineage} {...shown} {...acts} />}
          {view === 'timeline' && <TimelineView api={api} lineage={lineage} />}
          {view === 'list' && <ListView lineage={lineage} {...shown} {...acts} />}
        </>
      ) : (
        <div className="lineage-place">
          <p role="status">{state.ended ? 'Stopped.' : 'Loading the lineage …'}</p>
        </div>
      )}
      {lineage && expandedNode && (
        <Expand
          {...{ api, lineage }}
          node={expandedNode}
          onFollow={(relation) => {
            actions.follow(expandedNode.key, relation)
            setExpanded(null)
          }}
          onClose={() => setExpanded(null)}
        />
      )}
    </div>
  )
}

/** Small screens start with the list; the URL keeps another choice. */
const useView = (): [View, (view: View) => void] => {
  const [query, setQuery] = useSearchParams()
  const requested = query.get('view')
  const byWidth = matchMedia('(max-width: 40rem)').matches ? 'list' : 'graph'
  const view = requested !== null && requested in views ? (requested as View) : byWidth
  return [
    view,
    (next) =>
      setQuery(
        (before) => {
          before.set('view', next)
          return before
        },
        { replace: true },
      ),
  ]
}

/** The orders whose quantities can be counted, and the counts. A SKU is counted on its own. */
const useCounting = (api: Api, lineage: Lineage | null, isWhole: boolean) => {
  const [chosen, setChosen] = useState<string | null>(null)
  const subjects = useMemo(() => subjectsOf(lineage, isWhole), [lineage, isWhole])
  const subject = subjects.find(({ id }) => id === chosen) ?? subjects[0]
  const query = useQuery({
    ...quantitiesQuery(api, subject?.kind ?? '', subject?.id ?? ''),
    enabled: subject !== undefined,
  })
  return { subjects, subject, query, onChoose: setChosen }
}

const subjectsOf = (lineage: Lineage | null, isWhole: boolean): readonly Subject[] => {
  const start = lineage?.nodes.get(lineage.start)
  if (!lineage || !start) return []
  const own = start.group.path
  if (own === 'orders' || own === 'skus') {
    return [{ kind: own, id: start.id, name: nameOf(lineage, start) }]
  }
  return [...lineage.nodes.values()]
    .filter((node) => isWhole && node.group.path === 'orders' && !node.isMissing)
    .map((node) => ({ kind: 'orders', id: node.id, name: nameOf(lineage, node) }))
}

const Progress = ({ state, actions }: { state: LineageState; actions: LineageActions }) => {
  const { lineage, reads, ended, busy, announcement } = state
  const records = countOf(lineage?.nodes.size ?? 0, 'record')
  if (ended === null) {
    return (
      <div className="progress">
        <p>
          {records} after {countOf(reads, 'request')}; limits {walkBounds.records} and{' '}
          {walkBounds.reads}
        </p>
        <button type="button" className="charts-button" onClick={actions.stop}>
          Stop
        </button>
      </div>
    )
  }
  return (
    <div className="progress">
      <p role="status">
        {busy !== null ? 'Loading … ' : announcement && `${announcement} `}
        {records}. {endingText(ended)} {lineage && hiddenText(lineage)}{' '}
        {lineage && missingText(lineage)}
      </p>
      {ended.reason !== 'complete' && !state.error && (
        <button type="button" className="charts-button" onClick={actions.resume}>
          Continue
        </button>
      )}
    </div>
  )
}

const endingText = (ended: NonNullable<LineageState['ended']>): string => {
  if (ended.reason === 'complete') return 'The lineage is complete.'
  if (ended.reason === 'cancelled') return 'Stopped before the lineage was complete.'
  const limit = `${ended.limit} ${ended.reason === 'records' ? 'records' : 'requests'}`
  return `Stopped at the limit of ${limit}, with at least ${countOf(ended.left, 'request')} to go.`
}

const missingText = (lineage: Lineage): string => {
  const missing = missingCount(lineage)
  return missing === 0
    ? ''
    : `${countOf(missing, 'referenced record is', 'referenced records are')} missing.`
}

const hiddenText = (lineage: Lineage): string => {
  const hidden = hiddenCount(lineage)
  return hidden === 0
    ? ''
    : `${countOf(hidden, 'more record')} in ${countOf(lineage.truncated.size, 'list')}.`
}
