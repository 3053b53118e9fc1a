import { addDays, relativeDay } from '../../../src/contract/index.ts'

export { isRelativeDay, resolveDay, resolveDays } from '../../../src/contract/index.ts'

/** A named range of days. */
export interface DayPreset {
  readonly name: string
  readonly from: string | null
  /** The last day, inclusive. */
  readonly to: string | null
}

export const dayPresets = [
  { name: 'today', from: 'today', to: 'today' },
  { name: 'thisWeek', from: 'monday', to: 'monday+6' },
  { name: 'nextWeek', from: 'monday+7', to: 'monday+13' },
  { name: 'last7Days', from: 'today-6', to: 'today' },
  { name: 'last30Days', from: 'today-29', to: 'today' },
  { name: 'next30Days', from: 'today', to: 'today+29' },
  { name: 'past', from: null, to: 'today-1' },
] as const satisfies readonly DayPreset[]

export type DayPresetName = (typeof dayPresets)[number]['name']

/** The next day in the same form: a range of times ends at the start of the next day. */
export const dayAfter = (value: string): string => shifted(value, 1)
export const dayBefore = (value: string): string => shifted(value, -1)

const shifted = (value: string, by: number): string => {
  const counted = relativeDay(value)
  if (!counted) return addDays(value, by)
  const { from, days } = counted
  const sum = days + by
  return sum === 0 ? from : `${from}${sum > 0 ? '+' : ''}${sum}`
}
