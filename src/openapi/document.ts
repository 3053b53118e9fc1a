import {
  basePath,
  type Catalog,
  contractVersion,
  domains,
  operationsOf,
  type Schema,
} from '#contract'
import { componentsOf, type Examples } from './components.ts'
import { describeOperation } from './operations.ts'

/**
 * The OpenAPI 3.1.0 document of a catalog: a pure function, so that it can be generated, committed
 * and compared. `examples` gives one record for each collection.
 */
export const buildDocument = (catalog: Catalog, examples: Examples): Schema => ({
  openapi: '3.1.0',
  info: {
    title: "Public read-only API for a brand's supply-chain records",
    version: contractVersion,
    summary: 'Catalog, sourcing, orders, shipments, finance and documents of one brand.',
    description: introduction,
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: basePath, description: 'This server' }],
  security: [{ apiKey: [] }],
  tags: catalog.resources.map(({ group, summary }) => ({ name: group, description: summary })),
  'x-tagGroups': domains
    .map((domain) => ({
      name: domain.charAt(0).toUpperCase() + domain.slice(1),
      tags: catalog.resources.filter((each) => each.domain === domain).map(({ group }) => group),
    }))
    .filter(({ tags }) => tags.length > 0),
  paths: Object.fromEntries(
    operationsOf(catalog).map((operation) => [
      operation.path,
      { get: describeOperation(operation, examples) },
    ]),
  ),
  components: componentsOf(catalog, examples),
})

const introduction = [
  'Every call is a GET under a brand, with an API key. Records are found with filters, related',
  'data is reached by following identifiers, and every list is read page by page with a cursor',
  'and an exact total. HEAD answers as GET without a body.',
  '',
  'A record has the properties of its schema and, for each relation that `include` names, one more',
  'that holds the record referred to. Included records are one level deep.',
  '',
  'Schemas are closed (`additionalProperties: false`): they list everything that this version',
  'sends. Later versions under the same path add groups, fields, filters and error codes, and',
  'remove nothing. A client should therefore ignore properties that it does not know: generate it',
  'from this document, but do not reject a response because of an additional property.',
  '',
  'Operations and schemas marked `x-origin: specified` are given by the specification word for',
  'word; those marked `designed` follow the same rules.',
].join('\n')
