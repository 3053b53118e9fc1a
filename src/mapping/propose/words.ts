import { foldText } from '#contract'
import { meaningsOf } from './vocabulary.ts'

/** Whether two names have the same words. */
export const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each))

/** Words that say nothing by themselves. */
const fillers = [
  'in',
  'on',
  'of',
  'the',
  'per',
  'and',
  'for',
  'is',
  'am',
  'de',
  'du',
  'la',
  'fk',
  'cache',
  'cached',
]

/** Words of a name: `VENDOR_NO`, `Lieferantennummer` and `supplierId` are supplier and number. */
export const wordsOf = (name: string): readonly string[] => {
  const pieces = foldText(
    name
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      // PONumber, SKUCode
      .replace(/([A-Z])([A-Z][a-z]{2})/g, '$1 $2'),
  )
    .split(/[^\p{L}\p{N}]+/u)
    .filter((each) => each !== '' && !fillers.includes(each))
  return [...new Set(pieces.flatMap(meaningsOf))]
}
