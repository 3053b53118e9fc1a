import {
  firstMax,
  patterns,
  type Schema,
  todayFigures,
  todaySeries,
  trendDays,
  trendFigures,
} from '#contract'
import { objectSchema, schemaRef } from './components.ts'

const amount: Schema = { type: 'string', pattern: patterns.amount }
const items = (description: string): Schema => ({ type: 'integer', minimum: 0, description })
const day = (description: string): Schema => ({ type: 'string', format: 'date', description })
const byField = (values: Schema, description: string): Schema => ({
  type: 'object',
  description,
  additionalProperties: values,
})

/** A value for each of these names, all of one kind: written out once, however many there are. */
const byName = (
  values: Schema,
  named: { readonly [name: string]: { readonly summary: string } },
  description: string,
): Schema => ({
  ...byField(
    values,
    [
      description,
      ...Object.entries(named).map(([name, { summary }]) => `- \`${name}\`: ${summary}`),
    ].join('\n'),
  ),
  propertyNames: { enum: Object.keys(named) },
  minProperties: Object.keys(named).length,
})

/** Sums and extremes of records. Figures that were not requested are absent. */
const figures = {
  sum: byField(schemaRef('Sum'), 'Exact sums by field.'),
  min: byField(schemaRef('Extreme'), 'Least values by field.'),
  max: byField(schemaRef('Extreme'), 'Greatest values by field.'),
  tooLong: byField(
    items('How many records.'),
    'Records by field of sum that are in no sum: an earlier release stored more digits than are accepted now. Absent if there are none.',
  ),
}
const optionalFigures = Object.keys(figures)

/** A figure that may be unknown. */
const countSchemas = {
  items: {
    type: ['integer', 'null'],
    minimum: 0,
    description: 'How many records it counts; null if unknown.',
  },
  reason: { type: 'string', description: 'Why it is unknown; absent otherwise.' },
  ...figures,
} satisfies { readonly [name: string]: Schema }
const optionalCounts = ['reason', ...optionalFigures]

const listUrl: Schema = {
  type: 'string',
  description: 'Path of the list behind it; absent if it is of a snapshot or unknown.',
}

/** The schemas of summaries and of the figures of the day. */
export const figureSchemas: { readonly [name: string]: Schema } = {
  CurrencyAmount: objectSchema('An amount in one currency.', {
    currency: { type: ['string', 'null'], description: 'ISO 4217; null where none is known.' },
    amount,
    items: items('How many records have it.'),
  }),
  MoneySum: objectSchema('Amounts of money, by currency and in the base currency of the brand.', {
    currencies: { type: 'array', items: schemaRef('CurrencyAmount') },
    base: schemaRef('BaseSum'),
  }),
  BaseSum: objectSchema('What is known in the base currency.', {
    currency: { type: 'string' },
    amount,
    withoutRate: items('How many records are left out, because no rate is known.'),
    leftOut: {
      type: 'array',
      description: 'The amounts of these records by currency.',
      items: schemaRef('CurrencyAmount'),
    },
  }),
  Sum: {
    description:
      'A whole number with all its digits, which may exceed 2^53; a decimal number as a string; or amounts of money.',
    anyOf: [{ type: 'integer' }, amount, schemaRef('MoneySum')],
  },
  Extreme: {
    description: 'A least or greatest value; amounts of money by currency. Null without a value.',
    anyOf: [
      { type: ['integer', 'string', 'null'] },
      { type: 'array', items: schemaRef('CurrencyAmount') },
    ],
  },
  Totals: objectSchema(
    'With totals: sums of all records of the list, from the same snapshot as the page.',
    { sum: figures.sum, tooLong: figures.tooLong },
    ['tooLong'],
  ),
  Summary: objectSchema(
    'Figures of the selected records.',
    {
      totalItems: items('How many records were selected.'),
      asOf: day('The day that a view or ageing took for today.'),
      total: objectSchema('Figures of all of them.', figures, optionalFigures),
      totalGroups: items('How many groups there are, with those that top leaves out.'),
      groups: {
        type: 'array',
        items: objectSchema(
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
    ['asOf', 'totalGroups', 'groups'],
  ),
  Figure: objectSchema(
    'A figure of the day.',
    {
      ...countSchemas,
      weekAgo: objectSchema('The same figure a week ago.', countSchemas, optionalCounts),
      days: {
        description: 'How many days before today the dates were; null without a record.',
        anyOf: [
          objectSchema('Days.', {
            max: { type: 'integer', description: 'The greatest number of days.' },
            median: {
              type: 'integer',
              description:
                'The median; of an even number of records, the smaller one in the middle.',
            },
          }),
          { type: 'null' },
        ],
      },
      first: {
        type: 'array',
        description: `The records with the earliest dates, at most ${firstMax}: the worst of what is late, the next of what is due.`,
        items: objectSchema('A record and its date.', {
          id: { type: 'string' },
          title: { type: ['string', 'null'] },
          date: day('The date, in the time zone of the brand.'),
          days: {
            type: 'integer',
            description: 'How many days it was before today; negative where it is later.',
          },
          amount: {
            anyOf: [
              objectSchema('An amount of the record.', {
                currency: { type: ['string', 'null'] },
                amount,
              }),
              { type: 'null' },
            ],
          },
          quantity: { type: ['integer', 'null'], description: 'Pieces.' },
          url: { type: 'string', description: 'Path of the record.' },
        }),
      },
      url: listUrl,
    },
    [...optionalCounts, 'days', 'first', 'url'],
  ),
  FigurePart: objectSchema(
    'A part of a figure.',
    {
      name: {
        type: 'string',
        description: 'A value, a group of ageing, or a week; earlier, later or none.',
      },
      from: { type: ['string', 'null'], format: 'date', description: 'The first day.' },
      to: { type: ['string', 'null'], format: 'date', description: 'The last day.' },
      ...countSchemas,
      url: listUrl,
    },
    ['from', 'to', ...optionalCounts, 'url'],
  ),
  Today: objectSchema('The figures of a day.', {
    asOf: day('The day.'),
    timezone: { type: 'string', description: 'The time zone of the brand.' },
    baseCurrency: { type: 'string', description: 'The base currency of the brand.' },
    figures: byName(schemaRef('Figure'), todayFigures, 'Each figure by its name.'),
    series: byName(
      { type: 'array', items: schemaRef('FigurePart') },
      todaySeries,
      'Figures in parts, for charts.',
    ),
    changed: objectSchema(
      'Records that were changed since yesterday.',
      {
        since: { type: 'string', format: 'date-time' },
        items: countSchemas.items,
        reason: countSchemas.reason,
        groups: {
          type: 'array',
          items: objectSchema(
            'Changed records of one group.',
            {
              group: { type: 'string' },
              items: items('How many there are.'),
              url: {
                type: 'string',
                description: 'Path of the list of them; absent for a past day.',
              },
            },
            ['url'],
          ),
        },
      },
      ['reason'],
    ),
    records: objectSchema('How fresh the records are.', {
      changedAt: {
        type: ['string', 'null'],
        format: 'date-time',
        description: 'When a record of the brand was last added, changed or removed.',
      },
      lastImport: {
        description: 'The last import of the brand, whether it changed anything or not.',
        anyOf: [
          objectSchema('An import.', {
            at: { type: 'string', format: 'date-time' },
            changed: items('How many records it added, changed or removed.'),
          }),
          { type: 'null' },
        ],
      },
    }),
    totals: byField(items('How many records there are.'), 'The number of records by group.'),
  }),
  Trend: objectSchema('Figures over time.', {
    timezone: { type: 'string', description: 'The time zone of the brand.' },
    baseCurrency: { type: 'string', description: 'The base currency of the brand.' },
    days: {
      type: 'array',
      description: 'Every day of the period, today last.',
      minItems: trendDays.minimum,
      maxItems: trendDays.maximum,
      items: objectSchema('The figures of one day.', {
        day: day('The day, in the time zone of the brand.'),
        figures: byName(
          schemaRef('TrendFigure'),
          Object.fromEntries(trendFigures.map((name) => [name, todayFigures[name]])),
          'Each figure by its name.',
        ),
      }),
    },
  }),
  TrendFigure: objectSchema('A figure of one day.', countSchemas, optionalCounts),
}
