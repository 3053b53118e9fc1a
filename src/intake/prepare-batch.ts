import { type Catalog, resourceAt } from '#contract'
import {
  mappedRowsOf,
  openReport,
  type Report,
  type RowProblem,
  type Source,
  SourceError,
  type ValidatedBatch,
  validateSource,
} from '#ingest'
import type { Mapping, MappingContext } from '#mapping'
import { sharedOwner } from '#store'
import { type AskContext, readBatchContext, refuseContext } from './batch-context.ts'
import type { BatchOptions } from './batch-table.ts'
import type { Maps } from './maps.ts'
import { readEvents } from './read-events.ts'
import { type BatchSources, type NamedItem, readItems } from './read-items.ts'
import { readRows } from './read-rows.ts'

/** A batch with its body. */
export interface OpenedBatch {
  readonly id: string
  readonly brand: string
  readonly options: BatchOptions
  readonly body: Buffer
}

/** A batch whose rows are converted and checked, as far as that needs no database. */
export interface PreparedBatch {
  /** Lines that are not blank. */
  readonly items: number
  /** The first items, if the sender wants a result of each. */
  readonly named: readonly NamedItem[]
  readonly sources: readonly PreparedSource[]
  readonly problems: readonly RowProblem[]
  /** Problems that were counted and not kept. */
  readonly problemsLeftOut: number
  /** Why the whole batch is refused; null if it is not. */
  readonly refusal: string | null
}

export type PreparedSource = Omit<Source, 'resource' | 'input'> & {
  readonly collection: string
  readonly validated: readonly ValidatedBatch[]
}

/** A batch that cannot be prepared, with the reason. */
export const refusedBatch = (refusal: string): PreparedBatch => ({
  items: 0,
  named: [],
  sources: [],
  problems: [],
  problemsLeftOut: 0,
  refusal,
})

/** How many problems of a batch are kept. */
export const problemsMax = 100
/** How many items of a batch have a result of their own. */
export const resultsMax = 1_000

/**
 * Keeps the first problems of each severity, so that an error is kept if there is one. The rows of
 * a small batch can have millions.
 */
const createProblemLimit = () => {
  const counts = { error: 0, warning: 0 }
  let leftOut = 0
  return {
    keeps: ({ severity }: RowProblem): boolean => {
      counts[severity] += 1
      if (counts[severity] <= problemsMax) return true
      leftOut += 1
      return false
    },
    get leftOut() {
      return leftOut
    },
  }
}

export interface PrepareParts {
  readonly catalog: Catalog
  readonly maps: Maps
  readonly ask?: AskContext
}

/**
 * Reads, converts and validates the rows of a batch. Needs no database but what it asks for, so that a
 * thread can do it. Throws a `DeferredError`.
 */
export const prepareBatch = async (
  parts: PrepareParts,
  batch: OpenedBatch,
  importedAt: string,
): Promise<PreparedBatch> => {
  const { catalog } = parts
  const problems: RowProblem[] = []
  const limit = createProblemLimit()
  const add = (problem: RowProblem) => {
    if (limit.keeps(problem)) problems.push(problem)
  }
  const report: Report = { ...openReport(undefined), add }
  let [items, named]: [number, readonly NamedItem[]] = [0, []]
  try {
    const read = await readBatch(parts, batch, report, importedAt)
    items = read.items
    named = read.named
    const sources: PreparedSource[] = []
    const now = Date.parse(importedAt)
    /** Valid rows by collection: a brand has one record. */
    const valid = new Map<string, number>()
    for (const source of read.sources) {
      const { resource, input: _input, joined: _joined, context: _context, ...rest } = source
      const owner = ownerOf(source, batch.brand)
      const collection = resource.path
      const validated: ValidatedBatch[] = []
      let validBefore = valid.get(collection) ?? 0
      const keepsBadRows = batch.options.quarantine
      const keepsNames = source.mapping !== undefined
      const options = { catalog, source, owner, validBefore, now, keepsBadRows, keepsNames }
      for await (const each of validateSource(options)) {
        validated.push({ ...each, problems: each.problems.filter(limit.keeps) })
        validBefore += each.lines.length
      }
      valid.set(collection, validBefore)
      sources.push({ ...rest, collection, validated })
    }
    return { items, named, sources, problems, problemsLeftOut: limit.leftOut, refusal: null }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    const { leftOut: problemsLeftOut } = limit
    return { items, named, sources: [], problems, problemsLeftOut, refusal: error.message }
  }
}

const ownerOf = ({ resource }: Source, brand: string): string =>
  resource.scope === 'shared' ? sharedOwner : brand

const readBatch = async (
  { catalog, maps, ask = refuseContext }: PrepareParts,
  { body, brand, options }: OpenedBatch,
  report: Report,
  importedAt: string,
): Promise<BatchSources> => {
  const { form, map, collections, results } = options
  const namedMax = results ? resultsMax : 0
  if (form === 'items') return readItems(body, { catalog, collections, report, namedMax })
  if (map === null) throw new SourceError('needs a mapping')
  const mapping = await maps.find(map)
  const read = (by: Mapping, context: MappingContext, own: Report): BatchSources => {
    const mapped = { catalog, mapping: by, brand, collections, importedAt, context, report: own }
    return form === 'rows' ? readRows(body, mapped) : readEvents(body, mapped)
  }
  const context = await readBatchContext({
    ...{ catalog, ask, mapping },
    rowsOf: (source) => mappedRowsOf(source, ownerOf(source, brand)),
    read: (by, context) => read(by, context, openReport(undefined)),
  })
  return read(mapping, context, report)
}

/** The sources of a prepared batch, for the import. */
export const sourcesOf = (
  catalog: Catalog,
  { sources }: Pick<PreparedBatch, 'sources'>,
): readonly Source[] =>
  sources.map(({ collection, ...rest }) => ({
    ...rest,
    resource: resourceAt(catalog, collection),
    input: { kind: 'rows', rows: async function* () {} },
  }))
