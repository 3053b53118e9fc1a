import {
  basePath,
  batchesPath,
  batchIdPattern,
  batchOperation,
  batchPath,
  type Catalog,
  feedBasePath,
  ingestBasePath,
  ingestLimits,
  ingestVersion,
  mapNamePattern,
  type Schema,
  sendOperation,
} from '#contract'
import {
  describeErrorResponses,
  type ErrorResponse,
  type Examples,
  schemaRef,
  sharedComponents,
} from './components.ts'
import { ingestSchemas } from './ingest-schemas.ts'
import { headerRefs } from './operations.ts'

/** The OpenAPI 3.1.0 document of the ingest API, which is separate from the API document. */
export const buildIngestDocument = (catalog: Catalog, examples: Examples): Schema => {
  const { ETag: _, Link: __, 'Total-Items': ___, ...headers } = sharedComponents.headers
  return {
    openapi: '3.1.0',
    info: {
      title: "Sending a brand's supply-chain records",
      version: ingestVersion,
      summary: 'Batches of created, changed and deleted records.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: ingestBasePath, description: 'The port of this server that INGEST_PORT names' },
    ],
    security: [{ ingestKey: [] }],
    tags: [{ name: 'Batches', description: 'Records that are stored together, or not at all.' }],
    paths: {
      [batchesPath]: { parameters: [parameterRef('brand')], post: sendBatch(catalog) },
      [batchPath]: { parameters: [parameterRef('brand'), parameterRef('id')], get: getBatch },
    },
    components: {
      securitySchemes,
      parameters,
      headers: { ...headers, ...ingestHeaders },
      responses: describeErrorResponses(errorResponses),
      schemas: { Error: sharedComponents.schemas.Error, ...ingestSchemas(catalog, examples) },
    },
  }
}

const introduction = [
  'A batch is a body with one item on each line. Each item is a change as the change feed',
  `(\`${feedBasePath}\`) gives it out, which creates, replaces or removes a record, or a merge, which`,
  'changes some of its fields. All items of a batch take effect together, or none does. An accepted batch is on disk before the response is sent, and is',
  'stored exactly once, whatever happens to the server.',
  '',
  `The records are those of the API under \`${basePath}\`. Its document describes their fields.`,
].join('\n')

const securitySchemes: Schema = {
  ingestKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'slw_…',
    description:
      'An ingest key. It can send records of its brands and collections, and cannot read records.',
  },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'webhook-signature',
    description:
      'The signature of a message (Standard Webhooks 1.0.0), with webhook-id and webhook-timestamp: v1, a comma, and in base64 the HMAC-SHA256 of the id, the timestamp and the body as it is sent, joined by full stops. The parameter key names the ingest key. webhook-id takes the place of Idempotency-Key.',
  },
}

const parameterRef = (name: string): Schema => ({ $ref: `#/components/parameters/${name}` })

const parameters: { readonly [name: string]: Schema } = {
  brand: {
    ...sharedComponents.parameters.brand,
    description: 'The slug of a brand that the ingest key can send records of.',
  },
  id: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The id of a batch.',
    schema: { type: 'string', pattern: batchIdPattern },
    example: '1f81eb52-5198-4599-803e-771906343485',
  },
  map: {
    name: 'map',
    in: 'query',
    description:
      'The name of a mapping on the server. The lines of the body are then rows in the form of the sender.',
    schema: { type: 'string', pattern: mapNamePattern },
  },
  'dry-run': {
    name: 'dry-run',
    in: 'query',
    description:
      'true checks the batch as usual, stores nothing, and returns the changes that it would make.',
    schema: { type: 'boolean', default: false },
  },
  park: {
    name: 'park',
    in: 'query',
    description:
      'true keeps a record that refers to one that is not stored yet until that one arrives, instead of refusing the batch.',
    schema: { type: 'boolean', default: false },
  },
  'on-error': {
    name: 'on-error',
    in: 'query',
    description:
      'quarantine stores the other records and keeps those that cannot be stored in quarantine, with their reasons.',
    schema: { type: 'string', enum: ['refuse', 'quarantine'], default: 'refuse' },
  },
  'max-bad-rows': {
    name: 'max-bad-rows',
    in: 'query',
    description:
      'With on-error=quarantine: more than this share of bad records in percent, and more than 20, refuse the batch.',
    schema: { type: 'number', minimum: 0, maximum: 100, default: 5 },
  },
  results: {
    name: 'results',
    in: 'query',
    description: 'items adds the outcome of each of the first 1,000 items to the batch.',
    schema: { type: 'string', enum: ['items'] },
  },
  key: {
    name: 'key',
    in: 'query',
    description: 'The id of the ingest key that a message is signed for. Not the key itself.',
    schema: { type: 'string', pattern: '^key_[0-9A-Za-z_-]{12}$' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Any text that identifies the request. If it is sent again with the same key and body, the response is the batch of the first request.',
    schema: { type: 'string', minLength: 1, maxLength: ingestLimits.idempotencyKey },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: `\`wait=30\` waits up to 30 seconds, and at most ${ingestLimits.waitSeconds}, until the batch is finished.`,
    schema: { type: 'string' },
    example: 'wait=30',
  },
  'Content-Encoding': {
    name: 'Content-Encoding',
    in: 'header',
    description: 'How the body is compressed.',
    schema: { type: 'string', enum: ['gzip', 'zstd', 'identity'] },
  },
}

const textHeader = (description: string): Schema => ({ description, schema: { type: 'string' } })

const ingestHeaders: { readonly [name: string]: Schema } = {
  Location: textHeader('The path of the batch.'),
  'Preference-Applied': textHeader('For how many seconds the response has waited at most.'),
  'Idempotency-Replayed': textHeader('true: the batch is that of an earlier request.'),
}

const errorResponses: { readonly [name: string]: ErrorResponse } = {
  BadRequest: {
    status: 400,
    description: 'A parameter, a header or the form of the body is invalid',
    headers: [],
    codes: ['invalid_parameter', 'malformed_request'],
  },
  Unauthorized: {
    status: 401,
    description: 'The ingest key or the signature is missing, invalid, expired or out of scope',
    headers: ['WWW-Authenticate', 'RateLimit', 'RateLimit-Policy'],
    codes: [
      'missing_api_key',
      'invalid_api_key',
      'expired_api_key',
      'out_of_scope',
      'invalid_signature',
    ],
  },
  NotFound: {
    status: 404,
    description: 'The brand or the batch does not exist',
    headers: [],
    codes: ['not_found'],
  },
  RequestTimeout: {
    status: 408,
    description: 'The body did not arrive in time',
    headers: [],
    codes: ['request_timeout'],
  },
  BodyTooLarge: {
    status: 413,
    description: 'The body is larger than the limit that the error states, or has too many items',
    headers: [],
    codes: ['body_too_large'],
  },
  UnsupportedMediaType: {
    status: 415,
    description: 'The Content-Type or Content-Encoding is not supported',
    headers: [],
    codes: ['unsupported_media_type'],
  },
  BatchRefused: {
    status: 422,
    description: 'The batch was refused, or its Idempotency-Key belongs to another body',
    headers: ['Location', 'Preference-Applied', 'RateLimit', 'RateLimit-Policy'],
    codes: ['batch_refused', 'idempotency_conflict'],
    schema: 'BatchError',
  },
  TooManyRequests: {
    status: 429,
    description: 'Rate limit exceeded; retry after the indicated delay',
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
    codes: ['rate_limited'],
  },
  InternalError: {
    status: 500,
    description: 'Unexpected server error',
    headers: ['Retry-After'],
    codes: ['internal_error', 'store_unavailable'],
  },
  Unavailable: {
    status: 503,
    description: 'The server has no room for another batch; retry after the indicated delay',
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
    codes: ['queue_full'],
  },
}

const responseRef = (name: string): Schema => ({ $ref: `#/components/responses/${name}` })

const always = [
  'Cache-Control',
  'RateLimit',
  'RateLimit-Policy',
  'Traceparent',
  'Vary',
  'X-Request-Id',
]

const batchResponse = (description: string, headers: readonly string[]): Schema => ({
  description,
  headers: headerRefs([...headers, ...always]),
  content: { 'application/json': { schema: schemaRef('Batch') } },
})

const sendBatch = (catalog: Catalog): Schema => ({
  operationId: sendOperation,
  tags: ['Batches'],
  summary: 'Send a batch',
  description: [
    'Of several items for one record, the last put or remove counts, with the merges after it. An item',
    'may refer to records of the same batch. A batch has at most',
    `${ingestLimits.items.toLocaleString('en')} items and the bytes that INGEST_BODY_MB allows.`,
    '',
    `The ${catalog.resources.filter(({ scope }) => scope === 'shared').length} collections that all`,
    'brands share, such as countries, cannot be sent.',
  ].join('\n'),
  security: [{ ingestKey: [] }, { signature: [] }],
  parameters: [
    'map',
    'dry-run',
    'park',
    'on-error',
    'max-bad-rows',
    'results',
    'key',
    'Idempotency-Key',
    'Prefer',
    'Content-Encoding',
  ].map(parameterRef),
  requestBody: {
    required: true,
    content: {
      'application/x-ndjson': {
        schema: {
          type: 'string',
          description: 'One Item, or with map one row, on each line.',
          contentMediaType: 'application/x-ndjson',
          contentSchema: schemaRef('Item'),
        },
        examples: {
          items: {
            summary: 'A record that is no longer there',
            value:
              '{"collection":"tags","id":"0603e73c-db0b-4743-b709-09e3251f8eef","operation":"remove"}\n',
          },
        },
      },
      'application/json': { schema: schemaRef('DebeziumEvents') },
    },
  },
  responses: {
    '200': batchResponse('The batch is committed, or checked', [
      'Location',
      'Preference-Applied',
      'Idempotency-Replayed',
    ]),
    '202': batchResponse('The batch is accepted', [
      'Location',
      'Preference-Applied',
      'Idempotency-Replayed',
    ]),
    '400': responseRef('BadRequest'),
    '401': responseRef('Unauthorized'),
    '404': responseRef('NotFound'),
    '408': responseRef('RequestTimeout'),
    '413': responseRef('BodyTooLarge'),
    '415': responseRef('UnsupportedMediaType'),
    '422': responseRef('BatchRefused'),
    '429': responseRef('TooManyRequests'),
    '500': responseRef('InternalError'),
    '503': responseRef('Unavailable'),
  },
})

const getBatch: Schema = {
  operationId: batchOperation,
  tags: ['Batches'],
  summary: 'Get a batch',
  description:
    'How far a batch is, what it has changed, and what is wrong with it. Finished batches are kept for three days. A key that is limited to collections reads only batches of keys for the same or fewer collections.',
  parameters: [parameterRef('Prefer')],
  responses: {
    '200': batchResponse('The batch', ['Preference-Applied']),
    '401': responseRef('Unauthorized'),
    '404': responseRef('NotFound'),
    '429': responseRef('TooManyRequests'),
    '500': responseRef('InternalError'),
  },
}
