import { type Broken, breaks, copy, edit, id, nobody, remove, storyRecord } from './story.ts'

const deposit = storyRecord('invoices', { invoiceNumber: 'CF-26-088' })
const goods = storyRecord('invoices', { invoiceNumber: 'CF-26-171' })
const credit = storyRecord('invoices', { invoiceNumber: 'CF-26-C12' })
const freight = storyRecord('invoices', { invoiceNumber: 'NQ-40117' })
const depositLine = storyRecord('invoice-lines', { invoiceId: id(deposit) })
const goodsLine = storyRecord('invoice-lines', { invoiceId: id(goods), lineNumber: 1 })
const deduction = storyRecord('invoice-lines', { kind: 'deposit_deduction' })
const freightLine = storyRecord('invoice-lines', { invoiceId: id(freight), lineNumber: 1 })
const shipped = storyRecord('shipment-items', { id: String(goodsLine.record['shipmentItemId']) })
const charge = storyRecord('shipment-charges', { stage: 'invoiced', amount: '640.00' })
const duty = storyRecord('shipment-charges', { stage: 'estimated' })
const order = storyRecord('orders')
const pay311 = storyRecord('payments', { paymentNumber: 'PAY-311' })
const pay346 = storyRecord('payments', { paymentNumber: 'PAY-346' })
const settlement = storyRecord('payment-settlements', { paymentId: id(pay311) })
const freightSettlement = storyRecord('payment-settlements', { paymentId: id(pay346) })
const paymentReceipt = storyRecord('payment-receipts')
const agreement = storyRecord('payment-agreements')
const milestone1 = storyRecord('payment-milestones', { sequence: 1 })
const milestone2 = storyRecord('payment-milestones', { sequence: 2 })
const received = storyRecord('goods-receipt-lines', { discrepancyReason: 'short' })
const bianchini = storyRecord('suppliers', { code: 'V-0108' })
const northquay = storyRecord('partners', { slug: 'northquay-freight' })
const note = storyRecord('notes', { pinned: false })
const picture = storyRecord('images', { kind: 'sample' })
const swatch = storyRecord('images', { fileName: 'swatch-IND.png' })
const indigo = storyRecord('option-values', { code: 'IND' })
const oldTechPack = storyRecord('documents', { reference: 'TP-1042', version: 1 })
const techPack = storyRecord('documents', { reference: 'TP-1042', version: 2 })
const certificate = storyRecord('documents', { reference: 'GOTS-771' })
const secondOrder = copy(order, { orderNumber: 'PO-1' })
/** More than an integer of SQLite has, as ten-thousandths; the first in a sum of two. */
const largeLine = edit(goodsLine, { amount: '900000000000000.00' })
const zeros = '0'.repeat(20)

/** Broken: what is invoiced, paid and filed. */
export const brokenMoney: readonly Broken[] = [
  breaks('FIN-01', edit(goods, { subtotalAmount: '5158.41', totalAmount: '5158.41' }), goods),
  breaks('FIN-01', edit(goodsLine, { taxAmount: '0.01' }), goods),
  breaks('FIN-01', edit(goods, { totalAmount: '5158.41' }), goods),
  breaks('FIN-01', [largeLine, copy(largeLine)], goods),
  breaks('FIN-02', edit(goods, { statedTotalAmount: '5158.41' }), goods),
  breaks(
    'FIN-02',
    edit(goods, { statedTotalAmount: `2${zeros}`, totalAmount: `3${zeros}` }),
    goods,
  ),
  breaks('FIN-03', edit(goodsLine, { amount: '992.01' }), goodsLine),
  breaks('FIN-04', edit(freight, { paidAmount: '820.01', balanceAmount: '1449.99' }), freight),
  breaks('FIN-04', edit(freight, { balanceAmount: '1449.99' }), freight),
  breaks('FIN-04', edit(freightSettlement, { reversedAt: '2026-05-30T09:00:00.000Z' }), freight),
  breaks('FIN-05', edit(credit, { totalAmount: '49.60' }), credit),
  breaks('FIN-05', edit(goods, { creditedAmount: '49.61' }), goods),
  breaks('FIN-05', edit(credit, { status: 'void' }), goods),
  breaks('FIN-05', edit(credit, { currency: 'USD' }), credit),
  breaks('FIN-05', edit(credit, { partnerId: id(northquay) }), credit),
  breaks('FIN-06', edit(settlement, { amount: '4761.61' }), pay311),
  breaks('FIN-07', edit(settlement, { amount: '4761.59' }), pay311),
  breaks('FIN-07', edit(settlement, { reversedAt: '2026-02-13T09:00:00.000Z' }), pay311),
  breaks('FIN-08', edit(pay311, { partnerId: id(northquay) }), settlement),
  breaks('FIN-08', [secondOrder, edit(deposit, { orderId: id(secondOrder) })], settlement),
  breaks('FIN-09', edit(milestone2, { sequence: 3 }), milestone2),
  breaks('FIN-09', edit(milestone2, { percent: null, amount: '11110.41' }), agreement),
  breaks('FIN-09', edit(milestone1, { percent: '30.01' }), milestone1),
  breaks('FIN-10', edit(order, { totalAmount: '15872.01' }), agreement),
  breaks('FIN-11', edit(milestone2, { waivedAmount: '148.81' }), milestone2),
  breaks('FIN-11', edit(milestone2, { waivedAmount: '148.79' }), milestone2),
  breaks('FIN-12', edit(goods, { balanceAmount: '0.01' }), goods),
  breaks('FIN-12', edit(freight, { paidAmount: '0.00' }), freight),
  breaks('FIN-12', edit(freight, { balanceAmount: '0.00' }), freight),
  breaks('FIN-13', edit(goodsLine, { quantity: '41' }), shipped),
  breaks('FIN-14', edit(goodsLine, { unitPrice: '24.8001' }), goodsLine),
  breaks('FIN-15', edit(deduction, { amount: '-4761.61' }), order),
  breaks('FIN-15', edit(depositLine, { amount: '4761.59' }), order),
  breaks('FIN-16', edit(freightLine, { amount: '640.01' }), charge),
  breaks('FIN-16', remove(freightLine), charge),
  breaks('FIN-16', edit(freightLine, { shipmentChargeId: id(duty) }), duty, charge),
  breaks('FIN-16', edit(duty, { exchangeRate: '1.100000' }), duty),
  breaks('FIN-17', edit(goods, { supplierId: id(bianchini) }), goods),
  breaks('FIN-17', edit(pay311, { supplierId: id(bianchini) }), pay311),
  breaks('FIN-17', edit(agreement, { supplierId: id(bianchini) }), agreement),
  breaks('FIN-18', edit(paymentReceipt, { statedAmount: '4746.61' }), paymentReceipt),
  breaks('FIN-18', edit(paymentReceipt, { statedCurrency: 'USD' }), paymentReceipt),
  breaks('FIN-19', edit(received, { receivedQuantity: 119 }), order),
  breaks('FIN-19', edit(credit, { status: 'void' }), order),
  breaks('DOC-01', edit(note, { supplierId: id(bianchini) }), note),
  breaks('DOC-01', edit(note, { orderId: null }), note),
  breaks('DOC-01', edit(picture, { sampleRoundId: null }), picture),
  breaks('DOC-02', edit(techPack, { version: 3 }), techPack),
  breaks('DOC-02', edit(oldTechPack, { status: 'approved' }), techPack),
  breaks('DOC-03', edit(indigo, { swatchVersion: 2 }), indigo),
  breaks('DOC-03', edit(swatch, { optionValueId: nobody }), indigo),
  breaks('DOC-04', edit(certificate, { expiryDate: '2026-05-31' }), certificate),
]
