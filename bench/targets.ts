/** The targets of the product in one table. */
import type { CaseName } from './cases.ts'
import type { Spread } from './statistics.ts'

export type Engine = 'sqlite' | 'postgres'

/** The results of one case over all rounds. */
export interface CaseFigures {
  readonly name: CaseName
  readonly answerBytes: number
  readonly perSecond: Spread
  readonly referencePerSecond: Spread
  /** Requests per second relative to the reference in the same round. */
  readonly ratio: Spread
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: Spread | null
  readonly referenceCpuUs: Spread | null
  /** CPU time per request of the reference relative to the product. */
  readonly cpuRatio: Spread | null
  readonly bareCpuUs: Spread | null
  /** CPU time per request of the product relative to the bare server. */
  readonly bareRatio: Spread | null
  readonly askedAgain: number
}

/** The figures of a run that have targets. */
export interface Found {
  readonly engine: Engine
  readonly workers: number
  readonly cores: number
  readonly cases: readonly CaseFigures[]
  /** Peak private memory of a worker. */
  readonly privateMb: number | null
  readonly startSeconds: number
  /** Requests per second with several workers relative to one. */
  readonly scaling: Spread | null
}

interface Target {
  readonly what: string
  /** The figure, or null if there is none. */
  readonly read: (results: Found) => number | null
  readonly bound: 'at least' | 'at most'
  /** By engine. A missing engine has no target. */
  readonly is: { readonly [engine in Engine]?: number }
}

const figures = (results: Found, name: CaseName): CaseFigures | undefined =>
  results.cases.find((each) => each.name === name)

/** Ratios are relative to one reference process, so they apply to a single worker only. */
const alone = (results: Found): boolean => results.workers === 1

/** Uses CPU time: requests per second depend on the load of the machine. */
const ratioOf = (name: CaseName, is: Target['is']): Target => ({
  what: `${name}, ratio to the reference`,
  read: (results) => (alone(results) ? (figures(results, name)?.cpuRatio?.median ?? null) : null),
  bound: 'at least',
  is,
})

/** Maximum cost relative to the bare server. */
const timesBare = (name: CaseName): Target => ({
  what: `${name}, times the bare server`,
  read: (results) => (alone(results) ? (figures(results, name)?.bareRatio?.median ?? null) : null),
  bound: 'at most',
  is: { sqlite: 1.35 },
})

/** The generator needs one core, the workers the rest; the reference is idle meanwhile. */
export const coresForScaling = 4

const targets: readonly Target[] = [
  ratioOf('repeated page', { sqlite: 0.88, postgres: 0.88 }),
  ratioOf('repeated get', { sqlite: 0.88 }),
  ratioOf('304', { sqlite: 0.9 }),
  timesBare('never-seen page'),
  timesBare('filtered page'),
  timesBare('page of 100'),
  timesBare('get'),
  ratioOf('never-seen page', { sqlite: 0.3, postgres: 0.17 }),
  ratioOf('filtered page', { sqlite: 0.19 }),
  ratioOf('get', { sqlite: 0.5, postgres: 0.3 }),
  {
    what: 'processor time of deep pages to first pages',
    read: (results) => {
      const [deep, first] = [figures(results, 'deep pages'), figures(results, 'first pages')]
      return deep?.cpuUs && first?.cpuUs && alone(results)
        ? deep.cpuUs.median / first.cpuUs.median
        : null
    },
    bound: 'at most',
    is: { sqlite: 1.1 },
  },
  {
    what: 'processor time of a 429 to a 304',
    read: (results) => {
      const [refusal, unchanged] = [figures(results, '429'), figures(results, '304')]
      return refusal?.cpuUs && unchanged?.cpuUs
        ? refusal.cpuUs.median / unchanged.cpuUs.median
        : null
    },
    bound: 'at most',
    is: { sqlite: 1 },
  },
  {
    what: 'private memory of a worker, MB',
    read: ({ privateMb }) => privateMb,
    bound: 'at most',
    is: { sqlite: 120, postgres: 120 },
  },
  {
    what: 'start to first answer, s',
    read: (results) => (alone(results) ? results.startSeconds : null),
    bound: 'at most',
    is: { sqlite: 0.5, postgres: 0.5 },
  },
  {
    what: 'several workers to one',
    read: ({ scaling, cores }) => (cores >= coresForScaling ? (scaling?.median ?? null) : null),
    bound: 'at least',
    is: { sqlite: 1.8, postgres: 1.8 },
  },
]

/** A target and its result. */
export interface Verdict {
  readonly what: string
  readonly figure: number
  readonly bound: Target['bound']
  readonly target: number
  readonly met: boolean
}

export const verdictOf = (
  what: string,
  figure: number,
  bound: Target['bound'],
  target: number,
): Verdict => ({
  ...{ what, figure, bound, target },
  met: bound === 'at least' ? figure >= target : figure <= target,
})

export const judge = (results: Found): readonly Verdict[] =>
  targets.flatMap(({ what, read, bound, is }) => {
    const target = is[results.engine]
    const figure = read(results)
    if (target === undefined || figure === null) return []
    return [verdictOf(what, figure, bound, target)]
  })

/** The exit code of a benchmark: 1 if a target is missed. */
export const exitCodeOf = (verdicts: readonly Verdict[]): number =>
  verdicts.every(({ met }) => met) ? 0 : 1

export const sentenceOf = ({ what, figure, bound, target, met }: Verdict): string => {
  const digits = Number.isInteger(target) && target > 10 ? 0 : 2
  const off = Math.abs(figure / target - 1) * 100
  const missed = met ? '' : `, missed by ${off < 0.1 ? 'a hair' : `${off.toFixed(1)} %`}`
  return `${met ? 'met   ' : 'MISSED'}  ${what}: ${figure.toFixed(digits)}, ${bound} ${target}${missed}`
}
