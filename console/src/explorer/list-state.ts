import {
  layoutParameters,
  placeParameters,
  viewName,
  viewNameProblem,
} from '../../../src/contract/index.ts'
import type { Filters } from '../api.ts'

/** The state in the URL of a list. Names are those of the query API, plus a few of the console. */
export interface ListState {
  /** The filters and the sort order, by the names of the query API. */
  readonly parameters: Filters
  /** The columns from the URL parameter `fields`, if present. */
  readonly fields: readonly string[] | null
  readonly limit: number
  readonly cursor: string | null
  /** The number of records before this page; null if the URL has a cursor but no such number. */
  readonly before: number | null
  /** The name of the saved view that the URL links to. */
  readonly saved: string | null
  /** The field that the list is grouped by. */
  readonly by: string | null
}

export const pageSizes = [25, 50, 100]
const defaultSize = 50
const sizeMax = 100

/**
 * Parses `?status.in=sent,confirmed&sort=-orderDate&limit=50&cursor=…&before=50`. Keeps and sends
 * unknown parameters, so that the server reports them.
 */
export const readListState = (search: string): ListState => {
  const query = new URLSearchParams(search)
  const parameters: Filters = {}
  for (const [name, value] of query) {
    if (ours.has(name)) continue
    const before = Object.hasOwn(parameters, name) ? parameters[name] : undefined
    parameters[name] = before !== undefined && isList(name) ? `${before},${value}` : value
  }
  const limit = Number(query.get('limit'))
  const cursor = query.get('cursor')
  const fields = query.getAll('fields').join(',')
  return {
    parameters,
    fields: fields === '' ? null : fields.split(','),
    limit: Number.isInteger(limit) && limit >= 1 && limit <= sizeMax ? limit : defaultSize,
    cursor,
    before: cursor === null ? 0 : wholeOrNull(query.get('before')),
    saved: nameOf(query.get('saved') ?? ''),
    by: query.get('by'),
  }
}

const ours: ReadonlySet<string> = new Set([...placeParameters, ...layoutParameters.keys()])

/** A name that somebody else may have put into a link. */
const nameOf = (text: string): string | null => {
  const name = viewName(text)
  return viewNameProblem(name) === undefined ? name : null
}

/** Parameters that accept repeated values instead of commas. */
const isList = (name: string): boolean =>
  name.endsWith('.in') || name === 'ids' || name === 'include'

const wholeOrNull = (text: string | null): number | null =>
  text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null

export const writeListState = (state: ListState): Filters => {
  const { limit, cursor, before, saved } = state
  return {
    ...selectionOf(state),
    ...(limit !== defaultSize && { limit: String(limit) }),
    ...(cursor !== null && { cursor, ...(before !== null && { before: String(before) }) }),
    ...(saved !== null && { saved }),
  }
}

/** The parts of a saved view: filters, order, columns and grouping. */
export const selectionOf = ({ parameters, fields, by }: ListState): Filters => ({
  ...parameters,
  ...(fields !== null && { fields: fields.join(',') }),
  ...(by !== null && { by }),
})

/** Applies a change and returns to the first page. */
export const changed = (state: ListState, change: Partial<ListState>): ListState => ({
  ...state,
  cursor: null,
  before: 0,
  ...change,
})

/** Adds and removes parameters; an empty value removes one. */
export const withParameters = (
  parameters: Filters,
  change: { readonly [name: string]: string | null },
): Filters => {
  const next = { ...parameters }
  for (const [name, value] of Object.entries(change)) {
    if (value === null || value === '') delete next[name]
    else next[name] = value
  }
  return next
}

export interface Sorting {
  readonly field: string
  readonly isDescending: boolean
}

export const sortingOf = ({ sort }: Filters): Sorting | null => {
  if (!sort) return null
  return { field: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') }
}
