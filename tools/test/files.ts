import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** The tiers, from those that run with every change to those that run before a release. */
export const tiers = ['fast', 'slow', 'release'] as const
export type Tier = (typeof tiers)[number]

/** The tier of a test file, which its name says: `a.test.ts`, `a.slow.test.ts`, `a.release.test.ts`. */
const tierOf = (file: string): Tier =>
  tiers.find((tier) => file.endsWith(`.${tier}.test.ts`)) ?? 'fast'

/** The test files of a tier, relative to the checkout. */
export const filesOf = (tier: Tier): readonly string[] =>
  globSync('test/**/*.test.ts', { cwd: root })
    .filter((file) => tierOf(file) === tier)
    .sort()

/** A file whose tests must have a process to themselves says so, with the reason, in this comment. */
const ownProcess = /^\/\/ Own process: .+/m

export const needsOwnProcess = (file: string): boolean =>
  ownProcess.test(readFileSync(join(root, file), 'utf8'))

/** The files that differ from those of a commit, committed or not. */
export const changedSince = (commit: string): readonly string[] => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  return [
    ...git('diff', '--name-only', commit, '--'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
}
