import { calendarOperation, calendarOrdersMax, type Schema } from '#contract'
import { objectSchema, schemaRef } from './components.ts'
import { afterWriteParameter, asOfParameter, responsesFor } from './operations.ts'

const id: Schema = { type: 'string', format: 'uuid' }
const text = (description: string): Schema => ({ type: 'string', description })
const textOrNull = (description: string): Schema => ({ type: ['string', 'null'], description })
const count = (description: string): Schema => ({ type: 'integer', description })
const day = (description: string): Schema => ({
  type: ['string', 'null'],
  format: 'date',
  description,
})
const certainDay = (description: string): Schema => ({
  type: 'string',
  format: 'date',
  description,
})
const ids = (description: string): Schema => ({ type: 'array', description, items: id })
const listOf = (name: string, description: string): Schema => ({
  type: 'array',
  description,
  items: schemaRef(name),
})

const planned = (description: string): Schema =>
  objectSchema(description, {
    planned: day('The planned day.'),
    actual: day('The day on which it happened.'),
  })
const totals = (description: string): Schema =>
  objectSchema(description, { items: count('How many.'), pieces: count('Their pieces.') })

/** The schemas of the calendar of open orders. */
export const calendarSchemas: { readonly [name: string]: Schema } = {
  Calendar: objectSchema('The dates of open orders. Days are those of the brand.', {
    asOf: certainDay('The day that was taken for today.'),
    timezone: text('The time zone of the brand.'),
    open: totals('All orders of the view open.'),
    late: totals('All orders of the view late.'),
    isCut: {
      type: 'boolean',
      description: `Whether orders are left out, because there are more than ${calendarOrdersMax}.`,
    },
    orders: listOf(
      'CalendarOrder',
      `The open orders, by the confirmed ex-factory date, else the requested one: at most ${calendarOrdersMax}.`,
    ),
    shipments: listOf('CalendarShipment', 'Their shipments.'),
    suppliers: listOf('CalendarSupplier', 'Their suppliers.'),
    collections: listOf('CalendarCollection', 'The collections of their goods.'),
    launchWindows: listOf('CalendarWindow', 'The launch windows of their goods.'),
  }),
  CalendarOrder: objectSchema('An open order.', {
    id,
    orderNumber: { type: 'string' },
    status: { type: 'string' },
    supplierId: { anyOf: [id, { type: 'null' }] },
    pieces: count('Pieces ordered.'),
    exFactory: objectSchema('When it leaves the supplier.', {
      requested: day('The day that the brand requested.'),
      confirmed: day('The day that the supplier confirmed.'),
      actual: day('The last day on which a part left, once everything has.'),
    }),
    requestedDelivery: day('The day of delivery that the brand requested.'),
    daysLate: count('Days past the ex-factory date if the order is in the view late, else 0.'),
    shipmentIds: ids('Its shipments.'),
    collectionIds: ids('The collections of its goods.'),
    launchWindowIds: ids('The launch windows of its goods.'),
  }),
  CalendarShipment: objectSchema('A shipment of open orders.', {
    id,
    shipmentNumber: { type: 'string' },
    status: { type: 'string' },
    departure: planned('When it departs.'),
    arrival: planned('When it arrives.'),
    isDelayed: { type: 'boolean', description: 'Whether it is in the view delayed.' },
  }),
  CalendarSupplier: objectSchema('A supplier.', { id, name: textOrNull('Its name.') }),
  CalendarCollection: objectSchema('A collection.', {
    id,
    name: { type: 'string' },
    season: textOrNull('Its season.'),
  }),
  CalendarWindow: objectSchema('A launch window.', {
    id,
    name: { type: 'string' },
    channel: textOrNull('Its channel.'),
    from: certainDay('The first day.'),
    to: certainDay('The last day.'),
  }),
}

export const describeCalendar: Schema = {
  operationId: calendarOperation,
  tags: ['Today'],
  summary: 'Get the dates of the open orders',
  description:
    'The days on which open orders leave their suppliers, their shipments depart and arrive, and their goods are launched, for a calendar.',
  parameters: [{ $ref: '#/components/parameters/brand' }, asOfParameter, afterWriteParameter],
  responses: responsesFor({ description: 'The calendar', schema: schemaRef('Calendar') }),
}
