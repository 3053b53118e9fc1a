/** Requests that every engine is asked, and what they are asked of. */
import { baseSuffix, type Comparison, type Condition, sortsOf } from '#contract'
import type { Sort } from '#store'
import { seeded } from '../../support/model.ts'
import type { ModelQuery } from '../../support/query-model.ts'
import { uuid } from '../store/samples.ts'
import { parcels } from './samples.ts'

const ranges: { readonly [field: string]: readonly (string | number)[] } = {
  pieces: [0, 2, 4],
  balance: [-2, 0, 3],
  weight: ['-0.50', '1.5', '1.500000000000000000001', '99.990', '12345678901234567890.123456789'],
  price: ['0', '1.50', '-10.25', '100'],
  packedOn: ['2025-12-31', '2026-03-01', '2026-03-05'],
  dueOn: ['2026-03-01', '2026-03-02'],
  sentAt: ['2026-03-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z'],
  updatedAt: ['2026-03-01T00:00:00.001Z', '2026-02-28T23:59:59.999Z'],
}
const comparisons: readonly Comparison[] = ['gt', 'gte', 'lt', 'lte']

export const rangeConditions: readonly Condition[] = Object.entries(ranges).flatMap(
  ([field, values]) =>
    values.flatMap((value) =>
      comparisons.map((is): Condition => ({ kind: 'compare', field, is, value })),
    ),
)

export const otherConditions: readonly Condition[] = [
  { kind: 'in', field: 'code', values: ['P-1', 'P-7', 'P-99'] },
  { kind: 'in', field: 'pieces', values: [1, 3] },
  { kind: 'in', field: 'name', values: ['Łódź GmbH', 'unal', "O'Brien & Søns"] },
  { kind: 'in', field: 'name', values: ['Ünal', 'unal', 'Łódź GmbH', 'lodz gmbh'] },
  { kind: 'in', field: 'weight', values: ['1.50', '9'] },
  { kind: 'in', field: 'weight', values: ['1.50', '9', '1.5', '-0.5', '9.00', '-0.50', '10'] },
  { kind: 'in', field: 'dueOn', values: ['2026-03-01', '2027-01-01'] },
  { kind: 'in', field: 'label.state', values: ['lost', 'new'] },
  ...['name', 'balance', 'price', 'dueOn', 'sentAt', 'colourId'].flatMap((field) =>
    [true, false].map((isNull): Condition => ({ kind: 'null', field, isNull })),
  ),
  ...['lodz', 'LÓDŹ  g', 'n', 'o', "o'b", '東京', 'stra', 'ü', 'unal', 'A%', '😀', 'zy', 'zzz'].map(
    (text): Condition => ({ kind: 'startsWith', field: 'name', text }),
  ),
  { kind: 'fields', field: 'packedOn', is: 'lt', other: 'dueOn' },
  { kind: 'compare', field: 'isFragile', is: 'eq', value: true },
  { kind: 'compare', field: 'pieces', is: 'eq', value: 2 },
  {
    kind: 'all',
    of: [
      { kind: 'compare', field: 'price', is: 'gt', value: '0' },
      { kind: 'not', of: { kind: 'null', field: 'label.note', isNull: true } },
    ],
  },
  {
    kind: 'some',
    collection: 'stops',
    match: 'parcelId',
    where: { kind: 'compare', field: 'fee', is: 'gt', value: '9.5' },
  },
]

export const euros = { kind: 'base', amount: 'price', currency: 'EUR' } as const

/** Orders that no index has: of dates in columns, of dates and times, and of amounts in euros. */
export const computedSorts: readonly Omit<Sort, 'isDescending'>[] = [
  { field: 'price.base', by: euros },
  { field: 'viewDate', by: { kind: 'firstDate', fields: ['dueOn', 'packedOn'] } },
  { field: 'viewDate', by: { kind: 'firstDate', fields: ['sentAt', 'dueOn'] } },
]

const both = (sort: Omit<Sort, 'isDescending'>): readonly Sort[] => [
  { ...sort, isDescending: false },
  { ...sort, isDescending: true },
]

export const sorts: readonly Sort[] = [
  ...sortsOf(parcels)
    .filter((field) => !field.endsWith(baseSuffix))
    .map((field) => ({ field })),
  ...computedSorts,
  // A date of a view that has only one is read along its index.
  { field: 'viewDate', by: { kind: 'firstDate', fields: ['dueOn'] } } as const,
].flatMap(both)

const filters: readonly NonNullable<ModelQuery['filters']>[] = [
  { code: 'P-3' },
  { pieces: 2 },
  { labelState: 'sent' },
  { size: 'large' },
  { colourId: uuid(1) },
  { carrierId: uuid(2) },
  { packedOn: '2026-03-01', labelState: 'new' },
]

/** Each order alone, each condition alone, and random combinations of everything. */
export const drawQueries = (seed: number, combinations: number): readonly ModelQuery[] => {
  const draw = seeded(seed)
  const oneOf = <T>(values: readonly T[]): T => values[draw(values.length)] as T
  const all = [...rangeConditions, ...otherConditions]
  const combined = Array.from({ length: combinations }, (): ModelQuery => {
    const where = Array.from({ length: draw(4) }, () => oneOf(all))
    return {
      where,
      ...(draw(3) === 0 && { filters: oneOf(filters) }),
      ...(draw(3) > 0 && { sort: oneOf(sorts) }),
    }
  })
  return [
    ...sorts.map((sort) => ({ sort })),
    ...all.map((condition, index) => ({
      where: [condition],
      ...(index % 2 === 0 && { sort: oneOf(sorts) }),
    })),
    ...combined,
  ]
}
