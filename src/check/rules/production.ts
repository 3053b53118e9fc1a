import { orZero, over, percentOf, plus, sum, unequal } from '../amount.ts'
import { all, any, differ, missing, present, same } from '../condition.ts'
import { detailText, find } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, join, none, notDeleted, row, some } from '../source.ts'
import { sql } from '../sql.ts'
import { next, previous } from '../window.ts'
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
    before: previous(runItemRevision.quantity, inOrder),
    next: next(runItemRevision.id, inOrder),
  },
})

/** PRD-01 to PRD-05: production runs. */
export const productionRules: readonly Rule[] = [
  rule(
    'PRD-01',
    'error',
    ['production-run-items'],
    'The order item of a run item belongs to the order of the run.',
    'Correct the order item of the run item.',
    find({
      from: runItem,
      join: [
        join(run, same(run.id, runItem.productionRunId)),
        join(item, same(item.id, runItem.orderItemId)),
      ],
      where: differ(item.orderId, run.orderId),
      detail: detailText`the item belongs to order ${item.orderId}, the run to ${run.orderId}`,
    }),
  ),
  rule(
    'PRD-02',
    'error',
    ['production-run-items', 'order-items'],
    'Runs that are not retracted produce at most the ordered quantity of an item plus the tolerance.',
    'Ask the supplier to confirm the quantity; have more than the tolerance approved, or correct the run.',
    find({
      from: item,
      join: [
        join(order, same(order.id, item.orderId)),
        join(made, same(made.orderItemId, item.id)),
      ],
      where: over(made.quantity, allowed),
      detail: detailText`ordered ${item.qty}, allowed with tolerance ${allowed}, made ${made.quantity}`,
    }),
  ),
  rule(
    'PRD-03',
    'error',
    ['production-run-item-revisions'],
    'Revisions of a run item form a chain (each previousQuantity is the previous quantity) that ends at its current quantity.',
    'Complete the chain of revisions of the run item.',
    find({
      from: chain,
      names: ['production-run-item-revisions', chain.id],
      where: sql`${chain.previous} is distinct from ${chain.before}`,
      detail: detailText`previousQuantity is ${chain.previous}, the quantity before it is ${chain.before}`,
    }),
    find({
      from: chain,
      names: ['production-run-item-revisions', chain.id],
      join: [join(runItem, same(runItem.id, chain.productionRunItemId))],
      where: all(missing(chain.next), unequal(chain.quantity, runItem.quantity)),
      detail: detailText`the revisions end at ${chain.quantity}, the quantity of the run item is ${runItem.quantity}`,
    }),
  ),
  rule(
    'PRD-04',
    'error',
    ['production-runs', 'shipment-items'],
    'A retracted run has a user and a reason, and none of its goods were shipped.',
    'Give the reason of the retraction, or move the shipped goods to another run.',
    find({
      from: run,
      where: all(
        present(run.retractedAt),
        any(missing(run.retractedByUserId), sql`coalesce(${run.retractionReason}, '') = ''`),
      ),
      detail: detailText`retracted by ${run.retractedByUserId}, reason ${run.retractionReason}`,
    }),
    find({
      from: run,
      where: all(
        present(run.retractedAt),
        some({
          from: runItem,
          join: [
            join(shippedItem, same(shippedItem.productionRunItemId, runItem.id)),
            ...shippedOnly,
          ],
          where: same(runItem.productionRunId, run.id),
        }),
      ),
      detail: detailText`retracted at ${run.retractedAt}, but its goods were shipped`,
    }),
  ),
  rule(
    'PRD-05',
    'warning',
    ['production-runs', 'partner-locations'],
    "A run's origin is a site of the order's supplier.",
    'Add the site to the partner of the supplier, or correct the origin of the run.',
    find({
      from: run,
      join: [
        join(order, same(order.id, run.orderId)),
        join(supplier, same(supplier.id, order.supplierId)),
      ],
      where: all(
        present(run.originId),
        missing(run.retractedAt),
        none({
          from: site,
          where: all(
            same(site.partnerId, supplier.partnerId),
            same(site.locationId, run.originId),
            notDeleted(site),
          ),
        }),
      ),
      detail: detailText`origin ${run.originId} is not a site of supplier ${supplier.code}`,
    }),
  ),
]
