import { catalog, type OperatorProblem, type OperatorRow, type OperatorRows } from '#contract'
import {
  type QuarantinedSummary,
  type QuarantineProblem,
  type SourceKind,
  type Store,
  sharedOwner,
} from '#store'
import { requireBrand } from './brand.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { OperatorError } from './error.ts'

/** The rows in quarantine of an owner, as a request of the store. */
export type RowsRequest = Omit<Parameters<Store['quarantine']['list']>[0], 'limit' | 'after'>

export interface RowsFilter {
  /** The slug of a brand, or `sharedOwner`. */
  readonly brand: string
  readonly collection?: string | undefined
  /** The name of a source. */
  readonly source?: string | undefined
}

/** Checks what rows are asked for. */
export const readRowsRequest = async (
  store: Pick<Store, 'has' | 'brands'>,
  { brand, collection, source }: RowsFilter,
): Promise<RowsRequest> => {
  if (collection !== undefined && !catalog.byPath.has(collection)) {
    throw new OperatorError(
      'usage',
      `There is no collection ${collection}. Collections are named as in the API, such as orders or order-items.`,
    )
  }
  if (brand !== sharedOwner) await requireBrand(store, brand)
  return { owner: brand, collection, ...(source && { source: { name: source } }) }
}

/** Rows of a page. */
const pageRows = 100

/** The rows in quarantine without what was received, longest waiting first. */
export const listRows = async (
  store: Pick<Store, 'has' | 'brands' | 'quarantine'>,
  { cursor, ...filter }: RowsFilter & { readonly cursor?: string | undefined },
): Promise<OperatorRows> => {
  const request = await readRowsRequest(store, filter)
  const [since = '', id = ''] = cursor === undefined ? [] : readCursor(cursor, 2).map(String)
  const after = cursor === undefined ? undefined : { since, id }
  const { total, rows, next } = await store.quarantine.page({ ...request, limit: pageRows, after })
  return {
    items: rows.map(describeRow),
    nextCursor: next && writeCursor([next.since, next.id]),
    total,
    counts: await store.quarantine.counts(request.owner),
  }
}

const describeRow = (row: QuarantinedSummary): OperatorRow => {
  const { id, collection, key, title, source, file, line, waitsFor, since, triedAt } = row
  return {
    ...{ id, collection, key: key?.join(':') ?? null, title, file, waitsFor, since, triedAt },
    source: source && { kind: source.kind as SourceKind, name: source.name },
    line: line > 0 ? line : null,
    problems: row.problems.map(describeProblem),
  }
}

export const describeProblem = (problem: QuarantineProblem): OperatorProblem => ({
  file: problem.file,
  line: problem.line > 0 ? problem.line : null,
  key: problem.key ?? null,
  field: problem.field,
  column: problem.column ?? null,
  value: problem.value,
  reason: problem.reason,
  severity: problem.severity,
})

/** Deletes rows, or all that the filter selects, and returns how many. */
export const discardRows = (
  { quarantine }: Pick<Store, 'quarantine'>,
  request: RowsRequest,
  ids: readonly string[] | null,
): Promise<number> => quarantine.discard({ ...request, ...(ids && { ids }) })
