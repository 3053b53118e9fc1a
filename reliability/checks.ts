import type { Check } from './check.ts'

type Load = () => Promise<{ readonly default: Check }>

/** Every check, by the name that `npm run reliability -- <name>` takes. */
export const checks = {
  'blocked-loop': () => import('./blocked-loop.ts'),
  conversion: () => import('./conversion.ts'),
  crash: () => import('./crash.ts'),
  'crash-disk': () => import('./crash-disk.ts'),
  'crash-server': () => import('./crash-server.ts'),
  'crash-statements': () => import('./crash-statements.ts'),
  cursors: () => import('./cursors.ts'),
  freeze: () => import('./freeze.ts'),
  'ingest-kill': () => import('./ingest-kill.ts'),
  'io-errors': () => import('./io-errors.ts'),
  outage: () => import('./outage.ts'),
  pipelining: () => import('./pipelining.ts'),
  'rate-limit': () => import('./rate-limit.ts'),
  restarts: () => import('./restarts.ts'),
  slow: () => import('./slow.ts'),
  soak: () => import('./soak.ts'),
  stall: () => import('./stall.ts'),
  'stall-query': () => import('./stall-query.ts'),
  start: () => import('./start.ts'),
  'two-imports': () => import('./two-imports.ts'),
  unread: () => import('./unread.ts'),
  upgrade: () => import('./upgrade.ts'),
  'watch-kill': () => import('./watch-kill.ts'),
  'worker-crash': () => import('./worker-crash.ts'),
  mutants: () => import('./mutants.ts'),
  'query-mutants': () => import('./query-mutants.ts'),
  engines: () => import('./engines.ts'),
  fuzz: () => import('./fuzz.ts'),
  'full-log': () => import('./full-log.ts'),
  'fuzz-postgres': () => import('./fuzz-postgres.ts'),
  isolation: () => import('./isolation.ts'),
  parameters: () => import('./parameters.ts'),
  'revoke-during-import': () => import('./revoke-during-import.ts'),
  revocation: () => import('./revocation.ts'),
  shapes: () => import('./shapes.ts'),
  timing: () => import('./timing.ts'),
  walks: () => import('./walks.ts'),
  mcp: () => import('./mcp.ts'),
  'hostile-servers': () => import('./hostile-servers.ts'),
} satisfies Readonly<Record<string, Load>>

export type CheckName = keyof typeof checks

export const checkNames = Object.keys(checks) as readonly CheckName[]
