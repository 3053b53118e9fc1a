import { apart, most, orZero, sum, times, unequal } from '../amount.ts'
import { all, any, differ, given, is, same } from '../condition.ts'
import { find, say } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, join, kept, leftJoin, row, some } from '../source.ts'
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
  where: all(is(amendment.status, 'applied'), kept(amendment)),
  columns: { orderId: amendment.orderId, last: most(amendment.revisionNumber) },
  group: [amendment.orderId],
})

const other = row('order-amendments', 'other')

/**
 * That an order had changed is told by another amendment applied in between, or by the order
 * itself, when its last change lies in between.
 */
const hadChanged = any(
  sql`${order.updatedAt} > ${amendment.baselineUpdatedAt} and ${order.updatedAt} < ${amendment.appliedAt}`,
  some({
    from: other,
    where: all(
      same(other.orderId, amendment.orderId),
      differ(other.id, amendment.id),
      is(other.status, 'applied'),
      kept(other),
      sql`${other.appliedAt} > ${amendment.baselineUpdatedAt}`,
      sql`${other.appliedAt} < ${amendment.appliedAt}`,
    ),
  }),
)

const basePrice = times(item.unitPrice, order.exchangeRate)

/** ORD-01 to ORD-07: orders and what changed them. */
export const orderRules: readonly Rule[] = [
  rule(
    'ORD-01',
    'error',
    ['orders', 'order-items'],
    'totalQuantity and totalAmount of an order are the sums of its items.',
    find({
      from: order,
      join: [leftJoin(items, same(items.orderId, order.id))],
      where: any(
        unequal(order.totalQuantity, orZero(items.quantity)),
        apart(order.totalAmount, orZero(items.amount), 2),
      ),
      detail: say`says ${order.totalQuantity} for ${order.totalAmount}, its items make ${orZero(items.quantity)} for ${orZero(items.amount)}`,
    }),
  ),
  rule(
    'ORD-02',
    'error',
    ['orders', 'order-amendments'],
    "An order's revisionNumber is the highest among its applied amendments, 0 without any.",
    find({
      from: order,
      join: [leftJoin(applied, same(applied.orderId, order.id))],
      where: unequal(order.revisionNumber, orZero(applied.last)),
      detail: say`revision ${order.revisionNumber}, the last applied amendment is ${orZero(applied.last)}`,
    }),
  ),
  rule(
    'ORD-03',
    'error',
    ['orders', 'quote-revisions'],
    'An order names the supplier and currency of the quote it was placed on.',
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
      detail: say`supplier ${order.supplierId} in ${order.currency}, quote ${quote.quoteNumber} is of ${quote.supplierId} in ${revision.currency}`,
    }),
  ),
  rule(
    'ORD-04',
    'error',
    ['order-items'],
    'The SKU and the product version of an order item are of the same product.',
    find({
      from: item,
      join: [
        join(sku, same(sku.id, item.skuId)),
        join(version, same(version.id, item.productVersionId)),
      ],
      where: differ(sku.productId, version.productId),
      detail: say`SKU ${sku.code} is of product ${sku.productId}, the version of ${version.productId}`,
    }),
  ),
  rule(
    'ORD-05',
    'error',
    ['order-items'],
    "unitPriceBase = unitPrice x the order's exchangeRate, to four places.",
    find({
      from: item,
      join: [join(order, same(order.id, item.orderId))],
      where: apart(item.unitPriceBase, basePrice, 4),
      detail: say`unitPriceBase is ${item.unitPriceBase}, the rate makes ${basePrice}`,
    }),
  ),
  rule(
    'ORD-06',
    'error',
    ['order-amendments'],
    "Applied amendments, and only those, have appliedAt; rejected ones say why; a quote revision they carry is of the order's own quote.",
    find({
      from: amendment,
      where: sql`(${is(amendment.status, 'applied')}) <> (${given(amendment.appliedAt)})`,
      detail: say`${amendment.status}, applied at ${amendment.appliedAt}`,
    }),
    find({
      from: amendment,
      where: all(
        is(amendment.status, 'rejected'),
        sql`coalesce(${amendment.rejectionNote}, '') = ''`,
      ),
      detail: say`${amendment.status} without a word`,
    }),
    find({
      from: amendment,
      join: [
        join(order, same(order.id, amendment.orderId)),
        join(revision, same(revision.id, amendment.revisionId)),
        leftJoin(ownRevision, same(ownRevision.id, order.quoteRevisionId)),
      ],
      where: sql`${ownRevision.quoteId} is distinct from ${revision.quoteId}`,
      detail: say`carries a revision of quote ${revision.quoteId}, the order was placed on ${ownRevision.quoteId}`,
    }),
  ),
  rule(
    'ORD-07',
    'warning',
    ['order-amendments'],
    'An amendment applied to an order that had changed since baselineUpdatedAt gives an overrideReason.',
    find({
      from: amendment,
      join: [join(order, same(order.id, amendment.orderId))],
      where: all(
        is(amendment.status, 'applied'),
        sql`coalesce(${amendment.overrideReason}, '') = ''`,
        hadChanged,
      ),
      detail: say`written against ${amendment.baselineUpdatedAt}, the order changed before ${amendment.appliedAt}`,
    }),
  ),
]
