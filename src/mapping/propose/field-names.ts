import { wordsOf } from './words.ts'

/*
 * What columns of a field are called, in the words of `wordsOf` and without the words of the
 * collection: alternatives in order, the most specific first. Those after `|` need a look even if
 * the values fit, and those after `~` are used for required fields only.
 */
const names: { readonly [field: string]: string } = {
  orderNumber: 'number, reference, reference number, document number',
  invoiceNumber: 'number, reference, reference number, document number',
  receiptNumber: 'number, reference, reference number, document number',
  shipmentNumber: 'number, reference, reference number, document number',
  paymentNumber: 'number, reference, reference number, document number',
  bookingNumber: 'number, reference, reference number, document number',
  quoteNumber: 'number, reference, reference number, document number',
  sampleNumber: 'number, reference, reference number, document number',
  lineNumber: 'line number, line | sequence',
  code: 'number, reference | reference number, account number, sku number',
  'skus.name': 'name | description, short description, title ~ partner name',
  name: 'name ~ description, short description, title, partner name',
  'categories.name': 'name, category ~ description',
  'suppliers.name': 'name, partner name ~ title, short name',
  'partners.name': 'name, partner name, supplier name ~ title, short name',
  'locations.name': 'name, location name, warehouse name ~ description, location, warehouse',
  'payment-terms.name': 'name, description',
  'order-items.itemDescription':
    '| description, sku description, style name, sku name, style description',
  itemDescription: '| description, sku description',
  description: 'description | long description ~ memo',
  shortName: 'short name, abbreviation',
  qty: 'quantity, order quantity | ordered quantity ~ ordered',
  quantity: 'quantity, delivery quantity, shipped quantity ~ order quantity',
  receivedQuantity: 'received quantity, delivery quantity, quantity ~ received',
  damagedQuantity: 'damaged quantity ~ damaged',
  rejectedQuantity: 'rejected quantity | returned quantity ~ rejected, scrapped quantity',
  expectedQuantity: 'expected quantity, order quantity ~ expected',
  onHandQuantity:
    'stock, hand quantity, stock quantity, hand stock, total stock, quantity | total quantity ~ current stock',
  availableQuantity: 'available quantity, available stock | available',
  reservedQuantity:
    'reserved quantity, reserved stock | reserved, allocated quantity, committed quantity',
  incomingQuantity: 'incoming quantity, incoming stock, order quantity ~ incoming',
  qualityHoldQuantity:
    'quality quantity, quality hold quantity | blocked quantity, blocked stock, hold quantity',
  requestedQuantity: 'requested quantity | quantity',
  unitPrice:
    'unit price, price | net unit price, net price, purchase price, sell price ~ unit cost, cost price, price unit',
  unitCost: 'unit cost | cost, average cost, average price ~ standard cost, cost price, price',
  totalAmount:
    '| total amount, net total, net amount ~ amount, total, total price, subtotal, total due, grand total',
  subtotalAmount: 'subtotal, sub total, net amount, subtotal amount | net total, untaxed amount',
  'invoices.totalAmount':
    'total amount, gross amount, gross total | total, total due, grand total, amount',
  'invoice-lines.amount':
    'line amount, line total | amount, total price, total amount, net amount, net total, total ~ subtotal',
  taxAmount: 'tax amount | tax, total tax',
  'invoices.taxAmount': 'tax amount | total tax ~ tax',
  taxRatePercent: '| tax percent, tax rate, tax rate percent',
  paidAmount: 'paid amount | payment amount ~ paid',
  balanceAmount: 'balance amount, outstanding amount | balance, open amount, due amount',
  totalQuantity: '| total quantity ~ quantity',
  exchangeRate: '| exchange rate, currency rate, conversion rate, rate',
  amount: 'amount | total amount ~ total',
  orderDate: 'order date, date | document date, transaction date, issue date ~ created date',
  invoiceDate: 'invoice date, date | document date, transaction date, posting date',
  dueDate: 'due date',
  receivedDate: 'received date | receipt date',
  requestedDeliveryDate:
    'delivery date, requested delivery date, expected delivery date | required date, need date, expected date, expected receipt date, planned delivery date, estimated delivery date, requested date, due date, promised date, schedule date, target date ~ estimated arrival date, planned date',
  requestedExFactoryDate: 'factory date, requested factory date | requested ship date ~ ship date',
  confirmedExFactoryDate: 'confirmed factory date',
  supplierConfirmedAt: 'supplier confirmed date | confirmed date ~ confirmed',
  approvedAt: '| approved date, approval date',
  receivedAt:
    'received date, receipt date | effective date, date, posting date, delivery date, transaction date',
  asOf: 'stock date, count date, snapshot date | balance date, date, updated date',
  countedAt: 'counted date, count date | inventory date',
  cancelledAt: 'cancelled date | cancel date',
  closedAt: 'closed date | close date, completed date',
  deletedAt: 'deleted date',
  scheduledDate: 'scheduled date | payment date, due date',
  startDate: 'start date | from date, begin date, valid from',
  endDate: 'end date | to date, valid to',
  createdAt:
    'created date, create date, created time, created, date created, row created | entry date, date added, added date, insert date',
  updatedAt:
    'updated date, updated time, updated, last updated date, update date, last update, write date, row updated',
  leadTimeDays: 'lead time, lead days, lead time days | lead, average lead time, delivery days',
  moq: 'moq, minimum order quantity, minimum order, min order quantity',
  minimumOrderValue: 'minimum order value, minimum order amount',
  netDays: 'net days, days, due days | net, term net',
  currency: 'currency, currency number',
  defaultCurrencyCode: 'currency, default currency, currency number',
  'relationship.defaultCurrencyCode': '',
  baseCurrencyCode: 'currency',
  countryCode: 'country, street country, country number',
  countryOfOriginCode: 'origin country | origin ~ country',
  incotermCode: 'incoterm',
  defaultIncotermCode: 'incoterm, default incoterm',
  'relationship.defaultIncotermCode': '',
  incotermPlace: 'incoterm place, incoterm location, place',
  htsCode: 'tariff number, tariff',
  gtin: 'gtin, gtin number',
  netWeightKg: 'net weight, weight | unit weight, weight unit',
  grossWeightKg: 'gross weight | total weight ~ weight',
  volumeCbm: 'volume, total volume',
  lengthCm: 'length',
  widthCm: 'width',
  heightCm: 'height',
  estimatedDepartureAt: 'estimated departure date, planned departure date',
  actualDepartureAt: 'actual departure date | departure date, ship date, shipped date',
  estimatedArrivalAt:
    'estimated arrival date | planned arrival date, expected arrival date, expected date, expected delivery date',
  actualArrivalAt: 'actual arrival date | arrival date',
  deliveredAt: 'delivered date, actual delivery date | delivery date',
  trackingNumber: 'tracking number, tracking',
  totalCartons: 'carton count, total carton | carton, carton quantity',
  shipMode:
    'mode, ship mode, shipment mode, transport mode ~ shipment method, ship method, ship via',
  mode: 'mode, shipment mode, transport mode ~ shipment method, ship method, ship via',
  addressLine1: 'street, street 1, street line 1, street line, street line1, street1, line1',
  addressLine2: 'street 2, street line 2, street line2, street2, line2',
  city: 'city, street city, postal city',
  region: 'region, state, state region, street region, street state',
  postalCode: 'postal number, postal, street postal, street postal number',
  email: 'email, e mail, mail, contact email, email street',
  phone:
    'phone, phone number, contact phone, contact phone number | phone 1, telephone 1, mobile, mobile phone',
  firstName: 'first name',
  lastName: 'last name, surname, family name',
  jobTitle: 'job title, title, contact title | position ~ role, function, job',
  displayName: 'contact name, contact, contact person, full name, name',
  website: 'website, website url | url, homepage, web, web site, web url',
  taxId: 'tax number | tax registration number, tax identification number',
  businessRegistrationNumber: 'registration number',
  memo: '| memo, internal memo, private memo, public memo ~ description, text',
  comment: '| memo, internal memo, private memo, public memo',
  comments: '| memo',
  body: 'memo | text, body',
  notes: '| memo, internal memo, private memo',
  careInstructions: 'care instructions, care',
  season: 'season',
  hexCode: 'hex, hex number, color hex, rgb',
  latitude: 'latitude, lat',
  longitude: 'longitude, lng, lon, long',
  sequence: '| sequence, sort order, sort, sort number, rank',
  'categories.sequence': '| sequence, sort order, sort, sort number, rank, position',
  level: '| level, depth',
  method: 'method, payment method',
  reference:
    '| reference, supplier reference, external reference, reference number, external number',
  status: 'status, state',
  partnerStatus: 'status',
  'relationship.status': '',
  kind: 'kind',
  family: 'family',
  revisionNumber: 'revision number, revision ~ version',
  step: 'step',
  category: '',
  itemType: '| sku kind, line kind, kind',
  isPrimary: 'primary, main | default',
  verified: 'verified',
}

export interface FieldName {
  readonly words: readonly string[]
  readonly strength: Strength
}

/** How plainly a name means a field. */
export type Strength = 'exact' | 'close' | 'weak'

/** The names of a field's columns, best first. */
export const namesOf = (collection: string, field: string): readonly FieldName[] => {
  const last = field.slice(field.lastIndexOf('.') + 1)
  const text = names[`${collection}.${field}`] ?? names[field] ?? names[last]
  if (text === undefined) return [{ words: wordsOf(last), strength: 'exact' }]
  const [strong = '', weak = ''] = text.split('~')
  const [exact = '', close = ''] = strong.split('|')
  return [
    ...alternatives(exact, 'exact'),
    ...alternatives(close, 'close'),
    ...alternatives(weak, 'weak'),
  ]
}

/** The words are those of `wordsOf`, which knows synonyms. */
const alternatives = (text: string, strength: Strength): readonly FieldName[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => ({ words: [...new Set(each.split(' ').flatMap(wordsOf))], strength }))
