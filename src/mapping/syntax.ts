import { timeNumbers } from './date-format.ts'
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
const duration = { type: 'string', pattern: '^[0-9]{1,6}[smhdw]$' }
const condition = {
  type: 'object',
  minProperties: 1,
  additionalProperties: { $ref: '#/$defs/condition' },
}
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
  collections: {
    about: 'The collections that rows become, by their names in the API.',
    takes: 'a mapping, or a list of mappings, for each collection',
    schema: { $ref: '#/$defs/collections' },
  },
} as const satisfies Settings

export const collectionSettings = {
  from: {
    about: 'Where rows come from: files, a query, or a sender.',
    takes: 'settings of from',
    schema: { $ref: '#/$defs/from' },
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
} as const satisfies Settings

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
  apply: {
    about: 'Functions, one after the other.',
    takes: 'list of functions',
    schema: { $ref: '#/$defs/apply' },
  },
  values: {
    about:
      'What each text means. Upper and lower case are the same unless both are listed. A text that is not listed is a problem.',
    takes: 'a value for each text',
    schema: { type: 'object', minProperties: 1 },
  },
  otherwise: {
    about: 'The value of texts that `values` does not list.',
    takes: 'value',
    schema: {},
  },
  default: { about: 'The value of an empty cell.', takes: 'value', schema: {} },
  unit: {
    about: 'The unit of a number. It is converted to that of the field.',
    takes: 'unit, { from, to }',
    schema: {
      anyOf: [
        { enum: Object.keys(units) },
        {
          type: 'object',
          required: ['from'],
          additionalProperties: false,
          properties: {
            from: { enum: Object.keys(units) },
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
  from: { about: 'The unit of the cell.', takes: 'unit', schema: { enum: Object.keys(units) } },
  to: { about: 'The unit of the field.', takes: 'unit', schema: text },
} as const satisfies Settings

export const expressionSettings = { ...sourceSettings, ...modifierSettings, ...formatSettings }
