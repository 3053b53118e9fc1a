import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** The tiers, from tests for every change to tests before a release. */
export const tiers = ['fast', 'slow', 'release'] as const
export type Tier = (typeof tiers)[number]

/** The tier in the name of a test file: `a.test.ts`, `a.slow.test.ts`, `a.release.test.ts`. */
const tierOf = (file: string): Tier =>
  tiers.find((tier) => file.endsWith(`.${tier}.test.ts`)) ?? 'fast'

/** The test files of a tier, relative to the checkout. */
export const filesOf = (tier: Tier): readonly string[] =>
  globSync('test/**/*.test.ts', { cwd: root })
    .filter((file) => tierOf(file) === tier)
    .sort()

/** A comment that gives a test file a separate process, with the reason. */
const ownProcess = /^\/\/ Own process: .+/m

export const needsOwnProcess = (file: string): boolean =>
  ownProcess.test(readFileSync(join(root, file), 'utf8'))

/** The files that differ from a commit, including uncommitted changes. */
export const changedSince = (commit: string): readonly string[] => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  return [
    ...git('diff', '--name-only', commit, '--'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
}
