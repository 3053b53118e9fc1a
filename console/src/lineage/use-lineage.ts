import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type LineageRelation, relationKey, walkBounds } from '../../../src/contract/index.ts'
import type { Api } from '../api.ts'
import type { Group } from '../contract.ts'
import { countOf } from '../figures.ts'
import type { Lineage } from './lineage.ts'
import { type Ended, follow, openLineage, showMore, walk } from './load.ts'
import { gapsOf, type Quantities, quantitiesOf } from './quantities.ts'

export type LineageState = {
  lineage: Lineage | null
  reads: number
  /** Null while the walk is running. */
  ended: Ended | null
  error: Error | null
  /** The relation or list that a person is expanding. */
  busy: string | null
  /** The result of the last expansion, for screen readers. */
  announcement: string
}

export type LineageActions = {
  stop: () => void
  /** Continues a walk that reached a bound or was stopped. */
  resume: () => void
  restart: () => void
  follow: (key: string, relation: LineageRelation) => void
  showMore: (list: string) => void
}

const initialState: LineageState = {
  lineage: null,
  reads: 0,
  ended: null,
  error: null,
  busy: null,
  announcement: '',
}

/** The lineage of a record while it is loaded, and the actions on it. */
export const useLineage = (api: Api, group: Group, id: string): [LineageState, LineageActions] => {
  const [state, setState] = useState(initialState)
  const queries = useQueryClient()
  const running = useRef<AbortController | null>(null)

  const run = useCallback(
    async (from: Lineage | null) => {
      const control = new AbortController()
      running.current?.abort()
      running.current = control
      const { signal } = control
      const update = (change: Partial<LineageState>) => {
        if (running.current === control) setState((before) => ({ ...before, ...change }))
      }
      update({ ...(from ? {} : initialState), ended: null, error: null })
      try {
        const start = from ?? (await openLineage(api, group, id, signal))
        update({ lineage: start })
        const { ended } = await walk(api, start, {
          bounds: { ...walkBounds, records: (from?.nodes.size ?? 0) + walkBounds.records },
          signal,
          prefer: from ? new Set() : await differingLines(queries, api, group, id),
          onChange: ({ lineage, reads }) => update({ lineage, reads }),
        })
        update({ ended })
      } catch (error) {
        const ended = { reason: 'cancelled', limit: null, left: 0 } as const
        update(signal.aborted ? { ended } : { error: error as Error, ended })
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

  const expand = (busy: string, step: (lineage: Lineage) => Promise<Lineage>) => {
    const { lineage } = state
    if (!lineage || state.busy !== null) return
    setState((before) => ({ ...before, busy }))
    step(lineage).then(
      (expanded) => {
        const added = expanded.nodes.size - lineage.nodes.size
        const announcement =
          added === 0 ? 'No more records found.' : `${countOf(added, 'record')} added.`
        setState((before) => ({ ...before, lineage: expanded, busy: null, announcement }))
      },
      ({ message }: Error) =>
        setState((before) => ({ ...before, busy: null, announcement: message })),
    )
  }

  return [
    state,
    {
      stop: () => running.current?.abort(),
      resume: () => void run(state.lineage),
      restart: () => void run(null),
      follow: (key, relation) =>
        expand(relationKey(key, relation), (lineage) => follow(api, lineage, key, relation)),
      showMore: (list) => expand(list, (lineage) => showMore(api, lineage, list)),
    },
  ]
}

/** The quantities of an order or a SKU, read once. */
export const quantitiesQuery = (api: Api, kind: string, id: string) => ({
  queryKey: ['quantities', api.brand, kind, id],
  queryFn: ({ signal }: { signal: AbortSignal }) => quantitiesOf(api, kind, id, signal),
})

/** The lines of an order with a difference in quantity, which are shown first. */
const differingLines = async (
  queries: QueryClient,
  api: Api,
  group: Group,
  id: string,
): Promise<ReadonlySet<string>> =>
  group.path === 'orders'
    ? // The quantities view shows the error; the walk does not depend on it.
      queries.fetchQuery(quantitiesQuery(api, group.path, id)).then(differing, () => new Set())
    : new Set()

const differing = ({ lines }: Quantities): ReadonlySet<string> =>
  new Set(
    lines
      .filter(({ counts, damaged }) => gapsOf(counts).length > 0 || damaged > 0)
      .map(({ orderItemId }) => `order-items/${orderItemId}`),
  )
