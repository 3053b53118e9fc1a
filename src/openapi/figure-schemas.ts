import { patterns, type Schema, todayFigures } from '#contract'
import { schemaRef } from './components.ts'

const amount: Schema = { type: 'string', pattern: patterns.amount }
const items = (description: string): Schema => ({ type: 'integer', minimum: 0, description })
const day = (description: string): Schema => ({ type: 'string', format: 'date', description })
const byField = (values: Schema, description: string): Schema => ({
  type: 'object',
  description,
  additionalProperties: values,
})

const object = (
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

/** What was added up and compared of some records. What was not requested is missing. */
const figures = {
  sum: byField(schemaRef('Sum'), 'Exact sums by field.'),
  min: byField(schemaRef('Extreme'), 'Least values by field.'),
  max: byField(schemaRef('Extreme'), 'Greatest values by field.'),
}
const optionalFigures = Object.keys(figures)

/** The schemas of summaries and of the figures of the day. */
export const figureSchemas: { readonly [name: string]: Schema } = {
  CurrencyAmount: object('An amount in one currency.', {
    currency: { type: ['string', 'null'], description: 'ISO 4217; null where none is known.' },
    amount,
    items: items('How many records have it.'),
  }),
  MoneySum: object('Amounts of money, by currency and in the base currency of the brand.', {
    currencies: { type: 'array', items: schemaRef('CurrencyAmount') },
    base: object('What is known in the base currency.', {
      currency: { type: 'string' },
      amount,
      withoutRate: items('How many records are not in this sum, because no rate is known.'),
    }),
  }),
  Sum: {
    description: 'A whole number, a decimal number as a string, or amounts of money.',
    anyOf: [{ type: 'integer' }, amount, schemaRef('MoneySum')],
  },
  Extreme: {
    description: 'A least or greatest value; amounts of money by currency. Null without a value.',
    anyOf: [
      { type: ['integer', 'string', 'null'] },
      { type: 'array', items: schemaRef('CurrencyAmount') },
    ],
  },
  Summary: object(
    'Figures of the selected records.',
    {
      totalItems: items('How many records were selected.'),
      asOf: day('The day that a view or ageing took for today.'),
      total: object('Figures of all of them.', figures, optionalFigures),
      groups: {
        type: 'array',
        items: object(
          'Figures of one group.',
          {
            by: byField(
              { type: ['string', 'integer', 'boolean', 'null'] },
              'The value of each grouping.',
            ),
            items: items('How many records are in the group.'),
            ...figures,
          },
          optionalFigures,
        ),
      },
    },
    ['asOf', 'groups'],
  ),
  Figure: object(
    'A figure of the day.',
    {
      items: items('How many records it counts.'),
      ...figures,
      earliest: {
        description: 'The record with the earliest date, and that date; null if there is none.',
        anyOf: [
          object('A record and its date.', {
            id: { type: 'string' },
            title: { type: ['string', 'null'] },
            date: day('The date, in the time zone of the brand.'),
            days: {
              type: 'integer',
              description: 'How many days it was before today; negative where it is later.',
            },
          }),
          { type: 'null' },
        ],
      },
      url: { type: 'string', description: 'Path of the list behind it.' },
    },
    [...optionalFigures, 'earliest'],
  ),
  Today: object('The figures of a day.', {
    asOf: day('The day.'),
    timezone: { type: 'string', description: 'The time zone of the brand.' },
    baseCurrency: { type: 'string', description: 'The base currency of the brand.' },
    figures: object(
      'Each figure by its name.',
      Object.fromEntries(
        Object.entries(todayFigures).map(([name, { summary }]) => [
          name,
          { description: summary, allOf: [schemaRef('Figure')] },
        ]),
      ),
    ),
    changed: object('Records that were changed since yesterday.', {
      since: { type: 'string', format: 'date-time' },
      items: items('How many there are.'),
      groups: {
        type: 'array',
        items: object('Changed records of one group.', {
          group: { type: 'string' },
          items: items('How many there are.'),
          url: { type: 'string', description: 'Path of the list of them.' },
        }),
      },
    }),
  }),
}
