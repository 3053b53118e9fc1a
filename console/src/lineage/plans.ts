import { dayIn, daysBetween } from '../../../src/contract/index.ts'
import { zone } from '../locale.ts'
import type { Lineage, LineageNode } from './lineage.ts'

/** A planned date and its outcome. */
export type Deviation = {
  planned: string
  /** Null if it has not happened yet. */
  actual: string | null
  /** Days after the plan, or until today if it has not happened; negative if it was early. */
  days: number
}

interface Plan {
  /** The fields with the planned date; the first one with a value counts. */
  readonly planned: readonly string[]
  /** The reference to the record with the plan, if that is another record. */
  readonly of?: { readonly field: string; readonly group: string }
  readonly actual: string | null
  /** Whether the plan still applies, according to the record. */
  readonly isOpen?: (record: LineageNode['record']) => boolean
}

const departure: Plan = { planned: ['estimatedDepartureAt'], actual: 'actualDepartureAt' }
const arrival: Plan = { planned: ['estimatedArrivalAt'], actual: 'actualArrivalAt' }

const isOwed = ({ balanceAmount }: LineageNode['record']): boolean =>
  typeof balanceAmount === 'string' && /[1-9]/.test(balanceAmount)

const plans: { readonly [group: string]: readonly Plan[] } = {
  'production-runs': [
    {
      planned: ['confirmedExFactoryDate', 'requestedExFactoryDate'],
      of: { field: 'orderId', group: 'orders' },
      actual: 'actualExFactoryDate',
    },
  ],
  shipments: [departure, arrival],
  legs: [departure, arrival],
  invoices: [{ planned: ['dueDate'], actual: null, isOpen: isOwed }],
  payments: [{ planned: ['scheduledDate'], actual: 'completedAt' }],
}

/** Statuses of records whose plans no longer apply. */
const over: ReadonlySet<unknown> = new Set([
  'cancelled',
  'void',
  'rejected',
  'failed',
  'superseded',
])

/** The deviations of a record from its plans on a given day, the last plan last. */
export const deviationsOf = (
  lineage: Lineage,
  { group, record, isMissing }: LineageNode,
  today: string,
): readonly Deviation[] => {
  const isVoid = over.has(record['status']) || record['retractedAt'] || record['deletedAt']
  if (isMissing || isVoid) return []
  return (plans[group.path] ?? []).flatMap((plan): readonly Deviation[] => {
    const source = plan.of
      ? lineage.nodes.get(`${plan.of.group}/${record[plan.of.field]}`)?.record
      : record
    const planned = plan.planned
      .map((field) => source?.[field])
      .find((each) => typeof each === 'string')
    if (typeof planned !== 'string' || Number.isNaN(Date.parse(planned))) return []
    const happened = plan.actual === null ? null : record[plan.actual]
    const actual = typeof happened === 'string' ? happened : null
    const days = daysBetween(dayOf(planned), actual === null ? today : dayOf(actual))
    if (actual !== null) return [{ planned, actual, days }]
    // A future date matters only once it is late.
    const isOpen = plan.isOpen?.(record) ?? true
    return isOpen && days > 0 ? [{ planned, actual: null, days }] : []
  })
}

/** The day of a date or timestamp in the brand's time zone. */
export const dayOf = (value: string): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : dayIn(zone(), Date.parse(value))
