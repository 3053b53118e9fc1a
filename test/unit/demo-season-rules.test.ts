/** The rules of arithmetic among the records of a season; `check.test.ts` covers every rule. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonValue } from '#contract'
import { type DemoRecord, season } from '#demo'
import { count, exact, one, SeasonRecords, sorted, total } from '../support/season-records.ts'

for (const orders of [0, 5, 200]) {
  const set = new SeasonRecords([...season({ brand: 'aldermoor', orders, seed: 7 })])

  describe(`a season of ${orders} orders`, () => {
    for (const [id, says, holds] of rules()) it(`keeps ${id}: ${says}`, () => holds(set))
  })
}

type Rule = readonly [id: string, says: string, holds: (set: SeasonRecords) => void]

/** The arithmetic among the invariants; a check over a whole database covers all of them. */
function rules(): readonly Rule[] {
  const each =
    (path: string, assertion: (record: DemoRecord, set: SeasonRecords) => void) =>
    (set: SeasonRecords): void => {
      for (const record of set.all(path)) {
        try {
          assertion(record, set)
        } catch (cause) {
          throw new assert.AssertionError({
            message: `${path} ${JSON.stringify(record)}: ${cause}`,
          })
        }
      }
    }
  const unreversed = (records: readonly DemoRecord[]) =>
    records.filter((r) => r['reversedAt'] === null)
  const isForwarded = (set: SeasonRecords, item: DemoRecord): boolean =>
    set
      .of('shipment-item-lineages', 'targetShipmentItemId', item['id'])
      .some(({ kind }) => kind === 'forward')
  const hasLeft = (shipment: DemoRecord) => shipment['actualDepartureAt'] !== null
  const inOrder = (records: readonly DemoRecord[], field: string) =>
    records.toSorted((a, b) => Number(a[field]) - Number(b[field]))
  const numbered = (records: readonly DemoRecord[], field: string) =>
    assert.deepEqual(
      inOrder(records, field).map((r) => r[field]),
      records.map((_, place) => place + 1),
    )
  const shortOf = (set: SeasonRecords, order: DemoRecord): bigint =>
    set.of('order-items', 'orderId', order['id']).reduce((sum, { id, unitPrice }) => {
      const lines = set.of('goods-receipt-lines', 'orderItemId', id)
      const short = count(lines, 'expectedQuantity') - count(lines, 'receivedQuantity')
      return sum + BigInt(short) * exact(unitPrice)
    }, 0n)
  const netOf = (set: SeasonRecords, order: DemoRecord): bigint =>
    total(set.of('invoices', 'orderId', order['id']), 'totalAmount')

  return [
    [
      'CAT-02, CAT-03',
      'a SKU has one value for each dimension, and no twin',
      each('product-options', (option, set) => {
        const product = set.get('parent-products', option['productId'])
        const group = product['dimensionGroupId']
        const dimensions = set.of('dimension-group-dimensions', 'dimensionGroupId', group)
        const seen = set.of('skus', 'productOptionId', option['id']).map((sku) => {
          const links = set.of('sku-dimension-values', 'skuId', sku['id'])
          const values = links.map((link) => set.get('dimension-values', link['dimensionValueId']))
          assert.deepEqual(
            sorted(values.map((value) => value['dimensionId'])),
            sorted(dimensions.map((dimension) => dimension['dimensionId'])),
          )
          return sorted(values.map((value) => value['id'])).join()
        })
        assert.equal(new Set(seen).size, seen.length)
      }),
    ],
    [
      'CAT-08',
      'costs of a bill are those of its components',
      each('boms', (bom, set) => {
        const components = set.of('bom-components', 'bomId', bom['id'])
        for (const { quantity, wastagePercent, unitPrice, extendedCost } of components) {
          const whole = exact(quantity) * (100n * one + exact(wastagePercent)) * exact(unitPrice)
          assert.equal(whole, exact(extendedCost) * 100n * one * one)
        }
        assert.equal(total(components, 'extendedCost'), exact(bom['totalCost']))
      }),
    ],
    [
      'SRC-03',
      'an item is priced by its band',
      each('quote-items', ({ id, quantity, unitPrice }, set) => {
        const ordered = Number(quantity)
        const bands = inOrder(set.of('quote-price-bands', 'quoteItemId', id), 'minQuantity')
        const band = bands.findLast(({ minQuantity }) => Number(minQuantity) <= ordered)
        assert.equal(band?.['unitPrice'], unitPrice)
        bands.forEach(({ maxQuantity }, place) => {
          const next = bands[place + 1]
          assert.equal(maxQuantity, next ? Number(next['minQuantity']) - 1 : null)
        })
      }),
    ],
    [
      'ORD-01, ORD-02, ORD-05',
      'an order is the sum of its items, in its revision and at its rate',
      each('orders', (order, set) => {
        const items = set.of('order-items', 'orderId', order['id'])
        assert.equal(count(items, 'qty'), order['totalQuantity'])
        const worth = items.map(({ qty, unitPrice }) => BigInt(Number(qty)) * exact(unitPrice))
        assert.equal(
          worth.reduce((a, b) => a + b, 0n),
          exact(order['totalAmount']),
        )
        for (const { unitPrice, unitPriceBase } of items) {
          if (order['exchangeRate'] === null) assert.equal(unitPriceBase, null)
          else
            assert.equal(
              exact(unitPrice) * exact(order['exchangeRate']),
              exact(unitPriceBase) * one,
            )
        }
        const applied = set
          .of('order-amendments', 'orderId', order['id'])
          .filter(({ status }) => status === 'applied')
          .map(({ revisionNumber }) => Number(revisionNumber))
        assert.equal(order['revisionNumber'], Math.max(0, ...applied))
      }),
    ],
    [
      'PRD-02',
      'no more is made than ordered and tolerated',
      each('order-items', (item, set) => {
        const { overTolerancePercent } = set.get('orders', item['orderId'])
        const runItems = set
          .of('production-run-items', 'orderItemId', item['id'])
          .filter((r) => set.get('production-runs', r['productionRunId'])['retractedAt'] === null)
        const most = (Number(item['qty']) * (100 + Number(overTolerancePercent))) / 100
        assert.ok(count(runItems, 'quantity') <= most)
      }),
    ],
    [
      'PRD-03, PRD-04, SHP-03',
      'a run item is the last of its revisions, and holds what was shipped of it',
      each('production-run-items', ({ id, productionRunId, quantity }, set) => {
        const chain = set.of('production-run-item-revisions', 'productionRunItemId', id)
        let before: JsonValue | undefined = null
        for (const revision of inOrder(chain, 'revisionNumber')) {
          assert.equal(revision['previousQuantity'], before)
          before = revision['quantity']
        }
        assert.equal(before, quantity)
        const items = set.of('shipment-items', 'productionRunItemId', id)
        const sent = items.filter((item) => !isForwarded(set, item))
        assert.ok(count(sent, 'quantity') <= Number(quantity))
        const { retractedAt, retractionReason } = set.get('production-runs', productionRunId)
        if (retractedAt !== null) assert.ok(retractionReason && sent.length === 0)
      }),
    ],
    [
      'SHP-02, SHP-04, SHP-07',
      'a shipment is its items, its cartons and its orders',
      each('shipments', (shipment, set) => {
        const items = set.of('shipment-items', 'shipmentId', shipment['id'])
        const cartons = set.of('shipment-cartons', 'shipmentId', shipment['id'])
        assert.equal(count(items, 'quantity'), shipment['totalQuantity'])
        const orders = items.map((r) => set.get('order-items', r['orderItemId'])['orderId'])
        const links = set.of('order-shipments', 'shipmentId', shipment['id'])
        assert.deepEqual(sorted([...new Set(orders)]), sorted(links.map((link) => link['orderId'])))
        for (const { id, quantity } of items) {
          const packed = count(set.of('shipment-carton-items', 'shipmentItemId', id), 'quantity')
          assert.ok(hasLeft(shipment) ? packed === quantity : packed <= Number(quantity))
        }
        if (shipment['totalCartons'] === null) return assert.equal(cartons.length, 0)
        assert.equal(cartons.length, shipment['totalCartons'])
        assert.equal(total(items, 'netWeightKg'), exact(shipment['netWeightKg']))
        assert.equal(total(cartons, 'netWeightKg'), exact(shipment['netWeightKg']))
        assert.equal(total(cartons, 'grossWeightKg'), exact(shipment['grossWeightKg']))
        return assert.equal(total(cartons, 'volumeCbm'), exact(shipment['volumeCbm']))
      }),
    ],
    [
      'SHP-08, SHP-09',
      'legs follow on from each other from the origin to the destination',
      each('shipments', (shipment, set) => {
        const legs = inOrder(set.of('legs', 'shipmentId', shipment['id']), 'sequence')
        numbered(legs, 'sequence')
        assert.equal(legs[0]?.['originLocationId'], shipment['originLocationId'])
        assert.equal(legs.at(-1)?.['destinationLocationId'], shipment['destinationLocationId'])
        legs.forEach((leg, place) => {
          const before = legs[place - 1]
          for (const kind of ['estimated', 'actual']) {
            const [departed, arrived] = [leg[`${kind}DepartureAt`], leg[`${kind}ArrivalAt`]]
            if (departed && arrived) assert.ok(departed < arrived)
            const arrivedBefore = before?.[`${kind}ArrivalAt`]
            if (arrivedBefore && departed) assert.ok(arrivedBefore <= departed)
          }
          if (before) assert.equal(before['destinationLocationId'], leg['originLocationId'])
        })
      }),
    ],
    [
      'SHP-13',
      'a lineage joins two items of a SKU and is not larger than the second',
      each('shipment-item-lineages', (lineage, set) => {
        const from = set.get('shipment-items', lineage['sourceShipmentItemId'])
        const to = set.get('shipment-items', lineage['targetShipmentItemId'])
        assert.ok(from['id'] !== to['id'] && from['skuId'] === to['skuId'])
        assert.ok(Number(lineage['quantity']) <= Number(to['quantity']))
      }),
    ],
    [
      'PKL-01, PKL-02, PKL-04',
      'a packing list is its lines and its cartons',
      each('packing-lists', (list, set) => {
        const lines = set.of('packing-list-lines', 'packingListId', list['id'])
        const cartons = set.of('shipment-cartons', 'packingListId', list['id'])
        assert.equal(count(lines, 'statedCartonCount'), list['statedTotalCartons'])
        assert.equal(total(lines, 'statedQty'), exact(list['statedTotalQtyPacked']))
        for (const field of ['statedNetWeightKg', 'statedGrossWeightKg', 'statedVolumeCbm']) {
          assert.equal(total(lines, field), exact(list[field]))
        }
        assert.equal(cartons.length, list['statedTotalCartons'])
        assert.equal(total(cartons, 'grossWeightKg'), exact(list['statedGrossWeightKg']))
      }),
    ],
    [
      'RCV-03, RCV-04',
      'a received shipment was counted after its delivery, where it went',
      each('shipments', ({ id, status, deliveredAt, destinationLocationId }, set) => {
        const [receipt, ...more] = set.of('goods-receipts', 'shipmentId', id)
        assert.deepEqual(more, [])
        assert.equal(receipt?.['status'] === 'completed', status === 'received')
        if (!receipt) return
        assert.equal(receipt['locationId'], destinationLocationId)
        if (status === 'received') assert.ok(String(receipt['receivedAt']) >= String(deliveredAt))
      }),
    ],
    [
      'RCV-01',
      'a difference or damage has a reason',
      each('goods-receipt-lines', (line) => {
        const [damaged, rejected] = [
          Number(line['damagedQuantity']),
          Number(line['rejectedQuantity']),
        ]
        assert.ok(damaged + rejected <= Number(line['receivedQuantity']))
        const differs =
          line['expectedQuantity'] !== line['receivedQuantity'] || damaged + rejected > 0
        assert.equal(line['discrepancyReason'] !== null, differs)
      }),
    ],
    [
      'INV-01, INV-02',
      'stock adds up, and is no more than was received there',
      each('inventory', (level, set) => {
        const parts = ['available', 'reserved', 'damaged', 'qualityHold'].map((part) =>
          Number(level[`${part}Quantity`]),
        )
        assert.ok(parts.every((part) => part >= 0))
        assert.equal(
          parts.reduce((a, b) => a + b),
          level['onHandQuantity'],
        )
        const lines = set
          .of('goods-receipt-lines', 'skuId', level['skuId'])
          .filter(
            (r) =>
              set.get('goods-receipts', r['goodsReceiptId'])['locationId'] === level['locationId'],
          )
        assert.ok(Number(level['onHandQuantity']) <= count(lines, 'receivedQuantity'))
      }),
    ],
    [
      'FIN-01, FIN-03, FIN-04, FIN-05, FIN-12',
      'an invoice is its lines, less what was credited and paid',
      each('invoices', (invoice, set) => {
        const lines = set.of('invoice-lines', 'invoiceId', invoice['id'])
        const [subtotal, tax] = [exact(invoice['subtotalAmount']), exact(invoice['taxAmount'])]
        assert.equal(total(lines, 'amount'), subtotal)
        assert.equal(total(lines, 'taxAmount'), tax)
        assert.equal(exact(invoice['totalAmount']), subtotal + tax)
        for (const { quantity, unitPrice, amount } of lines) {
          if (quantity !== null)
            assert.equal(exact(quantity) * exact(unitPrice), exact(amount) * one)
        }
        const settled = unreversed(set.of('payment-settlements', 'invoiceId', invoice['id']))
        const paid = exact(invoice['paidAmount'])
        assert.equal(total(settled, 'invoiceAmount'), paid)
        const balance = exact(invoice['balanceAmount'])
        assert.equal(subtotal + tax - exact(invoice['creditedAmount']) - paid, balance)
        const credits = set.of('invoices', 'creditedInvoiceId', invoice['id'])
        if (invoice['kind'] !== 'credit_note') {
          assert.equal(total(credits, 'totalAmount'), -exact(invoice['creditedAmount']))
        }
        if (invoice['status'] === 'paid') assert.equal(balance, 0n)
        if (invoice['status'] === 'partially_paid') assert.ok(paid > 0n && balance > 0n)
      }),
    ],
    [
      'FIN-06, FIN-07, FIN-08, FIN-18',
      'a payment is settled in full, with those it went to',
      each('payments', ({ id, status, amount, partnerId, currency }, set) => {
        const settlements = set.of('payment-settlements', 'paymentId', id)
        const settled = total(unreversed(settlements), 'amount')
        assert.equal(settled, status === 'completed' ? exact(amount) : 0n)
        for (const { invoiceId, paymentMilestoneId } of settlements) {
          const invoice = set.get('invoices', invoiceId)
          assert.equal(invoice['partnerId'], partnerId)
          if (paymentMilestoneId === null) continue
          const milestone = set.get('payment-milestones', paymentMilestoneId)
          const agreement = set.get('payment-agreements', milestone['paymentAgreementId'])
          assert.equal(agreement['orderId'], invoice['orderId'])
        }
        for (const receipt of set.of('payment-receipts', 'paymentId', id)) {
          const arrived = exact(receipt['statedAmount']) + exact(receipt['statedBankFeeAmount'])
          assert.equal(arrived, exact(amount))
          assert.equal(receipt['statedCurrency'], currency)
        }
      }),
    ],
    [
      'FIN-09, FIN-10, FIN-11',
      'the milestones of an agreement are its order, settled or waived',
      each('payment-agreements', (agreement, set) => {
        const milestones = set.of('payment-milestones', 'paymentAgreementId', agreement['id'])
        numbered(milestones, 'sequence')
        const order = set.get('orders', agreement['orderId'])
        const whole = exact(agreement['totalAmount'])
        assert.equal(total(milestones, 'amount'), whole)
        assert.equal(whole, exact(order['totalAmount']))
        for (const { id, status, amount, percent, waivedAmount } of milestones) {
          if (order['status'] === 'closed') assert.equal(status, 'paid')
          assert.equal(whole * exact(percent), exact(amount) * 100n * one)
          const settled = unreversed(set.of('payment-settlements', 'paymentMilestoneId', id))
          const done = total(settled, 'invoiceAmount') + exact(waivedAmount)
          assert.ok(status === 'paid' ? done === exact(amount) : done <= exact(amount))
        }
      }),
    ],
    [
      'FIN-13',
      'no more is invoiced of a shipment item than was shipped',
      each('shipment-items', ({ id, quantity }, set) => {
        const lines = set.of('invoice-lines', 'shipmentItemId', id)
        assert.ok(lines.reduce((sum, r) => sum + Number(r['quantity']), 0) <= Number(quantity))
      }),
    ],
    [
      'FIN-16',
      'a charge is invoiced at its amount, an estimate not at all',
      each('shipment-charges', (charge, set) => {
        const lines = set.of('invoice-lines', 'shipmentChargeId', charge['id'])
        const due = charge['stage'] === 'estimated' ? 0n : exact(charge['amount'])
        assert.equal(total(lines, 'amount'), due)
        assert.equal(
          exact(charge['amount']) * exact(charge['exchangeRate']),
          exact(charge['baseAmount']) * one,
        )
      }),
    ],
    [
      'FIN-15, FIN-19',
      'a received order was invoiced for what was received of it, or for what was shipped',
      each('orders', (order, set) => {
        if (order['status'] !== 'received' && order['status'] !== 'closed') return
        const received = set.of('order-items', 'orderId', order['id']).map((item) => {
          const lines = set.of('goods-receipt-lines', 'orderItemId', item['id'])
          return BigInt(count(lines, 'receivedQuantity')) * exact(item['unitPrice'])
        })
        // What was not in the cartons is credited, unless it was paid or argued about before.
        const worth = received.reduce((a, b) => a + b, 0n)
        const open = netOf(set, order) - worth
        assert.ok(open === 0n || open === shortOf(set, order), `${open}`)
      }),
    ],
    [
      'DOC-02',
      'a replaced document is superseded',
      each('documents', ({ version, supersedesDocumentId }, set) => {
        if (supersedesDocumentId !== null) {
          const before = set.get('documents', supersedesDocumentId)
          assert.equal(before['status'], 'superseded')
          assert.equal(version, Number(before['version']) + 1)
        }
      }),
    ],
  ]
}
