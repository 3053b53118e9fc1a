import type { Filters } from '../api.ts'
import type { Group } from '../contract.ts'
import type { Column } from './column.ts'
import { type Sorting, sortingOf, withParameters } from './list-state.ts'

/** The name by which the query API sorts a view by the date that the view is about. */
export const viewDate = 'viewDate'

const viewOf = (group: Group, { view }: Filters) => group.views.find(({ name }) => name === view)

/**
 * The order of a list whose URL has none: that of its view, else newest first, else that of the
 * identity, which is null.
 */
export const usualSort = (group: Group, parameters: Filters): string | null =>
  (group.sortable.includes(viewDate) ? viewOf(group, parameters)?.sort : null) ??
  (group.newestFirst && `-${group.newestFirst}`)

/** The parameters with the order that the list is shown in. */
export const ordered = (group: Group, parameters: Filters): Filters => ({
  ...withParameters({}, { sort: usualSort(group, parameters) }),
  ...parameters,
})

/** The columns in a view: the column of the dates that the view is about sorts by the view's date. */
export const columnsInView = (
  group: Group,
  parameters: Filters,
  columns: readonly Column[],
): readonly Column[] => {
  const dates = viewOf(group, parameters)?.dates ?? []
  if (dates.length === 0 || !group.sortable.includes(viewDate)) return columns
  const isOfView = ({ fields, derived }: Column) =>
    derived === null &&
    fields.length === dates.length &&
    fields.every(({ name }, index) => name === dates[index])
  return columns.map((column) => (isOfView(column) ? { ...column, sort: viewDate } : column))
}

/**
 * The value of `sort` after a click on the head of a column: first in the more useful direction,
 * then in the other one, then null for the usual order.
 */
export const nextSort = (
  current: Sorting | null,
  field: string,
  isDescendingFirst: boolean,
  usual: string | null,
): string | null => {
  const standard = sortingOf(withParameters({}, { sort: usual }))
  const first = standard?.field === field ? standard.isDescending : isDescendingFirst
  const write = (isDescending: boolean) => {
    const sort = isDescending ? `-${field}` : field
    return sort === usual ? null : sort
  }
  if (current?.field !== field) return write(first)
  return current.isDescending === first ? write(!first) : null
}
