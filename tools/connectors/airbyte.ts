import { stringify } from 'yaml'
import {
  basePath,
  catalog,
  describeField,
  type Field,
  type Fields,
  type Kind,
  limits,
  type Resource,
} from '#contract'

type Component = { readonly [name: string]: unknown }

/** The release of Airbyte's kit whose components these are; it runs on that one and later. */
const kitVersion = '6.0.0'
const feedPath = 'api/feed/v1'

/**
 * A low-code source for Airbyte: a stream for each group, and one for the change feed. Everything
 * that the streams share stands once, under definitions.
 */
export const airbyteManifest = (): string =>
  [
    '# Made from the contract by tools/generate.ts. Do not edit: run npm run generate.',
    stringify(
      {
        version: kitVersion,
        type: 'DeclarativeSource',
        check: { type: 'CheckStream', stream_names: ['brand'] },
        definitions,
        streams: [...catalog.resources.map(streamOf), changesStream],
        schemas: {
          ...Object.fromEntries(
            catalog.resources.map((each) => [each.path, schemaOf(each.fields)]),
          ),
          changes: changesSchema,
        },
        spec,
        description: "A brand's supply-chain records, read from Selvedge.",
      },
      { lineWidth: 0, aliasDuplicateObjects: false },
    ),
  ].join('\n')

const requester: Component = {
  type: 'HttpRequester',
  url_base: "{{ config['url'] }}",
  http_method: 'GET',
  authenticator: { type: 'BearerAuthenticator', api_token: "{{ config['key'] }}" },
  error_handler: {
    type: 'DefaultErrorHandler',
    max_retries: 8,
    response_filters: [
      { type: 'HttpResponseFilter', action: 'RETRY', http_codes: [429, 500, 503] },
    ],
    backoff_strategies: [
      { type: 'WaitTimeFromHeader', header: 'Retry-After' },
      { type: 'ExponentialBackoffStrategy', factor: 2 },
    ],
  },
}

const paginator = (pageSize: number, stop: string): Component => ({
  type: 'DefaultPaginator',
  page_size_option: {
    type: 'RequestOption',
    inject_into: 'request_parameter',
    field_name: 'limit',
  },
  page_token_option: {
    type: 'RequestOption',
    inject_into: 'request_parameter',
    field_name: 'cursor',
  },
  pagination_strategy: {
    type: 'CursorPagination',
    page_size: pageSize,
    cursor_value: "{{ response['nextCursor'] }}",
    stop_condition: stop,
  },
})

const selector = (...path: readonly string[]): Component => ({
  type: 'RecordSelector',
  extractor: { type: 'DpathExtractor', field_path: path },
})

const definitions: Component = {
  requester,
  list_paginator: paginator(limits.pageSize.maximum, "{{ not response['nextCursor'] }}"),
  changes_paginator: paginator(1_000, "{{ not response['hasMore'] }}"),
  items: selector('items'),
  record: selector(),
}

const brandPath = `${basePath.slice(1)}/brands/{{ config['brand'] }}`

const streamOf = ({ path, key, lookup }: Resource): Component =>
  stream(path, key, {
    requester: {
      $ref: '#/definitions/requester',
      path: lookup ? brandPath : `${brandPath}/${path}`,
    },
    record_selector: { $ref: lookup ? '#/definitions/record' : '#/definitions/items' },
    ...(!lookup && { paginator: { $ref: '#/definitions/list_paginator' } }),
  })

const changesStream = stream('changes', ['collection', 'id'], {
  requester: {
    $ref: '#/definitions/requester',
    path: `${feedPath}/brands/{{ config['brand'] }}/changes`,
  },
  record_selector: { $ref: '#/definitions/items' },
  paginator: { $ref: '#/definitions/changes_paginator' },
})

function stream(name: string, key: readonly string[], retriever: Component): Component {
  return {
    type: 'DeclarativeStream',
    name,
    primary_key: [...key],
    retriever: { type: 'SimpleRetriever', ...retriever },
    schema_loader: { type: 'InlineSchemaLoader', schema: { $ref: `#/schemas/${name}` } },
  }
}

/** What Airbyte calls the values of a kind. */
const types: Record<Kind, (field: Field) => Component> = {
  id: () => ({ type: 'string' }),
  ref: () => ({ type: 'string' }),
  person: () => ({ type: 'string' }),
  text: () => ({ type: 'string' }),
  integer: () => ({ type: 'integer' }),
  flag: () => ({ type: 'boolean' }),
  amount: () => ({ type: 'string' }),
  date: () => ({ type: 'string', format: 'date' }),
  timestamp: () => ({
    type: 'string',
    format: 'date-time',
    airbyte_type: 'timestamp_with_timezone',
  }),
  any: () => ({ type: ['string', 'number', 'boolean', 'object', 'array', 'null'] }),
  texts: () => ({ type: 'array', items: { type: 'string' } }),
  object: ({ fields = {} }) => ({ type: 'object', properties: propertiesOf(fields) }),
  objects: ({ fields = {} }) => ({
    type: 'array',
    items: { type: 'object', properties: propertiesOf(fields) },
  }),
}

function schemaOf(fields: Fields): Component {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    additionalProperties: true,
    properties: propertiesOf(fields),
  }
}

function propertiesOf(fields: Fields): Component {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const { type, ...rest } = types[field.kind](field)
      const orNull = field.nullable && typeof type === 'string' ? [type, 'null'] : type
      return [name, { description: describeField(name, field), type: orNull, ...rest }]
    }),
  )
}

const changesSchema: Component = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  additionalProperties: true,
  properties: {
    collection: { description: 'The collection of the record.', type: 'string' },
    id: { description: 'The identity of the record, its parts by commas.', type: 'string' },
    operation: { description: 'put or remove.', type: 'string' },
    record: {
      description: 'The record as it is now. Absent when it was removed.',
      type: ['object', 'null'],
      additionalProperties: true,
    },
  },
}

const spec: Component = {
  type: 'Spec',
  connection_specification: {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    required: ['url', 'brand', 'key'],
    additionalProperties: true,
    properties: {
      url: {
        type: 'string',
        order: 0,
        title: 'Address',
        description: 'Where the Selvedge is, without a path and without a slash at the end.',
        pattern: '^https?://[^/]+$',
        examples: ['https://records.example.com'],
      },
      brand: { type: 'string', order: 1, title: 'Brand', description: 'The slug of the brand.' },
      key: {
        type: 'string',
        order: 2,
        title: 'Key',
        description: 'An API key that may read the brand.',
        airbyte_secret: true,
      },
    },
  },
}
