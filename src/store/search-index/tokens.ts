import { foldText } from '#contract'

/** A tokenized value. */
export interface Tokens {
  readonly kind: 'number' | 'name'
  /** A number without separators; a name with single spaces. */
  readonly whole: string
  /** Where its parts or words begin, except the first. */
  readonly starts: readonly number[]
}

/**
 * Divides a value into tokens. A value with a digit, such as `PO-5512` or `1Z 999 AA1`, is a
 * number, so that `PO-5512`, `po 5512` and `PO5512` are the same. Any other value is a name, and so
 * is one with a long word, such as `Oxford shirt 2-pack`.
 */
export const tokenize = (value: string): Tokens => {
  const { tokens, isNumber } = scan(foldText(value))
  return { kind: isNumber ? 'number' : 'name', ...joinTokens(tokens, isNumber ? '' : ' ') }
}

/** A query in the forms in which it may be found. */
export interface QueryForms {
  readonly name: string
  readonly number: string
  readonly words: readonly string[]
}

/** Treats a query as both a name and a number, because it may be an incomplete prefix of either. */
export const queryForms = (query: string): QueryForms => {
  const { tokens } = scan(foldText(query))
  const name = joinTokens(tokens, ' ').whole
  return { name, number: joinTokens(tokens, '').whole, words: name.split(' ') }
}

/** Adjacent letters and digits. */
interface Token {
  readonly text: string
  /** Whether it follows an apostrophe: `O'Neill` is found as `oneill` and as `neill`. */
  readonly isJoined: boolean
}

/** A word between spaces with at least this many letters makes a value a name. */
const longWord = 5

/** A single pass over the characters, because it runs for every value of every imported record. */
const scan = (text: string): { readonly tokens: readonly Token[]; readonly isNumber: boolean } => {
  const tokens: Token[] = []
  let hasDigit = false
  let hasLongWord = false
  /** Letters since the last space; negative after anything else. */
  let letters = 0
  let start = -1
  let apostropheAt = -2
  for (let at = 0; at <= text.length; at += 1) {
    const kind = at === text.length ? kinds.space : kindAt(text, at)
    if (kind === kinds.letter) letters += 1
    else if (kind === kinds.space) {
      if (letters >= longWord) hasLongWord = true
      letters = 0
    } else letters = Number.NEGATIVE_INFINITY
    if (kind === kinds.digit) hasDigit = true
    if (kind === kinds.letter || kind === kinds.digit) {
      if (start === -1) start = at
      continue
    }
    if (start !== -1) {
      const isJoined = start > 0 && start === apostropheAt + 1 && tokens.length > 0
      tokens.push({ text: text.slice(start, at), isJoined })
      start = -1
      if (kind === kinds.apostrophe) apostropheAt = at
    }
  }
  return { tokens, isNumber: hasDigit && !hasLongWord }
}

const kinds = { other: 0, letter: 1, digit: 2, space: 3, apostrophe: 4 } as const

const kindOf = (character: string): number => {
  if (/^['’ʼ‘`´]/.test(character)) return kinds.apostrophe
  // Marks that folding keeps are parts of letters.
  if (/^[\p{L}\p{M}]/u.test(character)) return kinds.letter
  if (/^\p{N}/u.test(character)) return kinds.digit
  return character === ' ' ? kinds.space : kinds.other
}

const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => kindOf(String.fromCharCode(code)))

/** Both halves of a surrogate pair have the kind of their character. */
const kindAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at)
  if (code < asciiKinds.length) return asciiKinds[code] as number
  const isSecondHalf = code >= 0xdc00 && code <= 0xdfff
  return kindOf(text.slice(isSecondHalf ? at - 1 : at, at + 2))
}

const joinTokens = (
  tokens: readonly Token[],
  separator: string,
): Pick<Tokens, 'whole' | 'starts'> => {
  const starts: number[] = []
  let whole = ''
  for (const { text, isJoined } of tokens) {
    if (whole !== '') {
      if (!isJoined) whole += separator
      starts.push(whole.length)
    }
    addStartsWithin(text, whole.length, separator === '' && whole === '', starts)
    whole += text
  }
  return { whole, starts }
}

/** Letters before digits, as in a container number: the digits are a separate part. */
const lettersThenDigits = /^[a-z]+(?=[0-9]{3})/
const isAscii = /^[\u0000-\u007f]*$/
/** Letters of scripts without spaces: a word may begin at any of them, and after them. */
const unspaced =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]$/u
const mark = /^\p{M}$/u

const addStartsWithin = (
  text: string,
  offset: number,
  isFirstOfNumber: boolean,
  starts: number[],
): void => {
  if (isAscii.test(text)) {
    const letters = isFirstOfNumber ? lettersThenDigits.exec(text) : null
    if (letters) starts.push(offset + letters[0].length)
    return
  }
  let at = offset
  let isAfter = false
  for (const character of text) {
    const isUnspaced = unspaced.test(character)
    if (at > offset && (isUnspaced || isAfter) && !mark.test(character)) starts.push(at)
    isAfter = isUnspaced
    at += character.length
  }
}
