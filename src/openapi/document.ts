import { basePath, type Catalog, contractVersion, operationsOf, type Schema } from '#contract'
import { componentsOf, type Examples, tagGroups } from './components.ts'
import { describeOperation } from './operations.ts'

/**
 * The OpenAPI 3.1.0 document of a catalog. A pure function, so that the result can be generated,
 * committed and compared. `examples` has one record for each collection.
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
  'x-tagGroups': tagGroups(catalog.resources),
  paths: Object.fromEntries(
    operationsOf(catalog).map((operation) => [
      operation.path,
      { get: describeOperation(operation, examples) },
    ]),
  ),
  components: componentsOf(catalog, examples),
})

const introduction = [
  'Every request is a GET under a brand, with an API key. Records are found with filters, related',
  'data is reached by following identifiers, and every list is read page by page with a cursor',
  'and an exact total. HEAD works like GET but returns no body.',
  '',
  'A record has the properties of its schema. For each relation named in `include`, it also has one',
  'property that contains the related record. Included records are one level deep.',
  '',
  'Schemas are closed (`additionalProperties: false`): they list every property that this version',
  'sends. Later versions under the same path may add groups, fields, filters and error codes, and',
  'remove nothing. Clients must therefore ignore unknown properties: generate a client from this',
  'document, but do not reject a response because of an additional property.',
  '',
  'Operations and schemas marked `x-origin: specified` are defined word for word by the',
  'specification. Those marked `designed` follow the same rules.',
].join('\n')
