import { type CodeList, countryList, currencyList } from '#contract'
import { unitCodeOf } from './unit-codes.ts'

/** The kinds of codes that a mapping takes from names. */
export const codeKinds = ['country', 'currency', 'unit'] as const

export type CodeKind = (typeof codeKinds)[number]

/**
 * The code of a name or of a code in another spelling, in English, German and other languages of
 * Europe; null if there is none, or if several are meant (`Dollar`, `$`).
 *
 * - country: ISO 3166-1 alpha-2: `Germany`, `Deutschland`, `DEU` and `de` are `DE`.
 * - currency: ISO 4217: `US Dollar`, `US$` and `usd` are `USD`.
 * - unit: UN/CEFACT Recommendation 20: `kg`, `Kilogramm` and `KGM` are `KGM`.
 */
export const codeOf = (kind: CodeKind, text: string): string | null => {
  if (text.length > nameLengthMax) return null
  const name = text.trim()
  return name === '' ? null : lookups[kind](name)
}

/** Names of countries, currencies and units are shorter. */
const nameLengthMax = 100

const codeIn =
  (list: () => CodeList) =>
  (name: string): string | null => {
    const { codes, codeOf: codeOfName } = list()
    const upper = name.toUpperCase()
    return codes.has(upper) ? upper : (codeOfName(name) ?? null)
  }

const lookups: Record<CodeKind, (name: string) => string | null> = {
  country: codeIn(countryList),
  currency: codeIn(currencyList),
  unit: unitCodeOf,
}
