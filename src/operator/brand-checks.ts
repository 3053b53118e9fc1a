import { checkRules, rules } from '#check'
import {
  type CheckMode,
  type Checks,
  catalog,
  checkModeOf,
  checkModes,
  checkNamesOf,
  newChecks,
  type OperatorBrandUpdated,
  resourceAt,
} from '#contract'
import { sharedOwner } from '#store'
import { requireBrand } from './brand.ts'
import { OperatorError } from './error.ts'
import type { OperatorParts } from './parts.ts'

export interface ChecksUpdate {
  /** The slug of a brand, or `sharedOwner`. */
  readonly owner: string
  /** `enforce`, `warn`, or the names of checks with one of them. */
  readonly checks: string
  /** Called with what is known before anything is stored. */
  readonly onCounted?: (counted: OperatorBrandUpdated) => void
}

/** Counts the stored records that break each check, then stores which checks refuse records. */
export const updateChecks = async (
  { store, database, now }: Pick<OperatorParts, 'store' | 'database' | 'now'>,
  { owner, checks: text, onCounted }: ChecksUpdate,
): Promise<OperatorBrandUpdated> => {
  const isShared = owner === sharedOwner
  if (!isShared) await requireBrand(store, owner)
  const checks = parseChanges(await store.checks(owner), text)
  const own = rules.filter(
    ({ check, collections }) =>
      check !== undefined &&
      collections.some((path) => (resourceAt(catalog, path).scope === 'shared') === isShared),
  )
  const at = now()
  const today = new Date(at).toISOString().slice(0, 10)
  const results = await checkRules({
    ...{ database, catalog, brand: owner, today, now: at, rules: own, listMax: 0 },
  })
  const counted = results.map(({ rule, count }) => ({
    check: String(rule.check),
    rule: rule.id,
    mode: checkModeOf(checks, String(rule.check)),
    count,
  }))
  const updated = { brand: owner, checks, rules: counted }
  onCounted?.(updated)
  await store.setChecks(owner, checks)
  return updated
}

/** `enforce` or `warn` sets every check; `currency=warn` sets one. */
const parseChanges = (before: Checks, text: string): Checks => {
  const names = checkNamesOf(catalog)
  let checks = before
  for (const part of text.split(',').map((each) => each.trim())) {
    const [name = '', mode, ...rest] = part.includes('=') ? part.split('=') : ['', part]
    if (rest.length > 0 || !isMode(mode)) {
      throw new OperatorError(
        'invalid',
        `--checks does not take "${part}". Use enforce, warn, or the name of a check with one of them, for example orders.orderNumber=warn.`,
      )
    }
    if (name === '') {
      checks = { ...newChecks, default: mode }
      continue
    }
    if (!names.includes(name)) {
      throw new OperatorError(
        'invalid',
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
