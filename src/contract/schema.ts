import { describeField } from './describe.ts'
import { type Field, type Fields, type JsonValue, type Kind, specifiedCode } from './fields.ts'
import { relationsOf } from './graph.ts'
import { limits, patterns } from './limits.ts'
import type { Filter, FilterKind, Resource } from './resource.ts'

/** A JSON Schema, draft 2020-12. */
export type Schema = { readonly [keyword: string]: JsonValue }

/** The schema of a stored record: every field is present, and no other. */
export const recordSchema = (resource: Pick<Resource, 'fields'>): Schema =>
  closedObject(resource.fields)

/**
 * The schema of a record in a response: its fields, and the records that `include` can add. `refer`
 * returns the reference to their schemas.
 */
export const responseRecordSchema = (
  resource: Resource,
  refer: (path: string) => Schema,
): Schema => {
  const schema = recordSchema(resource)
  const included = relationsOf(resource).map(({ name, to }) => [
    name,
    {
      description: `The related ${name}, or null. Present only with include=${name}.`,
      anyOf: [refer(to), { type: 'null' }],
    },
  ])
  return {
    ...schema,
    properties: { ...(schema['properties'] as Schema), ...Object.fromEntries(included) },
  }
}

/** The schema of one page of a list. */
export const pageSchema = (item: Schema): Schema => ({
  type: 'object',
  required: ['items', 'nextCursor', 'totalItems'],
  properties: {
    items: { type: 'array', maxItems: limits.pageSize.maximum, items: item },
    nextCursor: {
      type: ['string', 'null'],
      pattern: patterns.cursor,
      description: 'Pass this value as cursor to get the next page. Null on the last page.',
    },
    totalItems: {
      type: 'integer',
      minimum: 0,
      description: 'Number of matching records across all pages.',
    },
  },
  additionalProperties: false,
})

/** The schema of every error body. */
export const errorSchema: Schema = {
  type: 'object',
  required: ['error', 'errorCode'],
  properties: {
    error: {
      type: 'string',
      description: 'A sentence that describes the error. The wording may change.',
    },
    errorCode: { type: 'string', description: 'A stable code for programs.' },
    details: {
      description:
        'Every invalid parameter. For a cursor that was issued for another list: what differs.',
      anyOf: [
        {
          type: 'array',
          items: {
            type: 'object',
            required: ['parameter', 'issue'],
            properties: {
              parameter: {
                type: 'string',
                description:
                  'Name of the parameter. Empty if the problem concerns the query as a whole.',
              },
              issue: { type: 'string', description: 'Description of the problem.' },
            },
            additionalProperties: false,
          },
        },
        {
          type: 'object',
          required: ['different'],
          properties: {
            different: {
              type: 'array',
              items: { type: 'string' },
              description:
                'What differs from the request: the brand, the collection or the filters.',
            },
          },
          additionalProperties: false,
        },
      ],
    },
  },
  additionalProperties: false,
}

/** The closed schema of a list's query parameters, by name. */
export const listQuerySchema = (resource: Resource): Schema => ({
  type: 'object',
  properties: {
    cursor: {
      type: 'string',
      pattern: patterns.cursor,
      minLength: 1,
      maxLength: limits.cursor.maxLength,
    },
    limit: { type: 'integer', ...limits.pageSize },
    ...includeProperty(resource),
    ...Object.fromEntries(resource.filters.map((filter) => [filter.name, filterSchema(filter)])),
  },
  additionalProperties: false,
})

/** The closed schema of a get's query parameters, by name. */
export const getQuerySchema = (resource: Resource): Schema => ({
  type: 'object',
  properties: includeProperty(resource),
  additionalProperties: false,
})

const includeProperty = (resource: Resource): { [name: string]: Schema } => {
  const names = relationsOf(resource).map(({ name }) => name)
  if (names.length === 0) return {}
  return {
    include: {
      type: 'array',
      minItems: 1,
      maxItems: names.length,
      uniqueItems: true,
      items: { type: 'string', enum: names },
    },
  }
}

const filterSchemas: Record<FilterKind, Schema> = {
  identifier: { type: 'string', pattern: patterns.id },
  string: { type: 'string', ...limits.stringFilter },
  integer: {
    type: 'string',
    pattern: patterns.integerFilter,
    maxLength: limits.integerFilter.maxLength,
  },
}

const filterSchema = (filter: Filter): Schema => filterSchemas[filter.kind]

const closedObject = (fields: Fields): Schema => ({
  type: 'object',
  required: Object.keys(fields),
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, fieldSchema(name, field)]),
  ),
  additionalProperties: false,
})

const schemasByKind: Record<Kind, (field: Field) => Schema> = {
  id: () => ({ type: 'string', pattern: patterns.id }),
  ref: () => ({ type: 'string', pattern: patterns.id }),
  person: () => ({ type: 'string', pattern: patterns.id }),
  text: () => ({ type: 'string' }),
  integer: () => ({ type: 'integer', ...limits.integer }),
  flag: () => ({ type: 'boolean' }),
  amount: () => ({ type: 'string', pattern: patterns.amount }),
  date: () => ({ type: 'string', format: 'date', pattern: patterns.date }),
  timestamp: () => ({ type: 'string', format: 'date-time', pattern: patterns.timestamp }),
  any: () => ({}),
  texts: () => ({ type: 'array', items: { type: 'string' } }),
  object: (field) => closedObject(field.fields ?? {}),
  objects: (field) => ({ type: 'array', items: closedObject(field.fields ?? {}) }),
}

const fieldSchema = (name: string, field: Field): Schema => {
  const { type, ...rest } = schemasByKind[field.kind](field)
  const code = specifiedCode(field)
  return {
    ...(type !== undefined && { type: field.nullable ? [type, 'null'] : type }),
    ...rest,
    description: describeField(name, field),
    ...(field.to && { 'x-references': field.to }),
    ...(field.values && { 'x-known-values': field.values }),
    ...(field.lifecycle && { 'x-lifecycle': field.lifecycle }),
    ...(code && { 'x-code': code }),
    ...(field.measure && { 'x-measure': field.measure }),
    ...(field.currencyFrom && { 'x-currency-from': field.currencyFrom }),
  }
}
