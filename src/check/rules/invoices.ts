import {
  apart,
  count,
  minus,
  orElse,
  orZero,
  over,
  plus,
  sum,
  times,
  unequal,
  whole,
} from '../amount.ts'
import { all, any, differ, is, isNot, missing, oneOf, present, same } from '../condition.ts'
import { detailText, find, money } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, join, leftJoin, notDeleted, row } from '../source.ts'
import { scaled, sql } from '../sql.ts'

const invoice = row('invoices', 'invoice')
const line = row('invoice-lines', 'line')
const settlement = row('payment-settlements', 'settlement')
const credit = row('invoices', 'credit')
const order = row('orders', 'order')
const orderItem = row('order-items', 'orderItem')
const item = row('shipment-items', 'item')
const charge = row('shipment-charges', 'charge')
const receipt = row('goods-receipts', 'receipt')
const receiptLine = row('goods-receipt-lines', 'receiptLine')

const lines = derived('lines', {
  from: line,
  columns: { invoiceId: line.invoiceId, amount: sum(line.amount), tax: sum(line.taxAmount) },
  group: [line.invoiceId],
})

const lineAmount = times(line.quantity, line.unitPrice)

const settled = derived('settled', {
  from: settlement,
  where: all(present(settlement.invoiceId), missing(settlement.reversedAt)),
  columns: {
    invoiceId: settlement.invoiceId,
    amount: sum(orElse(settlement.invoiceAmount, settlement.amount)),
  },
  group: [settlement.invoiceId],
})

const open = minus(minus(invoice.totalAmount, invoice.creditedAmount), invoice.paidAmount)

const issued = all(isNot(credit.status, 'draft'), isNot(credit.status, 'void'), notDeleted(credit))

/** The applied parts of credit notes on an invoice, as negative numbers. */
const credits = derived('credits', {
  from: credit,
  where: all(is(credit.kind, 'credit_note'), present(credit.creditedInvoiceId), issued),
  columns: { invoiceId: credit.creditedInvoiceId, amount: sum(credit.creditedAmount) },
  group: [credit.creditedInvoiceId],
})

const creditedOff = times(orZero(credits.amount), whole(-1))

/** An invoice that is neither deleted nor void. */
const isValid = all(notDeleted(invoice), isNot(invoice.status, 'void'))

const validInvoice = join(invoice, all(same(invoice.id, line.invoiceId), isValid))

/** Invoiced goods, minus those on credit notes. */
const invoiced = derived('invoiced', {
  from: line,
  join: [validInvoice],
  where: all(present(line.shipmentItemId), any(is(line.kind, 'goods'), sql`${line.quantity} < 0`)),
  columns: { itemId: line.shipmentItemId, quantity: sum(line.quantity) },
  group: [line.shipmentItemId],
})

const amountOfKind = (kind: string) =>
  scaled(line.amount.scale, (to) => [
    `sum(case when ${is(line.kind, kind).write(to)} then ${line.amount.write(to)} else 0 end)`,
  ])

const deposits = derived('deposits', {
  from: line,
  join: [validInvoice],
  where: all(oneOf(line.kind, ['deposit', 'deposit_deduction']), present(invoice.orderId)),
  columns: {
    orderId: invoice.orderId,
    invoiced: amountOfKind('deposit'),
    deducted: times(amountOfKind('deposit_deduction'), whole(-1)),
  },
  group: [invoice.orderId],
})

const chargeLines = derived('chargeLines', {
  from: line,
  join: [validInvoice],
  where: present(line.shipmentChargeId),
  columns: {
    chargeId: line.shipmentChargeId,
    count,
    amount: sum(line.amount),
    currency: sql`min(${invoice.currency})`,
    otherCurrency: sql`max(${invoice.currency})`,
  },
  group: [line.shipmentChargeId],
})

const chargedBase = times(charge.amount, charge.exchangeRate)

/** The invoiced goods and deposits of an order, without freight and duty. */
const billed = derived('billed', {
  from: invoice,
  join: [join(line, same(line.invoiceId, invoice.id))],
  where: all(
    present(invoice.orderId),
    isValid,
    oneOf(invoice.kind, ['deposit', 'commercial', 'credit_note']),
    oneOf(line.kind, [
      'goods',
      'deposit',
      'deposit_deduction',
      'surcharge',
      'discount',
      'adjustment',
    ]),
  ),
  columns: {
    orderId: invoice.orderId,
    amount: sum(line.amount),
    currency: sql`min(${invoice.currency})`,
    otherCurrency: sql`max(${invoice.currency})`,
  },
  group: [invoice.orderId],
})

const received = derived('received', {
  from: receiptLine,
  join: [
    join(
      receipt,
      all(
        same(receipt.id, receiptLine.goodsReceiptId),
        notDeleted(receipt),
        isNot(receipt.status, 'cancelled'),
      ),
    ),
    leftJoin(item, same(item.id, receiptLine.shipmentItemId)),
    join(
      orderItem,
      sql`${orderItem.id} = coalesce(${receiptLine.orderItemId}, ${item.orderItemId})`,
    ),
  ],
  columns: {
    orderId: orderItem.orderId,
    value: sum(times(receiptLine.receivedQuantity, orderItem.unitPrice)),
  },
  group: [orderItem.orderId],
})

/** FIN-01 to FIN-05, FIN-12 to FIN-16 and FIN-19: invoices. */
export const invoiceRules: readonly Rule[] = [
  rule(
    'FIN-01',
    'error',
    ['invoices', 'invoice-lines'],
    'subtotal = sum of the lines, tax = sum of their tax, total = subtotal + tax.',
    'Compare the invoice with the document, then correct its lines or its totals.',
    find({
      from: invoice,
      join: [leftJoin(lines, same(lines.invoiceId, invoice.id))],
      where: any(
        unequal(invoice.subtotalAmount, orZero(lines.amount)),
        unequal(invoice.taxAmount, orZero(lines.tax)),
        unequal(invoice.totalAmount, plus(invoice.subtotalAmount, invoice.taxAmount)),
      ),
      detail: detailText`subtotal ${money(invoice.subtotalAmount, invoice.currency)}, tax ${money(invoice.taxAmount, invoice.currency)}, total ${money(invoice.totalAmount, invoice.currency)}, its lines add up to ${money(orZero(lines.amount), invoice.currency)} and ${money(orZero(lines.tax), invoice.currency)}`,
    }),
  ),
  rule(
    'FIN-02',
    'warning',
    ['invoices'],
    'The total on the document equals the total of the record.',
    'Compare with the document: correct what was typed wrongly, or ask for a corrected invoice.',
    find({
      from: invoice,
      where: unequal(invoice.statedTotalAmount, invoice.totalAmount),
      detail: detailText`printed ${money(invoice.statedTotalAmount, invoice.currency)}, recorded ${money(invoice.totalAmount, invoice.currency)}`,
    }),
  ),
  rule(
    'FIN-03',
    'error',
    ['invoice-lines'],
    'The amount of a line is quantity x unitPrice to the cent, if both are set.',
    'Compare the line with the document, and correct the quantity, the price or the amount.',
    find({
      from: line,
      where: apart(line.amount, lineAmount, 2),
      detail: detailText`amount ${line.amount}, ${line.quantity} at ${line.unitPrice} give ${lineAmount}`,
    }),
  ),
  rule(
    'FIN-04',
    'error',
    ['invoices', 'payment-settlements'],
    'paid = sum of the settlements that are not reversed; balance = total - credited - paid.',
    'Recalculate the paid amount and the balance from the settlements.',
    find({
      from: invoice,
      join: [leftJoin(settled, same(settled.invoiceId, invoice.id))],
      where: any(
        unequal(invoice.paidAmount, orZero(settled.amount)),
        unequal(invoice.balanceAmount, open),
      ),
      detail: detailText`paid ${money(invoice.paidAmount, invoice.currency)}, its settlements add up to ${money(orZero(settled.amount), invoice.currency)}; balance ${money(invoice.balanceAmount, invoice.currency)}, expected ${money(open, invoice.currency)}`,
    }),
  ),
  rule(
    'FIN-05',
    'error',
    ['invoices'],
    'Credit notes are negative and add up to the credited amount of the invoice they reduce, in the same currency and from the same partner.',
    'Correct the sign, the partner or the currency of the credit note, or the credited amount of the invoice.',
    find({
      from: credit,
      where: all(is(credit.kind, 'credit_note'), sql`${credit.totalAmount} >= 0`),
      detail: detailText`credit note with the amount ${money(credit.totalAmount, credit.currency)}`,
    }),
    find({
      from: invoice,
      join: [leftJoin(credits, same(credits.invoiceId, invoice.id))],
      where: all(isNot(invoice.kind, 'credit_note'), unequal(invoice.creditedAmount, creditedOff)),
      detail: detailText`credited ${money(invoice.creditedAmount, invoice.currency)}, its credit notes add up to ${money(creditedOff, invoice.currency)}`,
    }),
    find({
      from: credit,
      join: [join(invoice, same(invoice.id, credit.creditedInvoiceId))],
      where: any(
        differ(credit.currency, invoice.currency),
        differ(credit.partnerId, invoice.partnerId),
      ),
      detail: detailText`in ${credit.currency} of partner ${credit.partnerId}, invoice ${invoice.invoiceNumber} is in ${invoice.currency} of ${invoice.partnerId}`,
    }),
  ),
  rule(
    'FIN-12',
    'error',
    ['invoices'],
    'A paid invoice has no balance; a partly paid one has both a payment and a balance.',
    'Set the status that follows from the paid amount and the balance.',
    find({
      from: invoice,
      where: any(
        all(is(invoice.status, 'paid'), unequal(invoice.balanceAmount, whole(0))),
        all(
          is(invoice.status, 'partially_paid'),
          sql`(${invoice.paidAmount} = 0 or ${invoice.balanceAmount} = 0)`,
        ),
      ),
      detail: detailText`${invoice.status}, paid ${money(invoice.paidAmount, invoice.currency)}, balance ${money(invoice.balanceAmount, invoice.currency)}`,
    }),
  ),
  rule(
    'FIN-13',
    'error',
    ['invoice-lines', 'shipment-items'],
    'The invoiced quantity of a shipment item is at most the shipped quantity.',
    'Reject the invoice, or ask for a credit note for the pieces that were not shipped.',
    find({
      from: item,
      join: [join(invoiced, same(invoiced.itemId, item.id))],
      where: over(invoiced.quantity, item.quantity),
      detail: detailText`shipped ${item.quantity}, invoiced ${invoiced.quantity}`,
    }),
  ),
  rule(
    'FIN-14',
    'warning',
    ['invoice-lines', 'order-items'],
    'Goods are invoiced at the ordered price.',
    'Ask the buyer whether the new price was agreed; otherwise dispute the invoice.',
    find({
      from: line,
      join: [
        validInvoice,
        join(orderItem, same(orderItem.id, line.orderItemId)),
        join(order, all(same(order.id, orderItem.orderId), same(order.currency, invoice.currency))),
      ],
      where: all(is(line.kind, 'goods'), unequal(line.unitPrice, orderItem.unitPrice)),
      detail: detailText`invoiced at ${money(line.unitPrice, invoice.currency)}, ordered at ${money(orderItem.unitPrice, order.currency)}`,
    }),
  ),
  rule(
    'FIN-15',
    'error',
    ['invoice-lines'],
    'The deposits deducted on the invoices of an order are at most the deposits invoiced for it.',
    'Ask the supplier to correct the deduction on the last invoice.',
    find({
      from: order,
      join: [join(deposits, same(deposits.orderId, order.id))],
      where: over(deposits.deducted, deposits.invoiced),
      detail: detailText`deposits invoiced ${money(deposits.invoiced, order.currency)}, deducted ${money(deposits.deducted, order.currency)}`,
    }),
  ),
  rule(
    'FIN-16',
    'error',
    ['shipment-charges', 'invoice-lines'],
    'An invoiced charge is invoiced at its amount, and an estimated charge is not invoiced; baseAmount = amount x exchangeRate.',
    'Compare the charge with the invoice of the forwarder, then correct its amount or its stage.',
    find({
      from: charge,
      join: [leftJoin(chargeLines, same(chargeLines.chargeId, charge.id))],
      // Amounts in different currencies cannot be compared.
      where: any(
        all(
          is(charge.stage, 'invoiced'),
          unequal(orZero(chargeLines.amount), charge.amount),
          any(
            missing(chargeLines.chargeId),
            all(
              same(chargeLines.currency, charge.currency),
              same(chargeLines.otherCurrency, charge.currency),
            ),
          ),
        ),
        all(is(charge.stage, 'estimated'), present(chargeLines.chargeId)),
      ),
      detail: detailText`${charge.stage} at ${money(charge.amount, charge.currency)}, invoice lines: ${orZero(chargeLines.count)} for ${money(orZero(chargeLines.amount), charge.currency)}`,
    }),
    find({
      from: charge,
      where: apart(charge.baseAmount, chargedBase, 2),
      detail: detailText`baseAmount is ${charge.baseAmount}, amount x exchangeRate is ${chargedBase}`,
    }),
  ),
  rule(
    'FIN-19',
    'warning',
    ['invoices', 'goods-receipt-lines'],
    'Three-way match: the invoiced amount of an order, net of credit notes, equals the received quantity at the ordered price.',
    'Before the next payment, ask for a credit note for what was not received.',
    find({
      from: order,
      join: [
        leftJoin(billed, same(billed.orderId, order.id)),
        leftJoin(received, same(received.orderId, order.id)),
      ],
      // Until an order is received, deposits are ahead of the goods.
      where: all(
        oneOf(order.status, ['received', 'closed']),
        apart(orZero(billed.amount), orZero(received.value), 2),
        any(
          missing(billed.orderId),
          all(same(billed.currency, order.currency), same(billed.otherCurrency, order.currency)),
        ),
      ),
      detail: detailText`invoiced ${money(orZero(billed.amount), order.currency)}, received goods worth ${money(orZero(received.value), order.currency)}`,
    }),
  ),
]
