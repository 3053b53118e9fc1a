import { codes, type Field, type Kind, type Measure, specifiedCode } from './fields.ts'

/** The description of a field: its note, or its name in words, followed by facts about its kind. */
export const describeField = (name: string, field: Field): string =>
  [field.note ?? meaningOfName(name, field), ...factsByKind[field.kind](field)]
    .map((sentence) => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`))
    .join(' ')

/** `supplierConfirmedAt` in words: `Supplier confirmed at`. */
export const inWords = (name: string): string => {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Names with the same meaning on every record. */
const meanings: { readonly [name: string]: string } = {
  id: 'Identifier of the record',
  createdAt: 'When the record was created',
  updatedAt: 'When the record was last changed',
  deletedAt:
    'When the record was deleted. A deleted record can still be read and is still counted. Null if it is not deleted',
  customFields: 'Custom fields that the brand added to this type of record',
  sequence: 'Position in the display order',
  notes: 'Free-form notes',
  currency: 'Currency of the amounts in this record',
  moq: 'Minimum order quantity',
  name: 'Display name',
  code: 'Short code',
  slug: 'Short name for use in URLs',
  kind: 'Type of the record',
  status: 'Current status',
  city: 'Town or city',
  body: 'Text of the message',
  key: 'Stable key',
  role: 'Role',
  qty: 'Quantity ordered',
  step: 'Stage of work',
  duty: 'Import duty',
  memo: 'Comment printed on the document',
}

const meaningOfName = (name: string, field: Field): string => {
  const meaning = Object.hasOwn(meanings, name) ? meanings[name] : undefined
  if (meaning) return meaning
  if (field.kind === 'ref') return `The ${inWords(name.replace(/Id$/, '')).toLowerCase()}`
  if (field.kind === 'person') return `${inWords(name.replace(/UserId$/, ''))}: a user`
  return inWords(name)
}

const measures: Record<Measure, string> = {
  money: 'Money',
  unitPrice: 'Price of one unit',
  percent: 'Percent',
  rate: 'Exchange rate',
  quantity: 'Quantity',
  weightKg: 'Kilograms',
  volumeCbm: 'Cubic metres',
  lengthCm: 'Centimetres',
  measurement: "In the table's unit",
  coordinate: 'Degrees, WGS 84',
  gsm: 'Grams per square metre',
}

const factsByKind: Record<Kind, (field: Field) => readonly string[]> = {
  id: () => [],
  ref: ({ to }) => [`Refers to ${to}`],
  person: () => ['The API has no resource for users'],
  text: (field) => {
    const code = specifiedCode(field)
    return [
      ...(code ? [`Code: ${codes[code]}`] : []),
      ...(field.values ? [`Known values: ${field.values.join(', ')}`] : []),
    ]
  },
  integer: () => [],
  flag: () => [],
  amount: ({ measure, currencyFrom }) => [
    `Decimal string${measure ? `: ${measures[measure].toLowerCase()}` : ''}`,
    ...(currencyFrom ? [`Currency: ${currencyFrom}`] : []),
  ],
  date: () => ['Date, YYYY-MM-DD'],
  timestamp: () => ['UTC, with milliseconds'],
  any: () => [],
  texts: () => [],
  object: () => [],
  objects: () => [],
}

/** `1 row`, `2 rows`, `1,000 rows`. */
export const formatCount = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
