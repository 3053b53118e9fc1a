import type {
  DocumentDeadline,
  DocumentStage,
  Section,
  SectionRow,
} from '../../../client/src/index.ts'
import type { Api, Row } from '../api.ts'

/** A record with everything that belongs to it. */
export type PageDocument = Awaited<ReturnType<Api['document']>>
export type DocumentSection = Section<Row>
export type DocumentRow = SectionRow<Row>
export type { DocumentDeadline, DocumentStage }

/** The groups whose records are shown as documents. */
export const documentGroups: ReadonlySet<string> = new Set([
  'orders',
  'shipments',
  'invoices',
  'payments',
  'skus',
  'parent-products',
  'suppliers',
])

export const documentQuery = (api: Api, group: string, id: string) => ({
  queryKey: ['document', api.brand, group, id],
  queryFn: ({ signal }: { signal: AbortSignal }) => api.document(group, id, { signal }),
})

/** The most important deadline: a late one first, then one that is due, then a past one. */
export const mainDeadline = (
  deadlines: readonly DocumentDeadline[],
): DocumentDeadline | undefined =>
  deadlines.find(({ isOpen, isLate }) => isOpen && isLate) ??
  deadlines.find(({ isOpen }) => isOpen) ??
  deadlines.findLast(({ isLate }) => isLate) ??
  deadlines.at(-1)

/** A column of a section: a field, a figure, or one of the special columns below. */
export type Column =
  | { readonly kind: 'field'; readonly field: string }
  | { readonly kind: 'figure'; readonly figure: string; readonly of?: string }
  /** A field of an included record. */
  | { readonly kind: 'included'; readonly of: string; readonly field: string }
  | { readonly kind: 'goods' | 'name' | 'amount' }

const name: Column = { kind: 'name' }
const goods: Column = { kind: 'goods' }
const amount: Column = { kind: 'amount' }
const included = (of: string, ...names: readonly string[]): readonly Column[] =>
  names.map((field) => ({ kind: 'included', of, field }))
const fields = (...names: readonly string[]): readonly Column[] =>
  names.map((field) => ({ kind: 'field', field }))
/** Quantities in pieces. Each column is marked where it differs from the previous one. */
const figures = (...names: readonly string[]): readonly Column[] =>
  names.map((figure, index) => {
    const of = index > 0 ? names[index - 1] : undefined
    return { kind: 'figure', figure, ...(of !== undefined && { of }) }
  })

export interface SectionView {
  readonly columns: readonly Column[]
  /** Uses the full width. Other sections are cards beside each other. */
  readonly isWide?: true
  /** Shows the text of notes instead of a table. */
  readonly isProse?: true
}

const orderLines = figures('ordered', 'made', 'shipped', 'received')
/** The order lines of a SKU. */
const orderItems: SectionView = {
  columns: [
    ...fields('orderId'),
    ...included('order', 'status', 'confirmedExFactoryDate'),
    ...orderLines,
    ...fields('unitPrice'),
  ],
  isWide: true,
}
const orders: SectionView = {
  columns: [name, ...fields('status', 'totalQuantity', 'totalAmount', 'orderDate')],
}
const invoices: SectionView = {
  columns: [name, ...fields('status', 'dueDate', 'totalAmount', 'balanceAmount')],
}
const receipts: SectionView = {
  columns: [
    name,
    ...fields('status', 'locationId', 'receivedAt'),
    ...figures('expected', 'received'),
  ],
}
const discrepancies: SectionView = {
  columns: [
    goods,
    ...fields(
      'discrepancyReason',
      'goodsReceiptId',
      'expectedQuantity',
      'receivedQuantity',
      'damagedQuantity',
    ),
  ],
}
const milestones: SectionView = { columns: [name, ...fields('status', 'dueDate', 'amount')] }
const packingLists: SectionView = {
  columns: [name, ...fields('packingListDate', 'statedTotalCartons', 'statedTotalQtyPacked')],
}
const samples: SectionView = { columns: [name, ...fields('kind', 'status', 'dueDate')] }
const notes: SectionView = { columns: [], isProse: true }
const documents: SectionView = {
  columns: [name, ...fields('documentTypeId', 'documentDate', 'status')],
}
const boms: SectionView = { columns: [name, ...fields('status', 'totalCost')] }
const quotes: SectionView = {
  columns: [name, ...fields('status', 'requestedQuantity', 'targetUnitPrice', 'requestedAt')],
}

/** The sections of each document. Unlisted sections show only the names of their records. */
export const sectionViews: {
  readonly [group: string]: { readonly [section: string]: SectionView }
} = {
  orders: {
    lines: { columns: [goods, ...orderLines, ...fields('unitPrice'), amount], isWide: true },
    shipments: {
      columns: [
        name,
        ...fields('status', 'estimatedDepartureAt', 'estimatedArrivalAt'),
        ...figures('pieces'),
      ],
    },
    productionRuns: {
      columns: [name, ...fields('originId', 'actualExFactoryDate'), ...figures('pieces')],
    },
    receipts,
    discrepancies,
    invoices,
    payments: { columns: [...fields('paymentId', 'invoiceId', 'settledAt', 'amount')] },
    milestones,
    amendments: { columns: [name, ...fields('status', 'appliedAt', 'overrideReason')] },
    packingLists,
    samples,
    notes,
    documents,
  },
  shipments: {
    lines: {
      columns: [
        goods,
        ...figures('ordered', 'shipped', 'received'),
        ...fields('declaredUnitValue'),
      ],
      isWide: true,
    },
    orders: { columns: [name, ...fields('status', 'supplierId'), ...figures('pieces')] },
    legs: {
      columns: [
        name,
        ...fields(
          'mode',
          'status',
          'originLocationId',
          'destinationLocationId',
          'estimatedDepartureAt',
          'actualDepartureAt',
          'estimatedArrivalAt',
          'actualArrivalAt',
        ),
      ],
      isWide: true,
    },
    receipts,
    bookings: { columns: [name, ...fields('status', 'forwarderPartnerId', 'cargoReadyDate')] },
    packingLists,
    cartons: {
      columns: [name, ...fields('sscc', 'containerNumber', 'grossWeightKg'), ...figures('pieces')],
    },
    charges: { columns: [...fields('kind', 'stage', 'partnerId', 'chargeDate', 'amount')] },
    invoices,
    notes,
    documents,
  },
  invoices: {
    lines: {
      columns: [
        goods,
        ...fields('kind', 'quantity'),
        ...figures('ordered', 'shipped', 'received'),
        ...fields('unitPrice', 'amount'),
      ],
      isWide: true,
    },
    orders,
    receipts,
    payments: { columns: [...fields('paymentId', 'settledAt', 'reversedAt', 'amount')] },
    creditNotes: invoices,
    milestones,
    notes,
    documents,
  },
  payments: {
    settlements: {
      columns: [
        ...fields(
          'invoiceId',
          'paymentMilestoneId',
          'settledAt',
          'reversedAt',
          'amount',
          'invoiceAmount',
        ),
      ],
      isWide: true,
    },
    invoices,
    receipts: { columns: [name, ...fields('receivedDate', 'contactId', 'statedAmount')] },
  },
  skus: {
    stock: {
      columns: fields(
        'locationId',
        'onHandQuantity',
        'availableQuantity',
        'reservedQuantity',
        'incomingQuantity',
        'unitCost',
        'asOf',
      ),
      isWide: true,
    },
    openOrders: orderItems,
    pastOrders: orderItems,
    discrepancies,
    incoming: {
      columns: [
        ...fields('shipmentId'),
        ...included('shipment', 'status', 'estimatedArrivalAt'),
        ...fields('quantity'),
      ],
    },
    prices: { columns: fields('kind', 'amount') },
    boms,
  },
  'parent-products': {
    options: { columns: [goods, ...fields('status', 'plannedUnits')] },
    skus: {
      columns: [
        goods,
        ...fields('status'),
        ...(['onHand', 'available', 'incoming'] as const).map(
          (figure) => ({ kind: 'figure', figure }) as const,
        ),
      ],
      isWide: true,
    },
    orders,
    components: {
      columns: [
        ...fields(
          'bomId',
          'placement',
          'materialId',
          'materialVariantId',
          'supplierId',
          'quantity',
          'unitOfMeasureId',
          'extendedCost',
        ),
      ],
      isWide: true,
    },
    prices: { columns: fields('productOptionId', 'kind', 'amount') },
    quotes: { columns: [name, ...fields('supplierId', 'status', 'targetUnitPrice')] },
    samples: { columns: [name, ...fields('kind', 'status', 'supplierId')] },
    versions: { columns: [name, ...fields('status', 'approvedAt')] },
    notes,
    documents,
  },
  suppliers: {
    openOrders: {
      columns: [
        name,
        ...fields(
          'status',
          'totalQuantity',
          'totalAmount',
          'confirmedExFactoryDate',
          'requestedDeliveryDate',
        ),
      ],
      isWide: true,
    },
    unpaidInvoices: {
      columns: [name, ...fields('status', 'orderId', 'dueDate', 'balanceAmount')],
      isWide: true,
    },
    styles: { columns: [goods, ...fields('status', 'department')] },
    contacts: { columns: [name, ...fields('role', 'email', 'phone')] },
    locations: { columns: fields('locationId', 'role') },
    quotes,
    notes,
  },
}

/** The fields below the title, in order. Fields without a value are omitted. */
export const factFields: { readonly [group: string]: readonly string[] } = {
  orders: [
    'supplierId',
    'totalQuantity',
    'totalAmount',
    'orderDate',
    'confirmedExFactoryDate',
    'requestedDeliveryDate',
    'destinationLocationId',
    'shipMode',
    'incotermCode',
    'paymentTermId',
  ],
  shipments: [
    'originLocationId',
    'destinationLocationId',
    'mode',
    'supplierId',
    'forwarderPartnerId',
    'courierId',
    'totalQuantity',
    'totalCartons',
    'volumeCbm',
    'grossWeightKg',
    'masterBillNumber',
    'trackingNumber',
  ],
  invoices: [
    'partnerId',
    'kind',
    'orderId',
    'shipmentId',
    'invoiceDate',
    'dueDate',
    'totalAmount',
    'paidAmount',
    'balanceAmount',
  ],
  payments: [
    'partnerId',
    'direction',
    'method',
    'amount',
    'bankFeeAmount',
    'scheduledDate',
    'completedAt',
    'reference',
  ],
  skus: ['productId', 'productOptionId', 'gtin', 'countryOfOriginCode', 'htsCode', 'netWeightKg'],
  'parent-products': [
    'code',
    'categoryId',
    'supplierId',
    'department',
    'countryOfOriginCode',
    'htsCode',
  ],
  suppliers: [
    'code',
    'partnerId',
    'kind',
    'defaultLocationId',
    'defaultContactId',
    'defaultPaymentTermId',
    'defaultCurrencyCode',
    'leadTimeDays',
    'moq',
  ],
}
