import { readdirSync, readFileSync } from 'node:fs'
import { code, page, table } from './markdown.ts'

/** The published result of a reliability check. */
export interface Result {
  readonly id: string
  readonly name: string
  readonly claim: string
  readonly target: string
  /** A part of the target that was wrong, and why. */
  readonly earlierTarget?: { readonly target: string; readonly reason: string }
  readonly form: 'short' | 'full'
  readonly met: boolean
  readonly measured: string
  readonly counts: Readonly<Record<string, number>>
  readonly misses: readonly string[]
  readonly seed: number
  readonly seconds: number
  readonly command: string
  readonly date: string
  readonly machine: object
}

const folder = new URL('../../reliability/results/', import.meta.url)

/** The claims, each with the main figures of its latest full run. */
export const reliabilityPage = (): string => {
  const results = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Result)
    .sort((a, b) => numberOf(a) - numberOf(b) || (a.name < b.name ? -1 : 1))
  return page(
    '# Reliability',
    [
      'Each row is a claim, its main figures and the check that measures it.',
      '[reliability/results](../../reliability/results) has a file for each check: target, all figures,',
      'misses, seed, date and machine. `npm run test:slow` and `npm run test:release` run a short form of each.',
    ].join('\n'),
    table(
      ['', 'Claim', 'Measured', 'Check'],
      results.map((result) => [result.id, result.claim, figuresOf(result), code(checkOf(result))]),
    ),
    ...changedTargets(results),
    '## Repeat a check',
    [
      '`npm run reliability -- <check>` prints its seed and ends with a line of JSON. It exits with code 1 if',
      'the target is missed, and with code 2 if something it needs, such as Redis, is missing. `--short` runs',
      'the short form, and `--seed` uses other random numbers.',
    ].join('\n'),
  )
}

const changedTargets = (results: readonly Result[]): readonly string[] => {
  const rows = results.flatMap(({ id, earlierTarget }) =>
    earlierTarget ? [[id, earlierTarget.target, earlierTarget.reason]] : [],
  )
  if (rows.length === 0) return []
  return ['## Changed targets', table(['', 'Earlier target', 'Why it was changed'], rows)]
}

/** The first sentence of the result, and one more if the target is missed. */
const figuresOf = ({ measured, met }: Result): string => {
  const sentences = measured.replaceAll(/ \([^)]*\)/g, '').split(/(?<=\.) (?=[A-Z])/)
  return met ? (sentences[0] ?? '') : `**Missed.** ${sentences.slice(0, 2).join(' ')}`
}

/** The arguments of the check's command. */
const checkOf = ({ command }: Result): string => command.replace('npm run reliability -- ', '')

const numberOf = ({ id }: Result): number => Number(id.slice(1))
