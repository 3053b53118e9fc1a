import { type Change, copy, edit, id, storyRecord } from './story.ts'

/** A change that breaks none of the rules it comes close to, and why it does not. */
export interface Passing {
  readonly because: string
  readonly rules: readonly string[]
  readonly changes: readonly Change[]
}

const passes = (because: string, rules: string, ...changes: readonly Change[]): Passing => ({
  because,
  rules: rules.split(' '),
  changes,
})

const deletedAt = '2026-05-25T00:00:00.000Z'
const contact = storyRecord('contacts')
const part = storyRecord('bom-components', { sequence: 1 })
const canvas = storyRecord('materials', { code: 'CANVAS-340' })
const netTerm = storyRecord('payment-terms', { code: 'NET-30' })
const item = storyRecord('order-items')
const run = storyRecord('production-runs', { runNumber: 3 })
const runItem = storyRecord('production-run-items')
const sea = storyRecord('shipments', { shipmentNumber: 'S-9001' })
const shipped = storyRecord('shipment-items', { shipmentId: id(sea) })
const cancelled = copy(sea, { shipmentNumber: 'S-1', status: 'cancelled' })
const onward = copy(sea, { shipmentNumber: 'S-1', status: 'in_transit' })
const moved = copy(shipped, { shipmentId: id(onward) })
const leg = storyRecord('legs', { shipmentId: id(sea), sequence: 3 })
const list = storyRecord('packing-lists', { reference: 'PL-9001' })
const receipt = storyRecord('goods-receipts', { receiptNumber: 'GR-9001' })
const received = storyRecord('goods-receipt-lines', { goodsReceiptId: id(receipt) })
const invoice = storyRecord('invoices', { invoiceNumber: 'CF-26-171' })
const goodsLine = storyRecord('invoice-lines', { invoiceId: id(invoice), lineNumber: 1 })
const deduction = storyRecord('invoice-lines', { kind: 'deposit_deduction' })
const credit = storyRecord('invoices', { invoiceNumber: 'CF-26-C12' })
const settlement = storyRecord('payment-settlements')
const milestone = storyRecord('payment-milestones', { sequence: 1 })
const picture = storyRecord('images', { kind: 'sample' })
const certificate = storyRecord('documents', { reference: 'GOTS-771' })
const table = storyRecord('measurement-tables', { code: 'MT-1042' })

/** What counts for nothing breaks nothing. */
export const passing: readonly Passing[] = [
  passes(
    'items of an order tell that a shipment comes in',
    'SHP-14',
    edit(sea, { supplierId: null }),
  ),
  passes('a removed contact is primary of nothing', 'NET-01', copy(contact, { deletedAt })),
  passes('a removed component costs nothing', 'CAT-08', copy(part, { sequence: 9, deletedAt })),
  passes(
    'a material without fibres has none to add up',
    'CAT-10',
    edit(canvas, { composition: [] }),
  ),
  passes('a single payment is defined by its days', 'REF-01', edit(netTerm, { installments: [] })),
  passes(
    'a removed table is held to nothing',
    'CAT-07 CAT-11 CAT-12',
    edit(table, {
      deletedAt,
      productId: id(storyRecord('parent-products', { code: 'AM-0987' })),
      points: [],
    }),
  ),
  passes(
    'a price of fewer places is the same price',
    'ORD-05',
    edit(item, { unitPriceBase: '26.784' }),
  ),
  passes(
    'a half may be rounded either way',
    'ORD-05',
    edit(item, { unitPrice: '24.8125', unitPriceBase: '26.7975' }),
  ),
  passes(
    'a retracted run makes nothing',
    'PRD-01 PRD-02',
    copy(runItem, { productionRunId: id(run), quantity: 900 }),
  ),
  passes(
    'a removed item is not shipped',
    'SHP-02 SHP-03 SHP-04 SHP-07 SHP-12 RCV-02',
    copy(shipped, { deletedAt }),
  ),
  passes(
    'a cancelled shipment carries nothing',
    'SHP-03 SHP-04 SHP-12',
    cancelled,
    copy(shipped, { shipmentId: id(cancelled) }),
  ),
  passes(
    'goods that were forwarded are not shipped twice',
    'SHP-03 RCV-02',
    onward,
    moved,
    copy(storyRecord('shipment-item-lineages'), {
      kind: 'forward',
      quantity: Number(shipped.record['quantity']),
      sourceShipmentItemId: id(shipped),
      targetShipmentItemId: id(moved),
    }),
  ),
  passes('a removed leg leads nowhere', 'SHP-08 SHP-09', copy(leg, { sequence: 9, deletedAt })),
  passes(
    'a removed list states nothing',
    'PKL-01 PKL-02',
    edit(list, { deletedAt, statedTotalCartons: 1 }),
  ),
  passes(
    'a cancelled receipt receives nothing',
    'RCV-02 RCV-03 INV-02 FIN-19',
    copy(receipt, { receiptNumber: 'GR-1', status: 'cancelled' }),
    copy(received, { goodsReceiptId: id(copy(receipt)) }),
  ),
  passes(
    'a void invoice asks for nothing',
    'FIN-13 FIN-15 FIN-19',
    copy(invoice, { invoiceNumber: 'X', status: 'void' }),
    copy(goodsLine, { invoiceId: id(copy(invoice)) }, 1),
    copy(deduction, { invoiceId: id(copy(invoice)) }, 2),
  ),
  passes(
    'a void credit note takes nothing off',
    'FIN-05 FIN-19',
    copy(credit, { invoiceNumber: 'X', status: 'void' }),
  ),
  passes(
    'a reversed settlement settles nothing',
    'FIN-04 FIN-06 FIN-11',
    copy(settlement, { reversedAt: deletedAt }),
  ),
  passes('a milestone without percent has no share', 'FIN-09', edit(milestone, { percent: null })),
  passes('a logo shows no record', 'DOC-01', edit(picture, { kind: 'logo', sampleRoundId: null })),
  passes(
    'a certificate out of use may expire',
    'DOC-04',
    edit(certificate, { expiryDate: '2026-01-01', status: 'superseded' }),
  ),
  passes(
    'a certificate is good on its last day',
    'DOC-04',
    edit(certificate, { expiryDate: '2026-06-01' }),
  ),
]
