import type { RecordAt } from '#contract'
import { createAdapter } from '../adapt.ts'
import { createMove, writtenFor } from '../move.ts'
import { createSerials, type Offered, type SeasonContext, sharedIdsOf } from './context.ts'
import { type Fabrics, putFabrics, putTrims } from './fabrics.ts'
import { putFinance } from './finance.ts'
import { putLibrary } from './library.ts'
import { putOrder } from './order.ts'
import { putCarriers, putMill, putSupplier, type Supplier } from './partners.ts'
import { putPlaces } from './places.ts'
import { planOrder } from './plan.ts'
import { putProduction } from './production.ts'
import { putQuotes } from './quotes.ts'
import { at, Random } from './random.ts'
import { putReceiving } from './receiving.ts'
import { createRecordBuffer, type DemoItem } from './record-buffer.ts'
import { createSamples, putStyleSamples } from './samples.ts'
import { putShipment } from './shipping.ts'
import { putSizes } from './sizes.ts'
import { createStock } from './stock.ts'
import { readStoryRecords } from './story-records.ts'
import { putStyle, type Style, type StyleSource, skuCountOf } from './styles.ts'
import { putCancelledBooking, putDroppedStyles, putPalettePictures } from './unreferenced.ts'
import { createWording } from './wording.ts'

export interface SeasonOptions {
  /** The brand's slug. */
  readonly brand: string
  /** Orders in addition to the story's; each has about ten items. */
  readonly orders: number
  readonly seed: number
  /** The day that the season is written for, such as `2026-11-16`. Default: the story's day. */
  readonly asOf?: string
  /** The brand's stored record, which takes the place of the story's. */
  readonly stored?: RecordAt<'brand'> | undefined
}

/**
 * The records of a brand's season: first the story, then styles, suppliers and orders, each with
 * all records that follow from its status. A record refers only to earlier ones and to the story's
 * shared records. The same options give the same records. They fulfil every business rule, except
 * for the few warnings that any brand has. Records are generated one step at a time, and memory use
 * grows with the styles, not with the orders.
 */
export function* season(options: SeasonOptions): Generator<DemoItem, void, undefined> {
  const { asOf = writtenFor, stored } = options
  const move = createMove(asOf)
  const adapt = stored ? createAdapter(stored, asOf) : (item: DemoItem) => item
  for (const item of writeSeason(options)) yield adapt(move(item))
}

function* writeSeason(options: SeasonOptions): Generator<DemoItem, void, undefined> {
  const { brand, orders } = options
  const story = readStoryRecords(brand)
  yield* story.items

  const seed = `${brand}/${options.seed}`
  const random = new Random(seed)
  const wording = createWording(seed)
  const buffer = createRecordBuffer()
  const { put } = buffer
  const places = putPlaces(put, random, story)
  const ranges = putSizes(put, random, story)
  const library = putLibrary(put, random, story)
  const partners = { put, random, wording, story, library }
  const carriers = putCarriers(partners)
  const trims = putTrims(put, random, story, library)
  const source: StyleSource = {
    ...partners,
    ranges,
    trims,
    codePrefix: prefixOf(brand),
  }
  putPalettePictures(source, library, brand)

  const fabrics: Fabrics[] = []
  for (let index = 0; index < millCount(orders); index += 1) {
    const mill = putMill(partners, index)
    fabrics.push(putFabrics(put, random, story, library, mill, index))
  }
  const suppliers: Supplier[] = []
  for (let index = 0; index < supplierCount(orders); index += 1) {
    suppliers.push(putSupplier(partners, places, index))
    yield* buffer.items
    buffer.clear()
  }

  const samples = createSamples(partners)
  const styles: Style[] = []
  const offered: Offered[] = []
  let skuCount = 0
  for (let index = 0; index < styleCount(orders); index += 1) {
    const supplier = at(suppliers, index)
    const style = putStyle(source, index, supplier, at(fabrics, index), styles, skuCount)
    const offer = putQuotes(source, style, at(suppliers, index + 1))
    putStyleSamples(samples, style, offer.quoteId)
    skuCount += skuCountOf(style)
    styles.push(style)
    offered.push({ style, offer })
    yield* buffer.items
    buffer.clear()
  }
  putDroppedStyles(source, at(styles, 0))

  const stock = createStock(skuCount, places.warehouses)
  const serials = createSerials()
  const shared = sharedIdsOf(story)
  const context: SeasonContext = {
    put,
    random,
    wording,
    library,
    places,
    carriers,
    offered,
    samples,
    stock,
    serials,
    shared,
  }
  putCancelledBooking(context)
  for (let index = 0; index < orders; index += 1) {
    putWholeOrder(context, index)
    yield* buffer.items
    buffer.clear()
  }
  for (const style of styles) {
    stock.putStyle(put, random, style)
    yield* buffer.items
    buffer.clear()
  }
  yield* buffer.items
}

/** An order and all its consequences, in chronological order. */
const putWholeOrder = (context: SeasonContext, index: number): void => {
  const plan = planOrder(context, index)
  putOrder(context, plan)
  const runItems = putProduction(context, plan)
  const shipments = plan.shipments
    .filter(({ status }) => status !== null)
    .map((shipment) => putShipment(context, plan, shipment, runItems.get(shipment) ?? []))
  for (const shipped of shipments) putReceiving(context, plan, shipped)
  putFinance(context, plan, shipments)
}

/** Styles, suppliers and mills grow more slowly than the orders. */
const styleCount = (orders: number): number => 8 + Math.floor(orders / 20)
const supplierCount = (orders: number): number => 8 + Math.floor(Math.sqrt(orders))
const millCount = (orders: number): number => 2 + Math.floor(Math.sqrt(orders) / 8)

/** The prefix of style numbers: the story's for its brand, otherwise from the slug. */
const prefixOf = (brand: string): string =>
  brand === 'aldermoor'
    ? 'AM'
    : brand
        .replace(/[^a-z0-9]/g, '')
        .slice(0, 2)
        .toUpperCase()
