import {
  basePath,
  type Catalog,
  feedBasePath,
  feedOperation,
  feedPageSize,
  feedPath,
  feedVersion,
  type JsonValue,
  type Schema,
} from '#contract'
import {
  collectionSchema,
  type Examples,
  objectSchema,
  recordIdSchema,
  schemaRef,
  sharedComponents,
} from './components.ts'
import { afterWriteParameter, responsesFor } from './operations.ts'

/** The OpenAPI 3.1.0 document of the change feed, which is separate from the API document. */
export const buildFeedDocument = (catalog: Catalog, examples: Examples): Schema => {
  const { securitySchemes, parameters, schemas } = sharedComponents
  const { brand, cursor, afterWrite } = parameters
  // The feed has no last page and no images.
  const { Link: _, 'Total-Items': __, ...headers } = sharedComponents.headers
  const { StorageUnavailable: ___, ...responses } = sharedComponents.responses
  return {
    openapi: '3.1.0',
    info: {
      title: "Changes of a brand's supply-chain records",
      version: feedVersion,
      summary: 'Created, changed and deleted records, in order, with their content.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: feedBasePath, description: 'This server' }],
    security: [{ apiKey: [] }],
    tags: [{ name: 'Changes', description: 'Changes to records.' }],
    paths: {
      [feedPath]: {
        get: {
          operationId: feedOperation,
          tags: ['Changes'],
          summary: 'List changes',
          description: operationDescription,
          parameters: [
            { $ref: '#/components/parameters/brand' },
            { $ref: '#/components/parameters/collection' },
            { $ref: '#/components/parameters/limit' },
            { $ref: '#/components/parameters/cursor' },
            { $ref: '#/components/parameters/after' },
            afterWriteParameter,
          ],
          responses: responsesFor({
            description: 'The changes after the cursor',
            schema: { $ref: '#/components/schemas/ChangesPage' },
          }),
        },
      },
    },
    components: {
      securitySchemes,
      parameters: {
        brand,
        collection: {
          name: 'collection',
          in: 'query',
          description: 'Returns only changes to this collection.',
          schema: { $ref: '#/components/schemas/Collection' },
        },
        limit: {
          name: 'limit',
          in: 'query',
          description: 'Maximum number of changes on a page.',
          schema: { type: 'integer', ...feedPageSize },
        },
        cursor: {
          ...cursor,
          description:
            'The nextCursor of an earlier response, for the same brand and the same collection. Omit it to start with the first change.',
        },
        after: {
          name: 'after',
          in: 'query',
          description:
            'The number of a change: the feed starts with the changes that have a larger one. It has no effect together with a cursor, so that it can be sent with every page.',
          schema: { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 },
        },
        afterWrite,
      },
      headers,
      responses,
      schemas: { ...schemas, ...feedSchemas(catalog, examples) },
    },
  }
}

const introduction = [
  'A page contains the changes that follow a cursor, in the order in which they were committed.',
  'Request the next page with nextCursor: immediately while hasMore is true, otherwise after a',
  'delay. A client that starts without a cursor and applies every change has an exact copy of the',
  'records that the brand can read.',
  '',
  `The records are those of the API under \`${basePath}\`. Its document describes their fields.`,
].join('\n')

const operationDescription = [
  'Each record appears in the feed once, at its latest change. A put contains the current record. A',
  'remove means that the record no longer exists. A page is read from one snapshot. The changes of',
  'one import are consecutive and may span several pages.',
].join(' ')

const feedSchemas = (catalog: Catalog, examples: Examples): { readonly [name: string]: Schema } => {
  const tag = examples['tags'] as { readonly [name: string]: JsonValue } & { readonly id: string }
  const identity = {
    number: {
      type: 'integer',
      description:
        'The number of the transaction that changed the record last. Numbers of a brand grow in the order of the commits, with gaps; the changes of one transaction have the same.',
    },
    collection: schemaRef('Collection'),
    id: recordIdSchema,
  }
  return {
    Collection: collectionSchema(catalog.resources),
    ChangesPage: objectSchema('The changes after a cursor, up to the page size.', {
      items: { type: 'array', items: schemaRef('Change') },
      nextCursor: {
        type: 'string',
        description:
          'The position after the last item. Always present, even if there are no new changes.',
      },
      hasMore: { type: 'boolean', description: 'Whether more changes are available now.' },
    }),
    Change: {
      description: 'A change to a record.',
      oneOf: [schemaRef('Put'), schemaRef('Remove')],
    },
    Put: {
      ...objectSchema('The record was created or changed.', {
        ...identity,
        operation: { const: 'put' },
        record: {
          type: 'object',
          description: `The current record, byte for byte as the API returns it. Its schema in ${basePath}/openapi.json is the one whose x-collection is the collection.`,
        },
      }),
      examples: [{ number: 4711, collection: 'tags', id: tag.id, operation: 'put', record: tag }],
    },
    Remove: objectSchema('The record was deleted, or the brand no longer has access to it.', {
      ...identity,
      operation: { const: 'remove' },
    }),
  }
}
