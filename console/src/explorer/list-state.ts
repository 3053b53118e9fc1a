import type { Filters } from '../api.ts'

/** What the URL of a list says. Its names are those of the query API, and three of the console. */
export interface ListState {
  /** What selects and orders the records, by the names of the query API. */
  readonly parameters: Filters
  /** The shown columns, where the URL names them: `fields`. */
  readonly fields: readonly string[] | null
  readonly limit: number
  readonly cursor: string | null
  /** How many records come before this page; null for a cursor that came without it. */
  readonly before: number | null
  /** The name of a saved view that the URL is a link to. */
  readonly saved: string | null
}

export const pageSizes = [25, 50, 100]
const defaultSize = 50
const sizeMax = 100

/**
 * Parses `?status.in=sent,confirmed&sort=-orderDate&limit=50&cursor=…&before=50`. Parameters that the
 * list does not have are kept and sent too: the server then says what is wrong.
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
    saved: query.get('saved'),
  }
}

const ours = new Set(['limit', 'cursor', 'before', 'fields', 'saved'])

/** Parameters whose values may be repeated instead of being separated by commas. */
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

/** What a saved view consists of: which records, in which order, with which columns. */
export const selectionOf = ({ parameters, fields }: ListState): Filters => ({
  ...parameters,
  ...(fields !== null && { fields: fields.join(',') }),
})

/** The first page of a list that is changed. */
export const changed = (state: ListState, change: Partial<ListState>): ListState => ({
  ...state,
  cursor: null,
  before: 0,
  ...change,
})

/** The same parameters without some, and with others; an empty value removes a parameter. */
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

/**
 * What a click on the head of a column does: sort by it, in the order that is of use first; then in
 * the other order; then not at all.
 */
export const nextSort = (
  current: Sorting | null,
  field: string,
  isDescendingFirst: boolean,
): string | null => {
  const write = (isDescending: boolean) => (isDescending ? `-${field}` : field)
  if (current?.field !== field) return write(isDescendingFirst)
  return current.isDescending === isDescendingFirst ? write(!isDescendingFirst) : null
}
