/**
 * The CPU profile of requests: `npm run bench -- profile --case 'filtered page'` serves with Node's
 * CPU profiler and prints the functions with the most self time. Native functions, such as SQLite
 * statements and socket writes, have no file.
 */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatCount } from '../tools/options.ts'
import { inSandbox } from '../tools/sandbox.ts'
import { fillBrand } from './brand.ts'
import { caseNames, casesOf } from './cases.ts'
import { createComparison } from './comparison.ts'
import { readBenchOptions, seconds, whole, word } from './options.ts'
import { openProduct, ownCheckout } from './product.ts'
import { tableOf } from './table.ts'
import { pageAt } from './walk.ts'

const connections = 32
const places = 5_000
const functionsMax = 25

export const runProfile = (args: readonly string[]): Promise<number> => {
  const {
    case: name,
    rows,
    seconds: length,
  } = readBenchOptions(args, {
    case: word('never-seen page', caseNames),
    rows: whole(100_000, 500, 10_000_000),
    seconds: seconds(5),
  })
  return inSandbox(async (sandbox) => {
    const comparison = createComparison(sandbox.folder, connections)
    const profiles = join(sandbox.folder, 'profiles')
    mkdirSync(profiles)
    const product = openProduct(sandbox, 'profile', `sqlite:${join(sandbox.folder, 'profile.db')}`)
    const brand = await fillBrand(sandbox, product, { rows, others: 0, otherOrders: 0 })
    const first = { path: pageAt(brand.items, '', 25), headers: brand.headers }
    const guide = await product.serve(first)
    const cases = await casesOf(guide, brand, places)
    await guide.close()
    const { paths, headers, status } = cases.find((each) => each.name === name) ?? {
      ...{ paths: [], headers: {}, status: 200 },
    }
    const server = await product.serve({
      ...first,
      nodeOptions: ['--cpu-prof', `--cpu-prof-dir=${profiles}`],
    })
    const requests = comparison.requests(name, paths, headers, status)
    const { perSecond, cpuUs } = await comparison.measure(server, requests, length)
    await server.close()
    const [file] = readdirSync(profiles)
    if (file === undefined) throw new Error('The server wrote no profile.')
    const profile: CpuProfile = JSON.parse(readFileSync(join(profiles, file), 'utf8'))
    console.log(
      `${name}, ${formatCount(rows)} rows: ${formatCount(Math.round(perSecond))} a second, ${cpuUs?.toFixed(0) ?? '–'} µs of CPU each, with the profiler`,
    )
    console.log(tableOf(['', 'share', 'where'], rowsOf(profile, server.startMs * 1_000)))
    return 0
  })
}

/** The used parts of Node's profile format. */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** The self time of each function as a share of the busy time after the start. */
const rowsOf = (
  { nodes, samples, timeDeltas }: CpuProfile,
  startUs: number,
): readonly (readonly string[])[] => {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const times = new Map<string, { name: string; where: string; us: number }>()
  let sinceBeginUs = 0
  let busyUs = 0
  for (const [at, id] of samples.entries()) {
    const { functionName, url } = frames.get(id) ?? { functionName: '', url: '' }
    const us = timeDeltas[at] ?? 0
    sinceBeginUs += us
    if (functionName === '(idle)' || sinceBeginUs < startUs) continue
    busyUs += us
    const where = url.replace(`file://${ownCheckout}`, '')
    const key = `${functionName} ${where}`
    const entry = times.get(key) ?? { name: functionName || '(anonymous)', where, us: 0 }
    entry.us += us
    times.set(key, entry)
  }
  return [...times.values()]
    .sort((a, b) => b.us - a.us)
    .slice(0, functionsMax)
    .map(({ name, where, us }) => [name, `${((us / busyUs) * 100).toFixed(1)} %`, where])
}
