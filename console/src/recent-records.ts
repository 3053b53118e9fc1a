import { useEffect } from 'react'

/** A recently opened record: only its location and its title. */
export type RecentRecord = { group: string; id: string; title: string }

const countMax = 10
const titleMax = 120

const prefix = 'selvedge-recent-'
const placeOf = (brand: string): string => prefix + brand

/** The records of a brand that were last opened in this browser, latest first. */
export const readRecent = (brand: string): readonly RecentRecord[] => {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(placeOf(brand)) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isRecent).slice(0, countMax) : []
  } catch {
    return []
  }
}

const isRecent = (value: unknown): value is RecentRecord => {
  const { group, id, title } = (value ?? {}) as Partial<RecentRecord>
  return [group, id, title].every((each) => typeof each === 'string')
}

/** Moves a record to the front. */
export const withRecent = (
  before: readonly RecentRecord[],
  { group, id, title }: RecentRecord,
): readonly RecentRecord[] =>
  [
    { group, id, title: [...title].slice(0, titleMax).join('') },
    ...before.filter((each) => each.group !== group || each.id !== id),
  ].slice(0, countMax)

/** Stores that a record was opened, once its title is known. */
export const useRememberRecord = (
  brand: string,
  group: string,
  id: string,
  title: string | null,
): void => {
  useEffect(() => {
    if (title === null) return
    const recent = withRecent(readRecent(brand), { group, id, title })
    try {
      localStorage.setItem(placeOf(brand), JSON.stringify(recent))
    } catch {
      // Storage may be full or forbidden; the list is optional.
    }
  }, [brand, group, id, title])
}

/** Titles are data of the brand, so they end with the session. */
export const forgetRecent = (): void => {
  for (const place of Object.keys(localStorage)) {
    if (place.startsWith(prefix)) localStorage.removeItem(place)
  }
}
