import {
  gridFormats,
  gridLimits,
  grids,
  labelLanguages,
  type QueryOperation,
  type Schema,
} from '#contract'
import { type Examples, objectSchema, schemaRef } from './components.ts'
import { goodsPart } from './document-schemas.ts'
import { afterWriteParameter, idParameter, responsesFor } from './operations.ts'

const list = (items: Schema, description?: string): Schema => ({
  type: 'array',
  ...(description !== undefined && { description }),
  items,
})
const pieces: Schema = {
  type: 'object',
  description: 'Pieces by figure.',
  additionalProperties: { type: 'number' },
}
const cells = list({ anyOf: [schemaRef('GridCell'), { type: 'null' }] }, 'By column.')
const sizes = (description: string): Schema => list(schemaRef('GridPart'), description)

/** The schemas of grids. */
export const gridSchemas: { readonly [name: string]: Schema } = {
  RecordGrid: objectSchema('The pieces of a record by style, colour and size.', {
    group: { type: 'string', enum: [...grids.keys()] },
    id: { type: 'string' },
    title: { type: ['string', 'null'] },
    figures: list(
      objectSchema('A figure.', {
        name: { type: 'string' },
        against: { type: ['string', 'null'], description: 'The figure to compare it with.' },
      }),
    ),
    isTooLarge: {
      type: 'boolean',
      description: `Whether it has more than ${gridLimits.skus} SKUs. Then it has only its total.`,
    },
    total: pieces,
    grids: list(schemaRef('Grid'), 'By style.'),
    lines: list(schemaRef('GridLine'), 'SKUs without a colour or size, and rows without a SKU.'),
  }),
  Grid: objectSchema('The SKUs of a style that are sized by the same dimensions.', {
    style: goodsPart('style'),
    dimensions: list(schemaRef('GridPart'), 'The first one is that of the columns.'),
    columns: sizes('The sizes of the first dimension, from small to large.'),
    rows: list(schemaRef('GridRow'), 'By colour.'),
    totals: list(pieces, 'By column.'),
    total: pieces,
  }),
  GridRow: objectSchema('A colour of a style.', {
    option: goodsPart('option'),
    cells,
    total: pieces,
    rows: list(
      objectSchema('The pieces of one combination of further sizes.', {
        sizes: sizes('By dimension, without the first one.'),
        cells,
        total: pieces,
      }),
      'What the cells are the sums of; empty if there is one dimension.',
    ),
  }),
  GridCell: objectSchema('The SKUs of one colour and size; null where there is none.', {
    skuIds: list({ type: 'string' }),
    figures: pieces,
  }),
  GridLine: objectSchema('A SKU that is in no grid.', {
    sku: goodsPart('SKU'),
    style: goodsPart('style'),
    option: goodsPart('option'),
    figures: pieces,
  }),
  GridPart: objectSchema('A dimension, or one of its values.', {
    id: { type: 'string' },
    code: { type: ['string', 'null'] },
    name: { type: ['string', 'null'] },
  }),
}

const workbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

export const describeGrid = ({ id, resource }: QueryOperation, examples: Examples): Schema => {
  const { '200': success, ...failures } = responsesFor({
    description: 'The grids',
    schema: schemaRef('RecordGrid'),
  })
  const { content, ...response } = success as { readonly content: Schema }
  const file = { schema: { type: 'string', format: 'binary' } }
  return {
    operationId: id,
    tags: [resource.group],
    summary: `Get the size grid of one of ${resource.path}`,
    description: `${grids.get(resource.path)?.summary} Each style has a grid with its colours as rows and its sizes as columns, with totals.`,
    parameters: [
      { $ref: '#/components/parameters/brand' },
      idParameter(resource, examples),
      {
        name: 'format',
        in: 'query',
        description: 'A workbook has a sheet for each figure, and for each difference.',
        schema: { type: 'string', enum: gridFormats, default: gridFormats[0] },
      },
      {
        name: 'labels',
        in: 'query',
        description: 'The language of the words in a workbook.',
        schema: { type: 'string', enum: labelLanguages, default: labelLanguages[0] },
      },
      afterWriteParameter,
    ],
    responses: { '200': { ...response, content: { ...content, [workbook]: file } }, ...failures },
  }
}
