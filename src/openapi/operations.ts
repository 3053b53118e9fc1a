import {
  type Endpoint,
  getQuerySchema,
  limits,
  listQuerySchema,
  type Operation,
  patterns,
  type Resource,
  type Schema,
} from '#contract'
import { type Examples, schemaRef } from './components.ts'

/** One operation of the document: its parameters and every response. */
export const describeOperation = (operation: Operation, examples: Examples): Schema => {
  const { id, endpoint, resource, origin } = operation
  return {
    operationId: id,
    tags: [resource.group],
    ...textByEndpoint[endpoint](resource),
    'x-origin': origin,
    parameters: [
      { $ref: '#/components/parameters/brand' },
      ...(operation.path.includes('{id}') ? [idParameter(resource, examples)] : []),
      ...queryParameters(operation),
      afterWriteParameter,
    ],
    responses: responsesOf(operation),
  }
}

const textByEndpoint: Record<Endpoint, (resource: Resource) => Schema> = {
  list: (resource) => ({
    summary: `List ${lowerFirst(resource.group)}`,
    description: `${resource.summary}\n\nOrdered by ${resource.key.join(', ')}. All filters are optional and combine to narrow the result. totalItems counts all matches across pages.`,
  }),
  get: (resource) => ({
    summary: resource.lookup ? 'Get the brand' : `Get one of ${lowerFirst(resource.group)}`,
    description: `${resource.summary}\n\nA record that belongs to another brand is reported as not found.`,
  }),
  content: (resource) => ({
    summary: `Get a temporary URL for the content of one of ${lowerFirst(resource.group)}`,
    description: `${resource.content?.summary}\n\nThe URL works without an API key until expiresAt. If the file is missing, the response is 404.`,
  }),
}

/** `SKUs` keeps its capitals; `Order Items` becomes `order items`. */
const lowerFirst = (group: string): string =>
  group
    .split(' ')
    .map((word) => (/^[A-Z][a-z]/.test(word) ? word.toLowerCase() : word))
    .join(' ')

export const idParameter = (resource: Resource, examples: Examples = {}): Schema => {
  const [field = 'id'] = resource.key
  const record = examples[resource.path] as Schema | undefined
  const example = record?.[field]
  return {
    name: 'id',
    in: 'path',
    required: true,
    description: `${field} of the record.`,
    schema: { type: 'string', pattern: resource.idPattern ?? patterns.id },
    ...(example !== undefined && { example }),
  }
}

/** The header of every operation that reads records. */
export const afterWriteParameter: Schema = { $ref: '#/components/parameters/afterWrite' }

/** The day to use as today. */
export const asOfParameter: Schema = {
  name: 'asOf',
  in: 'query',
  description:
    'The day to take for today, such as 2026-03-01. Default: today in the time zone of the brand.',
  schema: { type: 'string', format: 'date' },
}

const queryParameters = ({ endpoint, resource }: Operation): Schema[] => {
  if (endpoint === 'content' || resource.lookup) return []
  const query = endpoint === 'list' ? listQuerySchema(resource) : getQuerySchema(resource)
  const properties = query['properties'] as { readonly [name: string]: Schema }
  return Object.entries(properties).map(([name, schema]) => {
    if (name === 'cursor' || name === 'limit') return { $ref: `#/components/parameters/${name}` }
    if (name === 'include') {
      return {
        name,
        in: 'query',
        description:
          'Relations to include: comma-separated (`include=a,b`) or repeated (`include=a&include=b`). Each adds one property with the related record, or null. An included record has no relations of its own.',
        style: 'form',
        explode: false,
        schema,
      }
    }
    return { name, in: 'query', description: describeFilter(resource, name), schema }
  })
}

const describeFilter = (resource: Resource, name: string): string => {
  const filter = resource.filters.find((each) => each.name === name)
  if (filter?.through) {
    return `Returns the records that ${filter.through.collection} links to this ${name}.`
  }
  const kinds = {
    string: 'exactly this value (case-sensitive; spaces and punctuation are literal)',
    identifier: 'this identifier',
    integer: `this integer, from 0 to ${limits.integerFilter.maximum}`,
  }
  return `Returns the records whose ${filter?.field} is ${kinds[filter?.kind ?? 'string']}.`
}

const responsesOf = ({ endpoint, resource }: Operation): Schema => {
  const schemas: Record<Endpoint, Schema> = {
    list: schemaRef(`${resource.name}Page`),
    get: schemaRef(resource.name),
    content: schemaRef(resource.content?.name ?? ''),
  }
  const descriptions: Record<Endpoint, string> = {
    list: 'One page of matching records',
    get: 'The record',
    content: 'The temporary URL',
  }
  return {
    ...responsesFor({
      description: descriptions[endpoint],
      schema: schemas[endpoint],
      headers: endpoint === 'list' ? ['Link', 'Total-Items'] : [],
    }),
    ...(endpoint === 'content' && {
      '503': { $ref: '#/components/responses/StorageUnavailable' },
    }),
  }
}

interface Success {
  readonly description: string
  readonly schema: Schema
  /** In addition to the headers of every response. */
  readonly headers?: readonly string[]
}

/** Every response of an operation, including the common errors. */
export const responsesFor = ({ description, schema, headers = [] }: Success): Schema => ({
  '200': {
    description,
    headers: headerRefs([...headers, 'ETag', ...authenticated]),
    content: { 'application/json': { schema } },
  },
  '304': {
    description: 'The representation named by If-None-Match is still current',
    headers: headerRefs(['ETag', ...authenticated]),
  },
  '400': { $ref: '#/components/responses/BadRequest' },
  '401': { $ref: '#/components/responses/Unauthorized' },
  '404': { $ref: '#/components/responses/NotFound' },
  '429': { $ref: '#/components/responses/TooManyRequests' },
  '500': { $ref: '#/components/responses/InternalError' },
})

const authenticated = [
  'Cache-Control',
  'RateLimit',
  'RateLimit-Policy',
  'Traceparent',
  'Vary',
  'X-Request-Id',
]

/** Headers of a response, by name. */
export const headerRefs = (names: readonly string[]): Schema =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
