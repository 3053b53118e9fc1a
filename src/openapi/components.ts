import {
  type Catalog,
  domains,
  type ErrorCode,
  errorSchema,
  errors,
  type JsonValue,
  limits,
  pageSchema,
  patterns,
  type Resource,
  recordSchema,
  relationsOf,
  resourceAt,
  responseRecordSchema,
  type Schema,
} from '#contract'

/** One record for each collection, by path. */
export type Examples = { readonly [path: string]: JsonValue }

export const schemaRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** An object with exactly these properties, all required except the optional ones. */
export const objectSchema = (
  description: string,
  properties: { readonly [name: string]: Schema },
  optional: readonly string[] = [],
): Schema => ({
  type: 'object',
  description,
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

/** The collection of a change. */
export const collectionSchema = (resources: readonly Resource[]): Schema => ({
  type: 'string',
  enum: resources.map(({ path }) => path),
  description: 'The collection of the record, as its path segment in the API.',
})

/** The identity of the record of a change. */
export const recordIdSchema: Schema = {
  type: 'string',
  description:
    'The identity of the record: its key field, or its key fields joined by commas. Within a field, a comma is written as %2C and a percent sign as %25.',
}

export const componentsOf = (catalog: Catalog, examples: Examples): Schema => ({
  ...sharedComponents,
  schemas: {
    ...sharedComponents.schemas,
    ...Object.fromEntries(catalog.resources.flatMap((each) => schemasOf(catalog, each, examples))),
  },
})

/** The groups of a document by business area. */
export const tagGroups = (resources: readonly Resource[]): readonly Schema[] =>
  domains
    .map((domain) => ({
      name: domain.charAt(0).toUpperCase() + domain.slice(1),
      tags: resources.filter((each) => each.domain === domain).map(({ group }) => group),
    }))
    .filter(({ tags }) => tags.length > 0)

const securitySchemes: Schema = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'slv_…',
    description: 'An API key. It has access to one brand, several brands or all brands.',
  },
}

const schemasOf = (
  catalog: Catalog,
  resource: Resource,
  examples: Examples,
): (readonly [string, Schema])[] => {
  const example = examples[resource.path]
  const record = {
    ...responseRecordSchema(resource, (path) => schemaRef(includedName(resourceAt(catalog, path)))),
    description: resource.summary,
    'x-origin': resource.origin,
    'x-collection': resource.path,
    'x-scope': resource.scope,
    'x-key': resource.key,
    ...(resource.title && { 'x-title': resource.title }),
    ...(resource.parent && { 'x-parent': resource.parent }),
    ...(example !== undefined && { examples: [example] }),
  }
  const page = {
    ...pageSchema(schemaRef(resource.name)),
    description: `One page of ${resource.path}.`,
  }
  const included = {
    ...recordSchema(resource),
    description: `${resource.summary} As returned by include, without relations of its own.`,
    'x-origin': resource.origin,
  }
  return [
    [resource.name, record],
    ...(isIncluded(catalog, resource) && includedName(resource) !== resource.name
      ? [[includedName(resource), included] as const]
      : []),
    ...(resource.endpoints.includes('list') ? [[`${resource.name}Page`, page] as const] : []),
    ...(resource.content
      ? [
          [
            resource.content.name,
            {
              ...recordSchema(resource.content),
              description: resource.content.summary,
              'x-origin': 'specified',
            },
          ] as const,
        ]
      : []),
  ]
}

/**
 * Included records are one level deep, and so are their schemas: the schema of an included record
 * has no relations. A resource without relations needs no second schema.
 */
const includedName = (resource: Resource): string =>
  relationsOf(resource).length === 0 ? resource.name : `Included${resource.name}`

const isIncluded = ({ resources }: Catalog, { path }: Resource): boolean =>
  resources.some((each) => relationsOf(each).some(({ to }) => to === path))

const parameters = {
  brand: {
    name: 'brand',
    in: 'path',
    required: true,
    description: 'The slug of a brand that the API key has access to.',
    schema: { type: 'string', pattern: patterns.brand },
    example: 'aldermoor',
  },
  cursor: {
    name: 'cursor',
    in: 'query',
    description:
      'The nextCursor of the previous page, from the same collection with the same filters. Omit it for the first page.',
    schema: {
      type: 'string',
      pattern: patterns.cursor,
      minLength: 1,
      maxLength: limits.cursor.maxLength,
    },
  },
  limit: {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of records on a page.',
    schema: { type: 'integer', ...limits.pageSize },
  },
  afterWrite: {
    name: 'After-Write',
    in: 'header',
    description:
      'The writeToken of an import, a sync or a batch of the brand. The response then contains its records.',
    schema: {
      type: 'string',
      pattern: patterns.cursor,
      minLength: 1,
      maxLength: limits.cursor.maxLength,
    },
  },
} satisfies { readonly [name: string]: Schema }

const textHeader = (description: string): Schema => ({ description, schema: { type: 'string' } })

const headers: { readonly [name: string]: Schema } = {
  'Cache-Control': textHeader('How the response may be cached.'),
  ETag: textHeader('A strong validator of the response. Send it as If-None-Match to revalidate.'),
  Link: textHeader(
    'Origin-relative URL of the next page with rel="next". Omitted on the last page.',
  ),
  RateLimit: textHeader(
    'The remaining rate limit: "default";r=<remaining requests>;t=<seconds until it is fully restored>.',
  ),
  'RateLimit-Policy': textHeader('The rate limit: "default";q=<requests>;w=<window in seconds>.'),
  'Retry-After': {
    description: 'Number of seconds to wait before retrying.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Total-Items': {
    description: 'Number of matching records on all pages, as totalItems in the body.',
    schema: { type: 'integer', minimum: 0 },
  },
  Traceparent: textHeader(
    'The trace of the request and the span of this server (W3C Trace Context). Omitted if the request had no valid Traceparent.',
  ),
  Vary: textHeader('The request headers that the response depends on.'),
  'WWW-Authenticate': textHeader(
    'Bearer, with error="invalid_token" if the request had an API key.',
  ),
  'X-Request-Id': textHeader('Identifier of the request in the server log.'),
}

export interface ErrorResponse {
  readonly status: number
  readonly description: string
  readonly headers: readonly string[]
  /** Its possible codes. Default: the API's codes with its status. */
  readonly codes?: readonly ErrorCode[]
  /** The name of the schema of its body. Default: `Error`. */
  readonly schema?: string
}

const errorResponses: { readonly [name: string]: ErrorResponse } = {
  BadRequest: {
    status: 400,
    description:
      'An invalid parameter, an unsupported include, a cursor used with filters different from those it was issued for, or an invalid token',
    headers: [],
  },
  Unauthorized: {
    status: 401,
    description: 'The API key is missing, invalid, expired or out of scope',
    // A valid key that is out of scope still counts against its rate limit.
    headers: ['WWW-Authenticate', 'RateLimit', 'RateLimit-Policy'],
  },
  NotFound: {
    status: 404,
    description: 'The record was not found or is not available to the brand',
    headers: [],
  },
  TooManyRequests: {
    status: 429,
    description: 'Rate limit exceeded; retry after the indicated delay',
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  },
  InternalError: { status: 500, description: 'Unexpected server error', headers: ['Retry-After'] },
  StorageUnavailable: {
    status: 503,
    description: 'The image storage is unavailable',
    headers: ['Retry-After'],
  },
}

/** The error codes that API operations can return with this status. */
const codesWith = (status: number): (readonly [ErrorCode, string])[] =>
  (Object.entries(errors) as [ErrorCode, (typeof errors)[ErrorCode]][])
    .filter(([code, each]) => each.status === status && code !== 'not_ready' && !('part' in each))
    .map(([code, { meaning }]) => [code, meaning] as const)

const codesOf = ({ status, codes }: ErrorResponse): (readonly [ErrorCode, string])[] =>
  codes ? codes.map((code) => [code, errors[code].meaning] as const) : codesWith(status)

const describeErrorResponse = ([name, response]: [string, ErrorResponse]): [string, Schema] => [
  name,
  {
    description: [
      response.description,
      ...codesOf(response).map(([code, meaning]) => `- \`${code}\`: ${meaning}`),
    ].join('\n'),
    headers: Object.fromEntries(
      [...response.headers, 'Cache-Control', 'Traceparent', 'X-Request-Id'].map((header) => [
        header,
        { $ref: `#/components/headers/${header}` },
      ]),
    ),
    content: {
      'application/json': {
        schema: schemaRef(response.schema ?? 'Error'),
        examples: Object.fromEntries(
          codesOf(response).map(([code, meaning]) => [
            code,
            { value: { error: meaning, errorCode: code } },
          ]),
        ),
      },
    },
  },
]

/** Error responses as components of a document. */
export const describeErrorResponses = (responses: {
  readonly [name: string]: ErrorResponse
}): { readonly [name: string]: Schema } =>
  Object.fromEntries(Object.entries(responses).map(describeErrorResponse))

/** Components of every document: API keys, common parameters, headers and error responses. */
export const sharedComponents = {
  securitySchemes,
  parameters,
  headers,
  responses: describeErrorResponses(errorResponses),
  schemas: {
    Error: { ...errorSchema, description: 'The body of every error response.' },
  },
}
