/**
 * The chain of goods and money through the groups, which a lineage follows. It is part of the
 * contract because both the console and the MCP tools walk it.
 */

/** A stage of the chain and its groups. The stages run from the first idea to the payment. */
export interface Stage {
  readonly title: string
  readonly groups: readonly string[]
}

export const stages: readonly Stage[] = [
  { title: 'Product', groups: ['parent-products'] },
  { title: 'Option', groups: ['product-options', 'product-versions'] },
  { title: 'SKU', groups: ['skus'] },
  { title: 'Quote', groups: ['quotes'] },
  { title: 'Offer', groups: ['quote-revisions'] },
  { title: 'Order line', groups: ['order-items'] },
  { title: 'Order', groups: ['orders'] },
  { title: 'Run line', groups: ['production-run-items'] },
  { title: 'Run', groups: ['production-runs', 'bookings'] },
  { title: 'Shipment line', groups: ['shipment-items'] },
  { title: 'Shipment', groups: ['shipments'] },
  { title: 'Leg', groups: ['legs', 'shipment-charges'] },
  { title: 'Carton', groups: ['shipment-cartons'] },
  { title: 'Receipt line', groups: ['goods-receipt-lines'] },
  { title: 'Receipt', groups: ['goods-receipts', 'inventory'] },
  { title: 'Invoice line', groups: ['invoice-lines'] },
  { title: 'Invoice', groups: ['invoices'] },
  { title: 'Settlement', groups: ['payment-settlements'] },
  { title: 'Payment', groups: ['payments'] },
  { title: 'Confirmation', groups: ['payment-receipts'] },
]

/**
 * A link of the chain, from origin to consequence. A `line` link joins a line to its parent record;
 * neither is the other's origin. A `by` link joins records that refer to the same third record.
 */
export interface ChainLink {
  readonly from: string
  readonly to: string
  readonly line?: true
  readonly by?: string
  /** On the way down, only records with the same value as a record that the first refers to. */
  readonly within?: { readonly reference: string; readonly field: string }
  /** Followed automatically only towards the origin. */
  readonly upOnly?: true
}

export const chain: readonly ChainLink[] = [
  { from: 'parent-products', to: 'product-options' },
  { from: 'parent-products', to: 'product-versions' },
  { from: 'product-options', to: 'skus' },
  { from: 'product-versions', to: 'quotes' },
  { from: 'quotes', to: 'quote-revisions' },
  { from: 'quote-revisions', to: 'orders' },
  { from: 'skus', to: 'order-items' },
  { from: 'product-versions', to: 'order-items' },
  { from: 'order-items', to: 'orders', line: true },
  { from: 'order-items', to: 'production-run-items' },
  { from: 'orders', to: 'production-runs' },
  { from: 'orders', to: 'shipments' },
  { from: 'orders', to: 'invoices' },
  { from: 'production-run-items', to: 'production-runs', line: true },
  { from: 'production-run-items', to: 'shipment-items' },
  { from: 'shipment-items', to: 'shipments', line: true },
  { from: 'shipment-items', to: 'goods-receipt-lines' },
  { from: 'shipment-items', to: 'invoice-lines' },
  { from: 'shipments', to: 'bookings' },
  { from: 'shipments', to: 'legs' },
  { from: 'shipments', to: 'shipment-cartons' },
  { from: 'shipments', to: 'goods-receipts' },
  { from: 'shipments', to: 'invoices' },
  { from: 'goods-receipt-lines', to: 'goods-receipts', line: true },
  {
    from: 'goods-receipt-lines',
    to: 'inventory',
    by: 'skuId',
    within: { reference: 'goodsReceiptId', field: 'locationId' },
  },
  { from: 'skus', to: 'inventory' },
  { from: 'shipments', to: 'shipment-charges', upOnly: true },
  { from: 'shipment-charges', to: 'invoice-lines', upOnly: true },
  { from: 'invoice-lines', to: 'invoices', line: true },
  { from: 'invoices', to: 'payment-settlements' },
  { from: 'payment-settlements', to: 'payments', line: true },
  { from: 'payments', to: 'payment-receipts' },
]

/**
 * The facts that a lineage shows of a record: a title if the record's title is only a number, the
 * field that counts pieces, the field with its amount, and its date. Records of other groups show
 * their title and their first date.
 */
export interface Facts {
  readonly title?: string
  readonly quantity?: string
  readonly money?: string
  readonly date?: string
  /** References to the subject of a line. The first loaded one provides the line's title. */
  readonly about?: readonly string[]
}

export const facts: { readonly [path: string]: Facts } = {
  'product-options': { quantity: 'plannedUnits' },
  'product-versions': { title: 'Version {versionNumber}', date: 'approvedAt' },
  quotes: { quantity: 'requestedQuantity', date: 'requestedAt' },
  'quote-revisions': { title: 'Revision {revisionNumber}', date: 'submittedAt' },
  'quote-items': { quantity: 'quantity' },
  orders: { quantity: 'totalQuantity', money: 'totalAmount', date: 'orderDate' },
  'order-items': { title: '', quantity: 'qty', date: 'supplierConfirmedAt', about: ['skuId'] },
  'order-amendments': { title: 'Amendment {revisionNumber}', date: 'appliedAt' },
  'production-runs': { title: 'Run {runNumber}', date: 'actualExFactoryDate' },
  'production-run-items': { title: '', quantity: 'quantity', about: ['orderItemId'] },
  bookings: { date: 'confirmedAt' },
  'booking-items': { title: '', quantity: 'quantity', about: ['skuId', 'orderItemId'] },
  shipments: { quantity: 'totalQuantity', date: 'actualDepartureAt' },
  'shipment-items': { title: '', quantity: 'quantity', about: ['skuId', 'orderItemId'] },
  legs: { title: 'Leg {sequence}, {mode}', date: 'actualDepartureAt' },
  'leg-items': { title: '', quantity: 'quantity' },
  'shipment-cartons': { title: 'Carton {cartonNumber}' },
  'shipment-carton-items': { title: '', quantity: 'quantity', about: ['skuId'] },
  'packing-lists': { quantity: 'statedTotalQtyPacked', date: 'packingListDate' },
  'goods-receipts': { date: 'receivedAt' },
  'goods-receipt-lines': { title: '', quantity: 'receivedQuantity', about: ['skuId'] },
  inventory: { title: '', quantity: 'onHandQuantity', date: 'asOf', about: ['skuId'] },
  invoices: { money: 'totalAmount', date: 'invoiceDate' },
  'invoice-lines': { title: '', quantity: 'quantity', money: 'amount', about: ['skuId'] },
  'shipment-charges': { money: 'amount', date: 'chargeDate' },
  'payment-agreements': { money: 'totalAmount', date: 'agreedAt' },
  'payment-milestones': { money: 'amount', date: 'dueDate' },
  'payment-settlements': { title: 'Settlement', money: 'amount', date: 'settledAt' },
  payments: { money: 'amount', date: 'completedAt' },
  'payment-receipts': { money: 'statedAmount', date: 'receivedDate' },
}

/** A step from a record of one group to those of another, along a link of the chain. */
export interface Step {
  readonly to: string
  readonly direction: 'up' | 'down'
  readonly line?: true | undefined
  readonly by?: string | undefined
  readonly within?: ChainLink['within']
  readonly upOnly?: true | undefined
}

/** Every step of the chain from a group. */
export const stepsOf = (path: string): readonly Step[] =>
  chain.flatMap(({ from, to, within, ...rest }): Step[] => [
    ...(from === path ? [{ to, direction: 'down' as const, within, ...rest }] : []),
    ...(to === path ? [{ to: from, direction: 'up' as const, ...rest }] : []),
  ])

const stageIndexes: ReadonlyMap<string, number> = new Map(
  stages.flatMap(({ groups }, index) => groups.map((path) => [path, index] as const)),
)

/** The index of a group's stage in `stages`; undefined for a group that is not in the chain. */
export const stageIndexOf = (path: string): number | undefined => stageIndexes.get(path)

/** The directions that a walk may still take: up to origins, down to consequences. */
export interface Directions {
  readonly up: boolean
  readonly down: boolean
}

/**
 * The remaining directions after a step; null if the walk must not take the step. On the way down,
 * the walk still reads a record's single origin, but does not list the origin's other children.
 */
export const directionsAfter = (
  directions: Directions,
  { direction, line, upOnly }: Omit<Step, 'to'>,
  kind: 'get' | 'list',
): Directions | null => {
  if (line && kind === 'get') return directions
  if (line) return directions.up ? directions : null
  if (direction === 'down') return directions.down && !upOnly ? { up: false, down: true } : null
  if (kind === 'get') return { up: directions.up, down: false }
  return directions.up ? { up: true, down: false } : null
}
