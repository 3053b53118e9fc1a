import {
  basePath,
  type Catalog,
  documents,
  pageSchema,
  type Resource,
  recordSchema,
  relationsOf,
  resourceAt,
  responseRecordSchema,
  type Schema,
  summableFields,
} from '#contract'
import { objectSchema, schemaRef } from './components.ts'

const text: Schema = { type: 'string' }

/** The schemas of search. */
export const searchSchemas: { readonly [name: string]: Schema } = {
  SearchResults: objectSchema('What a search found, the best matches first.', {
    query: text,
    items: { type: 'array', items: schemaRef('SearchResult') },
    isComplete: { type: 'boolean', description: 'Whether these are all.' },
  }),
  SearchResult: objectSchema(
    'A record that was found, and by what.',
    {
      group: text,
      id: { type: 'string', description: 'Its identity, where that is one field.' },
      key: {
        type: 'object',
        description: 'Its identity, where that has several fields.',
        additionalProperties: text,
      },
      title: { type: ['string', 'null'] },
      field: { type: 'string', description: 'The field that matches.' },
      value: { type: 'string', description: 'The value of that field.' },
      match: { type: 'string', description: 'How it matches.' },
      url: { type: 'string', description: 'Path of the record in the API.' },
      record: { type: 'object', description: 'The record, as the API returns it.' },
    },
    ['id', 'key'],
  ),
}

/** The record and its page. With `fields`, a record has its identity and those fields. */
export const querySchemasOf = (
  catalog: Catalog,
  resource: Resource,
): (readonly [string, Schema])[] => {
  const record = responseRecordSchema(resource, (path) =>
    schemaRef(includedName(resourceAt(catalog, path))),
  )
  return [
    [
      resource.name,
      {
        ...withoutWords(record),
        required: resource.key,
        description: `${resource.summary} Its fields are described in ${basePath}/openapi.json. Without the parameter fields, all of them are present.`,
        'x-collection': resource.path,
        'x-sortable': resource.sortable,
      },
    ],
    ...(relationsOf(resource).length > 0 && hasPlainUse(catalog, resource)
      ? [[includedName(resource), includedSchema(resource)] as const]
      : []),
    ...(resource.endpoints.includes('list')
      ? [[`${resource.name}Page`, queryPageSchema(resource)] as const]
      : []),
  ]
}

const queryPageSchema = (resource: Resource): Schema => {
  const { properties, ...page } = pageSchema(schemaRef(resource.name))
  return {
    ...page,
    description: `One page of ${resource.path}.`,
    properties: {
      ...(properties as Schema),
      missingIds: {
        type: 'array',
        description: 'With ids: those that are not among the records.',
        items: { type: 'string' },
      },
      ...(summableFields(resource).length > 0 && { totals: schemaRef('Totals') }),
      ...(resource.views.length > 0 && {
        asOf: {
          type: 'string',
          format: 'date',
          description: 'With view: the day that it took for today.',
        },
      }),
    },
  }
}

/** A record with all its fields and some of the records that it refers to. */
export const includingSchema = (
  catalog: Catalog,
  path: string,
  include: readonly string[] = [],
): Schema => {
  const resource = resourceAt(catalog, path)
  if (include.length === 0) return schemaRef(includedName(resource))
  const { properties, required, ...schema } = includedSchema(resource)
  const relations = relationsOf(resource).filter(({ name }) => include.includes(name))
  return {
    ...schema,
    description: resource.summary,
    properties: {
      ...(properties as Schema),
      ...Object.fromEntries(
        relations.map(({ name, to }) => [
          name,
          { anyOf: [schemaRef(includedName(resourceAt(catalog, to))), { type: 'null' }] },
        ]),
      ),
    },
    required: [...(required as readonly string[]), ...relations.map(({ name }) => name)],
  }
}

/** An included record has all its fields and no relations. */
const includedSchema = (resource: Resource): Schema => ({
  ...withoutWords(recordSchema(resource)),
  description: `${resource.summary} As returned by include.`,
})

const includedName = (resource: Resource): string =>
  relationsOf(resource).length === 0 ? resource.name : `Included${resource.name}`

/** Whether some response has the record without its relations. */
const hasPlainUse = ({ resources }: Catalog, { path }: Resource): boolean =>
  resources.some((each) => relationsOf(each).some(({ to }) => to === path)) ||
  [...documents.values()].some(({ sections }) =>
    Object.values(sections).some(({ group, include }) => group === path && !include),
  )

/** A schema whose properties have only types: the API document has their descriptions. */
const withoutWords = (schema: Schema): Schema => ({
  ...schema,
  properties: Object.fromEntries(
    Object.entries(schema['properties'] as { readonly [name: string]: Schema }).map(
      ([name, property]) => [
        name,
        Object.fromEntries(
          Object.entries(property).filter(
            ([keyword]) => keyword !== 'description' && !keyword.startsWith('x-'),
          ),
        ),
      ],
    ),
  ),
})
