import { checkRules, rules } from '#check'
import {
  type CheckMode,
  type Checks,
  catalog,
  checkModeOf,
  checkModes,
  checkNamesOf,
  newChecks,
  resourceAt,
} from '#contract'
import type { Records } from '#server'
import { sharedOwner } from '#store'
import { requireBrand } from './brand.ts'
import { checksWords } from './checks-words.ts'
import { asTable, CommandError, createOutput } from './output.ts'

export interface UpdateOptions {
  readonly checks: string
  readonly shared?: boolean
  readonly json?: boolean
}

/** Prints how many stored records break each check, then stores which checks refuse records. */
export const updateChecks = async (
  { store, database }: Records,
  slug: string | undefined,
  options: UpdateOptions,
): Promise<void> => {
  if ((slug === undefined) !== Boolean(options.shared)) {
    throw new CommandError('Name a brand, or use --shared for the records of all brands.')
  }
  const owner = slug ?? sharedOwner
  if (slug !== undefined) await requireBrand(store, slug)
  const before = await store.checks(owner)
  const checks = parseChanges(before, options.checks)
  const own = rules.filter(
    ({ check, collections }) =>
      check !== undefined &&
      collections.some(
        (path) => (resourceAt(catalog, path).scope === 'shared') === Boolean(options.shared),
      ),
  )
  const now = Date.now()
  const today = new Date(now).toISOString().slice(0, 10)
  const results = await checkRules({
    database,
    catalog,
    brand: owner,
    today,
    now,
    rules: own,
    listMax: 0,
  })
  const counted = results.map(({ rule, count }) => ({
    check: String(rule.check),
    rule: rule.id,
    mode: checkModeOf(checks, String(rule.check)),
    count,
  }))
  const broken = counted.filter(({ count }) => count > 0)
  const name = slug ?? 'the shared records'
  if (!options.json) process.stdout.write(`${brokenWords(name, broken)}\n`)
  await store.setChecks(owner, checks)
  createOutput(Boolean(options.json)).result({ brand: owner, checks, rules: counted }, () => {
    const stays =
      broken.length === 0
        ? ''
        : ' Stored records stay, and are not refused if they arrive unchanged.'
    return `Checks of ${name}: ${checksWords(checks)}.${stays}`
  })
}

const brokenWords = (
  name: string,
  broken: readonly { check: string; rule: string; mode: CheckMode; count: number }[],
): string =>
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

/** `enforce` or `warn` sets every check; `currency=warn` sets one. */
const parseChanges = (before: Checks, text: string): Checks => {
  const names = checkNamesOf(catalog)
  let checks = before
  for (const part of text.split(',').map((each) => each.trim())) {
    const [name = '', mode, ...rest] = part.includes('=') ? part.split('=') : ['', part]
    if (rest.length > 0 || !isMode(mode)) {
      throw new CommandError(
        `--checks does not take "${part}". Use enforce, warn, or the name of a check with one of them, for example orders.orderNumber=warn.`,
      )
    }
    if (name === '') {
      checks = { ...newChecks, default: mode }
      continue
    }
    if (!names.includes(name)) {
      throw new CommandError(
        `There is no check ${name}. Codes and unique keys have checks: ${names.join(', ')}.`,
      )
    }
    const { [name]: _, ...others } = checks.exceptions
    checks = {
      ...checks,
      exceptions: mode === checks.default ? others : { ...others, [name]: mode },
    }
  }
  return checks
}

const isMode = (text: string | undefined): text is CheckMode =>
  checkModes.includes(text as CheckMode)
