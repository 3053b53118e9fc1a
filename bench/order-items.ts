/** Order items by the million, with the references and the variety of real ones. */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { openStory } from '#demo'
import { mix } from './statistics.ts'

export const itemTypes = ['product', 'sample', 'material', 'packaging', 'tooling', 'service']
export const categories = [
  ...['Jackets', 'Trousers', 'Shirts', 'Knitwear', 'Dresses', 'Skirts'],
  ...['Footwear', 'Bags', 'Belts', 'Hats', 'Socks', 'Scarves'],
]
const steps = ['development', 'sampling', 'pre_production', 'production', 'packing']
const itemsPerOrder = 10

/** A number as an identity: spread like chance, the same at every run. */
export const identity = (kind: number, n: number): string => {
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

/** Writes orders and their items for a brand that has the demo's story. */
export const writeOrderItems = async (folder: string, rows: number): Promise<OrderItems> => {
  const { records } = await openStory()
  const [order = {}] = records['orders'] ?? []
  const [item = {}] = records['order-items'] ?? []
  const skuIds = idsOf(records['skus'])
  const versionIds = idsOf(records['product-versions'])
  const orders = ordersOf(rows)
  const pick = <Value>(from: readonly Value[], n: number, salt: number) =>
    from[mix(n, salt) % from.length]
  const ordersFile = join(folder, 'orders.ndjson')
  const itemsFile = join(folder, 'order-items.ndjson')
  await writeLines(ordersFile, orders, (n) => ({ ...order, id: orderId(n), orderNumber: `B-${n}` }))
  await writeLines(itemsFile, rows, (n) => ({
    ...item,
    id: itemId(n),
    orderId: orderId(n % orders),
    skuId: pick(skuIds, n, 1),
    productVersionId: pick(versionIds, n, 2),
    qty: 1 + (mix(n, 3) % 900),
    itemType: pick(itemTypes, n, 4),
    itemDescription: `Line ${n} of the order`,
    step: pick(steps, n, 5),
    category: pick(categories, n, 6),
  }))
  return { ordersFile, itemsFile, skuIds }
}

const idsOf = (records: readonly { readonly [field: string]: unknown }[] = []): string[] =>
  records.map(({ id }) => String(id))

export const writeLines = async (
  file: string,
  count: number,
  make: (n: number) => object,
): Promise<void> => {
  const out = createWriteStream(file)
  for (let n = 0; n < count; n += 1) {
    if (!out.write(`${JSON.stringify(make(n))}\n`)) {
      await new Promise((drained) => out.once('drain', drained))
    }
  }
  await new Promise<void>((ended) => out.end(() => ended()))
}
