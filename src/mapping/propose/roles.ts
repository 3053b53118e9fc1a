import type { Catalog } from '#contract'
import { wordsOf } from './words.ts'

/** What the table of a collection is called, in the words of `wordsOf`. */
export interface Role {
  readonly collection: string
  /** Alternatives; all words of one are needed. */
  readonly names: readonly (readonly string[])[]
  /** Words that a name can have besides, without meaning something else. */
  readonly besides: readonly string[]
  /** Whether sales have tables of the same name. */
  readonly isTraded: boolean
  /** Whether most systems have such a table, and mean the same with it. */
  readonly isUsual: boolean
  /** The collection that these rows are lines of. */
  readonly header: string | null
}

interface RoleWords {
  readonly names: readonly string[]
  readonly besides?: string
  readonly isTraded?: boolean
  readonly header?: string
}

const roleWords: { readonly [collection: string]: RoleWords } = {
  suppliers: { names: ['supplier'], besides: 'partner' },
  partners: { names: ['partner'], besides: 'business' },
  orders: { names: ['order'], besides: 'supplier', isTraded: true },
  'order-items': {
    names: ['order line', 'order sku', 'order style'],
    besides: 'sku style supplier line',
    isTraded: true,
    header: 'orders',
  },
  'parent-products': { names: ['style'], besides: 'template sku' },
  'product-options': {
    names: ['style color', 'style option', 'sku color', 'sku option'],
    besides: 'style sku',
  },
  skus: { names: ['sku', 'style sku'], besides: 'style catalog' },
  materials: { names: ['material'], besides: 'raw' },
  locations: {
    names: ['location', 'warehouse', 'location address'],
    besides: 'stock warehouse location facility',
  },
  contacts: { names: ['contact'], besides: 'supplier partner person', isTraded: true },
  colors: { names: ['color'], besides: '' },
  categories: {
    names: ['category', 'style group', 'sku group', 'material group'],
    besides: 'style sku material group category',
  },
  shipments: {
    names: ['shipment', 'delivery'],
    besides: 'inbound order supplier stock memo',
    isTraded: true,
  },
  'shipment-items': {
    names: ['shipment line', 'shipment sku', 'delivery line', 'delivery sku'],
    besides: 'inbound order supplier sku style stock memo',
    isTraded: true,
    header: 'shipments',
  },
  'goods-receipts': { names: ['receipt'], besides: 'goods order supplier stock', isTraded: true },
  'goods-receipt-lines': {
    names: ['receipt line', 'receipt sku'],
    besides: 'goods order supplier stock sku batch lot',
    isTraded: true,
    header: 'goods-receipts',
  },
  invoices: { names: ['invoice'], besides: 'supplier order incoming account', isTraded: true },
  'invoice-lines': {
    names: ['invoice line', 'invoice sku'],
    besides: 'supplier order incoming sku account',
    isTraded: true,
    header: 'invoices',
  },
  payments: { names: ['payment'], besides: 'supplier outgoing', isTraded: true },
  'payment-terms': { names: ['payment term', 'term'], besides: 'order supplier account invoice' },
  bookings: { names: ['booking'], besides: 'freight shipment' },
  samples: { names: ['sample'], besides: 'style' },
  quotes: { names: ['quote'], besides: 'supplier order price', isTraded: true },
  collections: { names: ['season'], besides: 'style' },
  inventory: {
    names: ['stock'],
    besides: 'style sku warehouse location quantity level balance quant hand material',
  },
}

/** The roles of all collections that a brand can have. */
export const rolesOf = (catalog: Catalog): readonly Role[] =>
  catalog.resources
    .filter(({ path, scope }) => scope === 'brand' && path !== 'brand')
    .map(({ path }) => {
      const { names = [], besides = '', isTraded = false, header } = roleWords[path] ?? {}
      const own = wordsOf(path)
      const all = [...names.map((each) => each.split(' ')), ...(names.length > 0 ? [] : [own])]
      return {
        collection: path,
        names: all,
        besides: besides.split(' '),
        isTraded,
        isUsual: usualRoles.includes(path),
        header: header ?? null,
      }
    })

const usualRoles = [
  ...['suppliers', 'partners', 'parent-products', 'skus', 'categories', 'locations', 'inventory'],
  ...[
    'orders',
    'order-items',
    'goods-receipts',
    'goods-receipt-lines',
    'invoices',
    'invoice-lines',
  ],
  'contacts',
  'payment-terms',
]

/** The words of a collection's subject, which its columns may repeat. */
export const subjectOf = (collection: string): readonly string[] => {
  const [first] = roleWords[collection]?.names ?? []
  return first?.split(' ') ?? wordsOf(collection)
}
