import { rmSync } from 'node:fs'
import { formatCount } from '../tools/options.ts'
import type { Sandbox } from '../tools/sandbox.ts'
import { writeOrderItems } from './order-items.ts'
import { apiPath, type Product } from './product.ts'

/** The measured brand with its records and keys. */
export interface Brand {
  readonly rows: number
  /** The path of its order items. */
  readonly items: string
  readonly skuIds: readonly string[]
  readonly headers: { readonly authorization: string }
  /** The headers of a key that has used up its rate limit. */
  readonly spentHeaders: { readonly authorization: string }
}

interface BrandOptions {
  readonly rows: number
  /** The number of other brands in the database. */
  readonly others: number
  /** The size of each other brand, in orders of the demo. */
  readonly otherOrders: number
  /** Whether the program is an earlier version, whose import has no option to skip the rules. */
  readonly isEarlier?: boolean
}

/** Fills a brand with the demo's story and additional order items. */
export const fillBrand = async (
  sandbox: Sandbox,
  product: Product,
  { rows, others, otherOrders, isEarlier = false }: BrandOptions,
): Promise<Brand> => {
  const { step } = sandbox
  await step('filling the brand with the demo', () =>
    product.run('demo', '--brand', 'acme', '--orders', '0', '--json'),
  )
  const { ordersFile, itemsFile, skuIds } = await step(
    `making ${formatCount(rows)} order items`,
    () => writeOrderItems(sandbox.folder, rows),
  )
  await step(`importing ${formatCount(rows)} order items`, async () => {
    const skipRules = isEarlier ? [] : ['--no-check']
    await product.run('import', ordersFile, itemsFile, '--brand', 'acme', ...skipRules, '--json')
    rmSync(ordersFile)
    rmSync(itemsFile)
  })
  if (others > 0) {
    await step(`filling ${others} other brands`, async () => {
      for (let n = 1; n <= others; n += 1) {
        await product.run(
          ...['demo', '--brand', `other-${n}`, '--orders', String(otherOrders), '--seed', `${n}`],
        )
      }
    })
  }
  const issue = async (...rights: readonly string[]) => {
    const { key } = JSON.parse(
      await product.run('keys', 'issue', '--brand', 'acme', '--json', ...rights),
    )
    return { authorization: `Bearer ${key}` }
  }
  return {
    rows,
    items: `${apiPath}/brands/acme/order-items`,
    skuIds,
    headers: await issue(),
    spentHeaders: await issue('--rate', '0.001', '--burst', '1'),
  }
}
