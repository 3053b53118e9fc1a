import { catalog, resourceAt } from '#contract'
import type { Records } from '#server'
import { createItems } from '../../bench/order-items.ts'
import { mix } from '../../bench/statistics.ts'
import { story } from '../../test/support/brands.ts'

const items = resourceAt(catalog, 'order-items')
export const brand = 'aldermoor'

/** Fields with two values; each order item has a random one. */
export const halves = {
  category: ['Jackets', 'Trousers'],
  htsCode: ['6201930000', '6203420000'],
  itemType: ['product', 'sample'],
  step: ['production', 'packing'],
} as const

export const fieldNames = Object.keys(halves) as readonly (keyof typeof halves)[]

/** Fills the brand with this many order items. */
export const fill = (records: Records, rows: number): Promise<void> => {
  const itemAt = createItems(story, rows)
  const halvesOf = (n: number) =>
    Object.fromEntries(
      fieldNames.map((name, index) => [name, halves[name][mix(n, 90 + index) % 2]]),
    )
  return writeItems(records, rows, (n) => ({ ...itemAt(n), ...halvesOf(n) }))
}

export const writeItems = (
  { store }: Records,
  rows: number,
  itemAt: (n: number) => object,
): Promise<void> =>
  store.write(brand, async (writer) => {
    for (let from = 0; from < rows; from += 10_000) {
      const length = Math.min(10_000, rows - from)
      const part = Array.from({ length }, (_, index) => itemAt(from + index))
      await writer.stage(items, part as never)
    }
    await writer.merge(items)
  })

/** One key for expensive requests and several for ordinary ones: concurrency is limited per key. */
export const issueKeys = async ({ keys }: Records): Promise<readonly string[]> => {
  const issued: string[] = []
  for (let n = 0; n < 5; n += 1) {
    const rights = { brands: [brand], global: false, expiresAt: null }
    const rate = { perSecond: null, burst: null }
    issued.push((await keys.issue({ name: `stall ${n}`, ...rights, ...rate })).key)
  }
  return issued
}
