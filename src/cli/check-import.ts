import { checkOutdated } from '#check'
import { catalog, formatCount } from '#contract'
import type { Records } from '#server'
import { isDatabaseError } from '#store'

/** Time limit for starting further rules, so that a nightly job of many imports ends. */
const secondsMax = 30

/**
 * Checks the rules whose records have changed, and stores the findings for the query API. Returns a
 * sentence for people, or null. The import is already committed, so a failed check is reported, not
 * thrown.
 */
export const checkImport = async (
  { store, database }: Pick<Records, 'store' | 'database'>,
  brand: string,
): Promise<string | null> => {
  const end = performance.now() + secondsMax * 1_000
  try {
    const { results, left } = await checkOutdated({
      store,
      database,
      catalog,
      brand,
      now: Date.now(),
      isOver: () => performance.now() > end,
    })
    const broken = results.filter(({ count }) => count > 0)
    if (broken.length === 0 && left === 0) return null
    const skipped =
      left === 0
        ? ''
        : ` ${formatCount(left, 'rule')} ${left === 1 ? 'was' : 'were'} not checked within ${secondsMax} seconds.`
    const outcome =
      broken.length === 0
        ? 'All checked rules pass.'
        : `The records break ${formatCount(broken.length, 'business rule')}.`
    return `${outcome}${skipped} To see the records: selvedge check --brand ${brand}`
  } catch (error) {
    if (!isDatabaseError(error)) throw error
    return `The business rules were not checked: ${(error as Error).message}`
  }
}
