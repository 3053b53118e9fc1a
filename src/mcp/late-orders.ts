import { catalog, daysBetween, formatCount, isJsonObject, resourceAt, valueAt } from '#contract'
import { brandArgument } from './group.ts'
import { leftOutFigures } from './left-out.ts'
import { findNamed, namesText, supplierArgument, titlesOf } from './named-record.ts'
import { openFor } from './passing-reader.ts'
import type { JsonRecord } from './reader.ts'
import { pageArguments, queryArguments } from './records.ts'
import { callOf, callSchema, callText, tool } from './tool.ts'
import { resultMax, sizeOf, truncateRecords } from './truncate.ts'

const orders = resourceAt(catalog, 'orders')
/** Maximum number of suppliers to list; the sums cover all of them. */
const suppliersShown = 20

export const lateOrders = tool({
  name: 'late_orders',
  title: 'Show late orders',
  description:
    'Answers which orders are late, in one call: orders that should have left the supplier before today and have not in full, of all suppliers or of one, with days, pieces and amounts, by supplier.',
  arguments: {
    supplier: supplierArgument,
    asOf: queryArguments.asOf,
    limit: { ...pageArguments.limit, meaning: 'orders to show, the longest requested first' },
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    asOf: { type: 'string', description: 'The day that counts as today.' },
    total: { type: 'integer', description: 'All late orders.' },
    shown: { type: 'integer' },
    figures: { type: 'object', description: 'Pieces and amounts of all late orders.' },
    suppliers: {
      type: 'array',
      description: 'Late orders by supplier, most orders first.',
      items: { type: 'object' },
    },
    orders: {
      type: 'array',
      description: 'Each with its date, the days since then, pieces and amount.',
      items: { type: 'object' },
    },
    records: { ...callSchema, description: 'The call that lists the records behind it.' },
  },
  run: async ({ supplier, asOf, limit, brand }, caller) => {
    const reader = await openFor(caller, brand, orders)
    const suppliers = supplier
      ? await findNamed(reader, 'suppliers', 'supplier', supplier)
      : undefined
    const ids = suppliers?.map(({ id }) => String(id))
    const filters = ids ? { 'supplierId.in': ids.join(',') } : {}
    const sums = await reader.summary(orders, {
      ...{ ...filters, view: 'late', asOf, sum: 'totalQuantity,totalAmount', by: 'supplierId' },
    })
    const day = String(sums['asOf'])
    const page = await reader.query(orders, {
      ...{ ...filters, view: 'late', asOf: day, sort: 'requestedExFactoryDate', limit },
      include: 'supplier',
    })
    const groups = (Array.isArray(sums['groups']) ? sums['groups'] : [])
      .filter(isJsonObject)
      .sort((a, b) => Number(b['items']) - Number(a['items']))
    const named = groups.slice(0, suppliersShown)
    const idOf = ({ by }: JsonRecord) => (isJsonObject(by) ? by['supplierId'] : null)
    const names = await titlesOf(reader, 'suppliers', named.map(idOf))
    const bySupplier = named.map((group) => ({
      ...{ supplierId: idOf(group) ?? null, supplier: names.get(idOf(group)) ?? null },
      ...{ orders: group['items'] ?? 0, ...(isJsonObject(group['sum']) && { sum: group['sum'] }) },
    }))
    const rows = page.items.map((order) => lateRow(order, day))
    const figures = isJsonObject(sums['total']) ? sums['total'] : {}
    const { records: shown } = truncateRecords(rows, resultMax - sizeOf([bySupplier, figures]))
    const call = callOf('list_records', {
      ...{ brand: reader.brand, group: 'orders', filters, view: 'late', asOf: day },
      sort: 'requestedExFactoryDate',
    })
    const isWhole = shown.length === page.totalItems
    return {
      summary: [
        `${formatCount(page.totalItems, 'order')} of ${suppliers ? namesText('suppliers', suppliers) : formatCount(groups.length, 'supplier')} late as of ${day}; ${shown.length} shown.`,
        ...leftOutFigures(valueAt(sums, 'total')),
        isWhole ? 'There are no more.' : `For more: ${callText(call)}.`,
      ].join(' '),
      ...{ brand: reader.brand, asOf: day, total: page.totalItems, shown: shown.length },
      ...{ figures, suppliers: bySupplier, orders: shown, records: call },
      next: isWhole ? null : call,
    }
  },
})

const lateRow = (order: JsonRecord, day: string): JsonRecord => {
  const due = order['confirmedExFactoryDate'] ?? order['requestedExFactoryDate'] ?? null
  const { supplier } = order
  return {
    id: order['id'] ?? null,
    orderNumber: order['orderNumber'] ?? null,
    supplier: isJsonObject(supplier) ? (supplier['name'] ?? null) : null,
    status: order['status'] ?? null,
    exFactoryDate: due,
    isConfirmed: order['confirmedExFactoryDate'] !== null,
    daysLate: typeof due === 'string' ? daysBetween(due, day) : null,
    totalQuantity: order['totalQuantity'] ?? null,
    totalAmount: order['totalAmount'] ?? null,
    currency: order['currency'] ?? null,
  }
}
