import type { Catalog } from './catalog.ts'
import { type Field, leafFields } from './fields.ts'
import {
  type QueryOperation,
  type QueryParameter,
  type QueryParameterKind,
  queryOperationsOf,
  queryParametersOf,
} from './query.ts'
import type { Resource } from './resource.ts'
import { comparableFields, summableFields } from './summed-fields.ts'

/** Groupings of dates: by month, by week from Monday to Sunday, or by age. */
export const dateGroupings = ['month', 'week', 'ageing'] as const

export type DateGrouping = (typeof dateGroupings)[number]

/** A grouping of a summary: by a field with few values, or by the dates of a field. */
export interface Grouping {
  /** As requested: `status`, `dueDate:month`. */
  readonly name: string
  readonly field: string
  /** Null for the values themselves. */
  readonly dates: DateGrouping | null
}

/** The `ageing` groups, with the number of days before today on which each begins. */
export const ageingGroups = [
  { name: 'notDue', daysMin: null },
  { name: '1-30', daysMin: 1 },
  { name: '31-60', daysMin: 31 },
  { name: '61-90', daysMin: 61 },
  { name: 'over90', daysMin: 91 },
] as const

/** Every grouping that a list's summary supports. */
export const groupingsOf = (resource: Resource): readonly Grouping[] => {
  const filtered = new Set(resource.filters.map(({ field }) => field))
  return leafFields(resource.fields).flatMap(({ name, field }): readonly Grouping[] => {
    if (field.kind === 'date' || field.kind === 'timestamp') {
      return dateGroupings.map((dates) => ({ name: `${name}:${dates}`, field: name, dates }))
    }
    return hasFewValues(field) || (filtered.has(name) && field.kind !== 'id')
      ? [{ name, field: name, dates: null }]
      : []
  })
}

const hasFewValues = ({ kind, values, code }: Field): boolean =>
  kind === 'ref' ||
  kind === 'flag' ||
  (kind === 'text' && (values !== undefined || code === 'currency' || code === 'country'))

/** The summaries of the query API, one for each list. */
export const summaryOperationsOf = (catalog: Catalog): readonly QueryOperation[] =>
  queryOperationsOf(catalog).map(({ id, resource, path }) => ({
    id: `${id}Summary`,
    resource,
    path: `${path}/summary`,
  }))

/** Maximum number of groupings of a summary. */
export const groupingsMax = 2

/** Maximum number of groups in a response. */
export const groupsMax = 1_000

/** Orders groups by their number of records. */
export const groupItems = 'items'

/** Parameters that apply to pages of a list rather than to all its records. */
const pageKinds: readonly QueryParameterKind[] = [
  'limit',
  'cursor',
  'ids',
  'sort',
  'fields',
  'include',
  'totals',
  'asOf',
]

/** Every parameter of a list's summary: the list's conditions, and the figures to compute. */
export const summaryParametersOf = (resource: Resource): readonly QueryParameter[] => {
  const summable = summableFields(resource)
  const comparable = comparableFields(resource)
  const extreme = (kind: 'min' | 'max', word: string): QueryParameter => ({
    name: kind,
    kind,
    description: `The ${word} value of these fields, separated by commas: ${comparable.join(', ')}. Amounts of money by currency.`,
  })
  return [
    ...queryParametersOf(resource).filter(({ kind }) => !pageKinds.includes(kind)),
    ...(summable.length > 0
      ? [
          {
            name: 'sum',
            kind: 'sum',
            description: `The exact sum of these fields, separated by commas: ${summable.join(', ')}. Amounts of money by currency, and in the base currency of the brand.`,
          } as const,
        ]
      : []),
    ...(comparable.length > 0 ? [extreme('min', 'least'), extreme('max', 'greatest')] : []),
    {
      name: 'by',
      kind: 'by',
      description: `Groups the records by these fields, separated by commas: at most ${groupingsMax}. Dates are grouped by month, by week from Monday to Sunday, or by ageing: how many days they were before today.`,
    },
    {
      name: 'sort',
      kind: 'order',
      description: `The order of the groups: ${groupItems}, the number of records, or a field of sum; descending with - before it. Amounts of money by their sum in the base currency. Default: the order of their values.`,
    },
    {
      name: 'top',
      kind: 'top',
      description: `Only so many groups, the first of the order: from 1 to ${groupsMax}. Without sort, those with the greatest sum of the first field of sum, or with the most records. A filter of the list may then have any number of groups.`,
    },
    {
      name: 'asOf',
      kind: 'asOf',
      description:
        'The day that a view and ageing take for today, such as 2026-03-01. Default: today in the time zone of the brand.',
    },
  ]
}
