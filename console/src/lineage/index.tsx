import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { Api } from '../api.ts'
import type { Group } from '../contract.ts'
import { documentQuery } from '../document/document.ts'
import { dayText } from '../figures.ts'
import { recordLink } from '../links.ts'
import { Crumbs } from '../record/crumbs.tsx'
import { Failure } from '../states.tsx'
import { groupSingular, groupTitle } from '../texts/contract.ts'
import { texts } from '../texts/index.ts'
import { useTitle } from '../title.ts'
import type { OpenHeads } from './drawing.ts'
import { Expand } from './expand.tsx'
import { GraphView } from './graph-view.tsx'
import { type Lineage, nameOf, nameOfStart } from './lineage.ts'
import { ListView } from './list-view.tsx'
import { Progress } from './progress.tsx'
import { quantitiesIn } from './quantities.ts'
import { QuantitiesView, type Subject } from './quantities-view.tsx'
import { savePicture } from './save-picture.ts'
import { TimelineView } from './timeline-view.tsx'
import { useLineage } from './use-lineage.ts'
import './lineage.css'

const views = ['graph', 'timeline', 'list'] as const

type View = (typeof views)[number]

/** The origins of a record and what followed from it, as a graph, a timeline and a list. */
export const LineagePage = ({ api, group, id }: { api: Api; group: Group; id: string }) => {
  const [state, actions] = useLineage(api, group, id)
  const [expanded, setExpanded] = useState<string | null>(null)
  const [open, setOpen] = useState<OpenHeads>(new Set())
  const [view, setView] = useView()
  const { lineage, error } = state
  const words = texts().lineage
  const name = lineage ? nameOfStart(lineage) : '…'
  const title = lineage ? words.of(name) : words.title
  useTitle(title, groupTitle(group), api.brand)
  const counting = useCounting(api, lineage, state.ended !== null)
  const expandedNode = expanded === null ? undefined : lineage?.nodes.get(expanded)
  const shown = { api, counted: counting.query.data, busy: state.busy }
  const acts = { onExpand: setExpanded, onMore: actions.showMore }

  if (!lineage && error) {
    return (
      <div className="lineage">
        <Crumbs brand={api.brand} group={group} />
        <h1>{words.title}</h1>
        <Failure error={error} onRetry={actions.restart} />
      </div>
    )
  }
  const kind = groupSingular(group)
  return (
    <div className="lineage">
      <header className="lineage-head">
        <p className="crumbs">
          <Link href={recordLink(api.brand, group.path, id)}>
            {name.startsWith(kind) ? name : `${kind} ${name}`}
          </Link>
        </p>
        <h1>{title}</h1>
      </header>
      {error && <Failure error={error} onRetry={actions.restart} />}
      <QuantitiesView api={api} {...counting} isLooking={state.ended === null} />
      <div className="lineage-bar">
        <fieldset className="lineage-views">
          <legend className="unseen">{words.showAs}</legend>
          {views.map((each) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === view}
              onClick={() => setView(each)}
            >
              {words.views[each]}
            </button>
          ))}
        </fieldset>
        <Progress state={state} actions={actions} />
        {lineage && state.ended && (
          <div className="lineage-export">
            {view !== 'list' && (
              <button
                type="button"
                aria-pressed={open === 'all'}
                onClick={() => setOpen(open === 'all' ? new Set() : 'all')}
              >
                {words.allLines}
              </button>
            )}
            <button
              type="button"
              onClick={() => {
                const heading = `${title} · ${api.brand} · ${dayText(new Date().toISOString())}`
                void savePicture(lineage, open, heading, fileNameOf(api.brand, name))
              }}
            >
              {words.png}
            </button>
            <button type="button" onClick={() => print()}>
              {words.print}
            </button>
          </div>
        )}
      </div>
      {lineage && state.ended ? (
        <>
          {view === 'graph' && (
            <GraphView lineage={lineage} open={open} onOpen={setOpen} {...shown} {...acts} />
          )}
          {view === 'timeline' && <TimelineView api={api} lineage={lineage} open={open} />}
          {view === 'list' && <ListView lineage={lineage} {...shown} {...acts} />}
        </>
      ) : (
        <div className="lineage-place">
          <p role="status">{state.ended ? words.stopped : words.loading}</p>
        </div>
      )}
      {lineage && expandedNode && (
        <Expand
          {...{ api, lineage }}
          node={expandedNode}
          onFollow={(relation) => {
            actions.follow(expandedNode.key, relation)
            // Opens the head, so that the requested records stay visible.
            setOpen((before) =>
              before === 'all' ? before : new Set([...before, expandedNode.key]),
            )
            setExpanded(null)
          }}
          onClose={() => setExpanded(null)}
        />
      )}
    </div>
  )
}

/** Keeps only letters and digits, which every file system accepts. */
const fileNameOf = (brand: string, name: string): string =>
  `${brand}-lineage-${name.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60)}.png`

/** Small screens start with the list. The URL stores another choice. */
const useView = (): [View, (view: View) => void] => {
  const [query, setQuery] = useSearchParams()
  const requested = views.find((each) => each === query.get('view'))
  const byWidth = matchMedia('(max-width: 40rem)').matches ? 'list' : 'graph'
  return [
    requested ?? byWidth,
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

/** The orders with countable quantities, and their counts. A SKU is counted by itself. */
const useCounting = (api: Api, lineage: Lineage | null, isWhole: boolean) => {
  const [chosen, setChosen] = useState<string | null>(null)
  const subjects = useMemo(() => subjectsOf(lineage, isWhole), [lineage, isWhole])
  const subject = subjects.find(({ id }) => id === chosen) ?? subjects[0]
  const query = useQuery({
    ...documentQuery(api, subject?.kind ?? '', subject?.id ?? ''),
    select: quantitiesIn,
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
