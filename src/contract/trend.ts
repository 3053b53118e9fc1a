import type { todayFigures } from './today.ts'

/** The path of the figures of past days, below the base path of the query API. */
export const trendPath = '/brands/{brand}/today/trend'
export const trendOperation = 'queryTrend'

/** The figures of the day that are drawn over time. */
export const trendFigures = [
  'ordersLate',
  'shipmentsOnTheWay',
  'invoicesOverdue',
  'stockOut',
] as const satisfies readonly (keyof typeof todayFigures)[]

/** How many days a trend has, with today. */
export const trendDays = { minimum: 2, maximum: 366, default: 90 } as const
