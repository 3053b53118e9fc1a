import { money, percent, worth } from './amounts.ts'
import { date, isPast, moment } from './calendar.ts'
import type { SeasonContext } from './context.ts'
import { putDocument, putNote } from './documents.ts'
import { carrierRate, freightInvoiceDay } from './freight.ts'
import { type Bill, type BillLine, paidOf, putInvoice, totalsOf } from './invoices.ts'
import type { Instalment } from './library.ts'
import { type Course, putPayment } from './payments.ts'
import { carried, hasLeft, type OrderPlan, type PlannedShipment, shortCents } from './plan.ts'
import { hasOrdered } from './schedule.ts'
import type { Shipped } from './shipping.ts'
import { people } from './story-records.ts'

/** The invoices of the supplier and the forwarder for an order, and their payments. */
export const putFinance = (
  context: SeasonContext,
  plan: OrderPlan,
  shipments: readonly Shipped[],
): void => {
  if (plan.status === 'draft') return
  const ordered = hasOrdered(plan.status) && plan.status !== 'cancelled'
  const deposit = ordered ? depositBill(context, plan) : null
  const goods = ordered ? goodsBills(context, plan, shipments, deposit) : []
  for (const bill of deposit ? [deposit, ...goods] : goods) putInvoice(context, bill)
  for (const bill of goods) {
    const shipped = shipments.find(({ id }) => id === bill.shipmentId)
    if (shipped) putShortCredit(context, plan, bill, shipped.plan)
  }
  const milestones = putAgreement(context, plan, deposit, goods)
  putSupplierPayments(context, plan, deposit, goods, milestones)
  for (const shipped of shipments) putFreight(context, plan, shipped)
}

const nextNumber = ({ serials }: SeasonContext, prefix: string): string => {
  serials.invoice += 1
  return `${prefix}-${10_000 + serials.invoice}`
}

const supplierBill = (context: SeasonContext, plan: OrderPlan, day: number) => {
  const { supplier } = plan.style
  return {
    id: context.random.id(),
    number: nextNumber(context, supplier.invoicePrefix),
    day,
    partnerId: supplier.partnerId,
    supplierId: supplier.id,
    orderId: plan.id,
    creditedInvoiceId: null,
    termId: supplier.term.id,
    currency: plan.currency,
    rate: plan.rate ?? 1000,
    taxPercent: 0,
    creditedCents: 0,
  } satisfies Partial<Bill>
}

/** A share of the order. Totals are whole tenths and shares whole tens, so it has no fraction. */
const shareOf = (cents: number, { percent: share }: Instalment): number => (cents * share) / 100

const depositBill = (context: SeasonContext, plan: OrderPlan): Bill | null => {
  const { deposit } = plan
  if (!deposit || !isPast(plan.confirmDay + 1)) return null
  return {
    ...supplierBill(context, plan, plan.confirmDay + 1),
    kind: 'deposit',
    shipmentId: null,
    dueDay: plan.confirmDay + deposit.offsetDays,
    payDay: plan.depositPayDay,
    fate: 'paid',
    lines: [
      {
        kind: 'deposit',
        description: `${deposit.percent}% deposit ${plan.orderNumber}`,
        cents: shareOf(plan.totalCents, deposit),
      },
    ],
  }
}

/** An invoice for each departed shipment, less its part of the deposit. */
const goodsBills = (
  context: SeasonContext,
  plan: OrderPlan,
  shipments: readonly Shipped[],
  deposit: Bill | null,
): readonly Bill[] => {
  let open = deposit ? totalsOf(deposit).total : 0
  const left = shipments.filter((shipped) => hasLeft(shipped.plan))
  return left.map((shipped, place) => {
    const { plan: shipment } = shipped
    const lines: BillLine[] = shipment.lines.map((line, index) => {
      const quantity = carried(shipment, line)
      return {
        kind: 'goods',
        description: `${plan.style.name} ${line.colour} ${line.size}`,
        cents: worth(quantity, plan.tenths),
        orderItemId: line.id,
        shipmentItemId: shipped.itemIds[index] as string,
        skuId: line.skuId,
        quantity,
        tenths: plan.tenths,
      }
    })
    if (deposit && plan.deposit) {
      const value = lines.reduce((sum, { cents }) => sum + cents, 0)
      // The last shipment of an order uses up the rest of its deposit.
      const isLast = place === plan.shipments.length - 1
      const deducted = isLast ? open : shareOf(value, plan.deposit)
      open -= deducted
      lines.push({
        kind: 'deposit_deduction',
        description: `Deposit ${deposit.number}`,
        cents: -deducted,
      })
    }
    return {
      ...supplierBill(context, plan, shipment.depart),
      kind: 'commercial',
      shipmentId: shipped.id,
      dueDay: shipment.dueDay,
      payDay: shipment.payDay,
      fate: plan.dispute === 'goods' ? 'disputed' : 'paid',
      lines,
      creditedCents: isCredited(plan, shipment) ? shortCents(shipment, plan) : 0,
    }
  })
}

/** The day on which the supplier credits missing pieces. */
const creditDay = ({ receive }: PlannedShipment): number => receive + 6

/** Shortages that were paid before the count, or are disputed, are not credited. */
const isCredited = ({ dispute }: OrderPlan, shipment: PlannedShipment): boolean =>
  dispute !== 'goods' && creditDay(shipment) <= shipment.payDay && isPast(creditDay(shipment))

/** The credit note for the missing pieces of a shipment. */
const putShortCredit = (
  context: SeasonContext,
  plan: OrderPlan,
  bill: Bill,
  shipment: PlannedShipment,
): void => {
  if (bill.creditedCents === 0 || !shipment.short) return
  putInvoice(context, {
    ...bill,
    ...supplierBill(context, plan, creditDay(shipment)),
    kind: 'credit_note',
    creditedInvoiceId: bill.id,
    dueDay: null,
    lines: [
      {
        kind: 'discount',
        description: `${shipment.short.pieces} pieces short, ${bill.number}`,
        cents: -bill.creditedCents,
      },
    ],
    creditedCents: 0,
  })
}

/** The payment agreement of an order. Returns the ids of its instalments, in order. */
const putAgreement = (
  context: SeasonContext,
  plan: OrderPlan,
  deposit: Bill | null,
  goods: readonly Bill[],
): readonly string[] => {
  const { put, random } = context
  const { supplier } = plan.style
  const { status, totalCents, confirmDay } = plan
  const id = random.id()
  const ordered = hasOrdered(status)
  const bills = deposit ? [deposit, ...goods] : goods
  const paid = bills.reduce((sum, bill) => sum + paidOf(bill), 0)
  const isDone = status === 'closed' || (status === 'received' && bills.every(isPaid))
  const reference = `PA-${plan.orderNumber.slice(3)}`
  const agreedDay = ordered ? confirmDay : plan.orderDay
  const documentId = ordered
    ? putDocument(context, {
        code: 'payment_agreement',
        name: `Payment agreement ${reference}`,
        reference,
        day: agreedDay,
        partnerId: supplier.partnerId,
        orderId: plan.id,
        shipmentId: null,
        userId: people.accounts,
      })
    : null
  const createdAt = moment(agreedDay)
  const lastPaid = bills.filter((bill) => paidOf(bill) > 0).map(({ payDay }) => payDay)
  put('payment-agreements', {
    id,
    reference,
    orderId: plan.id,
    partnerId: supplier.partnerId,
    supplierId: supplier.id,
    paymentTermId: supplier.term.id,
    documentId,
    status: agreementStatus(plan, isDone, paid),
    currency: plan.currency,
    totalAmount: money(totalCents),
    agreedAt: ordered ? createdAt : null,
    createdAt,
    updatedAt:
      status === 'cancelled' ? moment(plan.cancelDay) : moment(Math.max(agreedDay, ...lastPaid)),
  })
  const wholly = plan.shipments.every(hasLeft) && (status === 'received' || status === 'closed')
  const sent = goods.reduce((sum, bill) => sum + totalsOf(bill).total - bill.creditedCents, 0)
  const instalments = plan.deposit ? [plan.deposit, plan.balance] : [plan.balance]
  return instalments.map((instalment, place) => {
    const milestoneId = random.id()
    const amount = shareOf(totalCents, instalment)
    const isDeposit = instalment === plan.deposit
    const ofIt = isDeposit ? (deposit ? [deposit] : []) : goods
    const settled = ofIt.reduce((sum, bill) => sum + paidOf(bill), 0)
    const waived = status === 'cancelled' ? amount : !isDeposit && wholly ? amount - sent : 0
    const reachedDay = isDeposit ? confirmDay : balanceDay(plan)
    const reached = ordered && reachedDay !== null && isPast(reachedDay)
    put('payment-milestones', {
      id: milestoneId,
      paymentAgreementId: id,
      sequence: place + 1,
      name: instalment.name,
      trigger: instalment.trigger,
      percent: percent(instalment.percent),
      amount: money(amount),
      offsetDays: instalment.offsetDays,
      reachedAt: reached ? moment(reachedDay, 18 * 60) : null,
      dueDate: reached ? date(reachedDay + instalment.offsetDays) : null,
      status:
        status === 'cancelled'
          ? 'waived'
          : settled + waived === amount
            ? 'paid'
            : settled > 0
              ? 'partially_paid'
              : reached
                ? 'due'
                : 'pending',
      waivedAmount: waived === 0 ? null : money(waived),
      invoiceId: ofIt.length === 1 ? (ofIt[0]?.id ?? null) : null,
      createdAt,
      updatedAt:
        status === 'cancelled'
          ? moment(plan.cancelDay)
          : moment(Math.max(agreedDay, ...ofIt.filter(isPaid).map(({ payDay }) => payDay))),
    })
    return milestoneId
  })
}

const isPaid = (bill: Bill): boolean => paidOf(bill) > 0

const agreementStatus = ({ status }: OrderPlan, isDone: boolean, paid: number): string => {
  if (status === 'cancelled') return 'cancelled'
  if (!hasOrdered(status)) return 'draft'
  if (isDone) return 'completed'
  return paid > 0 ? 'active' : 'agreed'
}

/** The day on which the first shipment made the balance due; null if it is not known yet. */
const balanceDay = ({ balance, shipments, status }: OrderPlan): number | null => {
  const [first] = shipments
  if (!first || status === 'cancelled' || !hasLeft(first)) return null
  return balance.trigger === 'goods_received' ? first.receive : first.depart
}

const courseOf = ({ index }: OrderPlan, isFirst: boolean): Course => {
  if (isFirst && index % 10 === 0) return 'failed_first'
  return isFirst && index % 20 === 9 ? 'settled_twice' : 'plain'
}

const putSupplierPayments = (
  context: SeasonContext,
  plan: OrderPlan,
  deposit: Bill | null,
  goods: readonly Bill[],
  milestones: readonly string[],
): void => {
  const balanceId = milestones[milestones.length - 1] ?? null
  const shared = { inDollars: false, contactId: plan.style.supplier.contactId }
  const isConfirmed = plan.index % 2 === 0
  if (deposit) {
    putPayment(context, {
      ...shared,
      bills: [{ bill: deposit, milestoneId: milestones[0] ?? null }],
      day: deposit.payDay,
      course: courseOf(plan, true),
      isConfirmed,
    })
  }
  // Some closed orders have all invoices paid with one transfer.
  const together = plan.status === 'closed' && goods.length > 1 && plan.index % 2 === 0
  const groups = together ? [goods] : goods.map((bill) => [bill])
  groups.forEach((bills, place) => {
    putPayment(context, {
      ...shared,
      bills: bills.map((bill) => ({ bill, milestoneId: balanceId })),
      day: Math.max(...bills.map(({ payDay }) => payDay)),
      course: courseOf(plan, deposit === null && place === 0),
      isConfirmed,
    })
  })
  if (plan.dispute === 'goods' && goods[0]) {
    const day = plan.shipments[0]?.depart ?? plan.orderDay
    putNote(context, { invoiceId: goods[0].id }, 'Held back: late by more than agreed.', day + 1)
  }
}

/** The forwarder's invoice for a shipment, sometimes with a credit note. */
const putFreight = (context: SeasonContext, plan: OrderPlan, shipped: Shipped): void => {
  const { random, library } = context
  const { carrier, index } = plan
  const day = freightInvoiceDay(shipped.plan)
  if (shipped.charges.length === 0 || !isPast(day)) return
  const hasCredit = index % 20 === 14 && isPast(day + 4)
  const creditCents = hasCredit ? 2000 : 0
  const credited = creditCents + (creditCents * carrier.taxPercent) / 100
  const bill: Bill = {
    id: random.id(),
    number: nextNumber(context, carrier.invoicePrefix),
    kind: 'freight',
    partnerId: carrier.partnerId,
    supplierId: null,
    orderId: null,
    shipmentId: shipped.id,
    creditedInvoiceId: null,
    termId: library.freightTermId,
    day,
    dueDay: day + 30,
    payDay: day + random.between(10, 28),
    fate: plan.dispute === 'freight' ? 'disputed' : plan.paysHalf ? 'partly' : 'paid',
    misreadCents: index % 67 === 40 ? 2700 : 0,
    currency: carrier.currency,
    rate: carrierRate(plan),
    taxPercent: carrier.taxPercent,
    lines: shipped.charges.map((charge) => ({
      kind: 'freight',
      description: `${charge.kind.replaceAll('_', ' ')} ${charge.shipmentNumber}`,
      cents: charge.cents,
      shipmentChargeId: charge.id,
    })),
    creditedCents: credited,
  }
  putInvoice(context, bill)
  if (hasCredit) {
    putInvoice(context, {
      ...bill,
      id: random.id(),
      number: nextNumber(context, carrier.invoicePrefix),
      kind: 'credit_note',
      creditedInvoiceId: bill.id,
      day: day + 4,
      dueDay: null,
      creditedCents: 0,
      lines: [{ kind: 'discount', description: 'Handling charged too high', cents: -creditCents }],
    })
  }
  putPayment(context, {
    bills: [{ bill, milestoneId: null }],
    day: bill.payDay,
    course: 'plain',
    inDollars: index % 2 === 0,
    contactId: null,
    isConfirmed: false,
  })
}
