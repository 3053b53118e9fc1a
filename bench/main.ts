/**
 * Runs one benchmark: `npm run bench -- [name] [options]`. Without a name it measures pages.
 * CONTRIBUTING.md lists the options.
 */
import { oneOf, runCommand } from '../tools/options.ts'

type Benchmark = (args: readonly string[]) => Promise<number>

const benchmarks = {
  pages: async () => (await import('./pages.ts')).runPages,
  compare: async () => (await import('./compare.ts')).runCompare,
  profile: async () => (await import('./profile.ts')).runProfile,
  growth: async () => (await import('./growth.ts')).runGrowth,
  peers: async () => (await import('./peers.ts')).runPeers,
  import: async () => (await import('./import.ts')).runImport,
  ingest: async () => (await import('./ingest.ts')).runIngest,
  map: async () => (await import('./map.ts')).runMap,
  query: async () => (await import('./query.ts')).runQuery,
  overhead: async () => (await import('./overhead.ts')).runOverhead,
  search: async () => (await import('./search.ts')).runSearch,
  screens: async () => (await import('./screens.ts')).runScreens,
  storage: async () => (await import('./storage.ts')).runStorage,
  today: async () => (await import('./today.ts')).runToday,
} satisfies Readonly<Record<string, () => Promise<Benchmark>>>

const names = Object.keys(benchmarks) as readonly (keyof typeof benchmarks)[]

await runCommand(async (args) => {
  const [first] = args
  const isNamed = first !== undefined && !first.startsWith('-')
  const name = isNamed ? oneOf('benchmark', first, names) : 'pages'
  const run = await benchmarks[name]()
  return run(isNamed ? args.slice(1) : args)
})
