import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Api } from '../api.ts'
import type { Group } from '../contract.ts'
import type { Relation } from './chain.ts'
import { type Lineage, relationKey } from './lineage.ts'
import { gapsOf, type Quantities, quantitiesOf } from './quantities.ts'
import { bounds, type Ending, follow, openLineage, type Pending, showMore, walk } from './walk.ts'

export type LineageState = {
  lineage: Lineage | null
  calls: number
  ended: Ending | null
  error: Error | null
  /** The relation or list that is being followed by hand. */
  busy: string | null
  /** What the last step by hand found, to be read out. */
  said: string
}

export type LineageSteps = {
  stop: () => void
  /** Walks on from where a bound or a person stopped it. */
  goOn: () => void
  restart: () => void
  follow: (key: string, relation: Relation) => void
  showMore: (rest: string) => void
}

const nothing: LineageState = {
  lineage: null,
  calls: 0,
  ended: null,
  error: null,
  busy: null,
  said: '',
}

/** The lineage of a record as it is being found, and what a person can do with it. */
export const useLineage = (api: Api, group: Group, id: string): [LineageState, LineageSteps] => {
  const [state, setState] = useState(nothing)
  const queries = useQueryClient()
  const running = useRef<AbortController | null>(null)
  const pending = useRef<Pending | null>(null)

  const run = useCallback(
    async (from: Lineage | null) => {
      const control = new AbortController()
      running.current?.abort()
      running.current = control
      const { signal } = control
      const tell = (change: Partial<LineageState>) => {
        if (running.current === control) setState((before) => ({ ...before, ...change }))
      }
      tell({ ...(from ? {} : nothing), ended: null, error: null })
      try {
        const lineage = from ?? (await openLineage(api, group, id, signal))
        tell({ lineage })
        const last = await walk(api, lineage, {
          bounds: { ...bounds, nodes: (from?.nodes.size ?? 0) + bounds.nodes },
          signal,
          resume: from && pending.current,
          prefer: from ? new Set() : await differingLines(queries, api, group, id),
          onChange: ({ lineage: found, calls }) => tell({ lineage: found, calls }),
        })
        pending.current = last.pending
        tell({ ended: last.ended })
      } catch (error) {
        if (signal.aborted) tell({ ended: { why: 'cancelled' } })
        else tell({ error: error as Error, ended: { why: 'cancelled' } })
      }
    },
    [queries, api, group, id],
  )

  useEffect(() => {
    void run(null)
    return () => {
      running.current?.abort()
      running.current = null
    }
  }, [run])

  const byHand = (busy: string, step: (lineage: Lineage) => Promise<Lineage>) => {
    const { lineage } = state
    if (!lineage || state.busy !== null) return
    setState((before) => ({ ...before, busy }))
    step(lineage).then(
      (found) => {
        const added = found.nodes.size - lineage.nodes.size
        const said = added === 0 ? 'Nothing more was found.' : `${added} more on the page.`
        setState((before) => ({ ...before, lineage: found, busy: null, said }))
      },
      (error: Error) => setState((before) => ({ ...before, busy: null, said: error.message })),
    )
  }

  return [
    state,
    {
      stop: () => running.current?.abort(),
      goOn: () => void run(state.lineage),
      restart: () => void run(null),
      follow: (key, relation) =>
        byHand(relationKey(key, relation), (lineage) => follow(api, lineage, key, relation)),
      showMore: (rest) => byHand(rest, (lineage) => showMore(api, lineage, rest)),
    },
  ]
}

/** The count of an order's or a SKU's pieces, asked for once. */
export const quantitiesQuery = (api: Api, kind: string, id: string) => ({
  queryKey: ['quantities', api.brand, kind, id],
  queryFn: ({ signal }: { signal: AbortSignal }) => quantitiesOf(api, kind, id, signal),
})

/** Of an order, the lines where something is missing come first. */
const differingLines = async (
  queries: QueryClient,
  api: Api,
  group: Group,
  id: string,
): Promise<ReadonlySet<string>> =>
  group.path === 'orders'
    ? // Where they cannot be counted, that is said where the figures are; the chain is walked anyway.
      queries.fetchQuery(quantitiesQuery(api, group.path, id)).then(differing, () => new Set())
    : new Set()

const differing = ({ lines }: Quantities): ReadonlySet<string> =>
  new Set(
    lines
      .filter(({ counts, damaged }) => gapsOf(counts).length > 0 || damaged > 0)
      .map(({ orderItemId }) => `order-items/${orderItemId}`),
  )
