import { foldText } from '#contract'

/*
 * Synonyms in the names of tables and columns, in English and German, with the field names of a
 * common ERP system. Each maps to one of the few words that also describe fields and collections.
 */

const synonyms: { readonly [word: string]: string } = {
  supplier: 'supplier vendor vend lieferant lieferanten kreditor kreditoren creditor lifnr suppl',
  partner: 'partner partners geschaeftspartner geschaftspartner company firma',
  order:
    'order orders po pos purchase bestellung bestellungen bestell bestel ebeln auftrag auftrags ord',
  line: 'line lines ln position positionen ebelp zeile zeilen detail details',
  sku: 'sku skus item items article articles artikel matnr variante variant',
  style: 'style styles modell model product products produkt produkte',
  quantity: 'quantity qty qnty menge anzahl stueck stuck pcs units menge bestellmenge',
  price: 'price preis netpr prc stueckpreis stuckpreis einzelpreis',
  amount: 'amount amt betrag summe value wert netwr val',
  total: 'total tot gesamt sum',
  currency: 'currency curr cur waehrung wahrung waers ccy',
  date: 'date dt datum dat termin day tag at',
  time: 'time timestamp ts zeit uhrzeit',
  name: 'name nm name1 bezeichnung title',
  description: 'description descr desc text txt beschreibung txz01 langtext',
  number: 'number no nr num nummer code cd id key nbr kennung',
  country: 'country ctry land land1 cntry',
  status: 'status state stat sts',
  kind: 'kind type typ art',
  shipment: 'shipment shipments sendung sendungen shp container transport',
  receipt: 'receipt receipts grn wareneingang wareneingange receiving gr',
  invoice: 'invoice invoices rechnung rechnungen rechnungs inv faktura belnr',
  payment: 'payment payments zahlung zahlungen pay zahlungs',
  term: 'term terms bedingung bedingungen zterm konditionen',
  material: 'material materials stoff stoffe fabric',
  location: 'location locations lagerort standort site werk werks ort',
  warehouse: 'warehouse warehouses wh whs whse lager',
  contact: 'contact contacts ansprechpartner kontakt',
  color: 'color colour colors colours farbe farben',
  size: 'size groesse grosse sizes',
  gtin: 'gtin ean ean11 upc barcode',
  tariff: 'hts tariff zolltarif zolltarifnummer commodity hs stawn',
  weight: 'weight gewicht wgt wt',
  net: 'net netto nt',
  gross: 'gross brutto',
  volume: 'volume volumen cbm',
  length: 'length laenge lange',
  width: 'width breite',
  height: 'height hoehe hohe',
  incoterm: 'incoterm incoterms lieferbedingung inco1 inco',
  place: 'place inco2',
  lead: 'lead lieferzeit leadtime plifz vorlaufzeit',
  delivery: 'delivery deliver dlv liefer lieferung eindt delivered',
  departure: 'departure departed depart abfahrt abgang',
  arrival: 'arrival arrived arrive ankunft',
  estimated: 'estimated est geplant planned plan',
  actual: 'actual act ist',
  requested: 'requested req wunsch requested',
  confirmed: 'confirmed conf bestaetigt bestatigt',
  factory: 'factory fabrik werksabgang',
  due: 'due faellig fallig faelligkeit falligkeit',
  created: 'created creation angelegt erfasst erstellt erdat anlagedatum',
  updated: 'updated changed modified geaendert geandert aedat change modification lastchange',
  received: 'received eingegangen erhalten wemng',
  damaged: 'damaged beschaedigt beschadigt',
  rejected: 'rejected abgelehnt',
  mode: 'mode versandart verkehrstraeger',
  tracking: 'tracking sendungsnummer',
  season: 'season saison collection kollektion',
  stock: 'inventory stock bestand labst',
  memo: 'memo note notes comment remark remarks bemerkung notiz kommentar',
  unit: 'unit uom me meins einheit',
  tax: 'tax vat steuer mwst ust',
  rate: 'rate kurs wkurs exchange',
  city: 'city town stadt ort01',
  street: 'street strasse address adresse',
  postal: 'postal zip plz postcode',
  moq: 'moq mindestmenge',
  booking: 'booking bookings buchung',
  sample: 'sample samples muster',
  quote: 'quote quotes angebot angebote',
  header:
    'header headers head hdr kopf master stamm stammdaten export extract data dump tab tbl all list liste',
}

/** Abbreviations of several words. */
const phrases: { readonly [word: string]: readonly string[] } = {
  etd: ['estimated', 'departure', 'date'],
  eta: ['estimated', 'arrival', 'date'],
  atd: ['actual', 'departure', 'date'],
  ata: ['actual', 'arrival', 'date'],
  liefertermin: ['requested', 'delivery', 'date'],
  wunschtermin: ['requested', 'delivery', 'date'],
  liefdatum: ['requested', 'delivery', 'date'],
  bedat: ['order', 'date'],
  nettowert: ['total', 'amount'],
  bestellwert: ['total', 'amount'],
  gesamtwert: ['total', 'amount'],
  awb: ['house', 'bill', 'number'],
  exfactory: ['factory', 'date'],
  xfd: ['factory', 'date'],
}

const words = new Map<string, readonly string[]>([
  ...Object.entries(synonyms).flatMap(([word, list]) =>
    list.split(' ').map((each) => [each, [word]] as const),
  ),
  ...Object.entries(phrases),
])

/** Longest first, for splitting compound words. */
const parts = [...words.keys()]
  .filter((each) => each.length > 3)
  .sort((a, b) => b.length - a.length)

/** Words of a name: `VENDOR_NO`, `Lieferantennummer` and `supplierId` are supplier and number. */
export const wordsOf = (name: string): readonly string[] => {
  const pieces = foldText(name.replace(/([a-z0-9])([A-Z])/g, '$1 $2'))
    .split(/[^a-z0-9]+/)
    .filter((each) => each !== '')
  const meanings = pieces.flatMap((piece) => words.get(piece) ?? compoundOf(piece))
  return [...new Set(meanings)]
}

const compoundOf = (piece: string): readonly string[] => {
  const meanings: string[] = []
  let rest = piece
  while (rest.length > 3) {
    const part = parts.find((each) => rest.startsWith(each))
    if (part) {
      meanings.push(...(words.get(part) ?? []))
      rest = rest.slice(part.length)
    } else rest = rest.slice(1)
  }
  return meanings.length > 0 ? meanings : [piece]
}

/** The subjects of the collections' tables. Other collections are not proposed on their own. */
export const subjects: { readonly [collection: string]: readonly string[] } = {
  suppliers: ['supplier'],
  partners: ['partner'],
  orders: ['order'],
  'order-items': ['order', 'line'],
  'parent-products': ['style'],
  'product-options': ['style', 'color'],
  skus: ['sku'],
  materials: ['material'],
  locations: ['location'],
  contacts: ['contact'],
  colors: ['color'],
  shipments: ['shipment'],
  'shipment-items': ['shipment', 'line'],
  'goods-receipts': ['receipt'],
  'goods-receipt-lines': ['receipt', 'line'],
  invoices: ['invoice'],
  'invoice-lines': ['invoice', 'line'],
  payments: ['payment'],
  'payment-terms': ['payment', 'term'],
  bookings: ['booking'],
  samples: ['sample'],
  quotes: ['quote'],
  collections: ['season'],
  inventory: ['stock'],
}

/** The words of fields whose columns are usually named differently. */
export const fieldWords: { readonly [field: string]: readonly string[] } = {
  orderNumber: ['number'],
  invoiceNumber: ['number'],
  receiptNumber: ['number'],
  shipmentNumber: ['number'],
  paymentNumber: ['number'],
  bookingNumber: ['number'],
  quoteNumber: ['number'],
  sampleNumber: ['number'],
  lineNumber: ['line', 'number'],
  code: ['number'],
  qty: ['quantity'],
  itemDescription: ['sku', 'description'],
  leadTimeDays: ['lead', 'time'],
  defaultCurrencyCode: ['currency'],
  baseCurrencyCode: ['currency'],
  countryCode: ['country'],
  countryOfOriginCode: ['country'],
  incotermCode: ['incoterm'],
  defaultIncotermCode: ['incoterm'],
  incotermPlace: ['incoterm', 'place'],
  htsCode: ['tariff', 'number'],
  gtin: ['gtin'],
  netWeightKg: ['net', 'weight'],
  grossWeightKg: ['gross', 'weight'],
  volumeCbm: ['volume'],
  estimatedDepartureAt: ['estimated', 'departure', 'date'],
  actualDepartureAt: ['actual', 'departure', 'date'],
  estimatedArrivalAt: ['estimated', 'arrival', 'date'],
  actualArrivalAt: ['actual', 'arrival', 'date'],
  requestedExFactoryDate: ['factory', 'date'],
  requestedDeliveryDate: ['delivery', 'date'],
  confirmedExFactoryDate: ['confirmed', 'factory', 'date'],
  receivedAt: ['received', 'date'],
  receivedQuantity: ['received', 'quantity'],
  damagedQuantity: ['damaged', 'quantity'],
  rejectedQuantity: ['rejected', 'quantity'],
  onHandQuantity: ['quantity'],
  shipMode: ['mode'],
  createdAt: ['created', 'date'],
  updatedAt: ['updated', 'date'],
  displayName: ['name'],
}
