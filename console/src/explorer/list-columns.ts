import type { Group } from '../contract.ts'
import { type Column, columnNames, columnsFor, usualColumns } from './column.ts'
import type { ListNavigation } from './list-navigation.ts'
import type { ListState } from './list-state.ts'
import { useStoredColumns } from './stored-columns.ts'

/** The columns of the list. A change goes to their source: the URL or this browser. */
export const useColumns = (group: Group, { state, go }: ListNavigation) => {
  const [stored, store] = useStoredColumns(group)
  const choose = (next: readonly Column[] | null) => {
    if (state.fields === null && state.saved === null) store(next)
    else go({ ...state, fields: next && columnNames(next) })
  }
  return { columns: columnsIn(group, state, stored), choose }
}

/**
 * The columns of a list: those of the URL; for a saved view without columns, the default ones;
 * otherwise those stored in this browser.
 */
export const columnsIn = (
  group: Group,
  { fields, saved }: Pick<ListState, 'fields' | 'saved'>,
  stored: readonly Column[],
): readonly Column[] => {
  const named = fields && columnsFor(group, fields)
  if (named && named.length > 0) return named
  return saved === null ? stored : usualColumns(group)
}

/** The fields of a link that shows others the same columns; null for the default columns. */
export const sharedFields = (
  group: Group,
  { fields }: Pick<ListState, 'fields'>,
  columns: readonly Column[],
): readonly string[] | null => {
  if (fields !== null) return fields
  const names = columnNames(columns)
  return names.join() === columnNames(usualColumns(group)).join() ? null : names
}
