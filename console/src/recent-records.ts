import { useEffect } from 'react'

/** A record that was opened: where it is and what it is called, and nothing else of it. */
export type RecentRecord = { group: string; id: string; title: string }

const countMax = 10
const titleMax = 120

const prefix = 'selvedge-recent-'
const placeOf = (brand: string): string => prefix + brand

/** The records of a brand that were opened last in this browser, the latest first. */
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

/** With a record in front, each once. */
export const withRecent = (
  before: readonly RecentRecord[],
  { group, id, title }: RecentRecord,
): readonly RecentRecord[] =>
  [
    { group, id, title: [...title].slice(0, titleMax).join('') },
    ...before.filter((each) => each.group !== group || each.id !== id),
  ].slice(0, countMax)

/** Remembers that a record was opened, once its title is known. */
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
      // A full or forbidden storage only means that nothing is remembered.
    }
  }, [brand, group, id, title])
}

/** Titles are data of the brand: they do not outlive the session. */
export const forgetRecent = (): void => {
  for (const place of Object.keys(localStorage)) {
    if (place.startsWith(prefix)) localStorage.removeItem(place)
  }
}
