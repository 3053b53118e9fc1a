import type { ViewDefinition } from '../view.ts'
import { all, beforeToday, notDeleted, oneOf, withinDays } from './conditions.ts'

const inUse = all(oneOf('status', ['received', 'in_review', 'approved']), notDeleted)

export const documentViews = {
  expired: {
    title: 'Expired documents in use',
    summary:
      'Documents that are in use (status received, in_review or approved) although their expiryDate is before today.',
    where: all(inUse, beforeToday('expiryDate')),
    dates: ['expiryDate'],
  },
  expiringWithin: {
    title: 'Documents that expire soon',
    summary:
      'Documents that are in use (status received, in_review or approved) and whose expiryDate is from today to so many days after today as the parameter days says.',
    where: all(inUse, withinDays('expiryDate', 'days')),
    parameters: [
      {
        name: 'days',
        summary: 'Number of days after today.',
        minimum: 0,
        maximum: 3_650,
        default: 30,
      },
    ],
    dates: ['expiryDate'],
  },
} as const satisfies { readonly [name: string]: ViewDefinition }
