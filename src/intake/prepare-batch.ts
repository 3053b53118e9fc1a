import { type Catalog, resourceAt } from '#contract'
import {
  openReport,
  type Report,
  type RowProblem,
  type Source,
  SourceError,
  toTransferable,
  type ValidatedBatch,
  validateSource,
} from '#ingest'
import { sharedOwner } from '#store'
import type { BatchOptions } from './batch-table.ts'
import type { Maps } from './maps.ts'
import { readEvents } from './read-events.ts'
import { type BatchSources, readItems } from './read-items.ts'
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
  sources: [],
  problems: [],
  problemsLeftOut: 0,
  refusal,
})

/** How many problems of a batch are kept. */
export const problemsMax = 100

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
}

/** Reads, converts and validates the rows of a batch. Needs no database, so that a thread can do it. */
export const prepareBatch = async (
  { catalog, maps }: PrepareParts,
  batch: OpenedBatch,
  importedAt: string,
): Promise<PreparedBatch> => {
  const problems: RowProblem[] = []
  const limit = createProblemLimit()
  const add = (problem: RowProblem) => {
    if (limit.keeps(problem)) problems.push(problem)
  }
  const report: Report = { ...openReport(undefined), add }
  let items = 0
  try {
    const read = await readBatch({ catalog, maps }, batch, report, importedAt)
    items = read.items
    const sources: PreparedSource[] = []
    const now = Date.parse(importedAt)
    /** Valid rows by collection: a brand has one record. */
    const valid = new Map<string, number>()
    for (const source of read.sources) {
      const { resource, input: _input, ...rest } = source
      const owner = resource.scope === 'shared' ? sharedOwner : batch.brand
      const collection = resource.path
      const validated: ValidatedBatch[] = []
      let validBefore = valid.get(collection) ?? 0
      for await (const each of validateSource({ catalog, source, owner, validBefore, now })) {
        validated.push({ ...each, problems: each.problems.filter(limit.keeps) })
        validBefore += each.lines.length
      }
      valid.set(collection, validBefore)
      sources.push({ ...rest, collection, validated })
    }
    return { items, sources, problems, problemsLeftOut: limit.leftOut, refusal: null }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    const { leftOut: problemsLeftOut } = limit
    return { items, sources: [], problems, problemsLeftOut, refusal: error.message }
  }
}

const readBatch = async (
  { catalog, maps }: PrepareParts,
  { body, brand, options }: OpenedBatch,
  report: Report,
  importedAt: string,
): Promise<BatchSources> => {
  const { form, map, collections } = options
  if (form === 'items') return readItems(body, { catalog, collections, report })
  if (map === null) throw new SourceError('needs a mapping')
  const mapping = await maps.find(map)
  const mapped = { catalog, mapping, brand, collections, importedAt }
  return form === 'rows' ? readRows(body, mapped) : readEvents(body, { ...mapped, report })
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

/** A prepared batch as one thread posts it to another that has the body. */
export interface PostedBatch extends PreparedBatch {
  /** Which batches of rows are bytes of the body, by source. */
  readonly inBody: readonly (readonly boolean[])[]
}

const noBytes = new Uint8Array()

/** Leaves out the bytes of the body, and returns the buffers to transfer. */
export const postBatch = (
  prepared: PreparedBatch,
  body: Buffer,
): readonly [PostedBatch, ArrayBuffer[]] => {
  const buffers: ArrayBuffer[] = []
  const isInBody = ({ canonical }: ValidatedBatch) => canonical?.bytes.buffer === body.buffer
  const post = (batch: ValidatedBatch): ValidatedBatch => {
    const { canonical } = batch
    const bytes = isInBody(batch) ? noBytes : canonical?.bytes
    const [own, transferred] = toTransferable({
      ...batch,
      canonical: canonical && { ...canonical, bytes: bytes ?? noBytes },
    })
    buffers.push(...transferred.filter((each) => each !== noBytes.buffer))
    return own
  }
  const inBody = prepared.sources.map(({ validated }) => validated.map(isInBody))
  const sources = prepared.sources.map((each) => ({ ...each, validated: each.validated.map(post) }))
  return [{ ...prepared, sources, inBody }, buffers]
}

export const receiveBatch = (
  { inBody, ...prepared }: PostedBatch,
  body: Buffer,
): PreparedBatch => ({
  ...prepared,
  sources: prepared.sources.map((source, at) => ({
    ...source,
    validated: source.validated.map((batch, index) =>
      inBody[at]?.[index] && batch.canonical
        ? { ...batch, canonical: { ...batch.canonical, bytes: body } }
        : batch,
    ),
  })),
})
