/** When the records of a brand were last changed, and by which import, as the server says. */
export type RecordState = {
  changedAt: string | null
  lastImport: { at: string; changed: number } | null
}

export type Freshness = {
  /** The time that the records are known to be right for. */
  at: string
  /** How many records the last import changed; null if none is known. */
  changed: number | null
  ageHours: number
  isStale: boolean
}

/**
 * Brands are imported at least once a night. After a day and two hours, last night's import is
 * missing or late: what the console shows may be wrong by now.
 */
export const staleAfterHours = 26

/** How fresh records are; null where there are none yet. */
export const freshnessOf = (
  { changedAt, lastImport }: RecordState,
  now: number,
): Freshness | null => {
  // An import that changed nothing says as well that the records are right.
  const times = [changedAt, lastImport?.at ?? null].filter((each) => each !== null)
  const at = times.toSorted((a, b) => Date.parse(b) - Date.parse(a))[0]
  if (at === undefined) return null
  const ageHours = Math.max(0, Math.floor((now - Date.parse(at)) / 3_600_000))
  return {
    at,
    changed: lastImport?.changed ?? null,
    ageHours,
    isStale: ageHours >= staleAfterHours,
  }
}
