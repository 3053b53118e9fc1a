import type { Suite } from './suite.ts'

type Load = () => Promise<{ readonly default: Suite }>

/** The modules whose mutants are tried, each with the sentences that must notice them. */
export const suites = {
  cursor: () => import('./suites/cursor.ts'),
  query: () => import('./suites/query.ts'),
  parameters: () => import('./suites/parameters.ts'),
  key: () => import('./suites/key.ts'),
  keys: () => import('./suites/keys.ts'),
  ring: () => import('./suites/ring.ts'),
  authenticate: () => import('./suites/authenticate.ts'),
  memory: () => import('./suites/memory.ts'),
  quota: () => import('./suites/quota.ts'),
  errors: () => import('./suites/errors.ts'),
  refusal: () => import('./suites/refusal.ts'),
  check: () => import('./suites/check.ts'),
} satisfies Readonly<Record<string, Load>>

export type SuiteName = keyof typeof suites

export const suiteNames = Object.keys(suites) as readonly SuiteName[]
