/**
 * What ERP systems have, and the groups that it becomes. Required fields come from the catalog; this
 * file says where an ERP has each, and what to write in a mapping if it has none.
 */

/** Where an ERP has a field, and what to write if it has none. */
export type Advice = readonly [inTheErp: string, otherwise: string]

export interface ErpTable {
  /** What ERPs call it. */
  readonly name: string
  readonly text: string
  /** Its tables, by ERP. */
  readonly tables: Readonly<Record<Erp, string>>
  /** The groups that it becomes, with advice for each required field that is not a reference. */
  readonly groups: {
    readonly [collection: string]: { readonly [field: string]: Advice }
  }
}

export const erps = [
  'ERPNext',
  'Odoo',
  'SAP ECC, S/4HANA',
  'SAP Business One',
  'Business Central',
] as const
type Erp = (typeof erps)[number]

const tablesOf = (...names: readonly [string, string, string, string, string]) =>
  Object.fromEntries(erps.map((erp, at) => [erp, names[at]])) as Record<Erp, string>

const active: Advice = [
  'a flag such as blocked or discontinued, with `values`',
  '`{ value: active }`',
]
const itsNumber = (what: string): Advice => [`the number of the ${what}`, 'the key of the row']
const always = (value: string): Advice => ['seldom', `\`{ value: ${value} }\``]

export const erpTables: readonly ErpTable[] = [
  {
    name: 'Vendor',
    text: [
      'Also: supplier, creditor, business partner. One row becomes two records with the same key: the partner, and what it',
      'supplies. A business partner that is only a customer is left out with `where`.',
    ].join('\n'),
    tables: tablesOf(
      '`tabSupplier`',
      '`res_partner` with `supplier_rank` above 0',
      '`LFA1`, `LFM1`',
      '`OCRD` with `CardType` `S`',
      '`Vendor`',
    ),
    groups: {
      partners: {
        slug: [
          'the name',
          '`{ column: NAME, apply: [slug] }`; the number if names repeat or are not in Latin letters',
        ],
        name: ['the name', 'the number'],
        'relationship.id': ['never', '`{ key: [VENDOR_NO] }`'],
        'relationship.status': ['a flag such as blocked, with `values`', '`{ value: active }`'],
      },
      suppliers: {
        code: itsNumber('vendor'),
        name: ['the name', 'the number'],
        kind: ['a vendor group, with `values`', '`{ value: finished_goods }`'],
        status: ['a flag such as blocked, with `values`', '`{ value: approved }`'],
      },
    },
  },
  {
    name: 'Contact',
    text: 'People of a vendor. People of customers are left out.',
    tables: tablesOf(
      '`tabContact`, and `tabDynamic Link` to the vendor',
      '`res_partner` with `parent_id`',
      '`KNVK`',
      '`OCPR`',
      '`Contact`',
    ),
    groups: {
      contacts: {
        displayName: ['first and last name', '`{ join: [FIRST, LAST] }`'],
        isPrimary: [
          'a flag of the main contact',
          '`{ value: false }`; one of a partner and role can be true',
        ],
        status: active,
      },
    },
  },
  {
    name: 'Category',
    text: 'Also: item group, material group. Parents come from the same table: `parentCategoryId` is a reference to it.',
    tables: tablesOf(
      '`tabItem Group`',
      '`product_category`',
      '`T023`, `T023T`',
      '`OITB`',
      '`Item Category`',
    ),
    groups: {
      categories: {
        kind: always('product'),
        code: itsNumber('group'),
        name: ['the name', 'the number'],
        level: ['the depth in the tree, from 1', '`{ value: 1 }` if there is one level'],
        sequence: ['the sort order', '`{ value: 1 }`'],
      },
    },
  },
  {
    name: 'Item',
    text: [
      'Also: article, product, material. What is ordered and stored is a SKU: a style in a colour and a size. ERPs with',
      'variants have a row for the style (template, parent) and one for each variant. Without variants, one row becomes all',
      'three: a style, its only option and its only SKU, with the same key. Their sizes are [dimensions](#size).',
    ].join('\n'),
    tables: tablesOf(
      '`tabItem`: styles have `has_variants`, variants `variant_of`; `tabItem Barcode`',
      '`product_template` (styles), `product_product` (variants)',
      '`MARA`, `MAKT`; variants have `SATNR`',
      '`OITM`',
      '`Item`, `Item Variant`',
    ),
    groups: {
      'parent-products': {
        code: ['the number of the style', 'the number of the item'],
        name: ['the name of the style', 'the name of the item'],
        status: active,
      },
      'product-options': {
        code: [
          "the numbers of the style and the colour: `{ join: [STYLE, COLOUR], with: '-' }`; it is unique in the brand",
          'the number of the style',
        ],
        name: ['the name of the colour', 'the name of the style'],
        status: active,
        sequence: ['the sort order', '`{ value: 1 }`'],
      },
      skus: {
        code: itsNumber('item'),
        status: active,
      },
    },
  },
  {
    name: 'Size',
    text: [
      'Sizes, and whatever else the SKUs of an option differ in. ERPs seldom have a table of them; a column of the item is',
      'enough. The dimension itself is a row that the mapping gives: `from: { given: [{ code: SIZE, name: Size }] }`. The',
      'others come from the items, with `distinct: true`. Without sizes, leave all four out.',
    ].join('\n'),
    tables: tablesOf(
      '`tabItem Attribute`, `tabItem Attribute Value`, `tabItem Variant Attribute`',
      '`product_attribute`, `product_attribute_value`, `product_variant_combination`',
      'characteristics: `CABN`, `CAWN`, `AUSP`',
      'a user-defined field of `OITM`',
      '`Item Variant`',
    ),
    groups: {
      dimensions: {
        code: ['the name of the attribute', 'given: `SIZE`'],
        name: ['the name of the attribute', 'given: `Size`'],
        sequence: always('1'),
        status: always('active'),
      },
      'dimension-values': {
        code: ['the size', '`ONE`'],
        name: ['the size', '`One size`'],
        sequence: ['the sort order', 'the order in a list: `values: { S: 1, M: 2, L: 3 }`'],
        status: always('active'),
      },
      'product-option-dimension-values': {},
      'sku-dimension-values': {},
    },
  },
  {
    name: 'Warehouse',
    text: [
      'Also: plant, storage location. One row becomes two records: the place, and its use by the brand. A place that nothing',
      'uses, and stock at a place that receives no goods, break [rules](rules.md) `NET-03` and `INV-01`. Without a table of',
      'them, give the warehouse: `from: { given: [{ code: WH1, name: Main warehouse }] }`.',
    ].join('\n'),
    tables: tablesOf(
      '`tabWarehouse` with `is_group` 0',
      '`stock_warehouse`, its address `res_partner`',
      '`T001W`, `T001L`',
      '`OWHS`',
      '`Location`',
    ),
    groups: {
      locations: {
        name: ['the name', 'the code'],
        kind: always('warehouse'),
        countryCode: [
          'the address, also as a name: `{ column: COUNTRY, code: country }`',
          '`{ brand: country }`',
        ],
      },
      'brand-locations': {
        brandId: ['never', '`{ brand: id }`'],
        role: always('warehouse'),
        isDefault: [
          'a flag of the main warehouse',
          '`{ value: false }`; one of each role can be true',
        ],
        receivesGoods: always('true'),
      },
    },
  },
  {
    name: 'Purchase order',
    text: [
      'A header and its lines. Sales orders are other tables, or other rows of the same table: leave them out with `where`.',
      'Cancelled lines do not count in the totals: [rule](rules.md) `ORD-01` compares them with the items.',
    ].join('\n'),
    tables: tablesOf(
      '`tabPurchase Order`, `tabPurchase Order Item`',
      '`purchase_order`, `purchase_order_line`',
      '`EKKO` with `BSTYP` `F`, `EKPO`, dates in `EKET`',
      '`OPOR`, `POR1`',
      '`Purchase Header` with type Order, `Purchase Line`',
    ),
    groups: {
      orders: {
        orderNumber: itsNumber('order'),
        kind: ['the order type, with `values`', '`{ value: bulk }`'],
        status: [
          'the status, with `values`',
          '`when`: received if everything has arrived, else confirmed',
        ],
        revisionNumber: ['never: it counts applied `order-amendments`', '`{ value: 0 }`'],
        currency: ['the currency of the order', '`{ brand: currency }`'],
        orderDate: ['the document date', 'the date of entry'],
        totalQuantity: ['seldom', '`{ rows: sum, in: lines, of: QTY }`'],
        totalAmount: [
          'the total without tax',
          '`{ rows: sum, in: lines, of: { product: [QTY, PRICE] }, round: currency }`',
        ],
      },
      'order-items': {
        qty: ['the ordered quantity, in pieces', ''],
      },
    },
  },
  {
    name: 'Shipment',
    text: [
      'Deliveries from vendors: inbound delivery, advance shipping notice, container. Most ERPs have none before the receipt;',
      'then leave all three out. Deliveries to customers do not belong here.',
    ].join('\n'),
    tables: tablesOf(
      'none',
      '`stock_picking` of type `incoming`, not done',
      '`LIKP` with `VBTYP` `7`, `LIPS`',
      'none',
      'none',
    ),
    groups: {
      shipments: {
        shipmentNumber: itsNumber('delivery'),
        status: ['the status, or `when` on its dates', '`{ value: in_transit }`'],
        mode: ['the shipping method, with `values`', '`{ value: ocean }`'],
      },
      'shipment-items': {
        quantity: ['the shipped quantity, in pieces', ''],
      },
      'order-shipments': {},
    },
  },
  {
    name: 'Receipt',
    text: 'Also: goods receipt, purchase receipt. A line with a difference or damage needs a reason, with `when` ([rule](rules.md) `RCV-01`).',
    tables: tablesOf(
      '`tabPurchase Receipt`, `tabPurchase Receipt Item`',
      '`stock_picking` of type `incoming`, `stock_move`',
      '`MKPF`, `MSEG` with movement type 101; `MATDOC` in S/4HANA',
      '`OPDN`, `PDN1`',
      '`Purch. Rcpt. Header`, `Purch. Rcpt. Line`',
    ),
    groups: {
      'goods-receipts': {
        receiptNumber: itsNumber('receipt'),
        status: ['the status, or whether it is posted', '`{ value: completed }`'],
      },
      'goods-receipt-lines': {
        receivedQuantity: ['the received quantity, in pieces', ''],
        damagedQuantity: always('0'),
        rejectedQuantity: ['the rejected quantity', '`{ value: 0 }`'],
      },
    },
  },
  {
    name: 'Stock',
    text: [
      'One record for a SKU at a warehouse. If the ERP has a row for each bin or lot, use `group`. Physical stock is the sum of',
      'available, reserved, damaged and held stock ([rule](rules.md) `INV-01`).',
    ].join('\n'),
    tables: tablesOf(
      '`tabBin`',
      '`stock_quant` at locations with `usage` `internal`',
      '`MARD`',
      '`OITW`',
      'sums of `Item Ledger Entry`',
    ),
    groups: {
      inventory: {
        onHandQuantity: ['physical stock', ''],
        availableQuantity: ['free stock', '`{ difference: [ON_HAND, RESERVED] }`'],
        reservedQuantity: ['reserved stock', '`{ value: 0 }`'],
        damagedQuantity: ['blocked stock', '`{ value: 0 }`'],
        qualityHoldQuantity: ['stock in inspection', '`{ value: 0 }`'],
        incomingQuantity: ['ordered stock', '`{ value: 0 }`'],
        asOf: ['the time of the last movement', '`last-changed`'],
      },
    },
  },
  {
    name: 'Invoice',
    text: [
      'Invoices of vendors. Invoices to customers do not belong here. What was paid is the sum of `payment-settlements`',
      '([rule](rules.md) `FIN-04`): bring both in, or neither.',
    ].join('\n'),
    tables: tablesOf(
      '`tabPurchase Invoice`, `tabPurchase Invoice Item`',
      '`account_move` with `move_type` `in_invoice`, `account_move_line`',
      '`RBKP`, `RSEG`',
      '`OPCH`, `PCH1`',
      '`Purch. Inv. Header`, `Purch. Inv. Line`',
    ),
    groups: {
      invoices: {
        invoiceNumber: ["the vendor's own number", 'the number of the document'],
        kind: ['the document type, with `values`', '`{ value: commercial }`'],
        status: ['the status, or `when` on open and total amount', '`{ value: received }`'],
        invoiceDate: ["the date on the vendor's document", 'the posting date'],
        currency: ['the currency of the document', '`{ brand: currency }`'],
        subtotalAmount: ['the total without tax', 'the sum of the lines'],
        taxAmount: ['the tax', 'the sum of the tax of the lines'],
        totalAmount: ['the total with tax', '`{ sum: [NET, TAX] }`'],
        creditedAmount: ['the sum of its credit notes', "`{ value: '0' }`"],
        paidAmount: ['total less open amount', "`{ value: '0' }`"],
        balanceAmount: ['the open amount', 'the total'],
      },
      'invoice-lines': {
        lineNumber: ['the number of the line', ''],
        kind: ['whether the line has an item: `when`', '`{ value: goods }`'],
        description: ['the text of the line', 'the name of the item'],
        amount: ['the amount without tax', '`{ product: [QTY, PRICE], round: currency }`'],
      },
    },
  },
  {
    name: 'Payment',
    text: 'Payments to vendors, and which invoice each part of one pays. Payments of customers do not belong here.',
    tables: tablesOf(
      '`tabPayment Entry`, `tabPayment Entry Reference`',
      '`account_payment`, `account_partial_reconcile`',
      '`REGUH`, `REGUP`; cleared items of `BSAK`',
      '`OVPM`, `VPM2`',
      '`Vendor Ledger Entry`, `Detailed Vendor Ledg. Entry`',
    ),
    groups: {
      payments: {
        paymentNumber: itsNumber('payment'),
        direction: ['incoming for refunds of a vendor', '`{ value: outgoing }`'],
        method: ['the payment method, with `values`', '`{ value: wire }`'],
        status: ['whether it is posted', '`{ value: completed }`'],
        currency: ['the currency of the payment', '`{ brand: currency }`'],
        amount: ['the amount', ''],
      },
      'payment-settlements': {
        amount: ['the allocated amount', 'the amount of the payment'],
        settledAt: ['the posting date', ''],
      },
    },
  },
  {
    name: 'Price list',
    text: [
      'Prices of an option in a currency. Prices that a vendor offered, by quantity, are `quotes` with their `quote-items` and',
      '`quote-price-bands`.',
    ].join('\n'),
    tables: tablesOf(
      '`tabItem Price`',
      '`product_supplierinfo` (bought), `product_pricelist_item` (sold)',
      '`EINA`, `EINE` (bought), `KONP` (sold)',
      '`ITM1`',
      '`Price List Line`',
    ),
    groups: {
      'product-option-prices': {
        kind: ['the list, with `values`', '`{ value: wholesale }`'],
        currency: ['the currency of the list', '`{ brand: currency }`'],
        amount: ['the price', ''],
      },
    },
  },
]

/** Other tables, and what becomes of them. */
export const otherTables: readonly (readonly [string, string])[] = [
  [
    'customers, sales orders, quotations to customers, deliveries to customers, sales invoices',
    'nothing: sales do not belong here',
  ],
  [
    'employees, users',
    'nothing; a field such as `buyerUserId` has an identity of its own: `{ key: [USER] }`',
  ],
  ['general ledger, journals, cost centres', 'nothing'],
  ['the company', '`brand`, which `selvedge brands add` makes'],
  ['payment terms', '`payment-terms`'],
  [
    'requests for quotation and offers of vendors',
    '`quotes`, `quote-revisions`, `quote-items`, `quote-price-bands`',
  ],
  [
    'bills of materials, fabrics and trims',
    '`boms`, `bom-components`, `materials`, `material-variants`',
  ],
  ['production orders of a vendor', '`production-runs`, `production-run-items`'],
  ['sites of vendors', '`locations` and `partner-locations`'],
  ['files', '`documents`, `images`'],
  ['further columns', '`customFields`, after a row in `custom-field-definitions`'],
]
