import { codes, type Field, type Kind, type Measure } from './fields.ts'

/** What a field means, in sentences: its note or its name in words, then what its kind adds. */
export const describeField = (name: string, field: Field): string =>
  [field.note ?? meaningOfName(name, field), ...factsByKind[field.kind](field)]
    .map((sentence) => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`))
    .join(' ')

/** `supplierConfirmedAt` in words: `Supplier confirmed at`. */
export const inWords = (name: string): string => {
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Names that mean the same on every record. */
const meanings: { readonly [name: string]: string } = {
  id: 'Identity of the record',
  createdAt: 'When the record was created',
  updatedAt: 'When the record was last changed',
  deletedAt: 'When the record was removed; it stays readable and counted. Null while it is in use',
  customFields: 'The fields the brand added to this kind of record',
  sequence: 'Place in the order shown to people',
  notes: 'Free remarks',
  currency: 'Currency of the amounts of this record',
  moq: 'Minimum order quantity',
  name: 'Name shown to people',
  code: 'Short code of the record',
  slug: 'Short name for addresses',
  kind: 'What kind of record it is',
  status: 'Where the record stands',
  city: 'Town or city',
  body: 'Text of the message',
  key: 'Stable key',
  role: 'What it is used for',
  qty: 'Quantity ordered',
  step: 'Stage of work',
  duty: 'Import duty',
  memo: 'Remark printed on the document',
}

const meaningOfName = (name: string, field: Field): string => {
  const known = Object.hasOwn(meanings, name) ? meanings[name] : undefined
  if (known) return known
  if (field.kind === 'ref') return `The ${inWords(name.replace(/Id$/, '')).toLowerCase()}`
  if (field.kind === 'person') return `${inWords(name.replace(/UserId$/, ''))}: a person`
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
  person: () => ['No resource is served for people'],
  text: ({ code, values }) => [
    ...(code ? [`Code: ${codes[code]}`] : []),
    ...(values ? [`Known values: ${values.join(', ')}`] : []),
  ],
  integer: () => [],
  flag: () => [],
  amount: ({ measure, currencyFrom }) => [
    `Decimal string${measure ? `: ${measures[measure].toLowerCase()}` : ''}`,
    ...(currencyFrom ? [`Currency: ${currencyFrom}`] : []),
  ],
  date: () => ['Date, YYYY-MM-DD'],
  timestamp: () => ['UTC, to the millisecond'],
  any: () => [],
  texts: () => [],
  object: () => [],
  objects: () => [],
}
