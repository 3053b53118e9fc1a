import { type Tokens, tokenize } from './tokens.ts'

/**
 * An indexed text of a record, which begins at a boundary of one of its searchable values. A query
 * finds the record if it is a prefix of the text.
 */
export interface SearchEntry {
  readonly rank: Rank
  readonly text: string
  /** The index of the value that it comes from. */
  readonly value: number
}

/** The kind of value, and where in it an entry begins. A lower rank is a better match. */
export const ranks = { number: 0, part: 1, name: 2, word: 3 } as const

export type Rank = (typeof ranks)[keyof typeof ranks]

/** Maximum characters of an entry. Further characters of a query are not compared. */
export const entryLength = 32
/** Maximum entries of a record: one per value first, then those that begin within a value. */
export const entriesMax = 8
/** Maximum entries that begin within the same value. */
const laterMax = { number: 2, name: 3 } as const
/** Minimum characters of a later part of a number, or of a later word. */
const laterMin = { number: 3, name: 2 } as const

/** The entries of a record's searchable values, without duplicates. */
export const searchEntries = (values: readonly (string | null)[]): readonly SearchEntry[] => {
  const entries: SearchEntry[] = []
  const later: SearchEntry[] = []
  for (const [value, text] of values.entries()) {
    if (text === null) continue
    const { kind, whole, starts } = tokenize(text)
    if (!isWorthSearching(whole)) continue
    const entry = { rank: ranks[kind], text: cutText(whole), value }
    if (!entries.some((each) => each.text === entry.text)) entries.push(entry)
    addLater(later, value, kind, whole, starts)
  }
  for (const entry of later) {
    if (entries.length >= entriesMax) break
    if (!entries.some((each) => isCovered(entry, each))) entries.push(entry)
  }
  return entries.length > entriesMax ? entries.slice(0, entriesMax) : entries
}

/** Skips numbers of one or two digits, such as line or carton numbers: too many records share them. */
const isWorthSearching = (whole: string): boolean =>
  whole.length > 2 || (whole !== '' && !/^[0-9]+$/.test(whole))

const addLater = (
  later: SearchEntry[],
  value: number,
  kind: Tokens['kind'],
  whole: string,
  starts: readonly number[],
): void => {
  const rank = kind === 'number' ? ranks.part : ranks.word
  let count = 0
  for (const start of starts) {
    const end = kind === 'number' ? -1 : whole.indexOf(' ', start)
    const length = (end === -1 ? whole.length : end) - start
    const isWorth = length >= laterMin[kind] || (kind === 'name' && whole.charCodeAt(start) > 0x7f)
    if (!isWorth) continue
    const text = whole.slice(start)
    if (kind === 'number' && !/\p{N}/u.test(text)) continue
    later.push({ rank, text: cutText(text), value })
    count += 1
    if (count === laterMax[kind]) break
  }
}

/** Whether one entry already finds the record by all or nearly all prefixes of the other. */
const isCovered = ({ text }: SearchEntry, other: SearchEntry): boolean =>
  text.startsWith(other.text) || other.text.startsWith(text)

/** Truncates to the length of an entry, without splitting a surrogate pair. */
export const cutText = (text: string): string =>
  text.length <= entryLength ? text : text.slice(0, entryLength).replace(/[\ud800-\udbff]$/, '')
