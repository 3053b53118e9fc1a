import type { Catalog } from './catalog.ts'
import { codeRules } from './codes.ts'
import { uniqueKeysOf } from './unique-key.ts'

/** What happens to a new or changed value that breaks a check: it is refused, or reported. */
export type CheckMode = 'enforce' | 'warn'

export const checkModes: readonly CheckMode[] = ['enforce', 'warn']

/** The checks of a brand's records on the way in. */
export interface Checks {
  readonly default: CheckMode
  /** By the name of a check. */
  readonly exceptions: { readonly [check: string]: CheckMode }
}

/** The checks of a new brand. */
export const newChecks: Checks = { default: 'enforce', exceptions: {} }

/** The check of `limits.bounds`. It is always enforced, because not every engine can do without. */
export const boundsCheck = 'bounds'

export const checkModeOf = ({ default: all, exceptions }: Checks, check: string): CheckMode => {
  if (check === boundsCheck) return 'enforce'
  return (Object.hasOwn(exceptions, check) && exceptions[check]) || all
}

/** The names of all checks that can be set: the codes that are checked on the way in, and the unique keys. */
export const checkNamesOf = (catalog: Catalog): readonly string[] => [
  ...Object.entries(codeRules).flatMap(([code, { severity }]) =>
    severity === 'error' ? [code] : [],
  ),
  ...catalog.resources.flatMap(uniqueKeysOf).map(({ name }) => name),
]
