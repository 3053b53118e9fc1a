/** The last change and the last import of a brand's records, as the server reports them. */
export type RecordState = {
  changedAt: string | null
  lastImport: { at: string; changed: number } | null
}

export type Freshness = {
  /** The time at which the records were known to be correct. */
  at: string
  /** The number of records that the last import changed; null if unknown. */
  changed: number | null
  ageHours: number
  isStale: boolean
}

/**
 * Brands are imported at least nightly. After 26 hours, last night's import is missing or late, so
 * the records may be outdated.
 */
export const staleAfterHours = 26

/** The age of the records; null if there are none yet. */
export const freshnessOf = (
  { changedAt, lastImport }: RecordState,
  now: number,
): Freshness | null => {
  // An import without changes also confirms the records.
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
