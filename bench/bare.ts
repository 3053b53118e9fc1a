/**
 * The cost of a page that is not cached, compared with the least that it can cost: plain node:http
 * from memory, then the same with SQLite's statement and nothing else, then the product.
 * Processor time in microseconds, the least of several rounds, since others use the machine too.
 */
import { join } from 'node:path'
import { fillBrand } from './brand.ts'
import { casesOf } from './cases.ts'
import { createComparison, type RequestSet } from './comparison.ts'
import { formatCount, readOptions, seconds, whole } from './options.ts'
import { openProduct } from './product.ts'
import { measurable, startReference } from './rounds.ts'
import { inSandbox } from './sandbox.ts'
import { tableOf } from './table.ts'
import { pageAt } from './walk.ts'

const barePaths = { 'never-seen page': '/25', 'page of 100': '/100', get: '/get' } as const

export const runBare = (args: readonly string[]): Promise<number> => {
  const values = readOptions(args, {
    rows: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1' },
  })
  const rows = whole('rows', values.rows, 5_000, 10_000_000)
  const rounds = whole('rounds', values.rounds, 1, 100)
  const length = seconds('seconds', values.seconds)
  return inSandbox(async (sandbox) => {
    const comparison = createComparison(sandbox.folder, 32)
    const file = join(sandbox.folder, 'bare.db')
    const product = openProduct(sandbox, 'bare', `sqlite:${file}`)
    const brand = await fillBrand(sandbox, product, { rows, others: 0, otherOrders: 0 })
    const server = await product.serve({
      path: pageAt(brand.items, '', 25),
      headers: brand.headers,
    })
    const cases = await measurable(server, await casesOf(server, brand, 5_000))
    const plain = await startReference(sandbox)
    const bare = await startReference(sandbox, 'bare-server.ts', file, 'acme')
    const table: string[][] = []
    for (const [name, path] of Object.entries(barePaths)) {
      const { paths, headers, answerBytes } = cases.find((each) => each.name === name) ?? {
        ...{ paths: [], headers: {}, answerBytes: 0 },
      }
      const requestSet: readonly (readonly [typeof plain, RequestSet])[] = [
        [plain, comparison.requests(`plain ${name}`, [`/${answerBytes}`])],
        [bare, comparison.requests(`bare ${name}`, [path])],
        [server, comparison.requests(name, paths, headers)],
      ]
      const least = requestSet.map(() => Number.POSITIVE_INFINITY)
      for (let round = 0; round < rounds; round += 1) {
        sandbox.log(`${name}, round ${round + 1} of ${rounds}`)
        for (const [index, [contender, question]] of requestSet.entries()) {
          const { cpuUs } = await comparison.measure(contender, question, length)
          least[index] = Math.min(least[index] ?? 0, cpuUs ?? 0)
        }
      }
      const [sent = 0, floor = 0, ours = 0] = least
      table.push([
        name,
        ...[sent, floor, ours].map((us) => us.toFixed(0)),
        (sent / floor).toFixed(2),
        (sent / ours).toFixed(2),
      ])
    }
    const heads = ['', 'plain', 'bare with SQLite', 'product', 'plain/bare', 'plain/product']
    console.log(`CPU µs of one answer, ${formatCount(rows)} rows\n${tableOf(heads, table)}`)
    return 0
  })
}
