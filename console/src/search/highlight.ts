import { foldText } from '../../../src/contract/index.ts'

/** A part of a text, and whether it matches the query. */
export type Part = { text: string; isMatch: boolean }

/**
 * Splits a text into parts that match the query and parts that do not. Compares like the search:
 * ignores case, accents and punctuation, so that `po5512` matches `PO-5512`.
 */
export const highlight = (text: string, query: string): readonly Part[] => {
  const letters = lettersOf(text)
  const compact = letters.map(({ folded }) => folded).join('')
  const marked = new Map<number, string>()
  for (const word of wordsOf(query)) {
    const at = findWord(compact, letters, word)
    for (let place = at; at >= 0 && place < at + word.length; place += 1) marked.set(place, word)
  }
  return partsOf(text, letters, marked)
}

/** A folded letter or digit and its position in the original text. One letter may fold to two. */
type Letter = { folded: string; start: number; end: number; isFirst: boolean }

const lettersOf = (text: string): readonly Letter[] => {
  const letters: Letter[] = []
  let start = 0
  let isFirst = true
  for (const character of text) {
    const end = start + character.length
    const folded = foldText(character).match(/[\p{L}\p{N}]/gu) ?? []
    for (const [place, each] of folded.entries()) {
      // `word.length` counts UTF-16 units, so a surrogate pair takes two entries.
      for (const unit of each.split('')) {
        letters.push({ folded: unit, start, end, isFirst: isFirst && place === 0 })
      }
    }
    // A combining accent belongs to the letter before it.
    const last = letters.at(-1)
    const isAccent = folded.length === 0 && /\p{M}/u.test(character)
    if (isAccent && last) last.end = end
    else isFirst = folded.length === 0
    start = end
  }
  return letters
}

const wordsOf = (query: string): readonly string[] =>
  foldText(query)
    .split(' ')
    .map((word) => word.replace(/[^\p{L}\p{N}]/gu, ''))
    .filter((word) => word !== '')

/** The position of a word, preferably at the start of a word of the text; -1 if not found. */
const findWord = (compact: string, letters: readonly Letter[], word: string): number => {
  for (let at = compact.indexOf(word); at >= 0; at = compact.indexOf(word, at + 1)) {
    if (letters[at]?.isFirst) return at
  }
  return compact.indexOf(word)
}

const partsOf = (
  text: string,
  letters: readonly Letter[],
  /** Maps the index of a letter to its word. */
  marked: ReadonlyMap<number, string>,
): readonly Part[] => {
  const parts: Part[] = []
  let done = 0
  const add = (end: number, isMatch: boolean) => {
    if (end > done) parts.push({ text: text.slice(done, end), isMatch })
    done = Math.max(done, end)
  }
  for (let place = 0; place < letters.length; place += 1) {
    const word = marked.get(place)
    if (word === undefined) continue
    const first = letters[place] as Letter
    while (marked.get(place + 1) === word) place += 1
    add(first.start, false)
    add((letters[place] as Letter).end, true)
  }
  add(text.length, false)
  return parts
}
