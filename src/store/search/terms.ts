import { cutText } from '../search-index/entries.ts'
import { queryForms } from '../search-index/tokens.ts'

/** What a query looks for. */
export interface SearchTerms {
  /** The query as a whole: as a name, and as a number where that is another text. */
  readonly wholes: readonly string[]
  /** Its words, where there are several. Each has to begin somewhere in a record's values. */
  readonly words: readonly string[]
  /** The words that records are looked up by: the longest ones. */
  readonly drivers: readonly string[]
  /** Two of them next to each other, in either order: the index finds those without comparing. */
  readonly pairs: readonly (readonly string[])[]
}

/** Words that records are looked up by. The others are compared with the records that were found. */
const driversMax = 4
/** All pairs of three words. */
const pairsMax = 6

/** Null for a query without a letter or a digit. */
export const parseTerms = (query: string): SearchTerms | null => {
  const { name, number, words } = queryForms(query)
  if (name === '') return null
  const distinct = [...new Set(words.map(cutText))]
  const several = distinct.length > 1 ? distinct : []
  const drivers = several.toSorted((one, other) => other.length - one.length).slice(0, driversMax)
  const pairs = drivers.flatMap((one) =>
    drivers.filter((other) => other !== one).map((other) => [one, other]),
  )
  return {
    pairs: pairs.slice(0, pairsMax),
    drivers,
    wholes: [...new Set([cutText(name), cutText(number)])],
    words: several,
  }
}
