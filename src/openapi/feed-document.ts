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
import { type Examples, sharedComponents } from './components.ts'
import { answersTo } from './operations.ts'

/** The OpenAPI 3.1.0 document of the change feed, which stands beside the API. */
export const buildFeedDocument = (catalog: Catalog, examples: Examples): Schema => {
  const { securitySchemes, parameters, schemas } = sharedComponents
  const { brand, cursor } = parameters
  // What the feed has no use for: it has no last page, and no images.
  const { Link: _, ...headers } = sharedComponents.headers
  const { StorageUnavailable: __, ...responses } = sharedComponents.responses
  return {
    openapi: '3.1.0',
    info: {
      title: "Changes of a brand's supply-chain records",
      version: feedVersion,
      summary: 'Which records came, changed and went, in order, with their content.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: feedBasePath, description: 'This server' }],
    security: [{ apiKey: [] }],
    tags: [{ name: 'Changes', description: 'What became of the records.' }],
    paths: {
      [feedPath]: {
        get: {
          operationId: feedOperation,
          tags: ['Changes'],
          summary: 'List changes',
          description: words,
          parameters: [
            { $ref: '#/components/parameters/brand' },
            { $ref: '#/components/parameters/collection' },
            { $ref: '#/components/parameters/limit' },
            { $ref: '#/components/parameters/cursor' },
          ],
          responses: answersTo({
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
          description: 'Keeps the changes of this collection.',
          schema: { $ref: '#/components/schemas/Collection' },
        },
        limit: {
          name: 'limit',
          in: 'query',
          description: 'Changes on a page, at most.',
          schema: { type: 'integer', ...feedPageSize },
        },
        cursor: {
          ...cursor,
          description:
            'The nextCursor of an earlier answer, from the same brand with the same collection. Leave it out to begin with the first change.',
        },
      },
      headers,
      responses,
      schemas: { ...schemas, ...feedSchemas(catalog, examples) },
    },
  }
}

const introduction = [
  'A page holds the changes that follow a cursor, in the order in which they were committed. Ask',
  'again with nextCursor, at once while hasMore is true, and after a while when it is not. Whoever',
  'begins without a cursor and applies every change has an exact copy of what the brand can read.',
  '',
  `Records are those of the API under \`${basePath}\`, whose document describes their fields.`,
].join('\n')

const words = [
  'Each record stands in the feed once, at its last change: a put has the record as it is now, a',
  'remove says that it is gone. A page comes from one state of the records. The changes of one',
  'import follow each other and may fill several pages.',
].join(' ')

const feedSchemas = (catalog: Catalog, examples: Examples): { readonly [name: string]: Schema } => {
  const tag = examples['tags'] as { readonly [name: string]: JsonValue } & { readonly id: string }
  const identity = {
    collection: { $ref: '#/components/schemas/Collection' },
    id: {
      type: 'string',
      description:
        "The record's identity: the field that identifies it, or several joined by commas, in which a comma is written %2C and a percent sign %25.",
    },
  }
  return {
    Collection: {
      type: 'string',
      enum: catalog.resources.map(({ path }) => path),
      description: 'The collection of a record, by its path segment in the API.',
    },
    ChangesPage: {
      type: 'object',
      description: 'The changes after a cursor, as far as they fit.',
      properties: {
        items: { type: 'array', items: { $ref: '#/components/schemas/Change' } },
        nextCursor: {
          type: 'string',
          description: 'Stands after the last of the items. It is there also when nothing is new.',
        },
        hasMore: { type: 'boolean', description: 'Whether changes follow that are there already.' },
      },
      required: ['items', 'nextCursor', 'hasMore'],
      additionalProperties: false,
    },
    Change: {
      description: 'What became of a record.',
      oneOf: [{ $ref: '#/components/schemas/Put' }, { $ref: '#/components/schemas/Remove' }],
    },
    Put: {
      type: 'object',
      description: 'The record is new or was changed.',
      properties: {
        ...identity,
        operation: { const: 'put' },
        record: {
          type: 'object',
          description: `The record as it is now, byte for byte what the API answers: the schema whose x-collection is the collection, in ${basePath}/openapi.json.`,
        },
      },
      required: ['collection', 'id', 'operation', 'record'],
      additionalProperties: false,
      examples: [
        {
          collection: 'tags',
          id: tag.id,
          operation: 'put',
          record: tag,
        },
      ],
    },
    Remove: {
      type: 'object',
      description: 'The record is gone, or the brand can no longer see it.',
      properties: { ...identity, operation: { const: 'remove' } },
      required: ['collection', 'id', 'operation'],
      additionalProperties: false,
    },
  }
}
