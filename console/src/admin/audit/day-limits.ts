/** When a day of a filter begins, in the operator's time zone; undefined if there is none. */
export const startOf = (day: string): string | undefined => momentOf(new Date(`${day}T00:00:00`))

/** When the next day begins: the log lists entries before this time. */
export const endOf = (day: string): string | undefined => {
  const at = new Date(`${day}T00:00:00`)
  at.setDate(at.getDate() + 1)
  return momentOf(at)
}

const momentOf = (at: Date): string | undefined =>
  Number.isNaN(at.getTime()) ? undefined : at.toISOString()
