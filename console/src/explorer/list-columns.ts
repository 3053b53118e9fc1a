import type { Group } from '../contract.ts'
import { type Column, columnsFor, usualColumns } from './column.ts'
import type { ListNavigation } from './list-navigation.ts'
import type { ListState } from './list-state.ts'
import { fieldNames, useStoredColumns } from './stored-columns.ts'

/** The columns of the list. A choice changes what they came from. */
export const useColumns = (group: Group, { state, go }: ListNavigation) => {
  const [stored, store] = useStoredColumns(group)
  const choose = (next: readonly Column[] | null) => {
    if (state.fields === null && state.saved === null) store(next)
    else go({ ...state, fields: next && fieldNames(next) })
  }
  return { columns: columnsIn(group, state, stored), choose }
}

/**
 * The columns of a list: those of the URL; for a saved view without them the usual ones; otherwise those
 * that were chosen in this browser.
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

/** The fields for a link with which somebody else sees the same columns; null for the usual ones. */
export const sharedFields = (
  group: Group,
  { fields }: Pick<ListState, 'fields'>,
  columns: readonly Column[],
): readonly string[] | null => {
  if (fields !== null) return fields
  const names = fieldNames(columns)
  return names.join() === fieldNames(usualColumns(group)).join() ? null : names
}
