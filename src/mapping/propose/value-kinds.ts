import { codeRules } from '#contract'
import { type CodeKind, codeOf } from '../codes/code-of.ts'

/*
 * What single values are recognised as. A kind that several values of a column share says what the
 * column is, whatever its name: names of countries, e-mail addresses, codes of articles.
 */

export type ValueKind =
  /** Names and codes of countries, currencies and units: for `code: country`. */
  | CodeKind
  /** Codes that are valid as they are. */
  | 'countryCode'
  | 'currencyCode'
  | 'incoterm'
  | 'gtin'
  | 'container'
  | 'timezone'
  | 'hex'
  | 'email'
  | 'url'
  | 'uuid'
  /** True or false, also in words and letters. */
  | 'flag'
  /** A day, or a day and a time. */
  | 'date'
  /** A number of days as spreadsheets count them, of this century. */
  | 'serialDate'
  | 'money'
  /** A whole number that is not negative. */
  | 'quantity'
  /** An article number or another number with letters or signs: `BK-R93R-62`. */
  | 'code'
  /** Sentences. */
  | 'text'

/** For reasons: "487 of 500 values are country names". */
export const kindNames: Record<ValueKind, readonly [one: string, many: string]> = {
  country: ['a country name or code', 'country names or codes'],
  countryCode: ['a country code', 'country codes'],
  currency: ['a currency name or code', 'currency names or codes'],
  currencyCode: ['a currency code', 'currency codes'],
  unit: ['a unit', 'units'],
  incoterm: ['an Incoterm', 'Incoterms'],
  gtin: ['a GTIN', 'GTINs'],
  container: ['a container number', 'container numbers'],
  timezone: ['a time zone', 'time zones'],
  hex: ['a colour value', 'colour values'],
  email: ['an e-mail address', 'e-mail addresses'],
  url: ['a URL', 'URLs'],
  uuid: ['a UUID', 'UUIDs'],
  flag: ['true or false', 'true or false'],
  date: ['a date', 'dates'],
  serialDate: ['a number of days', 'numbers of days'],
  money: ['an amount', 'amounts'],
  quantity: ['a whole number', 'whole numbers'],
  code: ['a code', 'codes'],
  text: ['a text', 'texts'],
}

const isCode = (kind: keyof typeof codeRules) => {
  const { list, problem } = codeRules[kind]
  // For another text, the rule of a list looks for a code to use instead.
  return (text: string): boolean => list?.().codes.has(text) ?? problem(text) === undefined
}

const isOf = (kind: CodeKind) => (text: string) => codeOf(kind, text) !== null

/** Kinds that a text has by itself, the most telling ones first. */
export const textKinds: readonly (readonly [ValueKind, (text: string) => boolean])[] = [
  ['uuid', (text) => uuid.test(text)],
  ['email', isCode('email')],
  ['url', (text) => /^(https?:\/\/|www\.)\S+$/i.test(text)],
  ['gtin', (text) => /^\d+$/.test(text) && isCode('gtin')(text)],
  ['container', isCode('container')],
  ['hex', isCode('hex')],
  ['incoterm', isCode('incoterm')],
  ['currencyCode', isCode('currency')],
  ['currency', isOf('currency')],
  ['countryCode', isCode('country')],
  ['country', isOf('country')],
  ['timezone', (text) => /^[A-Z][A-Za-z_]+\/[A-Z]/.test(text) && isCode('timezone')(text)],
  ['unit', isOf('unit')],
  ['flag', (text) => flags.has(text.toLowerCase())],
  ['code', (text) => isArticleCode(text)],
  ['text', (text) => /\S\s+\S+\s+\S/.test(text)],
]

/** Kinds that a text of digits can have. */
export const digitKinds: readonly ValueKind[] = ['gtin', 'flag']

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const flags = new Set([
  ...['true', 'false', 'yes', 'no', 'y', 'n', 't', 'f', '0', '1', 'x'],
  ...['ja', 'nein', 'j', 'wahr', 'falsch'],
])

/** Letters with digits or signs among them, or digits with signs: `TSH-M`, `A1`, `100-42`. */
const isArticleCode = (text: string): boolean =>
  text.length <= codeLengthMax &&
  /^[\p{L}\p{N}]+(?:[-_./#][\p{L}\p{N}]+)*$/u.test(text) &&
  (/\p{L}/u.test(text) ? /[\p{N}\-_./#]/u.test(text) : /[-_/]/.test(text))

const codeLengthMax = 40
