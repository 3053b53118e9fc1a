/**
 * What an answer that nobody asked for before costs beside the least that it can cost: plain
 * node:http from memory, then the same with SQLite's statement and nothing else, then the product.
 * Processor time in microseconds, the least of several rounds, since others use the machine too.
 */
import { join } from 'node:path'
import { fillBrand } from './brand.ts'
import { casesOf } from './cases.ts'
import { openContest, type Questions } from './comparison.ts'
import { openGenerator, readGenerator } from './load.ts'
import { figure, readOptions, runBench, seconds, whole } from './options.ts'
import { openProduct } from './product.ts'
import { measurable, startReference } from './rounds.ts'
import { inWorkplace } from './sandbox.ts'
import { tableOf } from './table.ts'
import { pageAt } from './walk.ts'

const asked = { 'never-seen page': '/25', 'page of 100': '/100', get: '/get' } as const

await runBench((args) => {
  const values = readOptions(args, {
    rows: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1' },
  })
  const rows = whole('rows', values.rows, 5_000, 10_000_000)
  const rounds = whole('rounds', values.rounds, 1, 100)
  const length = seconds('seconds', values.seconds)
  return inWorkplace(async (workplace) => {
    const file = join(workplace.folder, 'bare.db')
    const product = openProduct(workplace, 'bare', `sqlite:${file}`)
    const brand = await fillBrand(workplace, product, { rows, others: 0, otherOrders: 0 })
    const server = await product.serve({
      path: pageAt(brand.items, '', 25),
      headers: brand.headers,
    })
    const found = await measurable(server, await casesOf(server, brand, 5_000))
    const contest = openContest(
      workplace.folder,
      openGenerator(readGenerator(undefined), workplace),
      32,
    )
    const plain = await startReference(workplace)
    const bare = await startReference(workplace, 'bare-server.ts', file, 'acme')
    const table: string[][] = []
    for (const [name, path] of Object.entries(asked)) {
      const { paths, headers, answerBytes } = found.find((each) => each.name === name) ?? {
        ...{ paths: [], headers: {}, answerBytes: 0 },
      }
      const questions: readonly (readonly [typeof plain, Questions])[] = [
        [plain, contest.questions(`plain ${name}`, [`/${answerBytes}`])],
        [bare, contest.questions(`bare ${name}`, [path])],
        [server, contest.questions(name, paths, headers)],
      ]
      const least = questions.map(() => Number.POSITIVE_INFINITY)
      for (let round = 0; round < rounds; round += 1) {
        workplace.say(`${name}, round ${round + 1} of ${rounds}`)
        for (const [index, [contender, question]] of questions.entries()) {
          const { cpuUs } = await contest.ask(contender, question, length)
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
    console.log(`CPU µs of one answer, ${figure(rows)} rows\n${tableOf(heads, table)}`)
    return 0
  })
})
