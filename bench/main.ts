/**
 * Runs one benchmark: `npm run bench -- [name] [options]`. Without a name it measures pages; an
 * unknown option lists those of the benchmark. With `--report-only`, missed targets are reported but
 * the exit code is 0; a run that is too small for its targets still fails on errors.
 */
import { oneOf, runCommand } from '../tools/options.ts'
import { reportOnly } from './results.ts'

/** Returns 1 if a target is missed, and throws on any other failure. */
type Benchmark = (args: readonly string[]) => Promise<number>

const benchmarks = {
  pages: async () => (await import('./pages.ts')).runPages,
  proposals: async () => (await import('./proposals.ts')).runProposals,
  profile: async () => (await import('./profile.ts')).runProfile,
  growth: async () => (await import('./growth.ts')).runGrowth,
  peers: async () => (await import('./peers.ts')).runPeers,
  import: async () => (await import('./import.ts')).runImport,
  ingest: async () => (await import('./ingest.ts')).runIngest,
  intake: async () => (await import('./intake.ts')).runIntake,
  map: async () => (await import('./map.ts')).runMap,
  query: async () => (await import('./query.ts')).runQuery,
  reads: async () => (await import('./reads.ts')).runReads,
  screens: async () => (await import('./screens.ts')).runScreens,
  sizing: async () => (await import('./sizing.ts')).runSizing,
  storage: async () => (await import('./storage.ts')).runStorage,
} satisfies Readonly<Record<string, () => Promise<Benchmark>>>

const names = Object.keys(benchmarks) as readonly (keyof typeof benchmarks)[]

await runCommand(async (all) => {
  const args = all.filter((each) => each !== reportOnly)
  const [first] = args
  const isNamed = first !== undefined && !first.startsWith('-')
  const name = isNamed ? oneOf('benchmark', first, names) : 'pages'
  const run = await benchmarks[name]()
  const code = await run(isNamed ? args.slice(1) : args)
  return all.includes(reportOnly) ? 0 : code
})
