/** Measures the product, the reference and the bare server in turn with equal loads. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Sandbox } from '../tools/sandbox.ts'
import type { Case } from './cases.ts'
import { askedAgain, type Comparison, type Measured, type RequestSet } from './comparison.ts'
import { cpuMsOf } from './process-usage.ts'
import type { Server } from './product.ts'
import { median, type Spread, spreadOf } from './statistics.ts'
import type { CaseFigures } from './targets.ts'

/** A case with the average size of its responses. */
export interface Measurable extends Case {
  readonly answerBytes: number
}

/** Sends a few requests of each case to verify its status and measure its responses. */
export const measurable = async (
  guide: Server,
  cases: readonly Case[],
): Promise<readonly Measurable[]> => {
  const results: Measurable[] = []
  for (const each of cases) {
    const { paths, headers } = each
    const stride = Math.ceil(paths.length / 20)
    const samples: number[] = []
    // The first request uses up the rate limit of the refused key.
    if (each.status === 429) await guide.get(paths[0] ?? '', headers)
    for (let at = 0; at < paths.length; at += stride) {
      const { status, body } = await guide.get(paths[at] ?? '', headers)
      if (status !== each.status) throw new Error(`${each.name}: ${status} ${body}`)
      samples.push(body.length)
    }
    const sum = samples.reduce((total, bytes) => total + bytes, 0)
    results.push({ ...each, answerBytes: Math.round(sum / samples.length) })
  }
  return results
}

export type Reference = Pick<Server, 'port' | 'cpuMs'>

export const startReference = (
  sandbox: Sandbox,
  name = 'reference.ts',
  ...args: readonly string[]
): Promise<Reference> => {
  const program = fileURLToPath(new URL(name, import.meta.url))
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  sandbox.onClose(() => child.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.stdout?.once('data', (port) =>
      resolve({ port: Number(port), cpuMs: () => cpuMsOf([child.pid ?? 0]) }),
    )
  })
}

interface Contenders {
  readonly server: Server
  readonly reference: Reference
  /** The minimum cost of a request. */
  readonly bare: Reference
  /** A server with one worker, for comparison if the product has several. */
  readonly single: Server | null
}

interface RoundsOptions {
  readonly rounds: number
  readonly seconds: number
}

interface Round {
  readonly product: Measured
  readonly reference: Measured
  readonly bare: Measured | null
}

interface MeasuredCase extends Measurable {
  readonly product: RequestSet
  readonly reference: RequestSet
  readonly bare: RequestSet | null
  readonly rounds: Round[]
}

export interface RoundsFigures {
  readonly cases: readonly CaseFigures[]
  readonly scaling: Spread | null
}

export const playRounds = async (
  { log }: Sandbox,
  comparison: Comparison,
  { rounds, seconds }: RoundsOptions,
  cases: readonly Measurable[],
  { server, reference, bare, single }: Contenders,
): Promise<RoundsFigures> => {
  const measuredCases = cases.map((each): MeasuredCase => {
    const { name, paths, headers, status, answerBytes, barePaths } = each
    return {
      ...each,
      product: comparison.requests(name, paths, headers, status),
      reference: comparison.requests(`reference ${name}`, [
        answerBytes === 0 ? '/304' : `/${answerBytes}`,
      ]),
      bare: barePaths.length > 0 ? comparison.requests(`bare ${name}`, barePaths) : null,
      rounds: [],
    }
  })
  const page = measuredCases.find(({ name }) => name === 'never-seen page')
  const alone = page && single && comparison.requests('single', page.paths, page.headers)
  const scaling: number[] = []

  /** Alternates the product between first and last place in each round. */
  const measureAll = async (
    each: MeasuredCase,
    round: number,
    length = seconds,
  ): Promise<Round> => {
    const product = () => comparison.measure(server, each.product, length)
    const early = round % 2 === 0 ? await product() : null
    const plain = await comparison.measure(reference, each.reference, length)
    const least = each.bare ? await comparison.measure(bare, each.bare, length) : null
    return { product: early ?? (await product()), reference: plain, bare: least }
  }

  log('warming up')
  const warmSeconds = Math.min(seconds, 1)
  for (const each of measuredCases) await measureAll(each, 0, warmSeconds)
  if (single && alone) await comparison.measure(single, alone, warmSeconds)
  for (let round = 1; round <= rounds; round += 1) {
    log(`round ${round} of ${rounds}`)
    for (const each of measuredCases) {
      each.rounds.push(await measureAll(each, round))
      if (each !== page || !single || !alone) continue
      const one = await comparison.measure(single, alone, seconds)
      scaling.push((each.rounds.at(-1)?.product.perSecond ?? Number.NaN) / one.perSecond)
    }
  }
  return { cases: measuredCases.map(figuresOf), scaling: spreadOf(scaling) }
}

const figuresOf = ({ name, answerBytes, rounds, product: set }: MeasuredCase): CaseFigures => {
  const of = (read: (round: Round) => number) => spreadOf(rounds.map(read)) as Spread
  const cpu = (read: (product: number, reference: number) => number) =>
    spreadOf(
      rounds.map(({ product, reference }) =>
        product.cpuUs === null || reference.cpuUs === null
          ? null
          : read(product.cpuUs, reference.cpuUs),
      ),
    )
  return {
    name,
    answerBytes,
    perSecond: of(({ product }) => product.perSecond),
    referencePerSecond: of(({ reference }) => reference.perSecond),
    ratio: of(({ product, reference }) => product.perSecond / reference.perSecond),
    p50Ms: median(rounds.map(({ product }) => product.p50Ms)),
    p99Ms: median(rounds.map(({ product }) => product.p99Ms)),
    cpuUs: cpu((product) => product),
    referenceCpuUs: cpu((_, reference) => reference),
    cpuRatio: cpu((product, reference) => reference / product),
    bareCpuUs: spreadOf(rounds.map(({ bare }) => bare?.cpuUs ?? null)),
    bareRatio: spreadOf(
      rounds.map(({ product, bare }) =>
        product.cpuUs && bare?.cpuUs ? product.cpuUs / bare.cpuUs : null,
      ),
    ),
    askedAgain: askedAgain(set),
  }
}
