/**
 * A text as people compare it, whatever its case, accents and width: "Łódź  GmbH" and "lodz gmbh" are
 * the same. Sorting, prefixes and search all use this one function.
 */
export const foldText = (text: string): string =>
  plain.test(text) ? text.toLowerCase() : foldAny(text)

/** Letters, digits and signs of ASCII, with single spaces between them: almost every code and number. */
const plain = /^[!-~]+(?: [!-~]+)*$/

const foldAny = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFKD')
    .replace(ignored, '')
    // Some letters have two capitals: "ß" and "ẞ" become "ss".
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replace(undivided, (letter) => letters[letter] ?? letter)
    .normalize('NFKD')
    .replace(ignored, '')
    // Syllables of Korean and voiced letters of Japanese are one character to their readers.
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(/\p{Cc}/gu, '')
    .trim()

/**
 * Accents, Hebrew points, Arabic vowel marks, variants of signs, and invisible characters. Vowel signs
 * of other scripts and the marks of voiced Japanese letters are not accents: without them, words become
 * others.
 */
const ignored =
  /(?![\u3099\u309a])[\p{Script=Inherited}\p{Cf}\u0483-\u0487\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7]/gu

/** Letters that a reader takes for others, and Unicode does not take apart. */
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
  // The form of the Greek letter at the end of a word.
  ς: 'σ',
}

const undivided = new RegExp(`[${Object.keys(letters).join('')}]`, 'gu')
