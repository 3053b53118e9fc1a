/**
 * Folds a text for comparison, ignoring case, accents and width: "Łódź GmbH" equals "lodz gmbh".
 * Sorting, prefixes and search all use this function.
 */
export const foldText = (text: string): string =>
  plain.test(text) ? text.toLowerCase() : foldAny(text)

/** Fast path: printable ASCII with single spaces, which covers almost all codes and numbers. */
const plain = /^[!-~]+(?: [!-~]+)*$/

/**
 * A text in composed form (NFC). Sorting the marks of a letter takes the square of their number, so
 * runs are divided as the stream-safe text format of UAX #15 does it: by a combining grapheme
 * joiner after 30 marks, which is more than any language uses.
 */
export const composeText = (text: string): string =>
  text.replace(/\p{M}{30}/gu, '$&\u034f').normalize('NFC')

const foldAny = (text: string): string =>
  text
    .toWellFormed()
    // Runs without an end would take the square of their length to normalise.
    .replace(/(\p{M}{30})\p{M}+/gu, '$1')
    .normalize('NFKD')
    .replace(ignored, '')
    // Some letters have two upper-case forms: "ß" and "ẞ" both become "ss".
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(undivided, (letter) => letters[letter] ?? letter)
    .normalize('NFKD')
    .replace(ignored, '')
    // Korean syllables and voiced Japanese letters are single characters to their readers.
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim()

/**
 * Accents, Hebrew points, Arabic vowel marks, variation selectors and invisible characters. Vowel
 * signs of other scripts and Japanese voicing marks are kept: removing them changes the word.
 */
const ignored =
  /(?![\u3099\u309a])[\p{Script=Inherited}\p{Cf}\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7]/gu

/** Letters without a Unicode decomposition that readers treat as variants. */
const letters: { readonly [letter: string]: string } = {
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  // The Greek letter sigma at the end of a word.
  ς: 'σ',
}

const undivided = new RegExp(`[${Object.keys(letters).join('')}]`, 'gu')
