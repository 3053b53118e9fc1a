import {
  type Condition,
  catalog,
  dayIn,
  daysBetween,
  fieldAt,
  type Resource,
  resolveView,
  type Today,
  type View,
} from '../../../src/contract/index.ts'
import type { Row } from '../api.ts'
import type { Field } from '../contract.ts'
import { fulfils } from './row-condition.ts'

/** A warning in a cell: a date in the past, or a quantity that is too low. */
export interface Mark {
  readonly kind: MarkKind
  /** Days since the date in the cell. */
  readonly days: number | null
}

export type MarkKind = 'late' | 'overdue' | 'expired' | 'out' | 'attention'

interface MarkDefinition {
  /** The marked cell is that of the first field with a value. */
  readonly fields: readonly string[]
  readonly kind: MarkKind
  readonly where: View['where']
}

const viewOf = (group: string, name: string): View['where'] => {
  const view = catalog.byPath.get(group)?.views.find((each) => each.name === name)
  if (!view) throw new RangeError(`${group} has no view ${name}.`)
  return view.where
}

/** In a view, and this planned date has passed without an actual one. */
const passed = (where: View['where'], planned: string, actual: string): View['where'] => ({
  kind: 'all',
  of: [
    where,
    { kind: 'null', field: actual, isNull: true },
    { kind: 'compare', field: planned, is: 'lt', value: { day: 0 } },
  ],
})

/** Open work whose date has passed, for groups without such a view in the contract. */
const openAfter = (field: string, statuses: readonly string[]): View['where'] => ({
  kind: 'all',
  of: [
    { kind: 'in', field: 'status', values: statuses },
    { kind: 'compare', field, is: 'lt', value: { day: 0 } },
  ],
})

const more = (field: string): View['where'] => ({ kind: 'compare', field, is: 'gt', value: 0 })

/** The marks of each list, defined by views of the contract where possible. */
const definitions: { readonly [group: string]: readonly MarkDefinition[] } = {
  orders: [
    {
      fields: ['confirmedExFactoryDate', 'requestedExFactoryDate'],
      kind: 'late',
      where: viewOf('orders', 'late'),
    },
    {
      fields: ['requestedDeliveryDate'],
      kind: 'late',
      where: viewOf('orders', 'deliveryLate'),
    },
  ],
  shipments: (
    [
      ['estimatedDepartureAt', 'actualDepartureAt'],
      ['estimatedArrivalAt', 'actualArrivalAt'],
    ] as const
  ).map(([planned, actual]) => ({
    fields: [planned],
    kind: 'late',
    where: passed(viewOf('shipments', 'delayed'), planned, actual),
  })),
  invoices: [{ fields: ['dueDate'], kind: 'overdue', where: viewOf('invoices', 'overdue') }],
  'payment-milestones': [
    {
      fields: ['dueDate'],
      kind: 'overdue',
      where: openAfter('dueDate', ['pending', 'due', 'partially_paid']),
    },
  ],
  payments: [
    {
      fields: ['scheduledDate'],
      kind: 'overdue',
      where: openAfter('scheduledDate', ['scheduled']),
    },
  ],
  documents: [{ fields: ['expiryDate'], kind: 'expired', where: viewOf('documents', 'expired') }],
  quotes: [
    {
      fields: ['responseDueDate'],
      kind: 'late',
      where: openAfter('responseDueDate', ['requested']),
    },
  ],
  samples: [
    {
      fields: ['dueDate'],
      kind: 'late',
      where: openAfter('dueDate', ['requested', 'in_progress']),
    },
  ],
  'sample-rounds': [
    {
      fields: ['dueDate'],
      kind: 'late',
      where: openAfter('dueDate', ['requested', 'in_making', 'sent']),
    },
  ],
  inventory: [{ fields: ['availableQuantity'], kind: 'out', where: viewOf('inventory', 'out') }],
  'goods-receipt-lines': [
    { fields: ['damagedQuantity'], kind: 'attention', where: more('damagedQuantity') },
    { fields: ['rejectedQuantity'], kind: 'attention', where: more('rejectedQuantity') },
  ],
}

/** Finds the marks of a row for a given day. */
export const marksOn = (group: string, today: Today) => {
  const resource = catalog.byPath.get(group)
  const marks = (definitions[group] ?? []).map((each) => ({
    ...each,
    condition: resolved(resource, each.where, today),
  }))
  const kindOf = (field: string): Field['kind'] =>
    fieldAt(resource?.fields ?? {}, field)?.kind ?? 'text'
  return (row: Row, fields: readonly Field[]): Mark | null => {
    const mark = marks.find(({ fields: [first] }) => fields.some(({ name }) => name === first))
    if (!mark || !fulfils(row, mark.condition, kindOf)) return null
    const value = mark.fields.map((name) => row[name]).find((each) => each !== null)
    const days = typeof value === 'string' ? daysBetween(dayOf(value, today), today.day) : null
    return { kind: mark.kind, days }
  }
}

const resolved = (resource: Resource | undefined, where: View['where'], today: Today): Condition =>
  resolveView({ where, parameters: [] }, today, new Map(), (field) =>
    fieldAt(resource?.fields ?? {}, field),
  )

/** The day of a date, or of a timestamp in the time zone. */
const dayOf = (value: string, { timezone }: Today): string =>
  /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : dayIn(timezone, Date.parse(value))
