import { createSemaphore, createSharedWork, type Release } from '#concurrency'
import { ApiError, type GroupScope } from '#contract'
import { rowView, type SourceReader, shortNames, sourcesView, unitsView } from '#intake'
import {
  rejectParameters,
  sourceRowsCursor,
  sourceRowsParameters,
  sourceUnitsParameters,
} from '#request'
import type { Store } from '#store'
import { endStage } from '../context.ts'
import type { KeyedRequest } from '../handler.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'
import type { SourceRouteHandlers } from '../router.ts'

export interface SourcesParts {
  readonly store: Store
  /** The sources and units of all brands. */
  readonly sourceReader: Pick<SourceReader, 'list' | 'ended'>
  readonly etags: Etags
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/**
 * Units and quarantined rows are not records: the serving role cannot read their tables, so these
 * reads use connections of the server itself. A request never takes many of them.
 */
const readLimits = { total: 2, perOwner: 1, waitingPerOwner: 10, waitMs: 2_000 }

/** Counting so many rows takes milliseconds of this thread, so the figures may be this old. */
const manyRows = 1_000
const keptMs = 2_000
/** Brands with so many rows whose figures are kept. */
const keptMax = 500

/** What a brand's key may see of the sources of its records. */
export const sourceHandlers = (parts: SourcesParts): SourceRouteHandlers => {
  const { store, sourceReader, etags, now } = parts
  const slots = createSemaphore(readLimits)
  const shared = createSharedWork<object>()
  const parseRows = sourceRowsParameters(store.catalog)

  const enter = async (brand: string): Promise<Release> => {
    try {
      return await slots.acquire(brand)
    } catch (cause) {
      const sentence = 'Too many requests ask about sources at the moment. Try again shortly.'
      throw new ApiError('store_unavailable', sentence, { cause, retryAfterSeconds: 1 })
    }
  }
  const readAlone = async (brand: string, read: () => Promise<object>): Promise<object> => {
    const release = await enter(brand)
    try {
      return await read()
    } finally {
      release()
    }
  }

  const recent = new Map<string, { readonly view: object; readonly until: number }>()
  const readSources = async (brand: string, scope: GroupScope): Promise<object> => {
    const name = `${brand} ${scope.id}`
    const last = recent.get(name)
    if (last && now() < last.until) return last.view
    const states = await sourceReader.list(brand)
    const view = sourcesView(states, await store.quarantine.counts(brand), scope)
    if (recent.size >= keptMax) recent.clear()
    if (view.quarantine.rows < manyRows) recent.delete(name)
    else recent.set(name, { view, until: now() + keptMs })
    return view
  }

  /** Reads once for all requests with the same scope that ask the same of a brand at a time. */
  const respond = async (
    { ctx, grant, brand, isCancelled }: KeyedRequest,
    request: string,
    read: () => Promise<object>,
  ) => {
    endStage(ctx, 'read')
    const target = `${request} ${grant.scope.id}`
    const view = await shared.run(`${brand} ${target}`, isCancelled, () => readAlone(brand, read))
    const text = JSON.stringify(view)
    endStage(ctx, 'run')

    const tag = etags.of(brand, target, text)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch && (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch))) {
      return { notModified: tag }
    }
    return { body: [Buffer.from(text)], tag }
  }

  return {
    sources: async (request) => {
      const { match, grant, brand } = request
      rejectParameters(match.query)
      return respond(request, 'sources', () => readSources(brand, grant.scope))
    },
    units: async (request) => {
      const { match, grant, brand } = request
      const { limit } = sourceUnitsParameters(match.query)
      return respond(request, `units ${limit}`, async () =>
        unitsView(
          await sourceReader.ended(brand, limit, grant.scope),
          await store.sources.list(brand),
        ),
      )
    },
    rows: async (request) => {
      const { match, grant, brand: owner } = request
      const { scope } = grant
      const { limit, group: collection, after } = parseRows(match.query, scope)
      const target = JSON.stringify(['rows', limit, collection, after])
      return respond(request, target, async () => {
        const page = await store.quarantine.page({ owner, collection, scope, limit, after })
        const nameOf = shortNames(await store.sources.list(owner))
        return {
          items: page.rows.map((row) => rowView(row, nameOf)),
          nextCursor: page.next && sourceRowsCursor(page.next),
          totalItems: page.total,
        }
      })
    },
  }
}
