import type { Check } from './check.ts'

/** Loads the default check of a module. */
const only = async (program: Promise<{ readonly default: Check }>): Promise<Check> =>
  (await program).default

/** Every check, by its name for `npm run reliability -- <name>`. */
export const checks = {
  backup: async () => (await import('./backup.ts')).backup,
  'blocked-loop': () => only(import('./blocked-loop.ts')),
  bodies: () => only(import('./bodies.ts')),
  chaos: () => only(import('./chaos.ts')),
  conversion: () => only(import('./conversion.ts')),
  crash: async () => (await import('./crash.ts')).crash,
  'crash-disk': async () => (await import('./crash.ts')).crashDisk,
  'crash-server': async () => (await import('./crash.ts')).crashServer,
  'crash-statements': async () => (await import('./crash.ts')).crashStatements,
  cursors: () => only(import('./cursors.ts')),
  'fair-reads': async () => (await import('./stall.ts')).fairReads,
  freeze: async () => (await import('./outage.ts')).freeze,
  histories: () => only(import('./histories.ts')),
  'ingest-kill': () => only(import('./ingest-kill.ts')),
  'io-errors': () => only(import('./io-errors.ts')),
  outage: async () => (await import('./outage.ts')).outage,
  pipelining: () => only(import('./pipelining.ts')),
  poison: () => only(import('./poison.ts')),
  'rate-limit': () => only(import('./rate-limit.ts')),
  recovery: async () => (await import('./backup.ts')).recovery,
  restarts: () => only(import('./restarts.ts')),
  slow: () => only(import('./slow.ts')),
  soak: () => only(import('./soak.ts')),
  stall: async () => (await import('./stall.ts')).stall,
  'stall-batches': async () => (await import('./stall.ts')).stallBatches,
  'stall-query': async () => (await import('./stall.ts')).stallQuery,
  start: () => only(import('./start.ts')),
  'two-imports': () => only(import('./two-imports.ts')),
  'two-primaries': () => only(import('./two-primaries.ts')),
  unread: () => only(import('./unread.ts')),
  'unread-downloads': () => only(import('./unread/downloads.ts')),
  upgrade: () => only(import('./upgrade.ts')),
  usage: () => only(import('./usage.ts')),
  'watch-kill': () => only(import('./watch-kill.ts')),
  'worker-crash': () => only(import('./worker-crash.ts')),
  mutants: async () => (await import('./mutants.ts')).mutants,
  'query-mutants': async () => (await import('./mutants.ts')).queryMutants,
  engines: () => only(import('./engines.ts')),
  fuzz: async () => (await import('./fuzz.ts')).fuzz,
  'full-log': () => only(import('./full-log.ts')),
  'fuzz-postgres': async () => (await import('./fuzz.ts')).fuzzPostgres,
  isolation: () => only(import('./isolation.ts')),
  'group-isolation': () => only(import('./group-isolation.ts')),
  parameters: () => only(import('./parameters.ts')),
  'revoke-during-import': () => only(import('./revoke-during-import.ts')),
  revocation: () => only(import('./revocation.ts')),
  shapes: () => only(import('./shapes.ts')),
  timing: () => only(import('./timing.ts')),
  walks: () => only(import('./walks.ts')),
  mcp: () => only(import('./mcp.ts')),
  'hostile-servers': () => only(import('./hostile-servers.ts')),
  'hostile-sources': () => only(import('./hostile-sources.ts')),
} satisfies Readonly<Record<string, () => Promise<Check>>>

export type CheckName = keyof typeof checks

export const checkNames = Object.keys(checks) as readonly CheckName[]
