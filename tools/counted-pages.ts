import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rules } from '#check'
import { catalog, operationsOf } from '#contract'

/** Pages that people write, and that say how large the contract is. */
const pages = [
  'README.md',
  '{client,examples/*}/README.md',
  'docs/{explanation,how-to,tutorial}/*.md',
]

/** Written from the reliability checks. */
const generated = 'docs/explanation/reliability.md'

const root = join(import.meta.dirname, '..')

/** The pages with the counts of today: a new group changes no sentence by hand. */
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

/** `all 93 groups`, `93 resource groups`; a number with a comma, such as 1,000, is not a count of these. */
export const withCounts = (text: string): string =>
  counts.reduce(
    (counted, [noun, count]) =>
      counted.replace(new RegExp(`(?<![\\d,.])\\d{2,3}(?= ${noun}\\b)`, 'g'), String(count)),
    text,
  )
