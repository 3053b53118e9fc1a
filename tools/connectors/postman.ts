import {
  basePath,
  catalog,
  type Domain,
  domains,
  inWords,
  type Operation,
  operationsOf,
} from '#contract'
import type { Examples } from '#openapi'

/** What the OpenAPI document says of an operation, as far as it is used here. */
interface Described {
  readonly summary: string
  readonly description: string
  readonly parameters: readonly {
    readonly name?: string
    readonly in?: string
    readonly description?: string
  }[]
}

type Document = { readonly [name: string]: unknown }

/**
 * A Postman collection, version 2.1: every operation, in a folder for each domain. The addresses of
 * single records are those of the demo brand, so that each request can be sent at once.
 */
export const postmanCollection = (document: Document, examples: Examples) => ({
  info: {
    name: 'Selvedge',
    description:
      "Read-only access to a brand's supply-chain records. Set the variables url, brand and key. Made from the contract by tools/generate.ts.",
    schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
  },
  auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{key}}', type: 'string' }] },
  variable: [
    { key: 'url', value: 'http://127.0.0.1:8080', type: 'string' },
    { key: 'brand', value: 'aldermoor', type: 'string' },
    { key: 'key', value: '', type: 'string' },
  ],
  item: domains.map((domain) => ({
    name: inWords(domain),
    item: inDomain(domain).map((operation) =>
      itemOf(operation, describedIn(document, operation), examples),
    ),
  })),
})

const inDomain = (domain: Domain): readonly Operation[] =>
  operationsOf(catalog).filter(({ resource }) => resource.domain === domain)

const describedIn = (document: Document, { path }: Operation): Described =>
  (document['paths'] as { readonly [path: string]: { readonly get: Described } })[path]
    ?.get as Described

const itemOf = (
  operation: Operation,
  { summary, description, parameters }: Described,
  examples: Examples,
) => {
  const isList = operation.endpoint === 'list'
  const query = [
    ...(isList
      ? [
          { key: 'limit', value: '25', description: 'Records on a page, 1 to 100.' },
          {
            key: 'cursor',
            value: '',
            description: 'The nextCursor of the page before, with the same filters.',
            disabled: true,
          },
        ]
      : []),
    ...parameters
      .filter((each) => each.in === 'query')
      .map(({ name, description: meaning }) => ({
        key: name,
        value: '',
        description: meaning,
        disabled: true,
      })),
  ]
  const path = `${basePath}${operation.path}`
    .replace('{brand}', '{{brand}}')
    .replace('{id}', ':id')
    .slice(1)
  const hasId = operation.path.includes('{id}')
  return {
    name: summary,
    request: {
      method: 'GET',
      header: [],
      description: `${description}\n\nOperation: ${operation.id}`,
      url: {
        raw: `{{url}}/${path}${isList ? '?limit=25' : ''}`,
        host: ['{{url}}'],
        path: path.split('/'),
        ...(query.length > 0 && { query }),
        ...(hasId && { variable: [{ key: 'id', value: idOf(operation, examples) }] }),
      },
    },
    response: [],
  }
}

const idOf = ({ resource }: Operation, examples: Examples): string => {
  const record = (examples as { readonly [path: string]: { readonly [name: string]: unknown } })[
    resource.path
  ]
  return String(record?.[resource.key[0] ?? ''] ?? '')
}
