import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { root } from './files.ts'
import type { JobMessage, TestResult } from './job.ts'

/** A process of a run: test files, or a static check. */
export interface Job {
  readonly name: string
  /** The expected duration. */
  readonly seconds: number
  run(): Promise<JobResult>
}

export interface JobResult {
  readonly tests: readonly TestResult[]
  /** A problem outside the tests, with the output of the process. */
  readonly problem: string | null
}

/** Time limit of a process for all its files. */
const jobMs = 1_800_000

/** More room for new objects: collecting them less often takes less processor time. */
const memoryOptions = ['--max-semi-space-size=32']

/** A job that runs a program and fails if the exit code is not 0. */
export const programJob = (name: string, seconds: number, words: readonly string[]): Job => ({
  name,
  seconds,
  run: async () => {
    const [program = '', ...args] = words
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    const code = exitOf(child)
    const printed = await Promise.all([text(child.stdout), text(child.stderr)])
    return { tests: [], problem: (await code) === '0' ? null : printed.join('') }
  },
})

/** A job that runs test files in one process. */
export const testJob = (files: readonly string[], seconds: number): Job => ({
  name: files.length === 1 ? String(files[0]) : `${files.length} files with ${files[0]}`,
  seconds,
  run: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-test-job-'))
    const results = join(folder, 'results')
    const words = [...memoryOptions, join(import.meta.dirname, 'job.ts'), results, ...files]
    const child = spawn(process.execPath, words, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Node's test runner refuses to start within a test of another runner.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    })
    const timer = setTimeout(() => child.kill('SIGKILL'), jobMs)
    const code = exitOf(child)
    const printed = await Promise.all([text(child.stdout), text(child.stderr)])
    const exit = await code
    clearTimeout(timer)
    const messages = existsSync(results) ? readFileSync(results, 'utf8').split('\n') : []
    rmSync(folder, { recursive: true, force: true })
    const tests: TestResult[] = []
    let problem: string | null = `The process ended before its tests: ${exit}.`
    for (const line of messages.filter(Boolean)) {
      const message = JSON.parse(line) as JobMessage
      if ('left' in message) problem = leftSentence(message.left)
      else tests.push({ ...message, file: relative(root, message.file) })
    }
    return { tests, problem: problem && [problem, ...printed].join('\n') }
  },
})

const leftSentence = (left: readonly string[]): string | null =>
  left.length === 0 ? null : `The tests left this open: ${[...new Set(left)].join(', ')}.`

const exitOf = (child: ReturnType<typeof spawn>): Promise<string> =>
  new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(String(code ?? signal)))
  })

export interface RunOptions {
  readonly atOnce: number
  /** Whether skipped tests fail the run. */
  readonly refusesSkips: boolean
  readonly print: (line: string) => void
}

/**
 * Runs jobs, the longest first, so that no long job runs alone at the end. Returns their durations.
 */
export const runJobs = async (
  jobs: readonly Job[],
  { atOnce, refusesSkips, print }: RunOptions,
): Promise<{ readonly passed: boolean; readonly seconds: ReadonlyMap<string, number> }> => {
  const waiting = [...jobs].sort((a, b) => b.seconds - a.seconds).values()
  const results: TestResult[] = []
  const problems: string[] = []
  const seconds = new Map<string, number>()
  const work = async () => {
    for (const job of waiting) {
      const began = performance.now()
      const { tests, problem } = await job.run()
      const failed = tests.filter((test) => isFailure(test, refusesSkips))
      results.push(...tests)
      const failures = [
        ...failed.map(({ file, name, reason }) => [`${file}: ${name}`, reason] as const),
        ...(problem === null ? [] : [[job.name, problem] as const]),
      ]
      for (const [where, why] of failures) print(`\n✖ ${where}\n${why}\n`)
      problems.push(...failures.map(([where]) => where))
      const mark = failures.length === 0 ? '✔' : '✖'
      const took = (performance.now() - began) / 1_000
      seconds.set(job.name, took)
      const count = tests.length > 0 ? ` (${tests.length})` : ''
      print(`${mark} ${took.toFixed(1).padStart(6)} s  ${job.name}${count}`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  for (const problem of problems) print(`✖ ${problem}`)
  const count = (outcome: TestResult['outcome']) =>
    results.filter((each) => each.outcome === outcome).length
  print('')
  print(`${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`)
  return { passed: problems.length === 0, seconds }
}

const isFailure = ({ outcome }: TestResult, refusesSkips: boolean): boolean =>
  outcome === 'failed' || (outcome === 'skipped' && refusesSkips)
