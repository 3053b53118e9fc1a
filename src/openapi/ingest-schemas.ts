import {
  basePath,
  type Catalog,
  errorSchema,
  formatCount,
  type JsonValue,
  limits,
  type Schema,
} from '#contract'
import {
  collectionSchema,
  type Examples,
  objectSchema,
  recordIdSchema,
  schemaRef,
} from './components.ts'

/** The schemas of batches, their items and their problems. */
export const ingestSchemas = (
  catalog: Catalog,
  examples: Examples,
): { readonly [name: string]: Schema } => {
  const tag = examples['tags'] as { readonly [name: string]: JsonValue } & { readonly id: string }
  const identity = { collection: schemaRef('Collection'), id: recordIdSchema }
  return {
    Collection: collectionSchema(catalog.resources.filter(({ scope }) => scope === 'brand')),
    Item: {
      description: 'A change to a record: one line of a body.',
      oneOf: [schemaRef('Put'), schemaRef('Merge'), schemaRef('Remove')],
    },
    Put: {
      ...objectSchema('Creates the record, or replaces it.', {
        ...identity,
        operation: { const: 'put' },
        record: {
          type: 'object',
          description: `The whole record. Its schema in ${basePath}/openapi.json is the one whose x-collection is the collection. ${boundsSentence}`,
          additionalProperties: schemaRef('FieldValue'),
        },
      }),
      examples: [{ collection: 'tags', id: tag.id, operation: 'put', record: tag }],
    },
    Merge: objectSchema('Changes fields of a stored record.', {
      ...identity,
      operation: { const: 'merge' },
      record: {
        type: 'object',
        description:
          'The fields to change. Objects with fields of their own are merged; lists and other values are replaced, and null sets null. The whole record must be valid afterwards.',
        additionalProperties: schemaRef('FieldValue'),
      },
    }),
    FieldValue: fieldValueSchema,
    Remove: objectSchema('Removes the record. If there is none, nothing changes.', {
      ...identity,
      operation: { const: 'remove' },
    }),
    DebeziumEvents: {
      description: 'An event as the HTTP sink of Debezium Server sends it, or an array of them.',
      oneOf: [
        schemaRef('DebeziumEvent'),
        { type: 'array', items: schemaRef('DebeziumEvent'), minItems: 1 },
      ],
    },
    DebeziumEvent: {
      type: 'object',
      description:
        'A change of a row: the envelope of Debezium, with or without its schema. The parameter map names the mapping of its rows.',
    },
    Batch: batchSchema,
    BatchError: batchErrorSchema,
    CollectionCounts: countsSchema(catalog),
    Change: changeSchema(catalog),
    ItemResult: itemResultSchema,
    Problem: problemSchema,
  }
}

const { bounds, integer, integerFilter } = limits

/** What the schemas of responses do not say, because records of an earlier release may exceed it. */
const boundsSentence = [
  `A text that lists can be filtered or sorted by has at most ${formatCount(bounds.indexedCharacters, 'character')},`,
  `a text of an identity ${bounds.identityCharacters}, any other text ${formatCount(bounds.textBytes, 'byte')} in UTF-8;`,
  `an amount at most ${bounds.amountDigits} digits before and ${bounds.amountDigits} after the point;`,
  `a date or time the years 0001 to 9999; an integer with a filter ${integerFilter.minimum} to ${integerFilter.maximum}.`,
].join(' ')

const fieldValueSchema: Schema = {
  description: 'The value of a field.',
  anyOf: [
    { type: 'string', maxLength: bounds.textBytes },
    { type: 'integer', ...integer },
    { type: ['number', 'boolean', 'null', 'array', 'object'] },
  ],
}

const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description })

const batchSchema: Schema = {
  type: 'object',
  description: 'Records that are stored together, or not at all.',
  properties: {
    id: { type: 'string', description: 'The id of the batch.' },
    brand: { type: 'string', description: 'The slug of its brand.' },
    state: {
      type: 'string',
      enum: ['queued', 'working', 'committed', 'checked', 'refused', 'quarantined'],
      description:
        'queued: it waits on disk. working: it is being stored. committed: all of it is stored. checked: all of it could be stored, after a dry run. refused: nothing of it is. quarantined: nothing of it is, because it failed several times; an operator can retry it.',
    },
    dryRun: { type: 'boolean', description: 'Whether it is only checked.' },
    receivedAt: { type: 'string', format: 'date-time', description: 'When it was accepted.' },
    finishedAt: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When it was committed, checked, refused or quarantined. null before that.',
    },
    items: count('Lines that are not blank. 0 until it is finished.'),
    collections: {
      type: 'array',
      items: schemaRef('CollectionCounts'),
      description: 'What it did to each collection, or would do after a dry run.',
    },
    problems: {
      type: 'array',
      items: schemaRef('Problem'),
      description: 'The first problems, at most 100.',
    },
    problemCount: count('How many problems there are.'),
    changes: {
      type: 'array',
      items: schemaRef('Change'),
      description: 'What a dry run would change: the first changes, at most 100.',
    },
    results: {
      type: 'array',
      items: schemaRef('ItemResult'),
      description: 'What became of the first items, at most 1,000, if results=items was sent.',
    },
    writeToken: {
      type: ['string', 'null'],
      description:
        'Sent in After-Write, it makes a response of the other APIs contain the records of the batch. null until it is committed, and of a dry run.',
    },
  },
  required: [
    'id',
    'brand',
    'state',
    'dryRun',
    'receivedAt',
    'finishedAt',
    'items',
    'collections',
    'problems',
    'problemCount',
    'writeToken',
  ],
}

const { error, errorCode } = errorSchema['properties'] as Schema

const batchErrorSchema: Schema = objectSchema(
  'The body of the response to a batch that was refused.',
  {
    error: error as Schema,
    errorCode: errorCode as Schema,
    details: {
      description: 'The batch with its problems. Missing if the Idempotency-Key is the problem.',
      allOf: [schemaRef('Batch')],
    },
  },
  ['details'],
)

/** A refused batch may name any collection. */
const countsSchema = ({ resources }: Catalog): Schema => ({
  type: 'object',
  description: 'What a batch did to a collection.',
  properties: {
    collection: collectionSchema(resources),
    read: count('Records that the batch is about.'),
    added: count('Records that were not there before.'),
    changed: count('Records that were replaced by others.'),
    unchanged: count('Records that were there as they are.'),
    removed: count('Records that were removed.'),
    parked: count('Records that wait for records they refer to.'),
    quarantined: count('Records that cannot be stored and are in quarantine.'),
  },
  required: ['collection', 'read', 'added', 'changed', 'unchanged', 'removed'],
})

/** The records of a limited key, without stored values. */
const changeSchema = ({ resources }: Catalog): Schema =>
  objectSchema(
    'What a dry run would do to a record. An ingest key cannot read records: stored values are left out.',
    {
      operation: { type: 'string', enum: ['added', 'changed', 'removed'] },
      collection: collectionSchema(resources),
      id: recordIdSchema,
      line: {
        type: ['integer', 'null'],
        description:
          'The line of the body. null if the record is removed, or waited for a record of the batch.',
      },
      title: {
        type: ['string', 'null'],
        description: 'The number, code or name that was sent. null if there is none.',
      },
      fields: {
        type: 'array',
        description: 'The fields of a changed record that differ.',
        items: objectSchema(
          'A field that differs.',
          {
            field: { type: 'string', description: 'A JSON pointer into the record.' },
            after: {
              ...fieldValueSchema,
              description: 'Its new value. Shortened to a text if it has more than 100 characters.',
            },
          },
          ['after'],
        ),
      },
    },
  )

const itemResultSchema: Schema = objectSchema(
  'What became of an item. Items for one record have the same outcome.',
  {
    line: { type: 'integer', minimum: 1, description: 'The line of the body.' },
    collection: { type: ['string', 'null'], description: 'null if the line is not an item.' },
    id: { type: ['string', 'null'], description: 'As it was sent.' },
    outcome: {
      type: 'string',
      enum: ['added', 'changed', 'unchanged', 'removed', 'quarantined', 'refused'],
      description:
        'quarantined: it is kept until it can be stored. refused: nothing of the batch is stored.',
    },
    problems: {
      type: 'array',
      items: schemaRef('Problem'),
      description: 'The problems of the line.',
    },
  },
)

const problemSchema: Schema = {
  type: 'object',
  description: 'Something that is wrong with an item.',
  properties: {
    line: { type: 'integer', description: 'The line of the body. 0 for the body as a whole.' },
    key: {
      type: 'string',
      description:
        'What identifies the row in its own words: the columns of its key, or the title and natural keys of its record.',
    },
    field: {
      type: 'string',
      description: 'A JSON pointer into the record. Empty for the item as a whole.',
    },
    value: { type: 'string', description: 'What was found there, shortened.' },
    reason: { type: 'string', description: 'What is wrong with it.' },
    severity: { type: 'string', enum: ['error', 'warning'] },
    column: { type: 'string', description: 'The column of the row, if a mapping was used.' },
    mappingLine: { type: 'integer', description: 'The line of the mapping.' },
  },
  required: ['line', 'field', 'value', 'reason', 'severity'],
}
