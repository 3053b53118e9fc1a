import { cutText, entryLength } from '../search-index/entries.ts'
import { queryForms } from '../search-index/tokens.ts'

/** The parsed terms of a query. */
export interface SearchTerms {
  /** The whole query: as a name, and as a number if that is a different text. */
  readonly wholes: readonly string[]
  /** The same with all their characters, of which the index has the first. */
  readonly fulls: readonly string[]
  /** Whether a value may be longer than what the index has of it. */
  readonly isCut: boolean
  /** Its words, if there are several. Each must begin somewhere in a record's values. */
  readonly words: readonly string[]
  /** The words used for index lookups: the longest ones. */
  readonly drivers: readonly string[]
  /** Adjacent pairs of drivers, in either order, which the index finds without comparing. */
  readonly pairs: readonly (readonly string[])[]
}

/** Words used for index lookups. The others are compared with the records found. */
const driversMax = 4
/** All pairs of three words. */
const pairsMax = 6

/** Null for a query without letters or digits. */
export const parseTerms = (query: string): SearchTerms | null => {
  const { name, number, words } = queryForms(query)
  if (name === '') return null
  const distinct = [...new Set(words.map(cutText))]
  const several = distinct.length > 1 ? distinct : []
  const drivers = several.toSorted((one, other) => other.length - one.length).slice(0, driversMax)
  const pairs = drivers.flatMap((one) =>
    drivers.filter((other) => other !== one).map((other) => [one, other]),
  )
  const fulls = [...new Set([name, number])]
  return {
    fulls,
    // A character more may be cut than the length says: see `cutText`.
    isCut: fulls.some(({ length }) => length >= entryLength - 1),
    pairs: pairs.slice(0, pairsMax),
    drivers,
    wholes: [...new Set(fulls.map(cutText))],
    words: several,
  }
}
