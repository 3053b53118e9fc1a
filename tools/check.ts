/** The static checks. All of them run, even if one fails. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { root } from './test/files.ts'
import { type Job, programJob, runJobs } from './test/jobs.ts'

const bin = (name: string): string => join(root, 'node_modules/.bin', name)

/** Checks types, and keeps what it has learned: the next run checks what has changed since. */
const typesJob = (name: string, seconds: number, project: string): Job => {
  const infoFile = join(
    root,
    'node_modules/.cache',
    `selvedge-${name.replaceAll(' ', '-')}.tsbuildinfo`,
  )
  const incremental = ['--noEmit', '--incremental', '--tsBuildInfoFile', infoFile]
  return programJob(name, seconds, [bin('tsc'), '-p', project, ...incremental])
}

export const checks: readonly Job[] = [
  programJob('format and lint', 15, [
    bin('biome'),
    'ci',
    '--colors=off',
    '--error-on-warnings',
    '.',
  ]),
  typesJob('types', 12, '.'),
  typesJob('types of the client', 2, 'client'),
  typesJob('types of the console', 4, 'console'),
  programJob('unused code', 4, [bin('knip')]),
  programJob('unused code of the program', 4, [bin('knip'), '--production']),
  programJob('generated files', 3, [process.execPath, 'tools/generate.ts', '--check']),
]

if (import.meta.main) {
  const print = (line: string) => void process.stdout.write(`${line}\n`)
  const options = { atOnce: availableParallelism(), refusesSkips: false, print }
  const { passed } = await runJobs(checks, options)
  process.exitCode = passed ? 0 : 1
}
