import { useState } from 'react'
import type { Row } from '../api.ts'
import type { Group } from '../contract.ts'

/** The identity of a record, as the parameter `ids` takes it. */
export const identityOf = (group: Pick<Group, 'key'>, row: Row): string =>
  group.key.map((name) => String(row[name])).join(':')

/** The selected records of a list, also of other pages, or all of the list. */
export interface Selection {
  readonly rows: ReadonlyMap<string, Row>
  readonly isAll: boolean
  /** The record that a range begins at: the last one that was selected or deselected. */
  readonly anchor: string | null
}

export const noSelection: Selection = { rows: new Map(), isAll: false, anchor: null }

/** Selects or deselects a record; with `isRange`, also those between it and the anchor. */
export const toggled = (
  group: Pick<Group, 'key'>,
  selection: Selection,
  page: readonly Row[],
  at: number,
  isRange: boolean,
): Selection => {
  const row = page[at]
  if (row === undefined) return selection
  const identity = identityOf(group, row)
  const from = isRange ? page.findIndex((each) => identityOf(group, each) === selection.anchor) : -1
  const range = from < 0 ? [row] : page.slice(Math.min(from, at), Math.max(from, at) + 1)
  // From all of a list, those of the page remain selected.
  const before = selection.isAll ? byIdentity(group, page) : selection.rows
  const isOn = from < 0 ? !before.has(identity) : before.has(selection.anchor ?? '')
  const rows = new Map(before)
  for (const [key, each] of byIdentity(group, range)) {
    if (isOn) rows.set(key, each)
    else rows.delete(key)
  }
  return { rows, isAll: false, anchor: identity }
}

/** Selects all records of a page, or deselects them if all of them are selected. */
export const toggledPage = (
  group: Pick<Group, 'key'>,
  selection: Selection,
  page: readonly Row[],
): Selection => {
  const isOn = selection.isAll || isPageSelected(group, selection, page)
  const rows = new Map(selection.isAll ? [] : selection.rows)
  for (const [key, each] of byIdentity(group, page)) {
    if (isOn) rows.delete(key)
    else rows.set(key, each)
  }
  return { rows, isAll: false, anchor: null }
}

export const isSelected = (group: Pick<Group, 'key'>, selection: Selection, row: Row): boolean =>
  selection.isAll || selection.rows.has(identityOf(group, row))

export const isPageSelected = (
  group: Pick<Group, 'key'>,
  selection: Selection,
  page: readonly Row[],
): boolean => page.length > 0 && page.every((row) => isSelected(group, selection, row))

const byIdentity = (group: Pick<Group, 'key'>, rows: readonly Row[]): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [identityOf(group, row), row]))

/** The selection of a list. Other conditions are another list, in which nothing is selected. */
export const useSelection = (list: string) => {
  const [state, setState] = useState({ list, selection: noSelection })
  const selection = state.list === list ? state.selection : noSelection
  return [selection, (next: Selection) => setState({ list, selection: next })] as const
}
