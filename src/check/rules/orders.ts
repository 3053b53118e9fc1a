import { apart, most, orZero, sum, times, unequal } from '../amount.ts'
import { all, any, differ, is, present, same } from '../condition.ts'
import { detailText, find, money } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, join, leftJoin, notDeleted, row, some } from '../source.ts'
import { sql } from '../sql.ts'

const order = row('orders', 'order')
const item = row('order-items', 'item')
const amendment = row('order-amendments', 'amendment')
const quote = row('quotes', 'quote')
const revision = row('quote-revisions', 'revision')
const ownRevision = row('quote-revisions', 'ownRevision')
const sku = row('skus', 'sku')
const version = row('product-versions', 'version')

const items = derived('items', {
  from: item,
  columns: {
    orderId: item.orderId,
    quantity: sum(item.qty),
    amount: sum(times(item.qty, item.unitPrice)),
  },
  group: [item.orderId],
})

const applied = derived('applied', {
  from: amendment,
  where: all(is(amendment.status, 'applied'), notDeleted(amendment)),
  columns: { orderId: amendment.orderId, last: most(amendment.revisionNumber) },
  group: [amendment.orderId],
})

const other = row('order-amendments', 'other')

/**
 * An order had changed if another amendment was applied in between, or if the last change of the order
 * itself is in between.
 */
const hadChanged = any(
  sql`${order.updatedAt} > ${amendment.baselineUpdatedAt} and ${order.updatedAt} < ${amendment.appliedAt}`,
  some({
    from: other,
    where: all(
      same(other.orderId, amendment.orderId),
      differ(other.id, amendment.id),
      is(other.status, 'applied'),
      notDeleted(other),
      sql`${other.appliedAt} > ${amendment.baselineUpdatedAt}`,
      sql`${other.appliedAt} < ${amendment.appliedAt}`,
    ),
  }),
)

const basePrice = times(item.unitPrice, order.exchangeRate)

/** ORD-01 to ORD-07: orders and their amendments. */
export const orderRules: readonly Rule[] = [
  rule(
    'ORD-01',
    'error',
    ['orders', 'order-items'],
    'totalQuantity and totalAmount of an order are the sums of its items.',
    'Compare the order with the purchase order that was sent, then correct the totals or the items.',
    find({
      from: order,
      join: [leftJoin(items, same(items.orderId, order.id))],
      where: any(
        unequal(order.totalQuantity, orZero(items.quantity)),
        apart(order.totalAmount, orZero(items.amount), 2),
      ),
      detail: detailText`totals are quantity ${order.totalQuantity} and amount ${money(order.totalAmount, order.currency)}; its items add up to ${orZero(items.quantity)} and ${money(orZero(items.amount), order.currency)}`,
    }),
  ),
  rule(
    'ORD-02',
    'error',
    ['orders', 'order-amendments'],
    'The revisionNumber of an order is the highest of its applied amendments, or 0 if there are none.',
    'Set revisionNumber of the order to that of its last applied amendment.',
    find({
      from: order,
      join: [leftJoin(applied, same(applied.orderId, order.id))],
      where: unequal(order.revisionNumber, orZero(applied.last)),
      detail: detailText`revision ${order.revisionNumber}, the last applied amendment is ${orZero(applied.last)}`,
    }),
  ),
  rule(
    'ORD-03',
    'error',
    ['orders', 'quote-revisions'],
    'An order has the supplier and currency of the quote that it is based on.',
    'Correct the supplier or the currency of the order, or refer to another quote revision.',
    find({
      from: order,
      join: [
        join(revision, same(revision.id, order.quoteRevisionId)),
        join(quote, same(quote.id, revision.quoteId)),
      ],
      where: any(
        differ(quote.supplierId, order.supplierId),
        differ(revision.currency, order.currency),
      ),
      detail: detailText`supplier ${order.supplierId} in ${order.currency}, quote ${quote.quoteNumber} is from ${quote.supplierId} in ${revision.currency}`,
    }),
  ),
  rule(
    'ORD-04',
    'error',
    ['order-items'],
    'The SKU and the product version of an order item belong to the same product.',
    'Choose the SKU or the version of the product that was ordered.',
    find({
      from: item,
      join: [
        join(sku, same(sku.id, item.skuId)),
        join(version, same(version.id, item.productVersionId)),
      ],
      where: differ(sku.productId, version.productId),
      detail: detailText`SKU ${sku.code} belongs to product ${sku.productId}, the version to ${version.productId}`,
    }),
  ),
  rule(
    'ORD-05',
    'error',
    ['order-items'],
    "unitPriceBase = unitPrice x the order's exchangeRate, to four places.",
    'Recalculate unitPriceBase from unitPrice and the exchange rate of the order.',
    find({
      from: item,
      join: [join(order, same(order.id, item.orderId))],
      where: apart(item.unitPriceBase, basePrice, 4),
      detail: detailText`unitPriceBase is ${item.unitPriceBase}, unitPrice x exchangeRate is ${basePrice}`,
    }),
  ),
  rule(
    'ORD-06',
    'error',
    ['order-amendments'],
    'Only applied amendments have appliedAt; rejected amendments have a reason; the quote revision of an amendment belongs to the quote of the order.',
    'Complete the amendment: the time it was applied, the reason of the rejection, or the right quote revision.',
    find({
      from: amendment,
      where: sql`(${is(amendment.status, 'applied')}) <> (${present(amendment.appliedAt)})`,
      detail: detailText`${amendment.status}, applied at ${amendment.appliedAt}`,
    }),
    find({
      from: amendment,
      where: all(
        is(amendment.status, 'rejected'),
        sql`coalesce(${amendment.rejectionNote}, '') = ''`,
      ),
      detail: detailText`${amendment.status} without a reason`,
    }),
    find({
      from: amendment,
      join: [
        join(order, same(order.id, amendment.orderId)),
        join(revision, same(revision.id, amendment.revisionId)),
        leftJoin(ownRevision, same(ownRevision.id, order.quoteRevisionId)),
      ],
      where: sql`${ownRevision.quoteId} is distinct from ${revision.quoteId}`,
      detail: detailText`refers to a revision of quote ${revision.quoteId}, the order is based on ${ownRevision.quoteId}`,
    }),
  ),
  rule(
    'ORD-07',
    'warning',
    ['order-amendments'],
    'An amendment that is applied to an order that has changed since baselineUpdatedAt has an overrideReason.',
    'Ask who applied the amendment, and record why in overrideReason.',
    find({
      from: amendment,
      join: [join(order, same(order.id, amendment.orderId))],
      where: all(
        is(amendment.status, 'applied'),
        sql`coalesce(${amendment.overrideReason}, '') = ''`,
        hadChanged,
      ),
      detail: detailText`written against ${amendment.baselineUpdatedAt}, the order changed before ${amendment.appliedAt}`,
    }),
  ),
]
