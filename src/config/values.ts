import { isIP } from 'node:net'

/** The possible values of a setting, for documents that describe settings to other programs. */
export type ValueShape =
  | { readonly kind: 'integer'; readonly least: number; readonly most: number }
  /** A number above 0. */
  | { readonly kind: 'number'; readonly most: number }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'switch' }
  /** Texts separated by commas. */
  | { readonly kind: 'list' }
  | { readonly kind: 'text' }

/** Parses the text of a variable. `read` throws an `InvalidSettingError`. */
export interface ValueReader<T> {
  readonly shape: ValueShape
  readonly read: (text: string) => T
}

export class InvalidSettingError extends Error {}

export const whole = (least: number, most: number): ValueReader<number> => ({
  shape: { kind: 'integer', least, most },
  read: (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    throw new InvalidSettingError(`must be a whole number from ${least} to ${most}`)
  },
})

const positiveMax = 1_000_000

export const positive: ValueReader<number> = {
  shape: { kind: 'number', most: positiveMax },
  read: (text) => {
    const value = Number(text)
    if (/^\d+(\.\d+)?$/.test(text) && value > 0 && value <= positiveMax) return value
    throw new InvalidSettingError('must be a number above 0')
  },
}

export const oneOf = (...values: readonly string[]): ValueReader<string> => ({
  shape: { kind: 'choice', values },
  read: (text) => {
    if (values.includes(text)) return text
    throw new InvalidSettingError(`must be one of ${values.join(', ')}`)
  },
})

export const onOrOff: ValueReader<boolean> = {
  shape: { kind: 'switch' },
  read: (text) => oneOf('on', 'off').read(text) === 'on',
}

export const text: ValueReader<string> = { shape: { kind: 'text' }, read: (value) => value }

const textThat = (read: (text: string) => string): ValueReader<string> => ({
  shape: text.shape,
  read,
})

export const filled = textThat((text) => {
  if (text.trim() !== '') return text
  throw new InvalidSettingError('must not be empty')
})

export const httpUrl = textThat((text) => {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username) {
    return text.replace(/\/+$/, '')
  }
  throw new InvalidSettingError('must be a URL such as https://records.example.com')
})

/** An address without a path, which a browser sends as `Origin`. */
export const httpOrigin = textThat((text) => {
  const url = httpUrl.read(text)
  if (new URL(url).origin === url) return url
  throw new InvalidSettingError(
    'must be an address without a path, such as https://selvedge.example.com',
  )
})

/** The trimmed API key in a text; null if a header cannot contain it. */
export const keyIn = (text: string): string | null => {
  const key = text.trim()
  return /^[!-~]+$/.test(key) ? key : null
}

export const oneKey = textThat((text) => {
  const key = keyIn(text)
  if (key !== null) return key
  throw new InvalidSettingError('must be an API key without spaces or special characters')
})

/** The problem with the name of an operator, as part of a sentence; undefined if it is valid. */
export const operatorProblem = (name: string): string | undefined =>
  /^\P{C}{1,100}$/u.test(name) && name.trim() === name
    ? undefined
    : 'must be a name of 1 to 100 characters without spaces at either end'

export const operatorName = textThat((text) => {
  const problem = operatorProblem(text)
  if (problem === undefined) return text
  throw new InvalidSettingError(problem)
})

export const origin = textThat((text) => {
  if (URL.canParse(text) && new URL(text).origin === text) return text
  throw new InvalidSettingError(
    `contains ${text}, which is not an origin such as https://app.example.com`,
  )
})

export const address = textThat((text) => {
  const [ip = '', bits = '1', ...more] = text.split('/')
  const bitsMax = isIP(ip) === 4 ? 32 : 128
  const isRange = /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= bitsMax
  if (isIP(ip) > 0 && isRange && more.length === 0) return text
  throw new InvalidSettingError(
    `contains ${text}, which is not an IP address or range such as 10.0.0.0/8`,
  )
})

export const listOf = ({ read }: ValueReader<string>): ValueReader<readonly string[]> => ({
  shape: { kind: 'list' },
  read: (text) =>
    text
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
      .map(read),
})

/** Null if the text is empty. */
export const optional = <T>({ shape, read }: ValueReader<T>): ValueReader<T | null> => ({
  shape,
  read: (text) => (text === '' ? null : read(text)),
})

export const mapped = <T, U>(
  { shape, read }: ValueReader<T>,
  convert: (value: T) => U,
): ValueReader<U> => ({ shape, read: (text) => convert(read(text)) })
