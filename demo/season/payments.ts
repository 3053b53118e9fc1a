import { fineRate, money, rate } from './amounts.ts'
import { date, isPast, moment, today } from './calendar.ts'
import type { SeasonContext } from './context.ts'
import { putDocument } from './documents.ts'
import { type Bill, paidOf, totalsOf } from './invoices.ts'
import { people } from './story-records.ts'

/** Irregularities of a payment. */
export type Course = 'plain' | 'failed_first' | 'settled_twice'

/** Bills of one partner with a common payment. */
export interface PaymentPlan {
  readonly bills: readonly { readonly bill: Bill; readonly milestoneId: string | null }[]
  readonly day: number
  readonly course: Course
  /** Paid in dollars, regardless of the bills' currency. */
  readonly inDollars: boolean
  readonly contactId: string | null
  readonly isConfirmed: boolean
}

const scheduledAheadDays = 21

/** The payment of due bills, or its planned date. */
export const putPayment = (context: SeasonContext, plan: PaymentPlan): void => {
  const [first] = plan.bills
  if (!first) return
  const { bill } = first
  const parts = plan.bills.map((each) => ({ ...each, cents: paidOf(each.bill) }))
  const cents = parts.reduce((sum, part) => sum + part.cents, 0)
  if (cents === 0) {
    const soon = !isPast(plan.day) && plan.day - today < scheduledAheadDays
    if (soon && bill.fate !== 'disputed') putScheduled(context, plan, bill)
    return
  }
  const crossed = plan.inDollars && bill.currency !== 'USD'
  const inPaid = (amount: number): number =>
    crossed ? Math.round((amount * bill.rate) / 1000) : amount
  const amount = parts.reduce((sum, part) => sum + inPaid(part.cents), 0)
  const settle = (
    paymentId: string,
    part: (typeof parts)[number],
    of: number,
    day: number,
    reversedAt: string | null,
  ): void => {
    const settledAt = moment(day, 12 * 60)
    context.put('payment-settlements', {
      id: context.random.id(),
      paymentId,
      invoiceId: part.bill.id,
      paymentMilestoneId: part.milestoneId,
      amount: money(inPaid(of)),
      invoiceAmount: money(of),
      exchangeRate: crossed ? fineRate(Math.round(1_000_000_000 / bill.rate)) : null,
      settledAt,
      reversedAt,
      createdAt: settledAt,
      updatedAt: reversedAt ?? settledAt,
    })
  }

  if (plan.course === 'failed_first') {
    const failed = putOne(context, bill, amount, plan.day - 1, 'failed', crossed)
    const returnedAt = moment(plan.day, 8 * 60)
    for (const part of parts) settle(failed.id, part, part.cents, plan.day - 1, returnedAt)
  }
  const paid = putOne(context, bill, amount, plan.day, 'completed', crossed)
  if (plan.course === 'settled_twice') {
    // Booked with a wrong amount, reversed, and booked again: only the last one counts.
    for (const part of parts) {
      settle(paid.id, part, part.cents - 100, plan.day, moment(plan.day, 13 * 60))
    }
  }
  for (const part of parts) settle(paid.id, part, part.cents, plan.day, null)
  if (plan.isConfirmed) putConfirmation(context, plan, bill, paid, amount, crossed)
}

const putScheduled = (context: SeasonContext, plan: PaymentPlan, bill: Bill): void => {
  const open = plan.bills.reduce(
    (sum, each) => sum + totalsOf(each.bill).total - each.bill.creditedCents,
    0,
  )
  putOne(context, bill, open, plan.day, 'scheduled', false)
}

interface Paid {
  readonly id: string
  readonly number: string
}

const bankFeeCents = 1200

/** Days until an invoice is approved and its payment is scheduled. */
const approvalDays = 4

const putOne = (
  { put, random, serials }: SeasonContext,
  bill: Bill,
  cents: number,
  day: number,
  status: 'scheduled' | 'completed' | 'failed',
  crossed: boolean,
): Paid => {
  const id = random.id()
  serials.payment += 1
  const number = `PAY-${10_000 + serials.payment}`
  const scheduled = status === 'scheduled'
  const dollars = crossed ? 1000 : bill.rate
  const currency = crossed ? 'USD' : bill.currency
  const createdAt = moment(scheduled ? Math.min(today - 1, bill.day + approvalDays) : day)
  put('payments', {
    id,
    paymentNumber: number,
    direction: 'outgoing',
    partnerId: bill.partnerId,
    supplierId: bill.supplierId,
    method: currency === 'EUR' ? 'sepa' : bill.supplierId === null ? 'ach' : 'wire',
    status,
    currency,
    amount: money(cents),
    exchangeRate: rate(dollars),
    baseAmount: money(Math.round((cents * dollars) / 1000)),
    bankFeeAmount: scheduled || bill.supplierId === null ? null : money(bankFeeCents),
    reference: scheduled ? null : `WT${number}`,
    scheduledDate: date(day),
    initiatedAt: scheduled ? null : moment(day),
    completedAt: status === 'completed' ? moment(day, 11 * 60) : null,
    initiatedByUserId: people.accounts,
    approvedByUserId: scheduled ? null : people.treasurer,
    memo: status === 'failed' ? 'Returned by the bank: account number closed' : null,
    createdAt,
    updatedAt: scheduled ? createdAt : moment(day, 11 * 60),
  })
  return { id, number }
}

const correspondentFeeCents = 1500

/** The payee's confirmation of the money, less the fees of intermediary banks. */
const putConfirmation = (
  context: SeasonContext,
  plan: PaymentPlan,
  bill: Bill,
  paid: Paid,
  cents: number,
  crossed: boolean,
): void => {
  const { put, random } = context
  const day = plan.day + 1
  if (!isPast(day)) return
  const createdAt = moment(day)
  const documentId = putDocument(context, {
    code: 'payment_proof',
    name: `Bank confirmation ${paid.number}`,
    reference: `WT${paid.number}`,
    day,
    partnerId: bill.partnerId,
    orderId: bill.orderId,
    shipmentId: null,
    userId: people.accounts,
  })
  put('payment-receipts', {
    id: random.id(),
    paymentId: paid.id,
    documentId,
    contactId: plan.contactId,
    reference: `CR-${paid.number.slice(4)}`,
    receivedDate: date(day),
    statedCurrency: crossed ? 'USD' : bill.currency,
    statedAmount: money(cents - correspondentFeeCents),
    statedBankFeeAmount: money(correspondentFeeCents),
    enteredBy: people.accounts,
    createdAt,
  })
}
