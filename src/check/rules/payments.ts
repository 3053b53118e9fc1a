import { apart, orElse, orZero, over, percentOf, plus, sum, unequal } from '../amount.ts'
import { all, any, differ, is, isNot, missing, present, same } from '../condition.ts'
import { detailText, find, money, numbered } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, join, leftJoin, notDeleted, row } from '../source.ts'

const payment = row('payments', 'payment')
const settlement = row('payment-settlements', 'settlement')
const paymentReceipt = row('payment-receipts', 'receipt')
const agreement = row('payment-agreements', 'agreement')
const milestone = row('payment-milestones', 'milestone')
const invoice = row('invoices', 'invoice')
const order = row('orders', 'order')
const supplier = row('suppliers', 'supplier')

/** The settled amount of a payment, in its currency. */
const spent = derived('spent', {
  from: settlement,
  where: missing(settlement.reversedAt),
  columns: { paymentId: settlement.paymentId, amount: sum(settlement.amount) },
  group: [settlement.paymentId],
})

const milestones = derived('milestones', {
  from: milestone,
  columns: { agreementId: milestone.paymentAgreementId, amount: sum(milestone.amount) },
  group: [milestone.paymentAgreementId],
})

const share = percentOf(milestone.percent, agreement.totalAmount)

/** The settled amount of a milestone, in the currency of its invoice. */
const settled = derived('settled', {
  from: settlement,
  where: all(present(settlement.paymentMilestoneId), missing(settlement.reversedAt)),
  columns: {
    milestoneId: settlement.paymentMilestoneId,
    amount: sum(orElse(settlement.invoiceAmount, settlement.amount)),
  },
  group: [settlement.paymentMilestoneId],
})

const dealtWith = plus(orZero(settled.amount), orZero(milestone.waivedAmount))

const otherAccount = (each: typeof invoice | typeof payment | typeof agreement) =>
  find({
    from: each,
    join: [join(supplier, same(supplier.id, each.supplierId))],
    where: differ(supplier.partnerId, each.partnerId),
    detail: detailText`partner ${each.partnerId}, supplier ${supplier.code} belongs to ${supplier.partnerId}`,
  })

const arrived = plus(paymentReceipt.statedAmount, orZero(paymentReceipt.statedBankFeeAmount))

/** FIN-06 to FIN-11, FIN-17 and FIN-18: payments and payment agreements. */
export const paymentRules: readonly Rule[] = [
  rule(
    'FIN-06',
    'error',
    ['payments', 'payment-settlements'],
    'The settlements of a payment that are not reversed add up to at most its amount.',
    'Reverse the settlement that is too much.',
    find({
      from: payment,
      join: [join(spent, same(spent.paymentId, payment.id))],
      where: over(spent.amount, payment.amount),
      detail: detailText`paid ${money(payment.amount, payment.currency)}, settled ${money(spent.amount, payment.currency)}`,
    }),
  ),
  rule(
    'FIN-07',
    'warning',
    ['payments', 'payment-settlements'],
    'A completed payment is settled in full.',
    'Assign the rest of the payment to an invoice, or ask the partner to return it.',
    find({
      from: payment,
      join: [leftJoin(spent, same(spent.paymentId, payment.id))],
      where: all(is(payment.status, 'completed'), over(payment.amount, orZero(spent.amount))),
      detail: detailText`paid ${money(payment.amount, payment.currency)}, settled ${money(orZero(spent.amount), payment.currency)}`,
    }),
  ),
  rule(
    'FIN-08',
    'error',
    ['payment-settlements'],
    'A settlement pays the partner that issued the invoice; the invoice and the agreement of the milestone have the same order.',
    'Reverse the settlement, and settle an invoice of the right partner and order.',
    find({
      from: settlement,
      join: [
        join(payment, same(payment.id, settlement.paymentId)),
        leftJoin(invoice, same(invoice.id, settlement.invoiceId)),
        leftJoin(milestone, same(milestone.id, settlement.paymentMilestoneId)),
        leftJoin(agreement, same(agreement.id, milestone.paymentAgreementId)),
      ],
      where: all(
        missing(settlement.reversedAt),
        any(
          differ(invoice.partnerId, payment.partnerId),
          differ(invoice.orderId, agreement.orderId),
        ),
      ),
      detail: detailText`pays partner ${payment.partnerId}, the invoice is from ${invoice.partnerId} for order ${invoice.orderId}, the agreement for ${agreement.orderId}`,
    }),
  ),
  rule(
    'FIN-09',
    'error',
    ['payment-agreements', 'payment-milestones'],
    'The milestones of an agreement are numbered 1, 2, 3 ... and add up to its total; an amount with a percent is that percentage of the total.',
    'Renumber the milestones, and make their amounts add up to the agreement.',
    numbered({
      of: milestone,
      within: milestone.paymentAgreementId,
      number: milestone.sequence,
    }),
    find({
      from: agreement,
      join: [leftJoin(milestones, same(milestones.agreementId, agreement.id))],
      where: unequal(agreement.totalAmount, orZero(milestones.amount)),
      detail: detailText`total ${money(agreement.totalAmount, agreement.currency)}, its milestones add up to ${money(orZero(milestones.amount), agreement.currency)}`,
    }),
    find({
      from: milestone,
      join: [
        join(
          agreement,
          all(same(agreement.id, milestone.paymentAgreementId), notDeleted(agreement)),
        ),
      ],
      where: apart(milestone.amount, share, 2),
      detail: detailText`amount ${money(milestone.amount, agreement.currency)}, ${milestone.percent} percent of ${money(agreement.totalAmount, agreement.currency)} is ${money(share, agreement.currency)}`,
    }),
  ),
  rule(
    'FIN-10',
    'warning',
    ['payment-agreements', 'orders'],
    'The total of an agreement equals the total of its order.',
    'Agree on the payment of the changed order, or correct the total of the agreement.',
    find({
      from: agreement,
      join: [join(order, same(order.id, agreement.orderId))],
      where: all(
        isNot(agreement.status, 'cancelled'),
        unequal(agreement.totalAmount, order.totalAmount),
      ),
      detail: detailText`total ${money(agreement.totalAmount, agreement.currency)}, order ${order.orderNumber} is ${money(order.totalAmount, order.currency)}`,
    }),
  ),
  rule(
    'FIN-11',
    'error',
    ['payment-milestones', 'payment-settlements'],
    'The settled plus waived amount of a milestone is at most its amount, and equal to it once the milestone is paid.',
    'Correct the settled or the waived amount, or the status of the milestone.',
    find({
      from: milestone,
      join: [leftJoin(settled, same(settled.milestoneId, milestone.id))],
      where: any(
        over(dealtWith, milestone.amount),
        all(is(milestone.status, 'paid'), unequal(dealtWith, milestone.amount)),
      ),
      detail: detailText`${milestone.status}, amount ${milestone.amount}, settled ${orZero(settled.amount)}, waived ${milestone.waivedAmount}`,
    }),
  ),
  rule(
    'FIN-17',
    'error',
    ['invoices', 'payments', 'payment-agreements'],
    'If both supplier and partner are set, the supplier belongs to the partner.',
    'Choose a supplier of the partner.',
    otherAccount(invoice),
    otherAccount(payment),
    otherAccount(agreement),
  ),
  rule(
    'FIN-18',
    'warning',
    ['payment-receipts', 'payments'],
    'The received amount plus the deducted fee equals the sent amount, in the same currency.',
    'Ask the bank which fee was deducted on the way, and record it.',
    find({
      from: paymentReceipt,
      join: [join(payment, same(payment.id, paymentReceipt.paymentId))],
      where: any(
        unequal(arrived, payment.amount),
        differ(paymentReceipt.statedCurrency, payment.currency),
      ),
      detail: detailText`sent ${payment.amount} ${payment.currency}, arrived ${paymentReceipt.statedAmount} ${paymentReceipt.statedCurrency} less ${money(paymentReceipt.statedBankFeeAmount, paymentReceipt.statedCurrency)}`,
    }),
  ),
]
