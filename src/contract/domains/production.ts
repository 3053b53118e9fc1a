import {
  changeTimes,
  date,
  id,
  integer,
  nullable,
  person,
  ref,
  text,
  timestamp,
} from '../fields.ts'
import { resource } from '../resource.ts'
import { productionRunViews } from '../views/orders.ts'

export const productionRuns = resource({
  path: 'production-runs',
  name: 'ProductionRun',
  domain: 'orders',
  origin: 'specified',
  summary: "A batch of an order's goods that is made and released together.",
  unique: [['orderId', 'runNumber']],
  title: 'runNumber',
  parent: 'orderId',
  specifiedEndpoints: ['list'],
  views: productionRunViews,
  fields: {
    id: id(),
    orderId: ref('orders'),
    originId: nullable(
      ref('locations', 'The location where the batch is made and from which it leaves.'),
    ),
    runNumber: integer(),
    actualExFactoryDate: nullable(date('Date on which the batch left originId.')),
    retractedAt: nullable(
      timestamp(
        'When the run was retracted because it was recorded in error. A retracted run is not counted.',
      ),
    ),
    retractedByUserId: nullable(person()),
    retractionReason: nullable(text()),
    ...changeTimes,
  },
  filters: [
    'orderId',
    'originId',
    ['orderItemId', { collection: 'production-run-items', match: 'productionRunId' }],
    'runNumber',
  ],
  sortable: ['runNumber', 'actualExFactoryDate'],
  newestFirst: 'updatedAt',
})

export const productionRunItems = resource({
  path: 'production-run-items',
  name: 'ProductionRunItem',
  domain: 'orders',
  origin: 'specified',
  summary: 'The quantity of one order item in a production run.',
  unique: [['productionRunId', 'orderItemId']],
  title: 'quantity',
  parent: 'productionRunId',
  specifiedEndpoints: ['list'],
  fields: {
    id: id(),
    productionRunId: ref('production-runs'),
    orderItemId: ref('order-items'),
    quantity: integer(),
    source: nullable(
      text({
        values: ['plan', 'supplier_report', 'packing_list', 'inspection', 'manual'],
        note: 'Open list. The source of the quantity.',
      }),
    ),
    ...changeTimes,
  },
  filters: ['productionRunId', 'orderItemId'],
})

export const productionRunItemRevisions = resource({
  path: 'production-run-item-revisions',
  name: 'ProductionRunItemRevision',
  domain: 'orders',
  summary: 'One change to the quantity of a production run item. Entries are never edited.',
  unique: [['productionRunItemId', 'revisionNumber']],
  title: 'revisionNumber',
  parent: 'productionRunItemId',
  fields: {
    id: id(),
    productionRunItemId: ref('production-run-items'),
    revisionNumber: integer(),
    previousQuantity: nullable(integer('Null for the first entry.')),
    quantity: integer(),
    source: nullable(
      text({ values: ['plan', 'supplier_report', 'packing_list', 'inspection', 'manual'] }),
    ),
    reason: nullable(text()),
    revisedByUserId: nullable(person()),
    createdAt: timestamp(),
  },
  filters: ['productionRunItemId', 'source'],
})
