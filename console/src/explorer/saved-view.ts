import { listLink } from '../links.ts'

/** A saved list: filters, order and columns. */
export interface SavedView {
  readonly id: string
  readonly name: string
  /** The path of the group. */
  readonly group: string
  /** The parameters of the list's URL. */
  readonly query: string
  /** Whether it is shown in the navigation. */
  readonly isPinned: boolean
}

/** A longer list would be slow to load and hard to scan. */
export const savedViewsMax = 100
export const nameMax = 60

/** The link of a view. It contains the whole view, so that it works in every browser. */
export const savedViewLink = (brand: string, { group, name, query }: SavedView): string =>
  listLink(brand, group, { ...Object.fromEntries(new URLSearchParams(query)), saved: name })

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
