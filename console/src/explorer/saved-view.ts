import type { PublishedView } from '../../../src/contract/index.ts'
import { listLink } from '../links.ts'
import { type ListState, readListState, selectionOf, writeListState } from './list-state.ts'

/** A list that is saved in this browser: filters, order, columns and grouping. */
export interface SavedView extends PublishedView {
  readonly id: string
  /** Whether it is shown in the navigation. */
  readonly isPinned: boolean
}

/** A longer list would be slow to load and hard to scan. */
export const savedViewsMax = 100

/** The link of a view. It contains the whole view, so that it works in every browser. */
export const savedViewLink = (brand: string, { group, name, query }: PublishedView): string =>
  listLink(brand, group, writeListState({ ...readListState(query), saved: name }))

/** The view whose name a list has; of several, the one that shows the same. */
export const viewShown = <View extends PublishedView>(
  views: readonly View[],
  group: string,
  state: ListState,
): View | undefined => {
  const named = views.filter((each) => each.group === group && each.name === state.saved)
  return named.find(({ query }) => isSelection(query, state)) ?? named[0]
}

/** Whether a view has the filters, order and columns of a list. */
export const isSelection = (query: string, state: ListState): boolean => {
  const sorted = (each: ListState) => JSON.stringify(Object.entries(selectionOf(each)).sort())
  return sorted(readListState(query)) === sorted(state)
}

/** Ignores invalid entries: stored views may be edited or come from another release. */
export const parseViews = (text: string | null): SavedView[] => {
  try {
    const stored: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(stored) ? stored.filter(isView).slice(0, savedViewsMax) : []
  } catch {
    return []
  }
}

const isView = (value: unknown): value is SavedView => {
  const view = value as Partial<SavedView> | null
  return (
    [view?.id, view?.name, view?.group, view?.query].every((each) => typeof each === 'string') &&
    typeof view?.isPinned === 'boolean'
  )
}
