import type { Figure } from './figure.ts'

type Load = () => Promise<{ readonly default: Figure }>

/** Every figure, by the name that `npm run trust:<name>` knows it by. */
export const figures = {
  cursors: () => import('./cursors.ts'),
  engines: () => import('./engines.ts'),
  fuzz: () => import('./fuzz.ts'),
  'fuzz-postgres': () => import('./fuzz-postgres.ts'),
  isolation: () => import('./isolation.ts'),
  parameters: () => import('./parameters.ts'),
  revocation: () => import('./revocation.ts'),
  shapes: () => import('./shapes.ts'),
  timing: () => import('./timing.ts'),
  walks: () => import('./walks.ts'),
} satisfies Readonly<Record<string, Load>>

export type FigureName = keyof typeof figures

export const figureNames = Object.keys(figures) as readonly FigureName[]
