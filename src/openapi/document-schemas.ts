import {
  type Catalog,
  type DocumentDefinition,
  documentLimits,
  documents,
  limits,
  patterns,
  type QueryOperation,
  resourceAt,
  type Schema,
  scorecardFigures,
} from '#contract'
import { type Examples, objectSchema, schemaRef } from './components.ts'
import { afterWriteParameter, asOfParameter, idParameter, responsesFor } from './operations.ts'
import { includingSchema } from './query-schemas.ts'

const text = (description: string): Schema => ({ type: 'string', description })
const whole = (description: string): Schema => ({ type: 'integer', description })
const day = (description: string): Schema => ({
  type: ['string', 'null'],
  format: 'date',
  description,
})
const amount: Schema = { type: 'string', pattern: patterns.amount }

const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })

export const goodsPart = (what: string): Schema =>
  orNull(
    objectSchema(`The ${what}.`, {
      id: { type: 'string' },
      code: { type: ['string', 'null'] },
      name: { type: ['string', 'null'] },
      ...(what === 'option' && {
        color: { type: ['string', 'null'] },
        hexCode: { type: ['string', 'null'], description: 'Of the colour: `#1d2a4b`.' },
      }),
    }),
  )

const { prices, openOrders, openBalance, overdueBalance, disputedBalance, ...counted } =
  scorecardFigures

/** The parts of documents, and the document of each group. */
export const documentSchemasOf = (catalog: Catalog): { readonly [name: string]: Schema } => ({
  CurrencyTotal: objectSchema('A sum in one currency.', {
    currency: { type: ['string', 'null'], description: 'ISO 4217; null where none is known.' },
    amount,
  }),
  DocumentDeadline: objectSchema('A date that was planned, and when it happened.', {
    name: { type: 'string' },
    planned: { type: 'string', format: 'date' },
    actual: day('When it happened; null where it has not happened yet.'),
    days: whole('Days later than planned; negative for earlier. Until today where it is open.'),
    isOpen: { type: 'boolean', description: 'Whether it has not happened yet.' },
    isLate: { type: 'boolean' },
    view: {
      type: ['string', 'null'],
      description: 'The view that the record is in because it is late.',
    },
  }),
  DocumentStage: objectSchema('A stage that goods and money pass.', {
    name: { type: 'string' },
    state: { type: 'string', enum: ['open', 'partly', 'done'] },
    pieces: { type: ['number', 'null'], description: 'Null where it does not count pieces.' },
    amounts: { type: 'array', items: schemaRef('CurrencyTotal') },
    planned: day('The last planned day.'),
    actual: day('The last day on which it happened.'),
    days: {
      type: ['integer', 'null'],
      description: 'Days later than planned; negative for earlier. Null where that is not known.',
    },
  }),
  Goods: objectSchema('What a row is about, and the image that shows it.', {
    style: goodsPart('style'),
    option: goodsPart('option'),
    sku: goodsPart('SKU'),
    sizes: { type: 'array', items: { type: 'string' } },
    imageId: { type: ['string', 'null'], description: 'One of pictures.' },
  }),
  Picture: objectSchema(
    'A temporary URL of an image, which works without a key until it expires.',
    {
      url: { type: 'string' },
      expiresAt: { type: 'string', format: 'date-time' },
      width: { type: ['integer', 'null'] },
      height: { type: ['integer', 'null'] },
      altText: { type: ['string', 'null'] },
    },
  ),
  OpenTotal: objectSchema('Records of a view, and what they add up to.', {
    items: whole('How many there are.'),
    pieces: whole('Their pieces.'),
    amounts: { type: 'array', items: schemaRef('CurrencyAmount') },
    base: schemaRef('BaseSum'),
  }),
  Scorecard: objectSchema(
    'How a supplier has delivered in the last 12 months, or since a later day where it has more than 1,000 orders.',
    {
      from: { type: 'string', format: 'date' },
      ...Object.fromEntries(
        Object.entries(counted).map(([name, meaning]) => [name, whole(meaning)]),
      ),
      prices: objectSchema(prices, {
        higher: { type: 'integer' },
        lower: { type: 'integer' },
        same: { type: 'integer' },
      }),
      openOrders: { description: openOrders, allOf: [schemaRef('OpenTotal')] },
      openBalance: { description: openBalance, allOf: [schemaRef('OpenTotal')] },
      overdueBalance: { description: overdueBalance, allOf: [schemaRef('OpenTotal')] },
      disputedBalance: { description: disputedBalance, allOf: [schemaRef('OpenTotal')] },
    },
  ),
  ScorecardPage: objectSchema('One page of scorecards.', {
    asOf: { type: 'string', format: 'date' },
    timezone: text('The time zone of the brand, in which days are counted.'),
    baseCurrency: text('The base currency of the brand.'),
    items: {
      type: 'array',
      maxItems: limits.pageSize.maximum,
      items: objectSchema('A supplier, and its scorecard.', {
        id: { type: 'string' },
        title: { type: ['string', 'null'] },
        scorecard: schemaRef('Scorecard'),
      }),
    },
    nextCursor: {
      type: ['string', 'null'],
      description: 'For the parameter cursor; null on the last page.',
    },
    totalItems: whole('How many suppliers the parameters select, exactly.'),
  }),
  MissingParts: objectSchema('Parts of a record that cannot be stored now.', {
    collection: { type: 'string', description: 'The collection of the parts.' },
    rows: whole('How many there are.'),
  }),
  ...Object.fromEntries(
    [...documents.values()].map((definition) => [
      `${resourceAt(catalog, definition.group).name}Document`,
      documentSchema(catalog, definition),
    ]),
  ),
})

const documentSchema = (catalog: Catalog, definition: DocumentDefinition): Schema => {
  const resource = resourceAt(catalog, definition.group)
  return objectSchema(
    definition.summary,
    {
      group: { type: 'string', const: definition.group },
      id: { type: 'string' },
      title: { type: ['string', 'null'] },
      status: { type: ['string', 'null'] },
      asOf: { type: 'string', format: 'date' },
      timezone: text('The time zone of the brand, in which days are counted.'),
      baseCurrency: text('The base currency of the brand.'),
      deadlines: { type: 'array', items: schemaRef('DocumentDeadline') },
      progress: { type: 'array', items: schemaRef('DocumentStage') },
      scorecard: definition.hasScorecard ? schemaRef('Scorecard') : { type: 'null' },
      missingParts: {
        type: 'array',
        description:
          'Its parts in quarantine, which are not in the sections. Absent if there are none.',
        items: schemaRef('MissingParts'),
      },
      goods: orNull(schemaRef('Goods')),
      record: schemaRef(resource.name),
      sections: objectSchema(
        'Records that belong to it.',
        Object.fromEntries(
          Object.entries(definition.sections).map(([name, section]) => [
            name,
            objectSchema(`${section.title}.`, {
              title: { type: 'string' },
              group: { type: 'string', const: section.group },
              totalItems: whole('How many there are, exactly.'),
              url: {
                type: ['string', 'null'],
                description: 'Path of the list with all of them; null where there is none.',
              },
              items: {
                type: 'array',
                maxItems: documentLimits.rows.maximum,
                items: objectSchema('A record, and what is known of it.', {
                  record: includingSchema(catalog, section.group, section.include),
                  ...(section.goods && { goods: orNull(schemaRef('Goods')) }),
                  ...(section.figures && {
                    figures: orNull(
                      objectSchema(
                        'Pieces.',
                        Object.fromEntries(
                          Object.keys(section.figures).map((figure) => [
                            figure,
                            { type: 'number' },
                          ]),
                        ),
                      ),
                    ),
                  }),
                }),
              },
            }),
          ]),
        ),
      ),
      pictures: {
        type: 'object',
        description: 'The images of goods by their ids. Images without a file are missing.',
        additionalProperties: schemaRef('Picture'),
      },
    },
    ['missingParts'],
  )
}

export const describeDocument = ({ id, resource }: QueryOperation, examples: Examples): Schema => ({
  operationId: id,
  tags: [resource.group],
  summary: `Get the document of one of ${resource.path}`,
  description: `${documents.get(resource.path)?.summary}\n\nAll of it is from one state. Totals are exact; each section has at most ${documentLimits.rows.maximum} rows.`,
  parameters: [
    { $ref: '#/components/parameters/brand' },
    idParameter(resource, examples),
    {
      name: 'limit',
      in: 'query',
      description: 'Maximum number of rows of each section.',
      schema: { type: 'integer', ...documentLimits.rows },
    },
    asOfParameter,
    afterWriteParameter,
  ],
  responses: responsesFor({
    description: 'The document',
    schema: schemaRef(`${resource.name}Document`),
  }),
})
