import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rules } from '#check'
import { catalog, operationsOf } from '#contract'

/** Hand-written pages that mention the size of the contract. */
const pages = [
  'README.md',
  '{client,examples/*}/README.md',
  'docs/{explanation,how-to,tutorial}/*.md',
]

/** Generated from the reliability checks. */
const generated = 'docs/explanation/reliability.md'

const root = join(import.meta.dirname, '..')

/** The pages with current counts, so that a new group needs no edits by hand. */
export const countedPages = (): readonly { readonly path: string; readonly text: string }[] =>
  globSync(pages, { cwd: root, exclude: [generated] }).map((path) => ({
    path,
    text: withCounts(readFileSync(join(root, path), 'utf8')),
  }))

const counts: readonly (readonly [noun: string, count: number])[] = [
  ['(?:resource )?groups', catalog.resources.length],
  ['operations', operationsOf(catalog).length],
  ['rules', rules.length],
]

/** Matches `all 93 groups` and `93 resource groups`, but not a number with a comma, such as 1,000. */
export const withCounts = (text: string): string =>
  counts.reduce(
    (counted, [noun, count]) =>
      counted.replace(new RegExp(`(?<![\\d,.])\\d{2,3}(?= ${noun}\\b)`, 'g'), String(count)),
    text,
  )
