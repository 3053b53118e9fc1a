import { quotientPlaces } from './arithmetic.ts'
import { codeKinds } from './codes/code-of.ts'
import { timeNumbers } from './date-format.ts'
import type { BrandValues } from './mapping.ts'
import { units } from './units.ts'

/*
 * The syntax of mapping files, as data. The parser finds unknown settings with these tables, and
 * the JSON Schema and the reference page are generated from them.
 */

/** A setting: its purpose, and its value as JSON Schema. */
export interface Setting {
  readonly about: string
  /** Its value, in words. */
  readonly takes: string
  readonly schema: object
}

type Settings = { readonly [name: string]: Setting }

const text = { type: 'string', minLength: 1 } as const
const texts = { anyOf: [text, { type: 'array', items: text, minItems: 1 }] }
const sign = { type: 'string', minLength: 1, maxLength: 1 } as const
const expression = { $ref: '#/$defs/expression' }
const part = { anyOf: [text, expression] }
const parts = { anyOf: [part, { type: 'array', items: part, minItems: 1 }] }
const numbers = { type: 'array', items: part, minItems: 2 }
const duration = { type: 'string', pattern: '^[0-9]{1,6}[smhdw]$' }
const condition = {
  type: 'object',
  minProperties: 1,
  additionalProperties: { $ref: '#/$defs/condition' },
}
/** Without a point, which separates it from a column. */
export const joinNamePattern = /^[\p{L}_][\p{L}\p{N}_-]*$/u
export const keepPattern = /^(first|last|newest by (.*\S.*))$/
const scalar = { type: ['string', 'number', 'boolean', 'null'] }

/** Default formats of dates and numbers in texts. */
export const formatSettings = {
  date: {
    about: 'The pattern of dates, or several that are tried in order.',
    takes: 'pattern, list',
    schema: texts,
  },
  timestamp: {
    about: `The pattern of times, or several that are tried in order. In place of a pattern: ${Object.keys(timeNumbers).join(', ')}.`,
    takes: 'pattern, list',
    schema: texts,
  },
  timezone: {
    about: 'The time zone of times without an offset.',
    takes: 'name such as Europe/Berlin',
    schema: text,
  },
  decimal: {
    about: 'The decimal sign of numbers. A point by default.',
    takes: 'sign',
    schema: sign,
  },
  group: {
    about:
      'The sign between groups of digits. None by default; spaces and apostrophes are always understood.',
    takes: 'sign',
    schema: sign,
  },
} as const satisfies Settings

export const fileSettings = {
  version: { about: 'The version of this format: 1.', takes: '1', schema: { const: 1 } },
  brand: {
    about: 'The brand that owns the records. Without it, the command names the owner.',
    takes: 'slug',
    schema: { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' },
  },
  database: {
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: this is how mapping files write it
    about:
      'The address of the database that rows with `sql` are read from. `${NAME}` is the environment variable that has it, so that the file has no password in it.',
    takes: '`${NAME}`, or an address such as `postgres://reader@erp.example.com/erp`',
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: see above
    schema: text,
  },
  timezone: {
    about: 'The time zone of times without an offset, for the whole file. UTC by default.',
    takes: 'name such as Europe/Berlin',
    schema: text,
  },
  formats: {
    about: 'How dates and numbers are written, for the whole file.',
    takes: 'settings of formats',
    schema: { $ref: '#/$defs/formats' },
  },
  defaults: {
    about:
      'Values for fields of these names, in all collections that do not make the field themselves. One is used only where the field takes it: a status that a collection does not have is left out there.',
    takes: 'a column, an expression, first-seen or last-changed for each field',
    schema: { type: 'object', minProperties: 1, additionalProperties: part },
  },
  lists: {
    about: 'Lists of values by name, for `values` of several fields: `{ status: { A: active } }`.',
    takes: 'a value for each text, for each name',
    schema: { type: 'object', additionalProperties: { type: 'object', minProperties: 1 } },
  },
  collections: {
    about: 'The collections that rows become, by their names in the API.',
    takes: 'a mapping, or a list of mappings, for each collection',
    schema: { $ref: '#/$defs/collections' },
  },
} as const satisfies Settings

export const collectionSettings = {
  from: {
    about: 'Where rows come from: files, a query, a sender, or the mapping itself.',
    takes: 'settings of from',
    schema: { $ref: '#/$defs/from' },
  },
  join: {
    about:
      'Other rows that belong to each row, by key. A column of the one row that has the key is named `vendor.CITY`; without such a row it is empty, and several are a problem of the row. `rows` makes a value of any number of rows.',
    takes: 'settings of join, list',
    schema: {
      anyOf: [
        { $ref: '#/$defs/join' },
        { type: 'array', items: { $ref: '#/$defs/join' }, minItems: 1 },
      ],
    },
  },
  group: {
    about:
      'Rows with equal cells in these columns become one row, in the place of the first. `where` chooses rows before that. A column outside of `rows` must have one value in the group; different values are a problem of the row.',
    takes: 'column, list',
    schema: texts,
  },
  where: {
    about: 'Rows that do not meet these conditions are left out.',
    takes: 'a condition for each column',
    schema: condition,
  },
  remove: {
    about: 'Rows that meet these conditions remove their record, as a deletion flag does.',
    takes: 'a condition for each column',
    schema: condition,
  },
  distinct: {
    about:
      'Several rows are expected to give the same record, as the order does in a file of order lines. Identical records count once; without it they also count once, and each is reported as a warning. Different records with the same key are refused unless `keep` says which one counts.',
    takes: 'true or false',
    schema: { type: 'boolean' },
  },
  keep: {
    about:
      'Which of several rows with the same key counts in one import, over all its files or queries; the others are left out. The newest row has the latest time or the highest number in a column, and an empty cell is older than any other. Of equal ones, the last row counts. If that row meets `remove`, the record is removed.',
    takes: 'first, last or `newest by COLUMN`',
    schema: { type: 'string', pattern: keepPattern.source },
  },
  formats: {
    about: 'How dates and numbers are written in these rows.',
    takes: 'settings of formats',
    schema: { $ref: '#/$defs/formats' },
  },
  id: {
    about:
      'The identity of a record: its natural key, or a column with UUIDs. Collections that are identified by several fields have none.',
    takes: '{ key: [columns] } or a column',
    schema: part,
  },
  fields: {
    about: 'How each field is made. A field that can be null and is not named is null.',
    takes: 'a column or an expression for each field',
    schema: { type: 'object' },
  },
} as const satisfies Settings

export const fromSettings = {
  files: {
    about:
      'Patterns of file names; `*` stands for any letters, `?` for one. Upper and lower case are the same.',
    takes: 'pattern, list',
    schema: texts,
  },
  encoding: {
    about: 'The encoding of text files: utf-8 (default), windows-1252 or iso-8859-1.',
    takes: 'name',
    schema: { enum: ['utf-8', 'windows-1252', 'iso-8859-1'] },
  },
  delimiter: {
    about: 'The sign between columns, if the header does not tell it.',
    takes: 'comma, semicolon, tab or pipe, or the sign itself',
    schema: { enum: [',', ';', '\t', '|', 'comma', 'semicolon', 'tab', 'pipe'] },
  },
  sheet: { about: 'The sheet of a workbook. The first by default.', takes: 'name', schema: text },
  headerRow: {
    about: 'The row with the names of the columns, if it is not found by itself.',
    takes: 'number',
    schema: { type: 'integer', minimum: 1 },
  },
  trailer: {
    about:
      'The last row of each file becomes no record: it says what the others have. A file without it, or with other numbers, is refused.',
    takes: 'settings of trailer',
    schema: { $ref: '#/$defs/trailer' },
  },
  sql: { about: 'A query, for `selvedge sync`.', takes: 'SQL', schema: text },
  cursor: {
    about: 'The column of the query that grows with every change. Only later rows are read.',
    takes: 'column',
    schema: text,
  },
  overlap: {
    about:
      'How far before the last cursor rows are read again, for changes that were committed late.',
    takes: 'duration such as 10m',
    schema: duration,
  },
  deleted: {
    about: 'A query of the keys of deleted rows, with the columns of `id`.',
    takes: 'SQL',
    schema: text,
  },
  reconcile: {
    about:
      'How often all keys are read and records without a row are removed; as an object, with a query of the keys.',
    takes: 'duration, { every, sql }',
    schema: {
      anyOf: [
        duration,
        {
          type: 'object',
          required: ['every'],
          additionalProperties: false,
          properties: { every: duration, sql: text },
        },
      ],
    },
  },
  rows: {
    about:
      'Rows that are posted to the ingest port with `?map=`: all of them, or those with these names of tables.',
    takes: 'true, name, list',
    schema: { anyOf: [{ const: true }, texts] },
  },
  given: {
    about:
      'Rows that are written here, for records that no row has, such as the own warehouse. They are read with every import, round and batch.',
    takes: 'list of `{ COLUMN: value }`',
    schema: { type: 'array', items: { type: 'object', minProperties: 1 }, minItems: 1 },
  },
} as const satisfies Settings

const { cursor: _, overlap: __, deleted: ___, reconcile: ____, ...joinOrigins } = fromSettings

export const joinSettings = {
  name: {
    about: 'What the mapping calls these rows.',
    takes: 'name',
    schema: { type: 'string', pattern: joinNamePattern.source },
  },
  on: {
    about:
      'The columns that have equal cells. The first is one of the row, or of rows that are joined before; the second is one of these rows.',
    takes: '`{ COLUMN: COLUMN }`',
    schema: { type: 'object', minProperties: 1, additionalProperties: text },
  },
  ...joinOrigins,
} as const satisfies Settings

const cellNumber = { type: 'integer', minimum: 1 }

export const trailerSettings = {
  startsWith: {
    about: 'How its first cell begins.',
    takes: 'text',
    schema: text,
  },
  count: {
    about: 'Its cell with the number of rows, from 1.',
    takes: 'number',
    schema: cellNumber,
  },
  sum: {
    about: 'The columns whose sums it has, each with its cell.',
    takes: '{ AMOUNT: 3 }',
    schema: { type: 'object', minProperties: 1, additionalProperties: cellNumber },
  },
} as const satisfies Settings

export const reconcileSettings = {
  every: { about: 'How often.', takes: 'duration', schema: duration },
  sql: { about: 'The query of the keys.', takes: 'SQL', schema: text },
} as const satisfies Settings

export const conditionSettings = {
  not: {
    about: 'The cell is none of these.',
    takes: 'text, list',
    schema: { anyOf: [scalar, { type: 'array', items: scalar, minItems: 1 }] },
  },
  empty: {
    about: 'Whether the cell is empty.',
    takes: 'true or false',
    schema: { type: 'boolean' },
  },
  startsWith: {
    about: 'The cell begins with one of these.',
    takes: 'text, list',
    schema: texts,
  },
  moreThan: {
    about:
      'The cell is more than a number, or later than a day or a time. An empty cell is not; a cell that cannot be read so is a problem of the row.',
    takes: 'number, day such as 2026-03-14 or time such as 2026-03-14T09:30:00Z',
    schema: { type: ['number', 'string'] },
  },
  lessThan: {
    about: 'The cell is less than a number, or earlier than a day or a time.',
    takes: 'as moreThan',
    schema: { type: ['number', 'string'] },
  },
} as const satisfies Settings

/** The properties of the brand that an expression can use. */
export const brandProperties: readonly (keyof BrandValues)[] = [
  'id',
  'slug',
  'name',
  'currency',
  'country',
  'timezone',
]

/** The source of a value. An expression has exactly one. */
export const sourceSettings = {
  column: { about: 'The cell of a column.', takes: 'column', schema: text },
  value: { about: 'The same value for every row.', takes: 'any value', schema: {} },
  join: {
    about: 'Several cells as one text; empty ones are left out.',
    takes: 'list of columns or expressions',
    schema: parts,
  },
  first: {
    about: 'The first of several cells that is not empty.',
    takes: 'list of columns or expressions',
    schema: parts,
  },
  sum: {
    about: 'The sum of several numbers.',
    takes: 'list of columns or expressions',
    schema: numbers,
  },
  difference: {
    about: 'The first number, less the others.',
    takes: 'list of columns or expressions',
    schema: numbers,
  },
  product: {
    about: 'The product of several numbers.',
    takes: 'list of columns or expressions',
    schema: numbers,
  },
  quotient: {
    about: `The first number, divided by the others, to ${quotientPlaces} decimal places. Division by zero is a problem of the row.`,
    takes: 'list of columns or expressions',
    schema: numbers,
  },
  when: {
    about:
      'The value of the first case whose conditions are all met: `[{ if: { SHIPPED: { empty: false } }, then: { value: shipped } }]`.',
    takes: 'list of { if, then }',
    schema: {
      type: 'array',
      minItems: 1,
      items: { $ref: '#/$defs/case' },
    },
  },
  ref: {
    about:
      'The record with a natural key, by the same identity that its own mapping gives it. Without a look-up: the record can come later in the same import.',
    takes: '{ collection, key }, a column or a list of columns',
    schema: {
      anyOf: [
        parts,
        {
          type: 'object',
          required: ['key'],
          additionalProperties: false,
          properties: { collection: { $ref: '#/$defs/collectionName' }, key: parts },
        },
      ],
    },
  },
  lookup: {
    about:
      'The record whose fields have the values of the row, if its key is not known. Upper and lower case are the same unless records have both. It is looked for among the records of the brand and of the same import. None or several of them are a problem of the row; with `default`, none are not.',
    takes: '{ collection, by }',
    schema: { $ref: '#/$defs/lookup' },
  },
  key: {
    about: 'For identifiers inside a record and of users: an identity of their own, made of a key.',
    takes: 'a column or a list of columns or expressions',
    schema: parts,
  },
  object: {
    about: 'An object of several values, for fields of any value such as customFields.',
    takes: 'a column or an expression for each name',
    schema: { type: 'object', minProperties: 1, additionalProperties: part },
  },
  list: {
    about: 'A list of values, or of objects for a field of objects. Empty ones are left out.',
    takes: 'list',
    schema: {
      type: 'array',
      minItems: 1,
      items: { anyOf: [part, { type: 'object', additionalProperties: part }] },
    },
  },
  brand: {
    about: 'A property of the brand that owns the records.',
    takes: brandProperties.join(', '),
    schema: { enum: brandProperties },
  },
  open: {
    about:
      'Not decided yet: the possible values, the best one first, or none. `map check` lists such fields.',
    takes: 'list of columns or expressions',
    schema: { type: 'array', items: part },
  },
  rows: {
    about:
      'A value of several rows, of a join or of the group: the sum, the number of rows, the least or greatest value, or the first that is not empty. Without rows it is empty, and the number is 0. A row without a value is a problem of a sum; `min`, `max` and `first` leave it out.',
    takes: 'sum, count, min, max or first',
    schema: { enum: ['sum', 'count', 'min', 'max', 'first'] },
  },
} as const satisfies Settings

export const refSettings = {
  collection: {
    about: 'The collection. By default the one that the field refers to.',
    takes: 'collection',
    schema: { $ref: '#/$defs/collectionName' },
  },
  key: {
    about: 'The parts of its key, in the order of its own `id`.',
    takes: 'a column or a list of columns or expressions',
    schema: parts,
  },
} as const satisfies Settings

export const lookupSettings = {
  collection: {
    about: 'The collection. By default the one that the field refers to.',
    takes: 'collection',
    schema: { $ref: '#/$defs/collectionName' },
  },
  by: {
    about:
      'The fields that are compared: texts, whole numbers, dates or references. Several must all be equal.',
    takes: 'a column or an expression for each field',
    schema: { type: 'object', minProperties: 1, additionalProperties: part },
  },
} as const satisfies Settings

export const caseSettings = {
  if: {
    about: 'The conditions of the case.',
    takes: 'a condition for each column',
    schema: condition,
  },
  // biome-ignore lint/suspicious/noThenProperty: this is how mapping files write it
  then: { about: 'The value.', takes: 'a column or an expression', schema: part },
} as const satisfies Settings

/** The modifiers of a source's value, in the order in which they apply. */
export const modifierSettings = {
  optional: {
    about: 'Whether the column can be missing from a file; its cells are then empty.',
    takes: 'true or false',
    schema: { type: 'boolean' },
  },
  with: {
    about: 'What `join` puts between the texts. A space by default.',
    takes: 'text',
    schema: { type: 'string' },
  },
  else: {
    about: 'The value of `when` if no case applies. Null by default.',
    takes: 'a column or an expression',
    schema: part,
  },
  in: {
    about: 'The name of the joined rows that `rows` is about. Without it, the rows of the group.',
    takes: 'name',
    schema: text,
  },
  of: {
    about:
      'The value of each of these rows. `count` needs none; with it, rows without a value are not counted.',
    takes: 'column or expression',
    schema: part,
  },
  apply: {
    about: 'Functions, one after the other.',
    takes: 'list of functions',
    schema: { $ref: '#/$defs/apply' },
  },
  values: {
    about:
      'What each text means, or a name of `lists`. Upper and lower case are the same unless both are listed. A text that is not listed is a problem.',
    takes: 'a value for each text, or the name of a list',
    schema: { anyOf: [text, { type: 'object', minProperties: 1 }] },
  },
  code: {
    about:
      'The code that a name or a code in another spelling stands for, in English, German and other languages: `Germany`, `DEU` and `Deutschland` are `DE`. A text that `values` lists is taken from there. A text that is not known is a problem.',
    takes: codeKinds.join(', '),
    schema: { enum: codeKinds },
  },
  otherwise: {
    about: 'The value of texts that `values` does not list, and of which `code` knows none.',
    takes: 'value',
    schema: {},
  },
  default: { about: 'The value of an empty cell.', takes: 'value', schema: {} },
  unit: {
    about:
      'The unit of a number. It is converted to that of the field. A unit that differs by row comes from an expression: `{ from: { column: W_UOM } }`, with the names that `code: unit` knows; `to` is needed if the field has no unit.',
    takes: 'unit, { from, to }',
    schema: {
      anyOf: [
        { enum: Object.keys(units) },
        {
          type: 'object',
          required: ['from'],
          additionalProperties: false,
          properties: {
            from: { anyOf: [{ enum: Object.keys(units) }, expression] },
            to: { enum: [...new Set(Object.values(units).map(({ to }) => to))] },
          },
        },
      ],
    },
  },
  multiply: {
    about: 'An exact factor for a number, such as 0.01 or -1.',
    takes: 'number',
    schema: { type: ['number', 'string'] },
  },
  round: {
    about:
      'To how many decimal places a number is rounded; halves away from zero. `currency` stands for those of the currency of the record, or of the brand if the record has none.',
    takes: `0 to ${quotientPlaces}, currency`,
    schema: {
      anyOf: [{ const: 'currency' }, { type: 'integer', minimum: 0, maximum: quotientPlaces }],
    },
  },
  split: {
    about: 'The separator of a text that holds a list.',
    takes: 'text',
    schema: text,
  },
  json: {
    about: 'Whether the cell holds JSON.',
    takes: 'true or false',
    schema: { type: 'boolean' },
  },
} as const satisfies Settings

export const unitSettings = {
  from: { about: 'The unit of the cell.', takes: 'unit or expression', schema: text },
  to: { about: 'The unit of the field.', takes: 'unit', schema: text },
} as const satisfies Settings

export const expressionSettings = { ...sourceSettings, ...modifierSettings, ...formatSettings }
