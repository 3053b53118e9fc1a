import { type Change, copy, edit, id, told } from './story.ts'

/** A change that breaks none of the rules it comes close to, and why it does not. */
export interface Kept {
  readonly because: string
  readonly rules: readonly string[]
  readonly changes: readonly Change[]
}

const keeps = (because: string, rules: string, ...changes: readonly Change[]): Kept => ({
  because,
  rules: rules.split(' '),
  changes,
})

const deletedAt = '2026-05-25T00:00:00.000Z'
const contact = told('contacts')
const part = told('bom-components', { sequence: 1 })
const canvas = told('materials', { code: 'CANVAS-340' })
const netTerm = told('payment-terms', { code: 'NET-30' })
const item = told('order-items')
const run = told('production-runs', { runNumber: 3 })
const runItem = told('production-run-items')
const sea = told('shipments', { shipmentNumber: 'S-9001' })
const shipped = told('shipment-items', { shipmentId: id(sea) })
const cancelled = copy(sea, { shipmentNumber: 'S-1', status: 'cancelled' })
const onward = copy(sea, { shipmentNumber: 'S-1', status: 'in_transit' })
const moved = copy(shipped, { shipmentId: id(onward) })
const leg = told('legs', { shipmentId: id(sea), sequence: 3 })
const list = told('packing-lists', { reference: 'PL-9001' })
const receipt = told('goods-receipts', { receiptNumber: 'GR-9001' })
const received = told('goods-receipt-lines', { goodsReceiptId: id(receipt) })
const invoice = told('invoices', { invoiceNumber: 'CF-26-171' })
const goodsLine = told('invoice-lines', { invoiceId: id(invoice), lineNumber: 1 })
const deduction = told('invoice-lines', { kind: 'deposit_deduction' })
const credit = told('invoices', { invoiceNumber: 'CF-26-C12' })
const settlement = told('payment-settlements')
const milestone = told('payment-milestones', { sequence: 1 })
const picture = told('images', { kind: 'sample' })
const certificate = told('documents', { reference: 'GOTS-771' })
const table = told('measurement-tables', { code: 'MT-1042' })

/** What counts for nothing breaks nothing. */
export const kept: readonly Kept[] = [
  keeps('a removed contact is primary of nothing', 'NET-01', copy(contact, { deletedAt })),
  keeps('a removed component costs nothing', 'CAT-08', copy(part, { sequence: 9, deletedAt })),
  keeps(
    'a material without fibres has none to add up',
    'CAT-10',
    edit(canvas, { composition: [] }),
  ),
  keeps('a single payment is told by its days', 'REF-01', edit(netTerm, { installments: [] })),
  keeps(
    'a removed table is held to nothing',
    'CAT-07 CAT-11 CAT-12',
    edit(table, {
      deletedAt,
      productId: id(told('parent-products', { code: 'AM-0987' })),
      points: [],
    }),
  ),
  keeps(
    'a price of fewer places is the same price',
    'ORD-05',
    edit(item, { unitPriceBase: '26.784' }),
  ),
  keeps(
    'a half may be rounded either way',
    'ORD-05',
    edit(item, { unitPrice: '24.8125', unitPriceBase: '26.7975' }),
  ),
  keeps(
    'a retracted run makes nothing',
    'PRD-01 PRD-02',
    copy(runItem, { productionRunId: id(run), quantity: 900 }),
  ),
  keeps(
    'a removed item is not shipped',
    'SHP-02 SHP-03 SHP-04 SHP-07 SHP-12 RCV-02',
    copy(shipped, { deletedAt }),
  ),
  keeps(
    'a cancelled shipment carries nothing',
    'SHP-03 SHP-04 SHP-12',
    cancelled,
    copy(shipped, { shipmentId: id(cancelled) }),
  ),
  keeps(
    'goods that were forwarded are not shipped twice',
    'SHP-03 RCV-02',
    onward,
    moved,
    copy(told('shipment-item-lineages'), {
      kind: 'forward',
      quantity: Number(shipped.record['quantity']),
      sourceShipmentItemId: id(shipped),
      targetShipmentItemId: id(moved),
    }),
  ),
  keeps('a removed leg leads nowhere', 'SHP-08 SHP-09', copy(leg, { sequence: 9, deletedAt })),
  keeps(
    'a removed list states nothing',
    'PKL-01 PKL-02',
    edit(list, { deletedAt, statedTotalCartons: 1 }),
  ),
  keeps(
    'a cancelled receipt receives nothing',
    'RCV-02 RCV-03 INV-02 FIN-19',
    copy(receipt, { receiptNumber: 'GR-1', status: 'cancelled' }),
    copy(received, { goodsReceiptId: id(copy(receipt)) }),
  ),
  keeps(
    'a void invoice asks for nothing',
    'FIN-13 FIN-15 FIN-19',
    copy(invoice, { invoiceNumber: 'X', status: 'void' }),
    copy(goodsLine, { invoiceId: id(copy(invoice)) }, 1),
    copy(deduction, { invoiceId: id(copy(invoice)) }, 2),
  ),
  keeps(
    'a void credit note takes nothing off',
    'FIN-05 FIN-19',
    copy(credit, { invoiceNumber: 'X', status: 'void' }),
  ),
  keeps(
    'a reversed settlement settles nothing',
    'FIN-04 FIN-06 FIN-11',
    copy(settlement, { reversedAt: deletedAt }),
  ),
  keeps('a milestone without percent has no share', 'FIN-09', edit(milestone, { percent: null })),
  keeps('a logo shows no record', 'DOC-01', edit(picture, { kind: 'logo', sampleRoundId: null })),
  keeps(
    'a certificate out of use may expire',
    'DOC-04',
    edit(certificate, { expiryDate: '2026-01-01', status: 'superseded' }),
  ),
  keeps(
    'a certificate is good on its last day',
    'DOC-04',
    edit(certificate, { expiryDate: '2026-06-01' }),
  ),
]
