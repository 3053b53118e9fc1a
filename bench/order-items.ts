/** Generates millions of order items with realistic references, texts and variety. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { type DemoRecord, openStory } from '#demo'
import { createWording } from '../demo/season/wording.ts'
import { mix } from './statistics.ts'

/** From the most frequent value to the rarest. */
export const itemTypes = ['product', 'sample', 'material', 'packaging', 'tooling', 'service']
export const categories = [
  ...['Jackets', 'Trousers', 'Shirts', 'Knitwear', 'Dresses', 'Skirts'],
  ...['Footwear', 'Bags', 'Belts', 'Hats', 'Socks', 'Scarves'],
]
const steps = ['production', 'packing', 'pre_production', 'sampling', 'development']
const descriptions = [
  'Fjäll chore jacket, Écru',
  'Drover’s chino — Bleu d’eau',
  'Łąka pocket tee, Navy 藍',
  'Oxford shirt, Soot',
  '亚麻衬衫 (linen shirt)',
  'Crew sweater “Señal”, Crème rosée',
  'Straight jean, rinse',
]
const languages = ['en', 'zh', 'tr', 'pt', 'vi', 'it', 'bn']
const sizes = ['XS', 'S', 'M', 'L', 'XL', '32/32', '34/34', 'one size']
const itemsPerOrder = 10
const htsCodes = 300

/** Converts a number to a UUID: evenly distributed, and the same in every run. */
const identity = (kind: number, n: number): string => {
  const mixed = (BigInt(n) * 0x9e3779b97f4a7c15n + BigInt(kind)) & 0xffffffffffffffffn
  const hex = mixed.toString(16).padStart(16, '0') + n.toString(16).padStart(16, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export const orderId = (n: number): string => identity(1, n)
export const itemId = (n: number): string => identity(2, n)
export const ordersOf = (rows: number): number => Math.ceil(rows / itemsPerOrder)

export interface OrderItems {
  readonly ordersFile: string
  readonly itemsFile: string
  readonly skuIds: readonly string[]
}

/** Writes orders and their items for a brand with the demo's story. */
export const writeOrderItems = async (folder: string, rows: number): Promise<OrderItems> => {
  const story = await openStory()
  const [order = {}] = story.records['orders'] ?? []
  const ordersFile = join(folder, 'orders.ndjson')
  const itemsFile = join(folder, 'order-items.ndjson')
  const item = createItems(story.records, rows)
  await writeLines(ordersFile, ordersOf(rows), (n) =>
    JSON.stringify({ ...order, id: orderId(n), orderNumber: `B-${n}` }),
  )
  await writeLines(itemsFile, rows, (n) => JSON.stringify(item(n)))
  return { ordersFile, itemsFile, skuIds: idsOf(story.records['skus']) }
}

/** Generates the order items of a brand by number, the same in every run. */
export const createItems = (
  records: { readonly [path: string]: readonly DemoRecord[] },
  rows: number,
): ((n: number) => DemoRecord) => {
  const [item = {}] = records['order-items'] ?? []
  const skuIds = idsOf(records['skus'])
  const versionIds = idsOf(records['product-versions'])
  const orders = ordersOf(rows)
  const wording = createWording('bench')
  return (n) => {
    const itemType = often(itemTypes, n, 4)
    const isGoods = itemType !== 'tooling' && itemType !== 'service'
    const createdMs = seenFromMs - Math.floor(600 * dayMs * share(n, 7) ** 2)
    const confirmedMs = createdMs + (1 + (mix(n, 8) % 6)) * dayMs
    const isConfirmed = confirmedMs < seenFromMs && !oneIn(20, n, 10)
    return {
      ...item,
      id: itemId(n),
      // The largest order has some hundred items, most have a few.
      orderId: orderId(Math.floor(orders * share(n, 11) ** 1.5)),
      skuId: isGoods ? at(skuIds, n, 1) : null,
      productVersionId: isGoods && !oneIn(10, n, 12) ? at(versionIds, n, 2) : null,
      qty: 1 + Math.floor(2_000 * share(n, 3) ** 3),
      supplierConfirmedAt: isConfirmed ? timestamp(confirmedMs) : null,
      unitPriceBase: isConfirmed ? (item['unitPriceBase'] ?? null) : null,
      duty: isConfirmed && isGoods ? (item['duty'] ?? null) : null,
      htsCode: oneIn(8, n, 13) ? null : String(6_201_000_000 + Math.floor(htsCodes * share(n, 14))),
      itemType,
      itemDescription: oneIn(40, n, 15)
        ? null
        : `${at(descriptions, n, 16)} ${at(sizes, n, 17)} (${n + 1})`,
      memo: wording.remark(at(languages, n, 18)),
      step: oneIn(12, n, 19) ? null : often(steps, n, 5),
      category: oneIn(15, n, 20) ? null : often(categories, n, 6),
      createdAt: timestamp(createdMs),
      updatedAt: timestamp(isConfirmed ? confirmedMs : createdMs),
    }
  }
}

const dayMs = 86_400_000

/** Items were created in the months before this day, which is the demo's today. */
const seenFromMs = Date.parse('2026-06-01T00:00:00.000Z')

const timestamp = (ms: number): string => new Date(ms).toISOString()

/** A pseudo-random number from 0 to below 1. */
const share = (n: number, salt: number): number => mix(n, salt) / 2 ** 32

const oneIn = (count: number, n: number, salt: number): boolean => mix(n, salt) % count === 0

const at = (values: readonly string[], n: number, salt: number): string =>
  values[mix(n, salt) % values.length] ?? ''

/** Picks the first values often and the last ones rarely. */
const often = (values: readonly string[], n: number, salt: number): string =>
  values[Math.floor(values.length * share(n, salt) ** 3)] ?? ''

const idsOf = (records: readonly DemoRecord[] = []): string[] => records.map(({ id }) => String(id))

/** Different ranges of the time of change, each of which matches about `records` items. */
export const narrowRanges = (rows: number, records = 300): readonly string[] => {
  const last = Date.parse('2026-05-01T00:00:00.000Z')
  // Records are spread over 600 days, with about three times as many per day towards the end.
  const widthMs = Math.round((records * 400 * dayMs) / rows)
  const time = (ms: number) => new Date(ms).toISOString()
  return Array.from({ length: 60_000 }, (_, n) => {
    const from = last - (mix(n, 31) % (200 * dayMs))
    return `updatedAt.gte=${time(from)}&updatedAt.lt=${time(from + widthMs)}`
  })
}

/** Writes lines of text as fast as the disk accepts them. */
export const writeLines = async (
  file: string,
  count: number,
  lineAt: (n: number) => string,
): Promise<void> => {
  const out = createWriteStream(file)
  for (let n = 0; n < count; n += 1) {
    if (!out.write(`${lineAt(n)}\n`)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
}
