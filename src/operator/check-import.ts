import { checkOutdated, qualityJson, type RuleResult } from '#check'
import { catalog, formatCount } from '#contract'
import { isDatabaseError } from '#store'
import type { OperatorParts } from './parts.ts'

/** Time limit for starting further rules, so that a nightly job of many imports ends. */
const secondsMax = 30

const isAfter = (seconds: number): (() => boolean) => {
  const end = performance.now() + seconds * 1_000
  return () => performance.now() > end
}

/** The check of the business rules after an import. */
export interface ImportCheck {
  /** For people; null if there is nothing to say. */
  readonly sentence: string | null
  /** The rules by state, as in the query API; null if they are not known. */
  readonly rules: ReturnType<typeof qualityJson>['rules'] | null
  /** Whether rules are left that this process did not check in time. */
  readonly isUnfinished: boolean
}

/**
 * Checks the rules whose records have changed, and stores the findings for the query API. The import
 * is already committed, so a failed check is reported, not thrown.
 */
export const checkImport = async (
  { store, database, now }: Pick<OperatorParts, 'store' | 'database' | 'now'>,
  brand: string,
  isOver = isAfter(secondsMax),
): Promise<ImportCheck> => {
  try {
    const check = await checkOutdated({ store, database, catalog, brand, now: now(), isOver })
    const { rules } = qualityJson(await store.quality.read(brand))
    if ('holder' in check) {
      const sentence = `The business rules are being checked by ${check.holder}. To see the result: selvedge check --brand ${brand}`
      return { sentence, rules, isUnfinished: false }
    }
    const { results, left } = check
    return { sentence: sentenceOf(results, left, brand), rules, isUnfinished: left > 0 }
  } catch (error) {
    if (!isDatabaseError(error)) throw error
    const sentence = `The business rules were not checked: ${(error as Error).message}`
    return { sentence, rules: null, isUnfinished: false }
  }
}

const sentenceOf = (results: readonly RuleResult[], left: number, brand: string): string | null => {
  const broken = results.filter(({ count }) => count > 0)
  if (broken.length === 0 && left === 0) return null
  const outcome =
    broken.length === 0
      ? `The ${formatCount(results.length, 'rule')} checked so far ${results.length === 1 ? 'passes' : 'pass'}.`
      : `The records break ${formatCount(broken.length, 'business rule')}.`
  const rest =
    left === 0
      ? ''
      : ` ${formatCount(left, 'rule')} ${left === 1 ? 'is' : 'are'} not checked yet, after ${secondsMax} seconds. A running server continues in the background.`
  return `${outcome}${rest} To see the records: selvedge check --brand ${brand}`
}
