/** Reads a text as a number and returns an amount: `-1234.50`. */
export type NumberReader = (text: string) => string

/** The reason why a text does not have the expected format. */
export class FormatError extends Error {}

/** Throws if a text is longer than its limit. Called before anything reads the text. */
export const limitLength = (text: string, max: number, what: string): void => {
  if (text.length <= max) return
  const [length, limit] = [text.length, max].map((each) => each.toLocaleString('en'))
  throw new FormatError(`has ${length} characters; ${what} has at most ${limit}`)
}

/** More characters than any number or time is written with. */
export const valueCharactersMax = 100

export interface NumberFormat {
  readonly decimal: string
  readonly group: string | null
  /** Whether a percent sign may follow. */
  readonly percent: boolean
}

/** Symbols and codes of currencies around an amount. */
const currency = String.raw`(?:\p{Sc}|[A-Z]{3}|kr\.?|zł|Fr\.?)`
/** Spaces of any width, around signs and between groups of digits. */
const space = String.raw`[\s\u00a0\u2007\u2009\u202f]`

/**
 * Compiles a number format. Besides digits, the decimal separator and the group separator, it
 * accepts a sign before or after the digits, parentheses for a negative number, a currency before
 * or after it, and spaces and apostrophes between groups of digits. It rejects a comma or a point
 * that is not one of the two separators, because its meaning is ambiguous.
 */
export const compileNumber = ({ decimal, group, percent }: NumberFormat): NumberReader => {
  const point = decimal.charCodeAt(0)
  return (text) => plainDigits(text, point) ?? readWritten(text, { decimal, group, percent })
}

const [minus, zero, nine] = [0x2d, 0x30, 0x39]

/** Fast path: digits with at most a leading minus and one decimal separator. */
const plainDigits = (text: string, point: number): string | undefined => {
  const begin = text.charCodeAt(0) === minus ? 1 : 0
  const { length } = text
  const first = text.charCodeAt(begin)
  const last = text.charCodeAt(length - 1)
  if (!(first >= zero && first <= nine && last >= zero && last <= nine)) return undefined
  let pointAt = -1
  for (let at = begin + 1; at < length - 1; at += 1) {
    const code = text.charCodeAt(at)
    if (code >= zero && code <= nine) continue
    if (code !== point || pointAt >= 0) return undefined
    pointAt = at
  }
  // Leading zeros and negative zero take the slow path.
  if (first === zero && (begin === 1 || (length > 1 && pointAt !== 1))) return undefined
  return pointAt < 0 || point === 0x2e
    ? text
    : `${text.slice(0, pointAt)}.${text.slice(pointAt + 1)}`
}

/** No two runs of spaces meet: a text with many would take the cube of its length. */
const written = new RegExp(
  `^(?<open>\\()?${space}*(?:(?<sign>[+\\-\\u2212])${space}*)?(?:${currency}${space}*)?(?<inner>[+\\-\\u2212])?(?<digits>[0-9](?:[0-9.,'\\u2019]|${space}(?=[0-9]))*|[.,][0-9]+)${space}*(?:${currency}${space}*)?(?:(?<percent>%)${space}*)?(?:(?<trailing>[+\\-\\u2212])${space}*)?(?:${currency})?(?<close>\\))?$`,
  'u',
)
const scientific = /^[+-]?\d+([.,]\d+)?[eE][+-]?\d+$/

const readWritten = (text: string, format: NumberFormat): string => {
  const { groups } = written.exec(text) ?? {}
  if (!groups) {
    if (scientific.test(text)) {
      throw new FormatError(
        'is in scientific notation, which may have lost digits: format the column as a number before it is exported',
      )
    }
    throw new FormatError(`is not a number${exampleOf(format)}`)
  }
  const signs = ['sign', 'inner', 'trailing'].map((name) => groups[name]).filter(Boolean)
  const hasParentheses = groups['open'] !== undefined
  if (
    hasParentheses !== (groups['close'] !== undefined) ||
    signs.length + Number(hasParentheses) > 1
  ) {
    throw new FormatError(`is not a number${exampleOf(format)}`)
  }
  if (groups['percent'] && !format.percent) {
    throw new FormatError('has a percent sign, and the field is not a percentage')
  }
  const digits = withoutGroups(groups['digits'] ?? '', format)
  const isNegative = hasParentheses || (signs.length === 1 && signs[0] !== '+')
  return isNegative && /[1-9]/.test(digits) ? `-${digits}` : digits
}

/** The digits with a decimal point, without groups and leading zeros. */
const withoutGroups = (text: string, { decimal, group }: NumberFormat): string => {
  const parts = text.split(decimal)
  const [whole = '', fraction = ''] = parts
  if (parts.length > 2) throw new FormatError(`has more than one decimal sign "${decimal}"`)
  const signs = new Set([...`${whole}${fraction}`.replace(/[0-9]/g, '')])
  for (const sign of signs) {
    const isGroup = sign === group || !/[.,]/.test(sign)
    if (!isGroup) throw new FormatError(unknownSign(sign, decimal))
  }
  if (/[^0-9]/.test(fraction)) throw new FormatError(`has a group of digits after "${decimal}"`)
  if (signs.size > 0 && !/^[0-9]{1,3}([^0-9][0-9]{2,3})*[^0-9][0-9]{3}$/.test(whole)) {
    throw new FormatError(
      `has "${[...signs].join(' ')}" where no group of three digits ends: check which sign is the decimal sign`,
    )
  }
  const integer = whole.replace(/[^0-9]/g, '').replace(/^0+(?=[0-9])/, '') || '0'
  return fraction === '' ? integer : `${integer}.${fraction}`
}

const unknownSign = (sign: string, decimal: string): string =>
  `has "${sign}", which is neither the decimal sign "${decimal}" nor a group sign: set decimal: '${sign}' if it is the decimal sign, or group: '${sign}' if it separates thousands`

const exampleOf = ({ decimal, group }: NumberFormat): string =>
  ` such as 1${group ?? ''}234${decimal}50`
