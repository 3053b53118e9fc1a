/** Malformed values of parameters: the query string, and the parameter that the error must name. */
import { type FilterKind, limits } from '#contract'

export interface Malformed {
  /** The text after the question mark. */
  readonly query: string
  /** The parameter that the error must name. */
  readonly names: string
}

/**
 * Invalid percent-encoded UTF-8: truncated, not hexadecimal, overlong, a lone surrogate, out of
 * range.
 */
const noText = [
  '%',
  '%2',
  '%Z1',
  '%u0041',
  '%ff',
  'a%80',
  '%C3%28',
  '%E2%82',
  '%C0%AF',
  '%E0%80%AF',
  '%ED%A0%80',
  '%F4%90%80%80',
  '%F5%80%80%80',
]
const withNul = ['%00', 'a%00', '%00a']

/** Malformed uses of any parameter, built from a valid value. */
export const malformedAlways = (name: string, right: string): readonly Malformed[] => {
  const malformed = (query: string, names = name) => ({ query, names })
  const value = encodeURIComponent(right)
  const first = name[0] ?? ''
  const encoded = `%${first.charCodeAt(0).toString(16)}${name.slice(1)}`
  const otherCase = first.toUpperCase() + name.slice(1)
  return [
    malformed(name),
    malformed(`${name}=`),
    ...[...noText, ...withNul].map((each) => malformed(`${name}=${each}`)),
    malformed(`${name}=${value}&${name}=${value}`),
    malformed(`${name}=${value}&${name}=x`),
    malformed(`${name}=${value}&${encoded}=${value}`),
    malformed(`${name}&${name}=${value}`),
    malformed(`${otherCase}=${value}`, otherCase),
    malformed(`${name}[]=${value}`, `${name}[]`),
    malformed(`${name}%5B0%5D=${value}`, `${name}[0]`),
    malformed(`${name}%00=${value}`, `${name}\0`),
    malformed(`${name}+=${value}`, `${name} `),
    malformed(`%20${name}=${value}`, ` ${name}`),
    malformed(`%25${name}=${value}`, `%${name}`),
    malformed(`${name}.x=${value}`, `${name}.x`),
  ]
}

const id = 'f47ac10b-58cc-4372-a567-0e02b2c3d479'

/** Texts that are not a lower-case UUID, though most resemble one. */
export const noIdentifiers: readonly string[] = [
  'x',
  'null',
  '0',
  id.toUpperCase(),
  `F${id.slice(1)}`,
  `{${id}}`,
  `urn:uuid:${id}`,
  id.replaceAll('-', ''),
  id.replace('-', '_'),
  id.slice(1),
  `${id}0`,
  `${id}\n`,
  ` ${id}`,
  `${id} `,
  `${id},${id}`,
  `"${id}"`,
  id.replace('f', 'g'),
  id.replace('4', '４'),
  `${id}%`,
  `${id}' or '1'='1`,
  '../../etc/passwd',
  '__proto__',
]

/** Texts that are not an integer in the range of a page size. */
const noLimits = [
  ...['0', '101', '-1', '-0', '1.5', '5.0', '1e1', '0x10', '+5', ' 5', '5 ', '05', '005', '1_0'],
  ...['abc', 'true', 'null', 'NaN', 'Infinity', '99999999999999999999', '５', '٥', '10\n', '1,0'],
  ...['1000', '١٠', '0b1', '1;2', '--1', '[]'],
]

const noIntegers = [
  ...['00', '007', '-1', '-0', '2147483648', '9999999999', '12345678901', '1.0', '1e3', '+1'],
  ...[' 1', '1 ', '0x1', 'abc', 'true', 'null', 'NaN', 'Infinity', '１', '٣', '1\n', '1,2', '1_0'],
]

const { maxLength } = limits.stringFilter

const noStrings = [
  ...[1, 2, 45, 745, 3_745].map((more) => 'a'.repeat(maxLength + more)),
  ...['é', '🧵', '%', '\n', ' '].map((each) => each.repeat(maxLength + 1)),
]

const asValues = (name: string, values: readonly string[]): readonly Malformed[] =>
  values.map((value) => ({ query: `${name}=${encodeURIComponent(value)}`, names: name }))

const byKind: Record<FilterKind, readonly string[]> = {
  identifier: noIdentifiers,
  integer: noIntegers,
  string: noStrings,
}

export const malformedFilter = (name: string, kind: FilterKind): readonly Malformed[] =>
  asValues(name, byKind[kind])

export const malformedLimit = asValues('limit', noLimits)

/** Invalid cursors, and modifications of a valid one. */
export const malformedCursor = (cursor: string): readonly Malformed[] =>
  asValues('cursor', [
    ...['null', '0', '-', '!!!', 'YQ', 'YQ==', 'a+b/', ' ', '{}', 'é', '__proto__', id],
    ...['a'.repeat(40), 'A'.repeat(200), 'a'.repeat(limits.cursor.maxLength + 1)],
    ...[cursor.slice(1), cursor.slice(0, -1), cursor.slice(0, 20), `${cursor}A`, `A${cursor}`],
    ...[`${cursor}=`, ` ${cursor}`, `${cursor} `, cursor + cursor, `${cursor}\n`],
    ...[0, 1, 7, 20, 40].map((place) => changed(cursor, place)),
    ...[1, 5, 10].map((place) => changed(cursor, cursor.length - place)),
  ])

const changed = (text: string, place: number): string =>
  `${text.slice(0, place)}${text[place] === 'B' ? 'C' : 'B'}${text.slice(place + 1)}`

/** Unknown relations, built from the known ones. */
export const malformedInclude = (relations: readonly string[]): readonly Malformed[] => {
  const [first = 'order'] = relations
  const repeated = [
    `${first}&include=${first}`,
    `${first}&include=`,
    `${first}&include=x`,
    '&include=',
  ]
  return [
    ...repeated.map((text) => ({ query: `include=${text}`, names: 'include' })),
    ...asValues('include', [
      ...['x', '*', ',', 'id', 'null', '__proto__', 'constructor', 'items', 'order.items', '[]'],
      ...[`${first},`, `,${first}`, `${first},x`, `x,${first}`, `${first},${first}`, `${first}Id`],
      ...[` ${first}`, `${first} `, `${first};${first}`, `${first}.${first}`, first.toUpperCase()],
      ...[`${first}\n`, `${first}*`, 'a'.repeat(300)],
    ]),
  ]
}

/** Invalid ids in a path. */
export const malformedIds: readonly string[] = [...noIdentifiers, 'a/b', '\0', 'a'.repeat(8_192)]
export const malformedCountries: readonly string[] = [
  ...['us', 'Us', 'U', 'USA', 'U1', '00', 'ÜS', 'U S', 'US ', ' US', 'US\n', '\0\0', 'U/S', '__'],
  ...[id, 'null', '%55%53', 'ＵＳ', 'a'.repeat(8_192)],
]
