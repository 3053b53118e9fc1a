import { readdirSync, readFileSync } from 'node:fs'
import type { Result } from '../../reliability/check.ts'
import { code, page, table } from './markdown.ts'

const folder = new URL('../../reliability/results/', import.meta.url)

/** The latest results of the reliability checks in their full form. */
export const reliabilityPage = (): string => {
  const results = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Result)
    .sort((a, b) => numberOf(a) - numberOf(b) || (a.name < b.name ? -1 : 1))
  return page(
    '# Reliability',
    [
      'Each row is a claim with the command that checks it. The results are from the full form of the',
      'command. `npm run test:slow` and `npm run test:release` run a short form of each. A command prints its seed, ends with a line of',
      'JSON, and fails if its target is missed. `--seed` runs it with other random numbers, and `--short` runs',
      'the short form. If a command lacks something it needs, such as Redis, it reports this and exits with',
      'code 2.',
    ].join('\n'),
    table(
      ['', 'Claim', 'Target', 'Measured', 'Command'],
      results.map(({ id, claim, target, measured, met, seconds, command }) => [
        id,
        claim,
        target,
        `${met ? '' : '**Missed.** '}${measured}`,
        `${code(command)} (${seconds} s)`,
      ]),
    ),
    '## When and where',
    table(
      ['', 'Date', 'Seed', 'Machine'],
      results.map(({ id, date, seed, machine }) => [id, date, String(seed), inWords(machine)]),
    ),
  )
}

const numberOf = ({ id }: Result): number => Number(id.slice(1))

const inWords = (machine: object): string => {
  const { processor, cores, memoryGb, node } = machine as Record<string, string | number>
  return `${processor}, ${cores} cores, ${memoryGb} GB, Node ${node}`
}
