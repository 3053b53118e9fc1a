import { apart, orElse, orZero, over, percentOf, plus, sum, unequal } from '../amount.ts'
import { all, any, differ, given, is, isNot, missing, same } from '../condition.ts'
import { find, numbered, say } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, join, kept, leftJoin, row } from '../source.ts'

const payment = row('payments', 'payment')
const settlement = row('payment-settlements', 'settlement')
const paymentReceipt = row('payment-receipts', 'receipt')
const agreement = row('payment-agreements', 'agreement')
const milestone = row('payment-milestones', 'milestone')
const invoice = row('invoices', 'invoice')
const order = row('orders', 'order')
const supplier = row('suppliers', 'supplier')

/** What a payment settled, in its own currency. */
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

/** What was settled of a milestone, in the currency it is invoiced in. */
const settled = derived('settled', {
  from: settlement,
  where: all(given(settlement.paymentMilestoneId), missing(settlement.reversedAt)),
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
    detail: say`partner ${each.partnerId}, supplier ${supplier.code} is of ${supplier.partnerId}`,
  })

const arrived = plus(paymentReceipt.statedAmount, orZero(paymentReceipt.statedBankFeeAmount))

/** FIN-06 to FIN-11, FIN-17 and FIN-18: payments and what they were agreed on. */
export const paymentRules: readonly Rule[] = [
  rule(
    'FIN-06',
    'error',
    ['payments', 'payment-settlements'],
    'The settlements of a payment that stand are no more than its amount.',
    find({
      from: payment,
      join: [join(spent, same(spent.paymentId, payment.id))],
      where: over(spent.amount, payment.amount),
      detail: say`paid ${payment.amount}, settled ${spent.amount}`,
    }),
  ),
  rule(
    'FIN-07',
    'warning',
    ['payments', 'payment-settlements'],
    'A completed payment is settled in full (money sent that pays nothing).',
    find({
      from: payment,
      join: [leftJoin(spent, same(spent.paymentId, payment.id))],
      where: all(is(payment.status, 'completed'), over(payment.amount, orZero(spent.amount))),
      detail: say`paid ${payment.amount}, settled ${orZero(spent.amount)}`,
    }),
  ),
  rule(
    'FIN-08',
    'error',
    ['payment-settlements'],
    "A settlement pays the partner that issued the invoice, in the order of the milestone's agreement.",
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
      detail: say`pays partner ${payment.partnerId}, the invoice is of ${invoice.partnerId} for order ${invoice.orderId}, the agreement for ${agreement.orderId}`,
    }),
  ),
  rule(
    'FIN-09',
    'error',
    ['payment-agreements', 'payment-milestones'],
    'The milestones of an agreement are numbered 1, 2, 3 ... and add up to its total; an amount given in percent is that percent of the total.',
    numbered({
      of: milestone,
      within: milestone.paymentAgreementId,
      number: milestone.sequence,
    }),
    find({
      from: agreement,
      join: [leftJoin(milestones, same(milestones.agreementId, agreement.id))],
      where: unequal(agreement.totalAmount, orZero(milestones.amount)),
      detail: say`total ${agreement.totalAmount}, its milestones make ${orZero(milestones.amount)}`,
    }),
    find({
      from: milestone,
      join: [
        join(agreement, all(same(agreement.id, milestone.paymentAgreementId), kept(agreement))),
      ],
      where: apart(milestone.amount, share, 2),
      detail: say`${milestone.amount}, ${milestone.percent} percent of ${agreement.totalAmount} are ${share}`,
    }),
  ),
  rule(
    'FIN-10',
    'warning',
    ['payment-agreements', 'orders'],
    "An agreement's total is the total of its order.",
    find({
      from: agreement,
      join: [join(order, same(order.id, agreement.orderId))],
      where: all(
        isNot(agreement.status, 'cancelled'),
        unequal(agreement.totalAmount, order.totalAmount),
      ),
      detail: say`total ${agreement.totalAmount}, order ${order.orderNumber} is ${order.totalAmount}`,
    }),
  ),
  rule(
    'FIN-11',
    'error',
    ['payment-milestones', 'payment-settlements'],
    'What was settled and waived of a milestone is no more than its amount, and equals it once it is paid.',
    find({
      from: milestone,
      join: [leftJoin(settled, same(settled.milestoneId, milestone.id))],
      where: any(
        over(dealtWith, milestone.amount),
        all(is(milestone.status, 'paid'), unequal(dealtWith, milestone.amount)),
      ),
      detail: say`${milestone.status}, amount ${milestone.amount}, settled ${orZero(settled.amount)}, waived ${milestone.waivedAmount}`,
    }),
  ),
  rule(
    'FIN-17',
    'error',
    ['invoices', 'payments', 'payment-agreements'],
    'Where supplier and partner are both named, the supplier is the account of that partner.',
    otherAccount(invoice),
    otherAccount(payment),
    otherAccount(agreement),
  ),
  rule(
    'FIN-18',
    'warning',
    ['payment-receipts', 'payments'],
    'What arrived plus the fee taken on the way is what was sent, in the same currency.',
    find({
      from: paymentReceipt,
      join: [join(payment, same(payment.id, paymentReceipt.paymentId))],
      where: any(
        unequal(arrived, payment.amount),
        differ(paymentReceipt.statedCurrency, payment.currency),
      ),
      detail: say`sent ${payment.amount} ${payment.currency}, arrived ${paymentReceipt.statedAmount} ${paymentReceipt.statedCurrency} less ${paymentReceipt.statedBankFeeAmount}`,
    }),
  ),
]
