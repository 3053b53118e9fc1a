import { type Offered, openSerials, sharedIdsOf, type World } from './context.ts'
import { type Fabrics, putFabrics, putTrims } from './fabrics.ts'
import { putFinance } from './finance.ts'
import { putLibrary } from './library.ts'
import { putOrder } from './order.ts'
import { putCarriers, putMill, putSupplier, type Supplier } from './partners.ts'
import { putPlaces } from './places.ts'
import { planOrder } from './plan.ts'
import { putProduction } from './production.ts'
import { putQuotes } from './quotes.ts'
import { at, Chance } from './random.ts'
import { putReceiving } from './receiving.ts'
import { type DemoItem, openSheaf } from './record-buffer.ts'
import { openSamples, putStyleSamples } from './samples.ts'
import { putShipment } from './shipping.ts'
import { putSizes } from './sizes.ts'
import { openStock } from './stock.ts'
import { readThread } from './story-records.ts'
import { putStyle, type Style, type StyleSource, skuCountOf } from './styles.ts'
import { putGivenBack, putPalettePictures, putUnused } from './unreferenced.ts'

export interface SeasonOptions {
  /** The brand's slug. */
  readonly brand: string
  /** Orders beside the one of the story; each has about ten items. */
  readonly orders: number
  readonly seed: number
}

/**
 * The records of a brand's season: the story first, then styles, suppliers and as many orders as
 * asked for, each with all that follows from its status. Nothing points at a record that has not
 * come yet, except at the shared ones, which are those of the story. The same options give the
 * same records, and every rule of the catalog holds among them. Records are made as they are asked
 * for; what is kept grows with the styles, not with the orders.
 */
export function* season(options: SeasonOptions): Generator<DemoItem, void, undefined> {
  const { brand, orders } = options
  const thread = readThread(brand)
  yield* thread.items

  const chance = new Chance(`${brand}/${options.seed}`)
  const sheaf = openSheaf()
  const { put } = sheaf
  const places = putPlaces(put, chance, thread)
  const ranges = putSizes(put, chance, thread)
  const library = putLibrary(put, chance, thread)
  const carriers = putCarriers(put, chance, thread, library.freightTermId)
  const trims = putTrims(put, chance, thread, library)
  const source: StyleSource = {
    put,
    chance,
    thread,
    library,
    ranges,
    trims,
    codePrefix: prefixOf(brand),
  }
  putPalettePictures(source, library, brand)

  const fabrics: Fabrics[] = []
  for (let index = 0; index < millCount(orders); index += 1) {
    const mill = putMill(put, chance, library, index)
    fabrics.push(putFabrics(put, chance, thread, library, mill, index))
  }
  const suppliers: Supplier[] = []
  for (let index = 0; index < supplierCount(orders); index += 1) {
    suppliers.push(putSupplier(put, chance, thread, library, places, index))
    yield* sheaf.items
    sheaf.clear()
  }

  const samples = openSamples(put, chance, thread)
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
    yield* sheaf.items
    sheaf.clear()
  }
  putUnused(source, at(styles, 0))

  const stock = openStock(skuCount, places.warehouses)
  const serials = openSerials()
  const shared = sharedIdsOf(thread)
  const world: World = {
    put,
    chance,
    library,
    places,
    carriers,
    offered,
    samples,
    stock,
    serials,
    shared,
  }
  putGivenBack(world)
  for (let index = 0; index < orders; index += 1) {
    putWholeOrder(world, index)
    yield* sheaf.items
    sheaf.clear()
  }
  for (const style of styles) {
    stock.putStyle(put, chance, style)
    yield* sheaf.items
    sheaf.clear()
  }
  yield* sheaf.items
}

/** An order and everything that follows from it, in the order in which it happens. */
const putWholeOrder = (world: World, index: number): void => {
  const plan = planOrder(world, index)
  putOrder(world, plan)
  const runItems = putProduction(world, plan)
  const shipments = plan.shipments
    .filter(({ status }) => status !== null)
    .map((shipment) => putShipment(world, plan, shipment, runItems.get(shipment) ?? []))
  for (const shipped of shipments) putReceiving(world, plan, shipped)
  putFinance(world, plan, shipments)
}

/** Styles, suppliers and mills grow more slowly than the orders placed with them. */
const styleCount = (orders: number): number => 8 + Math.floor(orders / 20)
const supplierCount = (orders: number): number => 8 + Math.floor(Math.sqrt(orders))
const millCount = (orders: number): number => 2 + Math.floor(Math.sqrt(orders) / 8)

/** The letters before a style number: those of the story for its brand, else the slug's first. */
const prefixOf = (brand: string): string =>
  brand === 'aldermoor'
    ? 'AM'
    : brand
        .replace(/[^a-z0-9]/g, '')
        .slice(0, 2)
        .toUpperCase()
