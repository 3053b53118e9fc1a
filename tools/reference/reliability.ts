import { readdirSync, readFileSync } from 'node:fs'
import type { Result } from '../../reliability/check.ts'
import { code, page, table } from './markdown.ts'

const folder = new URL('../../reliability/results/', import.meta.url)

/** The figures as they were last measured in their full form. */
export const reliabilityPage = (): string => {
  const results = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Result)
    .sort((a, b) => numberOf(a) - numberOf(b) || (a.name < b.name ? -1 : 1))
  return page(
    '# What you can rely on, in figures',
    [
      'Each line is a claim with the command that tries it. The figures below were measured by the full',
      'form of that command; `npm test` runs a short form of each. A command prints its seed, ends',
      'with a line of JSON and fails when its target is missed. `--seed` repeats a run with other',
      'numbers, `--short` runs the short form. One that lacks what it needs, such as Redis, says so and',
      'ends with 2.',
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
