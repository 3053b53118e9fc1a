import type { Filters } from '../api.ts'
import { type Field, type Group, groupAt } from '../contract.ts'
import { hasTextTitle } from '../names.ts'

/** The state in the URL of a list: its filters, page size and page. */
export type ListState = {
  filters: Filters
  limit: number
  cursor: string | null
  /** How many records come before this page. */
  before: number
}

export const pageSizes = [25, 50, 100]

/** Parses `?status=received&limit=50&cursor=…&before=50`. Unknown filters are sent too: the server
 * then says what is wrong. */
export const readListState = (search: string): ListState => {
  const query = new URLSearchParams(search)
  const filters: Filters = {}
  for (const [name, value] of query) if (!ours.has(name)) filters[name] = value
  const limit = Number(query.get('limit'))
  const before = Number(query.get('before'))
  return {
    filters,
    limit: pageSizes.includes(limit) ? limit : 25,
    cursor: query.get('cursor'),
    before: Number.isSafeInteger(before) && before > 0 ? before : 0,
  }
}

const ours = new Set(['limit', 'cursor', 'before'])

export const writeListState = ({ filters, limit, cursor, before }: ListState): Filters => ({
  ...filters,
  ...(limit !== 25 && { limit: String(limit) }),
  ...(cursor !== null && { cursor, before: String(before) }),
})

/** The first page of the same list with other filters. */
export const withFilters = (state: ListState, filters: Filters): ListState => ({
  ...state,
  filters,
  cursor: null,
  before: 0,
})

/** The default columns: name, status, main references, amounts, dates. */
export const usualColumns = (group: Group): string[] => {
  const shown = group.fields.filter(
    ({ name, kind }) => !quietNames.has(name) && kind in ranks && name !== group.titleField,
  )
  const title = group.titleField === null ? [] : [group.titleField]
  const ahead = new Set(shown.filter(namesSomething).slice(0, refsAhead))
  const place = (field: Field) => (ahead.has(field) ? 2 : rankOf(field))
  const rest = shown.sort((a, b) => place(a) - place(b)).map(({ name }) => name)
  return [...title, ...rest].slice(0, columnsMax)
}

/** A reference whose record has a name of its own: `Revision 2` says little in a table. */
const namesSomething = ({ kind, to }: Field): boolean => {
  const target = kind === 'ref' && to !== null ? groupAt(to) : undefined
  return target !== undefined && hasTextTitle(target)
}

const columnsMax = 10
/** References that come before figures and dates; the others come after. */
const refsAhead = 2
const quietNames = new Set(['id', 'createdAt', 'updatedAt', 'deletedAt', 'notes', 'memo'])

/** Other kinds are too long for a table. */
const ranks: Partial<Record<Field['kind'], number>> = {
  ref: 5,
  amount: 3,
  integer: 3,
  date: 4,
  text: 6,
  timestamp: 7,
  flag: 8,
}

/** The amounts and counts that people look for first. */
const leading = /^(total|balance|amount|qty|quantity|unitPrice|onHand|ordered|shipped|received)/

const rankOf = ({ name, kind, lifecycle, measure }: Field): number => {
  if (name === 'status') return 0
  if (lifecycle.length > 0) return 1
  if (measure === 'rate' || measure === 'percent') return 9
  if ((kind === 'amount' || kind === 'integer') && !leading.test(name)) return 5
  if (name === 'currency' || name === 'revisionNumber') return 9
  return ranks[kind] ?? 10
}
