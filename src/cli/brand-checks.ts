import type { CheckMode } from '#contract'
import { updateChecks } from '#operator'
import type { Records } from '#server'
import { sharedOwner } from '#store'
import { checksWords } from './checks-words.ts'
import { asTable, CommandError, createOutput } from './output.ts'
import { operatorOf } from './records.ts'

export interface UpdateOptions {
  readonly checks: string
  readonly shared?: boolean
  readonly json?: boolean
}

/** Prints how many stored records break each check, then stores which checks refuse records. */
export const updateBrand = async (
  records: Records,
  slug: string | undefined,
  options: UpdateOptions,
): Promise<void> => {
  if ((slug === undefined) !== Boolean(options.shared)) {
    throw new CommandError('Name a brand, or use --shared for the records of all brands.')
  }
  const name = slug ?? 'the shared records'
  const updated = await updateChecks(operatorOf(records), {
    owner: slug ?? sharedOwner,
    checks: options.checks,
    onCounted: ({ rules }) => {
      if (!options.json) process.stdout.write(`${brokenWords(name, brokenIn(rules))}\n`)
    },
  })
  createOutput(Boolean(options.json)).result(updated, () => {
    const stays =
      brokenIn(updated.rules).length === 0
        ? ''
        : ' Stored records stay, and are not refused if they arrive unchanged.'
    return `Checks of ${name}: ${checksWords(updated.checks)}.${stays}`
  })
}

interface CountedRule {
  readonly check: string
  readonly rule: string
  readonly mode: CheckMode
  readonly count: number
}

const brokenIn = (rules: readonly CountedRule[]) => rules.filter(({ count }) => count > 0)

const brokenWords = (name: string, broken: readonly CountedRule[]): string =>
  broken.length === 0
    ? `No stored record of ${name} breaks a check.`
    : asTable(
        ['check', 'rule', 'mode', 'stored records that break it'],
        broken.map(({ check, rule, mode, count }) => [
          check,
          rule,
          mode,
          count.toLocaleString('en'),
        ]),
      )
