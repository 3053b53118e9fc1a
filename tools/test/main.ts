/**
 * Runs a tier of the tests; the fast one includes the static checks. Fast files share processes,
 * since loading the program takes longer than most of their tests. With patterns, Node's test
 * runner runs the files of the tier whose path contains one of them, and takes further options.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { globalTeardown, setUpTier } from '../../test/support/global-setup.ts'
import { missingPrograms } from '../../test/support/programs.ts'
import { checks } from '../check.ts'
import { oneOf, runCommand, UsageError } from '../options.ts'
import { changedSince, filesOf, needsOwnProcess, root, type Tier, tiers } from './files.ts'
import { type Job, runJobs, testJob } from './jobs.ts'
import { isAbout } from './subjects.ts'

/** The durations of slow files in seconds, to start these first. Written with `--record`. */
const durationsFile = join(root, 'test/durations.json')
const durations: { readonly [file: string]: number } = JSON.parse(
  readFileSync(durationsFile, 'utf8'),
)
const secondsOf = (file: string): number => durations[file] ?? 1

/**
 * The number of processes at once. Fast files compute. Slow ones wait about half of the time, for
 * servers, browsers and databases, so that more of them are needed to keep the cores busy.
 */
const atOnceOf = (tier: Tier): number => {
  const cores = availableParallelism()
  return tier === 'fast' ? cores + 1 : 2 * cores
}

/**
 * The seconds of tests per shared process. Those of each file are measured in a process of its own
 * and include its start, so that together they take less.
 */
const sharedSeconds = 40

const main = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      tier: { type: 'string', default: 'fast' },
      changed: { type: 'string' },
      record: { type: 'boolean', default: false },
    },
    allowPositionals: true,
    strict: false,
  })
  const tier = oneOf('--tier', String(values.tier), tiers)
  if (positionals.length > 0) return runPart(tier, positionals, args.filter(isNodeOption))
  const { changed } = values
  const files = filesOf(tier).filter(
    typeof changed === 'string' ? isAbout(changedSince(changed)) : () => true,
  )
  // Slow tests measure and kill, so each needs a separate process.
  const isShared = tier === 'fast' && values.record !== true
  const jobs = isShared ? sharedJobs(files) : files.map((file) => jobOf([file]))
  const began = performance.now()
  const isCi = process.env['CI'] !== undefined
  // Tests of a missing program are skipped, which must not pass in CI.
  const missing = isCi ? await missingPrograms(tier) : []
  for (const sentence of missing) process.stderr.write(`${sentence}\n`)
  if (missing.length > 0) return 1
  await setUpTier()
  try {
    const ran = await runJobs([...(tier === 'fast' ? checks : []), ...jobs], {
      atOnce: atOnceOf(tier),
      refusesSkips: isCi,
      print: (line) => void process.stdout.write(`${line}\n`),
    })
    if (values.record === true) record(files, ran.seconds)
    process.stdout.write(`${Math.round((performance.now() - began) / 1_000)} s\n`)
    return ran.passed ? 0 : 1
  } finally {
    await globalTeardown()
  }
}

/** An option for Node's runner, such as `--test-name-pattern=cursor`. */
const isNodeOption = (word: string): boolean => word.startsWith('--test-')

const jobOf = (files: readonly string[]): Job =>
  testJob(
    files,
    files.reduce((sum, file) => sum + secondsOf(file), 0),
  )

/** Groups the files of a folder into few processes of about equal duration. */
const sharedJobs = (files: readonly string[]): readonly Job[] => {
  const groups: { folder: string; files: string[]; seconds: number }[] = []
  for (const file of files) {
    const seconds = secondsOf(file)
    const folder = needsOwnProcess(file) ? file : join(file, '..')
    const group = groups.find(
      (each) => each.folder === folder && each.seconds + seconds <= sharedSeconds,
    )
    if (group) {
      group.files.push(file)
      group.seconds += seconds
    } else groups.push({ folder, files: [file], seconds })
  }
  return groups.map((group) => jobOf(group.files))
}

const runPart = (tier: Tier, patterns: readonly string[], options: readonly string[]): number => {
  const matching = (of: Tier) =>
    filesOf(of).filter((file) => patterns.some((pattern) => file.includes(pattern)))
  const files = matching(tier)
  if (files.length === 0) {
    const others = tiers.filter((other) => matching(other).length > 0)
    throw new UsageError(
      `No ${tier} test file has ${patterns.join(' or ')} in its path; tiers that have such files: ${others.join(', ') || 'none'}.`,
    )
  }
  const setup = '--test-global-setup=test/support/global-setup.ts'
  const ran = spawnSync(process.execPath, ['--test', setup, ...options, ...files], {
    cwd: root,
    stdio: 'inherit',
  })
  return ran.status ?? 1
}

const record = (files: readonly string[], seconds: ReadonlyMap<string, number>): void => {
  const others = Object.entries(durations).filter(
    ([file]) => !files.includes(file) && existsSync(join(root, file)),
  )
  const measured = files.map((file) => [file, Math.round(seconds.get(file) ?? 0)] as const)
  const all = [...others, ...measured.filter(([, each]) => each >= 3)]
  const sorted = Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(durationsFile, `${JSON.stringify(sorted, null, 2)}\n`)
}

await runCommand(main)
