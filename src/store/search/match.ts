import { ranks, type SearchEntry, searchEntries } from '../search-index/entries.ts'
import { type Tokens, tokenize } from '../search-index/tokens.ts'
import type { SearchTerms } from './terms.ts'

/**
 * How a query matches a record:
 * - `exact`: it equals one of its numbers or names, of any length.
 * - `number`: a number begins with it.
 * - `part`: a later part of a number begins with it.
 * - `name`: a name begins with it.
 * - `word`: the rest of a name, from a later word on, begins with it.
 * - `words`: every word of the query begins somewhere in the record's values.
 */
export type MatchKind = 'exact' | 'number' | 'part' | 'name' | 'word' | 'words'

export interface Match {
  readonly kind: MatchKind
  /** The index of the matching value. */
  readonly value: number
  /** Lower comes first. */
  readonly order: number
  /** Whether the value that matches is a number. */
  readonly isNumber: boolean
  /** Whether the value differs from the query after the characters that the index has. */
  readonly differsLater: boolean
  /** Breaks ties of the same order: the shorter text comes first. */
  readonly text: string
}

const kindByRank: Record<SearchEntry['rank'], MatchKind> = {
  [ranks.number]: 'number',
  [ranks.part]: 'part',
  [ranks.name]: 'name',
  [ranks.word]: 'word',
}

const orders: Record<MatchKind, number> = {
  exact: 0,
  number: 1,
  part: 2,
  name: 3,
  word: 4,
  words: 5,
}

/** Whether a query matches a number or a prefix of one. Its parts are then not searched as words. */
export const isNumberMatch = ({ isNumber, kind }: Match): boolean => isNumber && kind !== 'words'

/**
 * How the whole query matches an entry; null if it does not. An entry that has as many characters
 * as the index keeps may be the beginning of a longer value.
 */
export const matchEntry = (
  { rank, text, value }: SearchEntry,
  { wholes }: Pick<SearchTerms, 'wholes'>,
): Match | null => {
  const whole = wholes.find((each) => text.startsWith(each))
  if (whole === undefined) return null
  const isWhole = text === whole && (rank === ranks.number || rank === ranks.name)
  const kind = isWhole ? 'exact' : kindByRank[rank]
  const isNumber = rank === ranks.number || rank === ranks.part
  return { kind, value, order: orders[kind], isNumber, differsLater: false, text }
}

/** The best match of the whole query with a record's searchable values; null for none. */
export const matchWhole = (
  values: readonly (string | null)[],
  terms: SearchTerms,
): Match | null => {
  const matches = searchEntries(values).flatMap((entry) => {
    const match = matchEntry(entry, terms)
    return match ? [compareRest(match, entry, tokenize(values[entry.value] ?? ''), terms)] : []
  })
  const best = bestOf(matches)
  if (!best || best.kind === 'exact' || !terms.isCut) return best
  // Of values that begin alike, only the first has an entry.
  const value = values.findIndex((each) => each && terms.fulls.includes(tokenize(each).whole))
  return value === -1 ? best : { ...best, kind: 'exact', value, order: orders.exact }
}

/** Compares what the index does not have. */
const compareRest = (
  match: Match,
  { rank }: SearchEntry,
  { whole }: Tokens,
  { fulls, isCut }: SearchTerms,
): Match => {
  if (!isCut || (match.kind === 'exact' && fulls.includes(whole))) return match
  const kind = match.kind === 'exact' ? kindByRank[rank] : match.kind
  const differsLater = !fulls.some((full) => whole.includes(full))
  return { ...match, kind, order: orders[kind], differsLater }
}

/** The best match with all words of the query in one value; null for none. */
export const matchWords = (
  values: readonly (string | null)[],
  { words, drivers }: SearchTerms,
): Match | null => {
  const entries = searchEntries(values).filter(({ text }) =>
    drivers.some(
      (driver) => text.startsWith(driver) && drivers.every((word) => text.includes(word)),
    ),
  )
  const matches = entries.flatMap(({ value }) => {
    const tokens = tokenize(values[value] ?? '')
    return words.every((word) => hasWord(tokens, word)) ? [wordsIn(tokens, value)] : []
  })
  return bestOf(matches)
}

/**
 * The best match with each word in any of the values; null for none. The first word decides which
 * value is shown.
 */
export const matchScattered = (
  values: readonly (string | null)[],
  { words, drivers }: SearchTerms,
): Match | null => {
  const isFound = searchEntries(values).some(({ text }) =>
    drivers.some((driver) => text.startsWith(driver)),
  )
  if (!isFound) return null
  const tokens = values.map((value) => tokenize(value ?? ''))
  const isScattered = words.every((word) => tokens.some((each) => hasWord(each, word)))
  const matches = tokens.flatMap((each, value) =>
    hasWord(each, words[0] ?? '') ? [wordsIn(each, value)] : [],
  )
  return isScattered ? bestOf(matches) : null
}

const wordsIn = ({ whole }: Tokens, value: number): Match => ({
  kind: 'words',
  value,
  order: orders.words,
  isNumber: false,
  differsLater: false,
  text: whole,
})

const hasWord = ({ whole, starts }: Tokens, word: string): boolean =>
  whole.startsWith(word) || starts.some((start) => whole.startsWith(word, start))

const bestOf = (matches: readonly Match[]): Match | null =>
  matches.toSorted(compareMatches)[0] ?? null

type Compared = Pick<Match, 'order' | 'differsLater' | 'text'>

/** Sorts better matches first: by kind, then the shorter text, then by the bytes of the text. */
export const compareMatches = (one: Compared, other: Compared): number =>
  compareKinds(one, other) || compareTexts(one, other)

export const compareKinds = (one: Compared, other: Compared): number =>
  one.order - other.order || Number(one.differsLater) - Number(other.differsLater)

export const compareTexts = (one: Compared, other: Compared): number =>
  one.text.length - other.text.length || compareBytes(one.text, other.text)

/** Compares texts like databases: by UTF-8 bytes, which is code point order. */
const compareBytes = (one: string, other: string): number => {
  if (one === other) return 0
  for (let at = 0; at < one.length && at < other.length; at += 1) {
    const [left, right] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (left !== right) return codePointOrder(left) - codePointOrder(right)
  }
  return one.length - other.length
}

/** Surrogates sort after all other code units, because their code points do. */
const codePointOrder = (code: number): number => {
  if (code < 0xd800) return code
  return code < 0xe000 ? code + 0x2000 : code - 0x800
}
