import {
  basePath,
  type Catalog,
  calendarPath,
  documentOperationsOf,
  gridOperationsOf,
  lineageOperationsOf,
  publishedViewsPath,
  qualityPath,
  queryBasePath,
  queryOperationsOf,
  queryVersion,
  type Schema,
  scorecardOperationsOf,
  searchPath,
  sourceRowsPath,
  sourcesPath,
  sourceUnitsPath,
  trendPath,
} from '#contract'
import { calendarSchemas, describeCalendar } from './calendar-schemas.ts'
import { type Examples, sharedComponents, tagGroups } from './components.ts'
import { describeDocument, documentSchemasOf } from './document-schemas.ts'
import { figureSchemas } from './figure-schemas.ts'
import { describeGrid, gridSchemas } from './grid-schemas.ts'
import { describeLineage, lineageSchemasOf } from './lineage-schemas.ts'
import { describePublishedViews, publishedViewSchemas } from './published-view-schemas.ts'
import { qualitySchemas } from './quality-schemas.ts'
import {
  describeDownload,
  describeQuality,
  describeQuery,
  describeScorecards,
  describeSearch,
  describeSummary,
  describeToday,
  describeTrend,
} from './query-operations.ts'
import { sharedParameters } from './query-parameters.ts'
import { querySchemasOf, searchSchemas } from './query-schemas.ts'
import {
  describeSourceRows,
  describeSources,
  describeSourceUnits,
  sourceSchemas,
} from './source-schemas.ts'

/**
 * The OpenAPI 3.1.0 document of the query API, which is separate from the API document. `examples`
 * has one record for each collection.
 */
export const buildQueryDocument = (catalog: Catalog, examples: Examples): Schema => {
  const operations = queryOperationsOf(catalog)
  const resources = operations.map(({ resource }) => resource)
  const shared = sharedParameters(operations)
  const { StorageUnavailable: _, ...responses } = sharedComponents.responses
  return {
    openapi: '3.1.0',
    info: {
      title: "Queries over a brand's supply-chain records",
      version: queryVersion,
      summary: 'Ranges, values, prefixes, views and any order over every list.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: queryBasePath, description: 'This server' }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Search', description: 'Records of all groups by a number, a code or a name.' },
      { name: 'Today', description: 'The figures of the day.' },
      { name: 'Quality', description: 'Which records break the business rules.' },
      { name: 'Sources', description: 'Where the records come from, and which rows wait.' },
      { name: 'Views', description: 'The views of lists that an operator publishes.' },
      ...resources.map(({ group, summary }) => ({ name: group, description: summary })),
    ],
    'x-tagGroups': [
      { name: 'All groups', tags: ['Search', 'Today', 'Quality', 'Sources', 'Views'] },
      ...tagGroups(resources),
    ],
    paths: Object.fromEntries([
      [searchPath, { get: describeSearch(catalog) }],
      ['/brands/{brand}/today', { get: describeToday }],
      [trendPath, { get: describeTrend }],
      [calendarPath, { get: describeCalendar }],
      [qualityPath, { get: describeQuality }],
      [publishedViewsPath, { get: describePublishedViews }],
      [sourcesPath, { get: describeSources }],
      [sourceUnitsPath, { get: describeSourceUnits }],
      [sourceRowsPath, { get: describeSourceRows(catalog) }],
      ...operations.map((operation) => [operation.path, { get: describeQuery(operation, shared) }]),
      ...operations.map((operation) => [
        `${operation.path}/summary`,
        { get: describeSummary(operation, shared) },
      ]),
      ...documentOperationsOf(catalog).map((operation) => [
        operation.path,
        { get: describeDocument(operation, examples) },
      ]),
      ...scorecardOperationsOf(catalog).map((operation) => [
        operation.path,
        { get: describeScorecards(operation, shared) },
      ]),
      ...gridOperationsOf(catalog).map((operation) => [
        operation.path,
        { get: describeGrid(operation, examples) },
      ]),
      ...lineageOperationsOf(catalog).map((operation) => [
        operation.path,
        { get: describeLineage(operation, examples) },
      ]),
      ...operations.map((operation) => [
        `${operation.path}/download`,
        { get: describeDownload(operation, shared) },
      ]),
    ]),
    components: {
      securitySchemes: sharedComponents.securitySchemes,
      parameters: {
        brand: sharedComponents.parameters.brand,
        afterWrite: sharedComponents.parameters.afterWrite,
        ...Object.fromEntries([...shared.values()].map(({ key, schema }) => [key, schema])),
      },
      headers: sharedComponents.headers,
      responses,
      schemas: {
        ...sharedComponents.schemas,
        ...figureSchemas,
        ...calendarSchemas,
        ...qualitySchemas,
        ...sourceSchemas,
        ...publishedViewSchemas,
        ...searchSchemas,
        ...documentSchemasOf(catalog),
        ...gridSchemas,
        ...lineageSchemasOf(catalog),
        ...Object.fromEntries(catalog.resources.flatMap((each) => querySchemasOf(catalog, each))),
      },
    },
  }
}

const introduction = [
  `Answers people's questions over the records of the API under \`${basePath}\`, with the same keys,`,
  'limits, errors and exact totals. Every list accepts the filters of that API and, in addition:',
  'ranges (`field.gte`, `.gt`, `.lte`, `.lt`), several values (`field.in=a,b`), missing values',
  '(`field.isNull`), prefixes that ignore case and accents (`field.startsWith`), identities (`ids`),',
  'views with a meaning of their own (`view=late`), any order (`sort=-orderDate`) and a choice of',
  'fields (`fields`).',
  '',
  'Amounts compare as decimal numbers. Days are those of the time zone of the brand. Records without',
  'a value come last in every order, and equal values are ordered by identity.',
].join('\n')
