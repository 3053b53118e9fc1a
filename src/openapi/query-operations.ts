import {
  type Catalog,
  downloadParametersOf,
  type QueryOperation,
  queryParametersOf,
  type Schema,
  scorecardParametersOf,
  scoredSuppliers,
  searchLimits,
  searchOperation,
  summaryParametersOf,
  trendDays,
  trendOperation,
} from '#contract'
import { schemaRef } from './components.ts'
import { afterWriteParameter, asOfParameter, responsesFor } from './operations.ts'
import { listOf, parametersOf, type SharedParameters } from './query-parameters.ts'

export const describeQuery = (
  { id, resource }: QueryOperation,
  shared: SharedParameters,
): Schema => ({
  operationId: id,
  tags: [resource.group],
  summary: `Query ${resource.path}`,
  description: `${resource.summary}\n\nAll parameters are optional and combine to narrow the result. totalItems counts all matches across pages.`,
  parameters: parametersOf(resource, queryParametersOf(resource), shared),
  responses: responsesFor({
    description: 'One page of matching records',
    schema: schemaRef(`${resource.name}Page`),
    headers: ['Link', 'Total-Items'],
  }),
})

export const describeSummary = (
  { id, resource }: QueryOperation,
  shared: SharedParameters,
): Schema => ({
  operationId: `${id}Summary`,
  tags: [resource.group],
  summary: `Summarize ${resource.path}`,
  description:
    'Counts the records that the parameters select, and adds up and compares their fields: altogether, and by groups.',
  parameters: parametersOf(resource, summaryParametersOf(resource), shared),
  responses: responsesFor({
    description: 'The figures',
    schema: schemaRef('Summary'),
  }),
})

export const describeScorecards = (
  { id, resource }: QueryOperation,
  shared: SharedParameters,
): Schema => ({
  operationId: id,
  tags: [resource.group],
  summary: `Get the scorecards of ${resource.path}`,
  description: `The scorecards of the records that the parameters select, as in their documents, to compare and to sort them. At most ${scoredSuppliers} records can be selected.`,
  parameters: parametersOf(resource, scorecardParametersOf(resource), shared),
  responses: responsesFor({
    description: 'One page of scorecards',
    schema: schemaRef('ScorecardPage'),
    headers: ['Total-Items'],
  }),
})

export const describeDownload = (
  { id, resource }: QueryOperation,
  shared: SharedParameters,
): Schema => ({
  operationId: id.replace('query', 'download'),
  tags: [resource.group],
  summary: `Download ${resource.path}`,
  description:
    'All records that the parameters select as a file, from one state. The trailer Download-Complete is true after the last byte of a complete file.',
  parameters: parametersOf(resource, downloadParametersOf(resource), shared),
  responses: downloadResponses,
})

const file: Schema = { schema: { type: 'string', format: 'binary' } }

const {
  '200': page,
  '304': _notModified,
  ...failures
} = responsesFor({
  description: 'The file',
  schema: {},
})

const downloadResponses: Schema = {
  '200': {
    ...(page as Schema),
    headers: {
      'Total-Items': {
        description: 'How many records the file has.',
        schema: { type: 'integer', minimum: 0 },
      },
      'Content-Disposition': {
        description: 'The name of the file.',
        schema: { type: 'string' },
      },
    },
    content: {
      'application/x-ndjson': file,
      'text/csv': file,
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': file,
    },
  },
  ...failures,
}

export const describeToday: Schema = {
  operationId: 'queryToday',
  tags: ['Today'],
  summary: 'Get the figures of the day',
  description:
    'What a morning needs: late orders, shipments on their way, receipts with missing or damaged pieces, cash that is due, stock at risk, and what changed since yesterday. Each figure has the path of the list behind it, whose totalItems is its number of records.',
  parameters: [{ $ref: '#/components/parameters/brand' }, asOfParameter, afterWriteParameter],
  responses: responsesFor({ description: 'The figures', schema: schemaRef('Today') }),
}

export const describeTrend: Schema = {
  operationId: trendOperation,
  tags: ['Today'],
  summary: 'Get figures of the last days',
  description:
    'The most important figures of the day for each of the last days, today last: of past days from their snapshots, of today from the records.',
  parameters: [
    { $ref: '#/components/parameters/brand' },
    {
      name: 'days',
      in: 'query',
      description: 'How many days, with today.',
      schema: { type: 'integer', ...trendDays },
    },
    afterWriteParameter,
  ],
  responses: responsesFor({ description: 'The figures by day', schema: schemaRef('Trend') }),
}

export const describeQuality: Schema = {
  operationId: 'queryQuality',
  tags: ['Quality'],
  summary: 'Get the records that break the business rules',
  description:
    'What the last checks of the business rules have found, with what to do about it and how it changed over the last checks. Rules are checked after each import of the brand, and by the command `selvedge check`.',
  parameters: [{ $ref: '#/components/parameters/brand' }, afterWriteParameter],
  responses: responsesFor({ description: 'The findings', schema: schemaRef('Quality') }),
}

export const describeSearch = ({ resources }: Catalog): Schema => ({
  operationId: searchOperation,
  tags: ['Search'],
  summary: 'Search records',
  description:
    'Finds records of all groups by their numbers, codes, names and references. Case and accents do not matter. The best matches come first: exact numbers, then beginnings of numbers, then names.',
  parameters: [
    { $ref: '#/components/parameters/brand' },
    {
      name: 'q',
      in: 'query',
      required: true,
      description: 'What to search for: several words have to match all.',
      schema: { type: 'string', ...searchLimits.query },
      example: 'PO-5512',
    },
    {
      name: 'limit',
      in: 'query',
      description: 'Maximum number of results.',
      schema: { type: 'integer', ...searchLimits.limit },
    },
    {
      name: 'groups',
      in: 'query',
      description: 'Only these groups, separated by commas.',
      style: 'form',
      explode: false,
      schema: listOf({
        type: 'string',
        enum: resources.filter(({ searchable }) => searchable.length > 0).map(({ path }) => path),
      }),
    },
    afterWriteParameter,
  ],
  responses: responsesFor({ description: 'The results', schema: schemaRef('SearchResults') }),
})
