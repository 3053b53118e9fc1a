/** Definition of a column: a field or a derived column by name, or several fields combined. */
export type ColumnDefinition = string | CombinedColumn

export interface CombinedColumn {
  /** In the order of the URL parameter `fields`. */
  readonly fields: readonly [string, ...string[]]
  /**
   * `subject`: a reference that names the record and links to it. `first`: the first field with a
   * value. `route`: from one place to another. `picture`: the image itself.
   */
  readonly show: 'value' | 'subject' | 'first' | 'route' | 'picture'
  /** The key of its label among the texts. The default is the label of its first field. */
  readonly label?: ColumnLabel
}

export type ColumnLabel = 'exFactory' | 'route' | 'picture' | 'etd' | 'eta' | 'due' | 'sku'

const route: CombinedColumn = {
  fields: ['originLocationId', 'destinationLocationId'],
  show: 'route',
  label: 'route',
}
const etd: CombinedColumn = { fields: ['estimatedDepartureAt'], show: 'value', label: 'etd' }
const eta: CombinedColumn = { fields: ['estimatedArrivalAt'], show: 'value', label: 'eta' }
const due: CombinedColumn = { fields: ['dueDate'], show: 'value', label: 'due' }

/** The default columns of the main lists. Other lists derive theirs from the kinds of their fields. */
export const defaultColumns: { readonly [group: string]: readonly ColumnDefinition[] } = {
  orders: [
    'orderNumber',
    'supplierId',
    'status',
    'orderDate',
    {
      fields: ['confirmedExFactoryDate', 'requestedExFactoryDate'],
      show: 'first',
      label: 'exFactory',
    },
    'totalQuantity',
    'totalAmount',
    'totalAmount.base',
  ],
  'order-items': ['itemDescription', 'orderId', 'skuId', 'qty', 'unitPrice', 'itemType', 'duty'],
  'order-amendments': ['revisionNumber', 'status', 'appliedAt', 'overrideReason', 'rejectionNote'],
  'production-runs': ['runNumber', 'orderId', 'originId', 'actualExFactoryDate', 'retractedAt'],
  'production-run-items': ['quantity', 'productionRunId', 'orderItemId', 'source'],

  shipments: ['shipmentNumber', route, 'mode', 'status', etd, eta, 'totalQuantity'],
  'shipment-items': [
    'quantity',
    'shipmentId',
    'orderItemId',
    'countryOfOriginCode',
    'htsCode',
    'declaredUnitValue',
  ],
  'shipment-cartons': [
    'cartonNumber',
    'shipmentId',
    'containerNumber',
    'palletReference',
    'sscc',
    'grossWeightKg',
    'volumeCbm',
  ],
  'shipment-charges': [
    'kind',
    'shipmentId',
    'partnerId',
    'stage',
    'chargeDate',
    'amount',
    'baseAmount',
  ],
  legs: ['sequence', route, 'mode', 'status', 'vesselName', 'containerNumber', etd, eta],
  bookings: ['bookingNumber', route, 'mode', 'status', 'forwarderPartnerId', etd, eta],
  'packing-lists': [
    'reference',
    'shipmentId',
    'supplierId',
    'packingListDate',
    'statedTotalCartons',
    'statedTotalQtyPacked',
    'statedGrossWeightKg',
  ],
  'packing-list-lines': [
    'lineNumber',
    'matchStatus',
    'statedSkuCode',
    'skuId',
    'statedQty',
    'statedCartonCount',
  ],
  'goods-receipts': [
    'receiptNumber',
    'shipmentId',
    'locationId',
    'status',
    'receivedAt',
    'totalCartons',
  ],
  'goods-receipt-lines': [
    'receivedQuantity',
    'goodsReceiptId',
    'expectedQuantity',
    'damagedQuantity',
    'rejectedQuantity',
    'discrepancyReason',
  ],
  inventory: [
    { fields: ['skuId'], show: 'subject', label: 'sku' },
    'style',
    'colour',
    'size',
    'locationId',
    { fields: ['onHandQuantity'], show: 'value' },
    'availableQuantity',
    'incomingQuantity',
  ],

  invoices: [
    'invoiceNumber',
    'partnerId',
    'kind',
    'status',
    due,
    'totalAmount',
    'totalAmount.base',
    'balanceAmount',
  ],
  'invoice-lines': ['description', 'invoiceId', 'kind', 'skuId', 'quantity', 'unitPrice', 'amount'],
  'payment-agreements': ['reference', 'orderId', 'partnerId', 'status', 'agreedAt', 'totalAmount'],
  'payment-milestones': [
    'name',
    'paymentAgreementId',
    'status',
    'trigger',
    'reachedAt',
    due,
    'amount',
  ],
  payments: [
    'paymentNumber',
    'partnerId',
    'method',
    'status',
    'scheduledDate',
    'completedAt',
    'amount',
    'amount.base',
  ],
  'payment-settlements': [
    'amount',
    'paymentId',
    'invoiceId',
    'settledAt',
    'reversedAt',
    'invoiceAmount',
  ],
  'payment-receipts': [
    'reference',
    'paymentId',
    'receivedDate',
    'statedAmount',
    'statedBankFeeAmount',
  ],

  suppliers: [
    'name',
    'code',
    'status',
    'onTime',
    'short',
    'disputedBalance',
    'openOrders',
    'leadTimeDays',
  ],
  quotes: [
    'quoteNumber',
    'title',
    'supplierId',
    'status',
    'responseDueDate',
    'requestedQuantity',
    'targetUnitPrice',
  ],
  'quote-revisions': [
    'revisionNumber',
    'status',
    'submittedAt',
    'validUntil',
    'leadTimeDays',
    'moq',
  ],
  'quote-items': ['description', 'quoteRevisionId', 'itemType', 'quantity', 'unitPrice'],
  samples: ['sampleNumber', 'productId', 'supplierId', 'kind', 'status', due, 'quantity'],
  'sample-rounds': [
    'roundNumber',
    'status',
    'decision',
    due,
    'sentDate',
    'receivedDate',
    'trackingNumber',
  ],

  'parent-products': ['name', 'code', 'status', 'categoryId', 'supplierId', 'department'],
  'product-options': ['name', 'code', 'productId', 'status', 'colorId', 'plannedUnits'],
  skus: ['code', 'name', 'productId', 'productOptionId', 'status', 'gtin'],
  'product-versions': [
    'label',
    'productId',
    'versionNumber',
    'status',
    'approvedAt',
    'changeSummary',
  ],
  boms: ['name', 'productId', 'productVersionId', 'status', 'approvedAt', 'totalCost'],
  'bom-components': [
    'placement',
    'bomId',
    'materialId',
    'supplierId',
    'quantity',
    'unitOfMeasureId',
    'unitPrice',
    'extendedCost',
  ],
  materials: ['name', 'code', 'kind', 'status', 'supplierId', 'leadTimeDays', 'unitPrice'],
  'material-variants': ['name', 'code', 'materialId', 'colorId', 'status', 'unitPrice'],

  partners: [
    'name',
    'countryCode',
    'partnerStatus',
    'factoryAuditStatus',
    'factoryAuditDate',
    'leadTimeDays',
    'nextContactDate',
  ],
  contacts: ['displayName', 'partnerId', 'jobTitle', 'role', 'email', 'phone', 'status'],
  locations: ['name', 'kind', 'city', 'countryCode', 'code', 'unLocode'],

  documents: [
    'name',
    'documentTypeId',
    'reference',
    'status',
    'documentDate',
    'expiryDate',
    'orderId',
  ],
  images: [
    { fields: ['id'], show: 'picture', label: 'picture' },
    'fileName',
    'kind',
    'productId',
    'productOptionId',
    'skuId',
    'isPrimary',
    'updatedAt',
  ],
  notes: ['body', 'visibility', 'pinned', 'orderId', 'supplierId', 'shipmentId', 'createdAt'],

  collections: ['name', 'code', 'season', 'status', 'startDate', 'endDate'],
  'launch-windows': ['name', 'code', 'channel', 'status', 'startDate', 'endDate'],
  categories: ['name', 'code', 'kind', 'parentCategoryId', 'level', 'defaultHtsCode'],
  colors: ['name', 'code', 'hexCode', 'family', 'standardReference', 'status'],
  tags: ['name', 'code', 'uiColor', 'updatedAt'],
}
