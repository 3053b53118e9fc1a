import { catalog, daysBetween, formatCount, isJsonObject, resourceAt } from '#contract'
import { pick } from './document-rows.ts'
import { brandArgument } from './group.ts'
import { leftOutSentences } from './left-out.ts'
import { findNamed, findOrder, namesText, supplierArgument } from './named-record.ts'
import { openFor } from './passing-reader.ts'
import type { JsonRecord, QueryValues } from './reader.ts'
import { pageArguments, queryArguments } from './records.ts'
import { callOf, callSchema, callText, tool } from './tool.ts'
import { resultMax, sizeOf, truncateRecords } from './truncate.ts'

const invoices = resourceAt(catalog, 'invoices')

/** Credit notes that have not been fully deducted from an invoice. */
const openCredits: QueryValues = {
  kind: 'credit_note',
  'status.in': 'received,approved,partially_paid,disputed',
  'balanceAmount.lt': '0',
  'deletedAt.isNull': 'true',
}

export const amountsOwed = tool({
  name: 'amounts_owed',
  title: 'Show what is owed',
  description:
    'Answers what the brand owes, in one call: the balances of all unpaid invoices, of a supplier or for an order, exactly by currency and by how long they have been due, with the invoices. Open credit notes are shown beside it and not deducted.',
  arguments: {
    supplier: supplierArgument,
    order: { kind: 'text', meaning: 'only invoices for this order: its number or id' },
    asOf: queryArguments.asOf,
    limit: { ...pageArguments.limit, meaning: 'invoices to show, the earliest due first' },
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    asOf: { type: 'string', description: 'The day that counts as today.' },
    total: { type: 'integer', description: 'All unpaid invoices.' },
    shown: { type: 'integer' },
    suppliers: {
      type: 'array',
      description: 'With supplier: those that it was taken for.',
      items: { type: 'object' },
    },
    owed: { type: 'object', description: 'The balances of all of them.' },
    overdue: { type: 'object', description: 'Of these, what was due before today.' },
    ageing: {
      type: 'array',
      description: 'The balances by how many days they have been due.',
      items: { type: 'object' },
    },
    credits: { type: 'object', description: 'Balances of open credit notes, which are negative.' },
    invoices: { type: 'array', items: { type: 'object' } },
    records: { ...callSchema, description: 'The call that lists the records behind it.' },
  },
  optional: ['suppliers'],
  run: async ({ supplier, order, asOf, limit, brand }, caller) => {
    const reader = await openFor(caller, brand, invoices)
    const suppliers = supplier
      ? await findNamed(reader, 'suppliers', 'supplier', supplier)
      : undefined
    const ofOrder = order ? await findOrder(reader, order) : undefined
    const filters: { [name: string]: string } = {
      ...(suppliers && { 'supplierId.in': suppliers.map(({ id }) => id).join(',') }),
      ...(ofOrder && { orderId: String(ofOrder['id']) }),
    }
    const to = suppliers ? ` to ${namesText('suppliers', suppliers)}` : ''
    const purpose = ofOrder ? ` for ${namesText('orders', [ofOrder])}` : ''
    const sum = 'balanceAmount'
    const unpaid = { ...filters, view: 'unpaid' }
    const all = await reader.summary(invoices, { ...unpaid, asOf, sum, by: 'dueDate:ageing' })
    const day = String(all['asOf'])
    const overdue = await reader.summary(invoices, { ...filters, view: 'overdue', asOf: day, sum })
    const credits = await reader.summary(invoices, { ...filters, ...openCredits, sum })
    const page = await reader.query(invoices, {
      ...{ ...unpaid, asOf: day, sort: 'dueDate', limit, include: 'partner,order' },
    })
    const figures = {
      ...(suppliers && { suppliers: suppliers.map((each) => pick(each, 'id', 'code', 'name')) }),
      owed: balancesOf(all),
      overdue: { invoices: overdue['totalItems'] ?? 0, ...balancesOf(overdue) },
      ageing: (Array.isArray(all['groups']) ? all['groups'] : []).filter(isJsonObject),
      credits: { creditNotes: credits['totalItems'] ?? 0, ...balancesOf(credits) },
    }
    const rows = page.items.map((each) => owedRow(each, day))
    const { records: shown } = truncateRecords(rows, resultMax - sizeOf(figures))
    const call = callOf('list_records', {
      ...{ brand: reader.brand, group: 'invoices', filters, view: 'unpaid', asOf: day },
      sort: 'dueDate',
    })
    const isWhole = shown.length === page.totalItems
    return {
      summary: [
        `${formatCount(page.totalItems, 'unpaid invoice')}${to}${purpose} as of ${day}: ${amountsText(all)} owed, of which ${amountsText(overdue)} was due before; ${shown.length} shown.`,
        ...leftOutSentences({ owed: balancesOf(all) }),
        isWhole ? 'There are no more.' : `For more: ${callText(call)}.`,
      ].join(' '),
      ...{ brand: reader.brand, asOf: day, total: page.totalItems, shown: shown.length },
      ...{ ...figures, invoices: shown, records: call, next: isWhole ? null : call },
    }
  },
})

const balancesOf = ({ total }: JsonRecord): JsonRecord => {
  const sums = isJsonObject(total) ? total['sum'] : null
  const balances = isJsonObject(sums) ? sums['balanceAmount'] : null
  return isJsonObject(balances) ? balances : {}
}

const amountsText = (summary: JsonRecord): string => {
  const { currencies } = balancesOf(summary)
  const parts = (Array.isArray(currencies) ? currencies : []).filter(isJsonObject)
  return parts.map(({ amount, currency }) => `${amount} ${currency}`).join(' and ') || 'nothing'
}

const owedRow = (invoice: JsonRecord, day: string): JsonRecord => {
  const { partner, order, dueDate = null } = invoice
  const days = typeof dueDate === 'string' ? daysBetween(dueDate, day) : null
  return {
    id: invoice['id'] ?? null,
    invoiceNumber: invoice['invoiceNumber'] ?? null,
    partner: isJsonObject(partner) ? (partner['name'] ?? null) : null,
    order: isJsonObject(order) ? (order['orderNumber'] ?? null) : null,
    status: invoice['status'] ?? null,
    dueDate,
    daysOverdue: days === null ? null : Math.max(0, days),
    totalAmount: invoice['totalAmount'] ?? null,
    balanceAmount: invoice['balanceAmount'] ?? null,
    currency: invoice['currency'] ?? null,
  }
}
