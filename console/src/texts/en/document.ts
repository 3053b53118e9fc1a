import { countText } from '../../locale.ts'
import { counted } from '../counted.ts'

/** Texts by a name of the contract. */
type Words = { readonly [name: string]: string }

const stages: Words = {
  ordered: 'Ordered',
  made: 'Made',
  packed: 'Packed',
  shipped: 'Shipped',
  arrived: 'Arrived',
  received: 'Received',
  invoiced: 'Invoiced',
  credited: 'Credited',
  paid: 'Paid',
  settled: 'Settled',
  confirmed: 'Confirmed',
}

/** By section name, or by document and section name if the section name is ambiguous. */
const sections: Words = {
  lines: 'Lines',
  shipments: 'Shipments',
  productionRuns: 'Production runs',
  receipts: 'Receipts',
  'payments.receipts': 'Payment receipts',
  invoices: 'Invoices',
  payments: 'Payments',
  milestones: 'Payment milestones',
  amendments: 'Amendments',
  packingLists: 'Packing lists',
  samples: 'Samples',
  notes: 'Notes',
  documents: 'Documents',
  orders: 'Orders',
  legs: 'Legs',
  bookings: 'Bookings',
  cartons: 'Cartons',
  charges: 'Charges',
  creditNotes: 'Credit notes',
  settlements: 'Settlements',
  stock: 'Stock',
  openOrders: 'Open orders',
  pastOrders: 'Past orders',
  discrepancies: 'Discrepancies',
  incoming: 'Incoming shipments',
  prices: 'Prices',
  boms: 'Bills of materials',
  options: 'Options',
  skus: 'SKUs',
  components: 'Bill of materials',
  quotes: 'Quotes',
  versions: 'Versions',
  unpaidInvoices: 'Unpaid invoices',
  styles: 'Styles',
  contacts: 'Contacts',
  locations: 'Locations',
}

const figures: Words = {
  ordered: 'Ordered',
  made: 'Made',
  shipped: 'Shipped',
  received: 'Received',
  damaged: 'Damaged',
  invoiced: 'Invoiced',
  expected: 'Expected',
  pieces: 'Pieces',
  onHand: 'On hand',
  available: 'Available',
  incoming: 'Incoming',
}

const deadlines: Words = {
  exFactory: 'Ex-factory',
  delivery: 'Delivery',
  departure: 'Departure',
  arrival: 'Arrival',
  due: 'Payment',
  scheduled: 'Payment',
}

const days = (count: number): string => counted(count, 'day', 'days')

/** The page of an order, shipment, invoice, payment, SKU, style or supplier. */
export const document = {
  tabs: 'Parts of the page',
  tab: { document: 'Document', fields: 'Fields', call: 'API call' },
  print: 'Print',
  progress: 'Progress',
  stages,
  states: { open: 'not begun', partly: 'in progress', done: 'done' },
  sections,
  figures,
  deadlines,
  /** Replacements for labels that are too long for a table. */
  shortLabels: {
    estimatedDepartureAt: 'ETD',
    actualDepartureAt: 'ATD',
    estimatedArrivalAt: 'ETA',
    actualArrivalAt: 'ATA',
    discrepancyReason: 'Reason',
    expectedQuantity: 'Expected',
    receivedQuantity: 'Received',
    damagedQuantity: 'Damaged',
    statedTotalCartons: 'Cartons',
    statedTotalQtyPacked: 'Pieces',
  } as Words,
  goods: 'Goods',
  amount: 'Amount',
  late: (count: number) => `${days(count)} late`,
  dueIn: (count: number) => `due in ${days(count)}`,
  dueToday: 'due today',
  wasLate: (count: number) => `${days(count)} late`,
  early: (count: number) => `${days(count)} early`,
  onTime: 'on time',
  planned: (day: string) => `planned ${day}`,
  ofPieces: (pieces: number) => `of ${countText(pieces)}`,
  showAll: 'Show all',
  more: (count: number) => `and ${countText(count)} more`,
  noneOf: (names: string) => `None: ${names}.`,
  grid: {
    title: 'Colours and sizes',
    /** Stock. */
    here: 'at this location',
    figure: 'Figure',
    difference: 'Difference',
    less: (figure: string, other: string) => `${figure}, difference from ${other.toLowerCase()}`,
    download: 'Excel',
    /** Part of a file name. */
    file: 'sizes',
    lines: 'Without sizes',
    tooLarge: 'Too many SKUs for a table of sizes. The lines are in their list.',
  },
  scorecard: {
    title: 'Scorecard',
    since: (day: string) => `orders due since ${day}`,
    onTime: 'On time',
    ordersOf: (some: number, all: number) =>
      `${countText(some)} of ${counted(all, 'order', 'orders')}`,
    daysLate: 'Days late on average',
    lateOrders: (count: number) => counted(count, 'late order', 'late orders'),
    short: 'Short receipt lines',
    shortNote: (some: number, all: number, pieces: number) =>
      `${countText(some)} of ${counted(all, 'line', 'lines')}, ${counted(pieces, 'piece', 'pieces')} missing`,
    prices: 'Price changes',
    pricesNote: (higher: number, lower: number, same: number) =>
      `${countText(higher)} higher, ${countText(lower)} lower, ${countText(same)} unchanged`,
    openOrders: 'Open orders',
    openBalance: 'Open balance',
    disputed: 'Disputed',
    invoices: (count: number) => counted(count, 'invoice', 'invoices'),
    overdue: (count: number, amounts: string) =>
      count === 0 ? 'nothing overdue' : `overdue: ${amounts}`,
  },
}
