/** The functions that the chart's templates use, with the results that they have in Helm. */
import { createHash } from 'node:crypto'
import { stringify } from 'yaml'
import { TemplateError } from './template.ts'

/**
 * A value in a template. Numbers of values.yaml are floating-point numbers in Helm; those of templates
 * and of `int` are integers, which cannot be compared with the former. They are bigints here.
 */
export type TemplateValue = unknown

type TemplateFunction = (...values: readonly TemplateValue[]) => TemplateValue

export const isTruthy = (value: TemplateValue): boolean => {
  if (Array.isArray(value)) return value.length > 0
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

/** How a value is printed. What Go would print in another way than it was written is refused. */
export const printed = (value: TemplateValue): string => {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value)
  if (typeof value === 'number' && Number.isSafeInteger(value) && Math.abs(value) < 1e6) {
    return String(value)
  }
  throw new TemplateError(`${JSON.stringify(value) ?? 'nothing'} cannot be printed; use toJson`)
}

const text = (value: TemplateValue): string => {
  if (typeof value === 'string') return value
  throw new TemplateError(`${JSON.stringify(value) ?? 'nothing'} is not a string`)
}

const integer = (value: TemplateValue): bigint => {
  if (typeof value === 'bigint') return value
  throw new TemplateError(`${JSON.stringify(value) ?? 'nothing'} is not an integer; use int`)
}

const comparable = (left: TemplateValue, right: TemplateValue): boolean => {
  if (typeof left === typeof right && ['string', 'boolean', 'bigint'].includes(typeof left)) {
    return left === right
  }
  throw new TemplateError(`a ${typeof left} and a ${typeof right} cannot be compared`)
}

const quoted = (value: TemplateValue): string => {
  const content = printed(value)
  // Go escapes other characters in another way than JSON does.
  if (/[^\P{C}\n\t]/u.test(content)) throw new TemplateError('a control character cannot be quoted')
  return JSON.stringify(content)
}

const indented = (spaces: TemplateValue, content: TemplateValue): string =>
  text(content).replaceAll(/^/gm, ' '.repeat(Number(integer(spaces))))

const kindOf = (value: TemplateValue): string => {
  if (value === undefined || value === null) return 'invalid'
  if (Array.isArray(value)) return 'slice'
  const kinds: { readonly [type: string]: string } = {
    string: 'string',
    boolean: 'bool',
    number: 'float64',
    bigint: 'int',
    object: 'map',
  }
  return kinds[typeof value] ?? 'invalid'
}

/** By name. `include` is not here, as it needs the chart. */
export const functions: { readonly [name: string]: TemplateFunction } = {
  and: (...values) => values.find((value) => !isTruthy(value)) ?? values.at(-1),
  or: (...values) => values.find(isTruthy) ?? values.at(-1),
  not: (value) => !isTruthy(value),
  eq: comparable,
  ne: (left, right) => !comparable(left, right),
  gt: (left, right) => integer(left) > integer(right),
  int: (value) => BigInt(Math.trunc(Number(value))),
  kindIs: (kind, value) => kindOf(value) === text(kind),
  default: (fallback, value) => (isTruthy(value) ? value : fallback),
  fail: (message) => {
    throw new ChartRefusal(text(message))
  },
  first: (values) => {
    if (Array.isArray(values)) return values[0]
    throw new TemplateError('first needs a list')
  },
  join: (separator, values) => {
    if (Array.isArray(values)) return values.map(printed).join(text(separator))
    throw new TemplateError('join needs a list')
  },
  printf: (format, ...values) => {
    const rest = [...values]
    const result = text(format).replaceAll(/%(.)/g, (_, verb) => {
      if (verb !== 's') throw new TemplateError(`printf supports %s only, not %${verb}`)
      return text(rest.shift())
    })
    if (rest.length > 0) throw new TemplateError('printf has more values than %s')
    return result
  },
  contains: (part, whole) => text(whole).includes(text(part)),
  hasPrefix: (prefix, whole) => text(whole).startsWith(text(prefix)),
  trim: (content) => text(content).trim(),
  trimSuffix: (suffix, content) => {
    const whole = text(content)
    const end = text(suffix)
    return whole.endsWith(end) ? whole.slice(0, whole.length - end.length) : whole
  },
  trunc: (length, content) => text(content).slice(0, Number(integer(length))),
  nindent: (spaces, content) => `\n${indented(spaces, content)}`,
  quote: quoted,
  sha256sum: (content) => createHash('sha256').update(text(content)).digest('hex'),
  toJson: (value) => {
    if (typeof value === 'number') return JSON.stringify(value)
    throw new TemplateError('toJson is supported for numbers only')
  },
  // Kubernetes reads YAML 1.1, in which an unquoted on is a boolean.
  toYaml: (value) =>
    stringify(value, {
      version: '1.1',
      sortMapEntries: true,
      lineWidth: 0,
      indentSeq: false,
    }).trimEnd(),
}

/** The chart refuses its values, with a sentence for the person who chose them. */
export class ChartRefusal extends Error {}
