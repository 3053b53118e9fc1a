import { foldText, limits } from '#contract'
import { FormatError } from './number-format.ts'

type Argument = 'count' | 'place' | 'text'

interface TextFunction {
  readonly about: string
  readonly example: readonly [call: string, text: string, result: string]
  /** The kinds of its arguments; optional ones may be omitted. */
  readonly arguments: readonly { readonly kind: Argument; readonly optional?: boolean }[]
  readonly run: (text: string, ...args: readonly (string | number)[]) => string
}

const count = { kind: 'count' } as const
const place = { kind: 'place' } as const
const text = { kind: 'text' } as const

/** Maximum length of `padStart`, so that a typo does not exceed the size limit of a record. */
export const padMax = 100

/** The second text is used as it is, and the result is no longer than a cell. */
const replaceTexts = (value: string, from: string, to: string): string => {
  const times = value.split(from).length
  if (times * to.length > limits.record.maxBytes) {
    throw new FormatError('becomes longer than a cell by replace')
  }
  return value.replaceAll(from, () => to)
}

/** A pattern for the end would be tried at every place. */
const lastWordOf = (words: string): string => {
  let from = words.length
  while (from > 0 && words.charAt(from - 1).trim() !== '') from -= 1
  return words.slice(from)
}

/** The functions of `apply`. The set is closed: a mapping cannot contain code. */
export const textFunctions = {
  trim: {
    about: 'without spaces at both ends (every cell is trimmed; this is for the results of others)',
    example: ['trim', ' A ', 'A'],
    arguments: [],
    run: (value) => value.trim(),
  },
  squeeze: {
    about: 'with one space in place of several, and of line breaks',
    example: ['squeeze', 'A   B', 'A B'],
    arguments: [],
    run: (value) => value.replace(/\s+/g, ' ').trim(),
  },
  upper: {
    about: 'in upper case',
    example: ['upper', 'eur', 'EUR'],
    arguments: [],
    run: (value) => value.toUpperCase(),
  },
  lower: {
    about: 'in lower case',
    example: ['lower', 'EUR', 'eur'],
    arguments: [],
    run: (value) => value.toLowerCase(),
  },
  digits: {
    about: 'its digits only',
    example: ['digits', '6109.10-00', '61091000'],
    arguments: [],
    run: (value) => value.replace(/[^0-9]/g, ''),
  },
  stripZeros: {
    about: 'without zeros in front',
    example: ['stripZeros', '0000100042', '100042'],
    arguments: [],
    run: (value) => value.replace(/^0+(?=.)/, ''),
  },
  slug: {
    about: 'in lower case, with hyphens in place of everything but letters and digits',
    example: ['slug', 'Moda Têxtil, Lda.', 'moda-textil-lda'],
    arguments: [],
    run: (value) =>
      foldText(value)
        .replace(/[^a-z0-9]+/g, '-')
        .replace(/^-+|-+$/g, ''),
  },
  padStart: {
    about: 'filled to a length with a sign in front',
    example: ["{ padStart: [10, '0'] }", '42', '0000000042'],
    arguments: [count, text],
    run: (value, length, sign) => value.padStart(Number(length), String(sign)),
  },
  replace: {
    about: 'with one text in place of every occurrence of another',
    example: ["{ replace: ['/', '-'] }", 'A/B/C', 'A-B-C'],
    arguments: [text, text],
    run: (value, from, to) => replaceTexts(value, String(from), String(to)),
  },
  substring: {
    about: 'from one place up to another; places count from 0',
    example: ['{ substring: [0, 3] }', 'TSH-001', 'TSH'],
    arguments: [count, { kind: 'count', optional: true }],
    run: (value, from, to) =>
      value.substring(Number(from), to === undefined ? undefined : Number(to)),
  },
  before: {
    about: 'what comes before the first occurrence of a text; all of it if there is none',
    example: ["{ before: '-' }", 'TSH-001-M', 'TSH'],
    arguments: [text],
    run: (value, sign) => value.split(String(sign), 1)[0] ?? '',
  },
  after: {
    about: 'what comes after the first occurrence of a text; nothing if there is none',
    example: ["{ after: '-' }", 'TSH-001-M', '001-M'],
    arguments: [text],
    run: (value, sign) => {
      const at = value.indexOf(String(sign))
      return at < 0 ? '' : value.slice(at + String(sign).length)
    },
  },
  part: {
    about:
      'one of the parts between the occurrences of a text, counted from 1, or from the end with -1; nothing if there are fewer',
    example: ["{ part: ['-', 2] }", 'TSH-001-M', '001'],
    arguments: [text, place],
    run: (value, sign, number) => {
      const parts = value.split(String(sign))
      const at = Number(number)
      return (parts.at(at > 0 ? at - 1 : at) ?? '').trim()
    },
  },
  lastWord: {
    about: 'what comes after the last space',
    example: ['lastWord', 'Ana María Ruiz', 'Ruiz'],
    arguments: [],
    run: (value) => lastWordOf(value.trim()),
  },
} as const satisfies { readonly [name: string]: TextFunction }

export type FunctionName = keyof typeof textFunctions

export const functionNamed = (name: string): TextFunction | undefined =>
  Object.hasOwn(textFunctions, name) ? textFunctions[name as FunctionName] : undefined
