import { unitPrice } from './amounts.ts'
import { date, dayOf, moment, today } from './calendar.ts'
import type { Supplier } from './partners.ts'
import { at } from './random.ts'
import { people } from './story-records.ts'
import type { Style, StyleSource } from './styles.ts'
import { dollarRates } from './trades.ts'

/** The offer behind the orders of a style. */
export interface Offer {
  readonly quoteId: string
  readonly revisionId: string
}

/** The quantities at which each price band begins. */
const bandStarts = [1, 300, 800] as const

/** The unit price for a quantity, in tenths of the supplier's currency. */
export const tenthsFor = ({ bandTenths }: Style, quantity: number): number =>
  bandTenths[quantity >= bandStarts[2] ? 2 : quantity >= bandStarts[1] ? 1 : 0]

const askedQuantity = 600

/**
 * Quote states that led to no order, each with the state of its only offer, if any, and the age of
 * the request in days if it is still open.
 */
const leftOpen: readonly (readonly [quote: string, revision: string | null, ago: number | null])[] =
  [
    ['declined', 'rejected', null],
    ['expired', 'expired', null],
    ['quoted', 'submitted', 12],
    ['negotiating', 'countered', 19],
    ['requested', null, 4],
    ['cancelled', null, null],
    ['draft', null, 1],
  ]

/** The accepted quote of a style, and for every other style an unsuccessful one from a rival. */
export const putQuotes = (source: StyleSource, style: Style, rival: Supplier): Offer => {
  const { put, random, wording } = source
  const { supplier, startDay, bandTenths } = style
  const askedDay = startDay + 55
  const number = `Q-${3000 + style.index}`
  const quoteId = putQuote(source, style, supplier, number, 'accepted', askedDay)
  const [flat] = bandTenths
  const first = putRevision(source, supplier, quoteId, 1, 'countered', startDay + 62)
  putItem(source, style, first, startDay + 62, [flat])
  const second = putRevision(source, supplier, quoteId, 2, 'accepted', startDay + 70)
  putItem(source, style, second, startDay + 70, bandTenths)
  const note = (revisionId: string, body: string, contactId: string | null, day: number) => {
    put('quote-notes', {
      id: random.id(),
      quoteId,
      quoteRevisionId: revisionId,
      contactId,
      authorUserId: contactId === null ? people.buyer : null,
      visibility: 'shared',
      body,
      createdAt: moment(day),
    })
  }
  note(first, 'Please price by volume; we expect to come back for more.', null, startDay + 64)
  const offer = `From 800 pieces we can take two lines for it. ${wording.letter(supplier.trade.languageCode)}`
  note(second, offer, supplier.contactId, startDay + 70)
  if (style.index % 2 === 1 && rival !== supplier) {
    const [status, revision, ago] = at(leftOpen, Math.floor(style.index / 2))
    const day = ago === null ? askedDay : today - ago
    const rivalQuote = putQuote(source, style, rival, `${number}-B`, status, day)
    if (revision !== null) {
      const offer = putRevision(source, rival, rivalQuote, 1, revision, day + 5)
      putItem(source, style, offer, day + 5, [dearer(flat, supplier, rival)])
    }
  }
  return { quoteId, revisionId: second }
}

/** A price that is a tenth higher, in the rival's currency. */
const dearer = (tenths: number, from: Supplier, to: Supplier): number =>
  Math.round((tenths * 1.1 * worthOf(from)) / worthOf(to))

const worthOf = ({ trade }: Supplier): number => dollarRates[trade.currency]?.base ?? 1000

const putQuote = (
  { put, random }: StyleSource,
  style: Style,
  supplier: Supplier,
  quoteNumber: string,
  status: string,
  day: number,
): string => {
  const id = random.id()
  put('quotes', {
    id,
    quoteNumber,
    supplierId: supplier.id,
    productId: style.productId,
    productVersionId: style.versionId,
    title: style.name,
    status,
    requestedQuantity: askedQuantity,
    currency: supplier.trade.currency,
    targetUnitPrice: supplier === style.supplier ? unitPrice(style.bandTenths[1]) : null,
    requestedAt: status === 'draft' ? null : moment(day),
    responseDueDate: date(day + 9),
    requestedByUserId: people.buyer,
    createdAt: moment(day),
    updatedAt: moment(status === 'accepted' ? day + 18 : day),
  })
  return id
}

/** Validity of an offer in days. */
const offerDays = 60

const undecided = new Set(['submitted', 'expired'])

const putRevision = (
  { put, random }: StyleSource,
  supplier: Supplier,
  quoteId: string,
  revisionNumber: number,
  status: string,
  day: number,
): string => {
  const id = random.id()
  const decided = !undecided.has(status)
  put('quote-revisions', {
    id,
    quoteId,
    revisionNumber,
    status,
    currency: supplier.trade.currency,
    incotermCode: 'FOB',
    incotermPlace: supplier.trade.incotermPlace,
    paymentTermId: supplier.term.id,
    leadTimeDays: supplier.leadTimeDays,
    moq: 200,
    validUntil: date(status === 'accepted' ? dayOf('2026-12-31') : day + offerDays),
    submittedAt: moment(day),
    decidedAt: decided ? moment(day + 3) : null,
    decidedByUserId: decided ? people.buyer : null,
    createdAt: moment(day),
    updatedAt: moment(decided ? day + 3 : day),
  })
  return id
}

/** One line for the whole style, priced for the requested quantity. */
const putItem = (
  { put, random, story }: StyleSource,
  style: Style,
  quoteRevisionId: string,
  day: number,
  prices: readonly number[],
): void => {
  const id = random.id()
  const createdAt = moment(day)
  const { leadTimeDays } = style.supplier
  put('quote-items', {
    id,
    quoteRevisionId,
    itemType: 'product',
    description: `${style.name}, all colours`,
    sequence: 1,
    quantity: askedQuantity,
    unitOfMeasureId: story.idOf('units-of-measure', 'code', 'C62'),
    unitPrice: unitPrice(prices[1] ?? prices[0] ?? 0),
    leadTimeDays,
    createdAt,
  })
  prices.forEach((tenths, band) => {
    const next = band + 1 < prices.length ? bandStarts[band + 1] : undefined
    put('quote-price-bands', {
      id: random.id(),
      quoteItemId: id,
      minQuantity: bandStarts[band] ?? 1,
      maxQuantity: next === undefined ? null : next - 1,
      unitPrice: unitPrice(tenths),
      createdAt,
    })
  })
}
