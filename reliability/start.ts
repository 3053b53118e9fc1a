import { join } from 'node:path'
import { fillBrand } from '../bench/brand.ts'
import { openProduct } from '../bench/product.ts'
import { inSandbox } from '../tools/sandbox.ts'
import { check } from './check.ts'

export default check({
  id: 'R22',
  claim: 'A server responds within a second of its start, however many records it has.',
  target: 'On SQLite with a million records: at most 1 s from the start to the first 200.',
  sizes: {
    short: { rows: 500, starts: 1, limitMs: 15_000 },
    full: { rows: 1_000_000, starts: 10, limitMs: 1_000 },
  },
  try: ({ rows, starts, limitMs }, { log }) =>
    inSandbox(async (sandbox) => {
      const databaseUrl = `sqlite:${join(sandbox.folder, 'start.db')}`
      const product = openProduct(sandbox, 'start', databaseUrl)
      const brand = await fillBrand(sandbox, product, { rows, others: 0, otherOrders: 0 })
      const path = `${brand.items}?limit=20`
      const took: number[] = []
      for (let count = 0; count < starts; count += 1) {
        const server = await product.serve({ path, headers: brand.headers })
        took.push(server.startMs)
        await server.close()
        log(`${count + 1} of ${starts}: ${server.startMs.toFixed(0)} ms`)
      }
      const slowest = Math.max(...took)
      const quickest = Math.min(...took)
      return {
        measured: `${starts} starts on ${rows.toLocaleString('en')} records: ${quickest.toFixed(0)} to ${slowest.toFixed(0)} ms to the first 200.`,
        counts: { rows, starts, quickestMs: Math.round(quickest), slowestMs: Math.round(slowest) },
        misses: slowest > limitMs ? [`One start took ${slowest.toFixed(0)} ms.`] : [],
      }
    }),
})
