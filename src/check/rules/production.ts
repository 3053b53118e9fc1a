import { orZero, over, percentOf, plus, sum, unequal } from '../amount.ts'
import { all, any, differ, given, missing, same } from '../condition.ts'
import { find, say } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, join, kept, none, row, some } from '../source.ts'
import { sql } from '../sql.ts'
import { shippedItem, shippedOnly } from './shipped.ts'

const order = row('orders', 'order')
const item = row('order-items', 'item')
const run = row('production-runs', 'run')
const runItem = row('production-run-items', 'runItem')
const runItemRevision = row('production-run-item-revisions', 'revision')
const supplier = row('suppliers', 'supplier')
const site = row('partner-locations', 'site')

const made = derived('made', {
  from: runItem,
  join: [join(run, same(run.id, runItem.productionRunId))],
  where: missing(run.retractedAt),
  columns: { orderItemId: runItem.orderItemId, quantity: sum(runItem.quantity) },
  group: [runItem.orderItemId],
})

const allowed = plus(item.qty, percentOf(orZero(order.overTolerancePercent), item.qty))

const inOrder = sql`partition by ${runItemRevision.productionRunItemId} order by ${runItemRevision.revisionNumber}, ${runItemRevision.id}`

const chain = derived('chain', {
  from: runItemRevision,
  columns: {
    id: runItemRevision.id,
    productionRunItemId: runItemRevision.productionRunItemId,
    previous: runItemRevision.previousQuantity,
    quantity: runItemRevision.quantity,
    before: sql`lag(${runItemRevision.quantity}) over (${inOrder})`,
    next: sql`lead(${runItemRevision.id}) over (${inOrder})`,
  },
})

/** PRD-01 to PRD-05: production runs. */
export const productionRules: readonly Rule[] = [
  rule(
    'PRD-01',
    'error',
    ['production-run-items'],
    "The order item of a run item is on the run's order.",
    find({
      from: runItem,
      join: [
        join(run, same(run.id, runItem.productionRunId)),
        join(item, same(item.id, runItem.orderItemId)),
      ],
      where: differ(item.orderId, run.orderId),
      detail: say`the item is on order ${item.orderId}, the run on ${run.orderId}`,
    }),
  ),
  rule(
    'PRD-02',
    'error',
    ['production-run-items', 'order-items'],
    'Runs that were not retracted make no more of an item than ordered plus the tolerance.',
    find({
      from: item,
      join: [
        join(order, same(order.id, item.orderId)),
        join(made, same(made.orderItemId, item.id)),
      ],
      where: over(made.quantity, allowed),
      detail: say`ordered ${item.qty}, with the tolerance ${allowed}, made ${made.quantity}`,
    }),
  ),
  rule(
    'PRD-03',
    'error',
    ['production-run-item-revisions'],
    'Revisions of a run item form a chain (each previousQuantity is the quantity before), ending in its present quantity.',
    find({
      from: chain,
      names: ['production-run-item-revisions', chain.id],
      where: sql`${chain.previous} is distinct from ${chain.before}`,
      detail: say`previousQuantity is ${chain.previous}, the quantity before ${chain.before}`,
    }),
    find({
      from: chain,
      names: ['production-run-item-revisions', chain.id],
      join: [join(runItem, same(runItem.id, chain.productionRunItemId))],
      where: all(missing(chain.next), unequal(chain.quantity, runItem.quantity)),
      detail: say`ends in ${chain.quantity}, the run item says ${runItem.quantity}`,
    }),
  ),
  rule(
    'PRD-04',
    'error',
    ['production-runs', 'shipment-items'],
    'A retracted run says who and why, and nothing of it was shipped.',
    find({
      from: run,
      where: all(
        given(run.retractedAt),
        any(missing(run.retractedByUserId), sql`coalesce(${run.retractionReason}, '') = ''`),
      ),
      detail: say`retracted by ${run.retractedByUserId}, reason ${run.retractionReason}`,
    }),
    find({
      from: run,
      where: all(
        given(run.retractedAt),
        some({
          from: runItem,
          join: [
            join(shippedItem, same(shippedItem.productionRunItemId, runItem.id)),
            ...shippedOnly,
          ],
          where: same(runItem.productionRunId, run.id),
        }),
      ),
      detail: say`retracted at ${run.retractedAt}, goods of it were shipped`,
    }),
  ),
  rule(
    'PRD-05',
    'warning',
    ['production-runs', 'partner-locations'],
    "A run's origin is a site of the order's supplier.",
    find({
      from: run,
      join: [
        join(order, same(order.id, run.orderId)),
        join(supplier, same(supplier.id, order.supplierId)),
      ],
      where: all(
        given(run.originId),
        missing(run.retractedAt),
        none({
          from: site,
          where: all(
            same(site.partnerId, supplier.partnerId),
            same(site.locationId, run.originId),
            kept(site),
          ),
        }),
      ),
      detail: say`origin ${run.originId} is no site of supplier ${supplier.code}`,
    }),
  ),
]
