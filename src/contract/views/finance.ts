import type { ViewDefinition, ViewParameter } from '../view.ts'
import {
  all,
  beforeToday,
  is,
  notDeleted,
  oneOf,
  referred,
  restOfWeek,
  withinDays,
} from './conditions.ts'

const days = (summary: string, standard: number): ViewParameter => ({
  name: 'days',
  summary,
  minimum: 0,
  maximum: 3_650,
  default: standard,
})

/** Excludes credit notes: their balance is never above 0. */
const unpaid = all(
  oneOf('status', ['received', 'approved', 'partially_paid', 'disputed']),
  notDeleted,
  is('balanceAmount', 'gt', '0'),
)

const isUnpaid =
  'status received, approved, partially_paid or disputed, and a balanceAmount greater than 0'

export const invoiceViews = {
  unpaid: {
    title: 'Unpaid invoices',
    summary: `Invoices with something left to pay: ${isUnpaid}.`,
    where: unpaid,
    dates: ['dueDate'],
  },
  overdue: {
    title: 'Overdue invoices',
    summary: `Unpaid invoices (${isUnpaid}) whose dueDate is before today.`,
    where: all(unpaid, beforeToday('dueDate')),
    dates: ['dueDate'],
  },
  dueThisWeek: {
    title: 'Invoices due this week',
    summary: `Unpaid invoices (${isUnpaid}) whose dueDate is from today to the Sunday of this week.`,
    where: all(unpaid, restOfWeek('dueDate')),
    dates: ['dueDate'],
  },
  dueWithin: {
    title: 'Invoices due soon',
    summary: `Unpaid invoices (${isUnpaid}) whose dueDate is from today to so many days after today as the parameter days says.`,
    where: all(unpaid, withinDays('dueDate', 'days')),
    parameters: [days('Number of days after today.', 7)],
    dates: ['dueDate'],
  },
  disputed: {
    title: 'Disputed invoices',
    summary: 'Invoices and credit notes with status disputed.',
    where: all(is('status', 'eq', 'disputed'), notDeleted),
    dates: ['dueDate'],
  },
} as const satisfies { readonly [name: string]: ViewDefinition }

export const paymentMilestoneViews = {
  reachedUnpaid: {
    title: 'Milestones reached and unpaid',
    summary:
      'Milestones whose trigger has occurred (reachedAt is not after today) and that are not paid in full (status pending, due or partially_paid), of agreements that are neither cancelled nor deleted.',
    where: all(
      oneOf('status', ['pending', 'due', 'partially_paid']),
      is('reachedAt', 'lt', { day: 1 }),
      referred(
        'paymentAgreementId',
        'payment-agreements',
        all(oneOf('status', ['draft', 'agreed', 'active', 'completed']), notDeleted),
      ),
    ),
    dates: ['dueDate', 'reachedAt'],
  },
} as const satisfies { readonly [name: string]: ViewDefinition }

export const paymentViews = {
  scheduled: {
    title: 'Scheduled payments',
    summary: 'Outgoing payments that are not completed yet: status scheduled or initiated.',
    where: all(is('direction', 'eq', 'outgoing'), oneOf('status', ['scheduled', 'initiated'])),
    dates: ['scheduledDate'],
  },
} as const satisfies { readonly [name: string]: ViewDefinition }
