/** What the product is held to, in one table. */
import type { CaseName } from './cases.ts'
import type { Spread } from './statistics.ts'

export type Engine = 'sqlite' | 'postgres'

/** What the product did in one case, over all rounds. */
export interface CaseFigures {
  readonly name: CaseName
  readonly answerBytes: number
  readonly perSecond: Spread
  readonly referencePerSecond: Spread
  /** Requests a second, to those of the reference in the same round. */
  readonly ratio: Spread
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: Spread | null
  readonly referenceCpuUs: Spread | null
  /** Processor time for a request, the reference's to the product's. */
  readonly cpuRatio: Spread | null
  readonly bareCpuUs: Spread | null
  /** Processor time for a request, the product's to that of the bare server. */
  readonly bareRatio: Spread | null
  readonly askedAgain: number
}

/** What a run found out, as far as it is judged. */
export interface Found {
  readonly engine: Engine
  readonly workers: number
  readonly cores: number
  readonly cases: readonly CaseFigures[]
  /** The most private memory of a worker. */
  readonly privateMb: number | null
  readonly startSeconds: number
  /** Several workers to one, in requests a second. */
  readonly scaling: Spread | null
}

interface Target {
  readonly what: string
  /** The figure, or null where there is none. */
  readonly read: (results: Found) => number | null
  readonly bound: 'at least' | 'at most'
  /** By engine; an engine that is left out is not held to it. */
  readonly is: { readonly [engine in Engine]?: number }
}

const figures = (results: Found, name: CaseName): CaseFigures | undefined =>
  results.cases.find((each) => each.name === name)

/** Ratios are to a reference of one process, so several are not held to them. */
const alone = (results: Found): boolean => results.workers === 1

/** Processor time: requests a second depend on what else runs on the machine. */
const ratioOf = (name: CaseName, is: Target['is']): Target => ({
  what: `${name}, ratio to the reference`,
  read: (results) => (alone(results) ? (figures(results, name)?.cpuRatio?.median ?? null) : null),
  bound: 'at least',
  is,
})

/** How much more than the bare server a request may cost. */
const timesBare = (name: CaseName): Target => ({
  what: `${name}, times the bare server`,
  read: (results) => (alone(results) ? (figures(results, name)?.bareRatio?.median ?? null) : null),
  bound: 'at most',
  is: { sqlite: 1.35 },
})

/** The generator needs a core, the reference is idle meanwhile, and the rest is the workers'. */
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

/** A target and what became of it. */
export interface Verdict {
  readonly what: string
  readonly figure: number
  readonly bound: Target['bound']
  readonly target: number
  readonly met: boolean
}

/** The verdict on a figure. */
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
