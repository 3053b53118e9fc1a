import { useSyncExternalStore } from 'react'
import { parseViews, type SavedView, savedViewsMax } from './saved-view.ts'

const placeOf = (brand: string): string => `selvedge-views-${brand}`

const listeners = new Set<() => void>()
const cache = new Map<string, { readonly text: string | null; readonly views: SavedView[] }>()

/** The saved views of a brand in this browser, and functions that change them. */
export const useSavedViews = (brand: string) => {
  const views = useSyncExternalStore(subscribe, () => readViews(brand))
  return {
    views,
    /**
     * Saves a view and replaces one of the same group and name. False if the browser cannot store
     * it.
     */
    save: (view: Omit<SavedView, 'id'>): boolean => {
      const same = readViews(brand).find((each) => isSame(each, view))
      const id = same?.id ?? crypto.randomUUID()
      const others = readViews(brand).filter((each) => each !== same)
      const at = same ? readViews(brand).indexOf(same) : others.length
      return writeViews(brand, others.toSpliced(at, 0, { ...view, id }))
    },
    change: (id: string, change: Partial<Omit<SavedView, 'id' | 'group'>>): boolean =>
      writeViews(
        brand,
        readViews(brand).map((each) => (each.id === id ? { ...each, ...change } : each)),
      ),
    remove: (id: string): boolean =>
      writeViews(
        brand,
        readViews(brand).filter((each) => each.id !== id),
      ),
  }
}

const isSame = (one: Omit<SavedView, 'id'>, other: Omit<SavedView, 'id'>): boolean =>
  one.group === other.group && one.name === other.name

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('storage', listener)
  }
}

const readViews = (brand: string): readonly SavedView[] => {
  const text = localStorage.getItem(placeOf(brand))
  const cached = cache.get(brand)
  if (cached && cached.text === text) return cached.views
  const views = parseViews(text)
  cache.set(brand, { text, views })
  return views
}

const writeViews = (brand: string, views: readonly SavedView[]): boolean => {
  if (views.length > savedViewsMax) return false
  try {
    if (views.length === 0) localStorage.removeItem(placeOf(brand))
    else localStorage.setItem(placeOf(brand), JSON.stringify(views))
  } catch {
    return false
  }
  for (const listener of listeners) listener()
  return true
}
