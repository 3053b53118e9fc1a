import { type Tokens, tokenize } from './tokens.ts'

/**
 * What a record is found by: texts that begin at a boundary of one of its searchable values. A query
 * finds a record when it is the beginning of one of them.
 */
export interface SearchEntry {
  readonly rank: Rank
  readonly text: string
  /** The index of the value that it comes from. */
  readonly value: number
}

/** Where in which kind of value an entry begins. A lower rank is a better match. */
export const ranks = { number: 0, part: 1, name: 2, word: 3 } as const

export type Rank = (typeof ranks)[keyof typeof ranks]

/** Characters of an entry. Those of a query beyond them are not compared. */
export const entryLength = 32
/** Entries of a record: one for each value first, then those that begin within a value. */
export const entriesMax = 8
/** Entries that begin within the same value. */
const laterMax = { number: 2, name: 3 } as const
/** Characters from which on a later part of a number, or a later word, has an entry. */
const laterMin = { number: 3, name: 2 } as const

/** The entries of a record's searchable values, each text once. */
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

/** One or two digits are the number of a line or a carton: too many records have the same. */
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

/** Whether a record is found by the one entry for what is typed of the other, or almost all of it. */
const isCovered = ({ text }: SearchEntry, other: SearchEntry): boolean =>
  text.startsWith(other.text) || other.text.startsWith(text)

/** The characters of an entry, and no half characters. */
export const cutText = (text: string): string =>
  text.length <= entryLength ? text : text.slice(0, entryLength).replace(/[\ud800-\udbff]$/, '')
