import { money, percent, rate, unitPrice } from './amounts.ts'
import { date, isPast, moment } from './calendar.ts'
import type { SeasonContext } from './context.ts'
import { putDocument } from './documents.ts'
import { people } from './story-records.ts'

/** One line of a bill, in cents. */
export interface BillLine {
  readonly kind: 'goods' | 'deposit' | 'deposit_deduction' | 'freight' | 'discount'
  readonly description: string
  readonly cents: number
  readonly orderItemId?: string
  readonly shipmentItemId?: string
  readonly shipmentChargeId?: string
  readonly skuId?: string
  readonly quantity?: number
  /** Unit price in tenths. */
  readonly tenths?: number
}

/** The outcome of a bill: it is paid on its day, in part, or not at all. */
export type Fate = 'paid' | 'partly' | 'disputed'

/** A bill with its outcome, decided before it is written. */
export interface Bill {
  readonly id: string
  readonly number: string
  readonly kind: 'deposit' | 'commercial' | 'freight' | 'credit_note'
  readonly partnerId: string
  readonly supplierId: string | null
  readonly orderId: string | null
  readonly shipmentId: string | null
  readonly creditedInvoiceId: string | null
  readonly termId: string
  readonly day: number
  readonly dueDay: number | null
  readonly payDay: number
  readonly fate: Fate
  readonly currency: string
  readonly rate: number
  readonly taxPercent: number
  readonly lines: readonly BillLine[]
  /** The deduction by credit notes. */
  readonly creditedCents: number
  /** The error in the total as read from the document. */
  readonly misreadCents?: number
}

/** The sum of its lines, with and without tax. */
export const totalsOf = ({ lines, taxPercent }: Bill) => {
  const net = lines.reduce((sum, { cents }) => sum + cents, 0)
  const tax = lines.reduce((sum, { cents }) => sum + taxOf(cents, taxPercent), 0)
  return { net, tax, total: net + tax }
}

/** Taxed amounts are whole tens, so that their tax has no fraction of a cent. */
const taxOf = (cents: number, taxPercent: number): number => (cents * taxPercent) / 100

/** The amount of a bill that is paid by today. A partial payment is half. */
export const paidOf = (bill: Bill): number => {
  if (bill.kind === 'credit_note' || bill.fate === 'disputed' || !isPast(bill.payDay)) return 0
  const owed = totalsOf(bill).total - bill.creditedCents
  return bill.fate === 'partly' ? Math.floor(owed / 2) : owed
}

const approvedAfterDays = 3

const statusOf = (bill: Bill, paid: number, balance: number): string => {
  if (bill.fate === 'disputed') return 'disputed'
  if (bill.kind === 'credit_note') return 'approved'
  if (balance === 0) return 'paid'
  if (paid > 0) return 'partially_paid'
  return isPast(bill.day + approvedAfterDays) ? 'approved' : 'received'
}

/** Writes a bill with its file and its lines. */
export const putInvoice = (context: SeasonContext, bill: Bill): void => {
  const { put, random, shared } = context
  const { net, tax, total } = totalsOf(bill)
  const isCredit = bill.kind === 'credit_note'
  const paid = paidOf(bill)
  // The invoice that a credit note reduces uses it up.
  const credited = isCredit ? total : bill.creditedCents
  const balance = total - credited - paid
  const status = statusOf(bill, paid, balance)
  const approved = status !== 'received' && status !== 'disputed'
  const createdAt = moment(bill.day)
  const documentId = putDocument(context, {
    code: isCredit ? 'credit_note' : 'commercial_invoice',
    name: `${isCredit ? 'Credit note' : 'Invoice'} ${bill.number}`,
    reference: bill.number,
    day: bill.day,
    partnerId: bill.partnerId,
    orderId: bill.orderId,
    shipmentId: bill.shipmentId,
    userId: people.accounts,
  })
  put('invoices', {
    id: bill.id,
    invoiceNumber: bill.number,
    kind: bill.kind,
    status,
    partnerId: bill.partnerId,
    supplierId: bill.supplierId,
    orderId: bill.orderId,
    shipmentId: bill.shipmentId,
    documentId,
    creditedInvoiceId: bill.creditedInvoiceId,
    paymentTermId: bill.termId,
    invoiceDate: date(bill.day),
    receivedDate: date(bill.day),
    dueDate: bill.dueDay === null ? null : date(bill.dueDay),
    currency: bill.currency,
    exchangeRate: rate(bill.rate),
    statedTotalAmount: money(isCredit ? total : total + (bill.misreadCents ?? 0)),
    subtotalAmount: money(net),
    taxAmount: money(tax),
    totalAmount: money(total),
    creditedAmount: money(credited),
    paidAmount: money(paid),
    balanceAmount: money(balance),
    approvedAt: approved ? moment(bill.day, 15 * 60) : null,
    approvedByUserId: approved ? people.treasurer : null,
    enteredBy: people.accounts,
    createdAt,
    updatedAt: paid > 0 ? moment(bill.payDay) : createdAt,
  })
  bill.lines.forEach((line, place) => {
    put('invoice-lines', {
      id: random.id(),
      invoiceId: bill.id,
      lineNumber: place + 1,
      kind: line.kind,
      orderItemId: line.orderItemId ?? null,
      shipmentItemId: line.shipmentItemId ?? null,
      shipmentChargeId: line.shipmentChargeId ?? null,
      skuId: line.skuId ?? null,
      description: line.description,
      quantity: line.quantity === undefined ? null : String(line.quantity),
      unitOfMeasureId: line.quantity === undefined ? null : shared.piece,
      unitPrice: line.tenths === undefined ? null : unitPrice(line.tenths),
      amount: money(line.cents),
      taxRatePercent: bill.taxPercent === 0 ? null : percent(bill.taxPercent),
      taxAmount: money(taxOf(line.cents, bill.taxPercent)),
      createdAt,
    })
  })
}
