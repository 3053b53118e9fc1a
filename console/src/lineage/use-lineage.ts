import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type LineageRelation, relationKey, walkBounds } from '../../../src/contract/index.ts'
import type { Api } from '../api.ts'
import type { Group } from '../contract.ts'
import { documentQuery, type PageDocument } from '../document/document.ts'
import { texts } from '../texts/index.ts'
import type { Lineage } from './lineage.ts'
import { type Ended, follow, readLineage, showMore, type Walk, walk } from './load.ts'
import { differs, quantitiesIn } from './quantities.ts'

export type LineageState = {
  lineage: Lineage | null
  reads: number
  /** Null while the walk is running. */
  ended: Ended | null
  error: Error | null
  /** The relation or list that the user is expanding. */
  busy: string | null
  /** The result of the last expansion, for screen readers. */
  announcement: string
}

export type LineageActions = {
  stop: () => void
  /** Continues a walk after a limit or a stop. */
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

/** The lineage of a record while it loads, and its actions. */
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
        if (from) {
          const { ended } = await walk(api, from, {
            bounds: { ...walkBounds, records: from.nodes.size + walkBounds.records },
            signal,
            onChange: ({ lineage, reads }) => update({ lineage, reads }),
          })
          update({ ended })
        } else {
          update(await readFirst(queries, api, group, id, signal))
        }
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
        const announcement = added === 0 ? texts().lineage.noneAdded : texts().lineage.added(added)
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

/**
 * Reads a lineage. Order lines with a quantity difference come first, and the document knows them.
 * Reads both at the same time, and reads the lineage again if it lacks some of these lines.
 */
const readFirst = async (
  queries: QueryClient,
  api: Api,
  group: Group,
  id: string,
  signal: AbortSignal,
): Promise<Walk> => {
  if (group.path !== 'orders') return readLineage(api, group, id, { signal })
  const query = documentQuery(api, group.path, id)
  const document = queries.getQueryData<PageDocument>(query.queryKey)
  if (document) return readLineage(api, group, id, { first: differing(document), signal })
  const [walked, first] = await Promise.all([
    readLineage(api, group, id, { signal }),
    // The quantities view shows this error; the lineage works without the document.
    queries.fetchQuery(query).then(differing, () => []),
  ])
  const { nodes } = walked.lineage
  return first.every((line) => nodes.has(`order-items/${line}`))
    ? walked
    : readLineage(api, group, id, { first, signal })
}

const differing = (document: PageDocument): readonly string[] =>
  quantitiesIn(document)
    .lines.filter(differs)
    .map(({ orderItemId }) => orderItemId)
