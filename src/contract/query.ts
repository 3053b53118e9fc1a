import type { Catalog } from './catalog.ts'
import type { Comparison } from './condition.ts'
import type { Field } from './fields.ts'
import { relationsOf } from './graph.ts'
import { labelLanguages } from './labels.ts'
import { limits } from './limits.ts'
import { type Filter, fieldAt, type Resource } from './resource.ts'
import { baseSuffix, sortsOf, viewDate } from './sort.ts'
import { summableFields } from './summed-fields.ts'

/** Constants of the query API, which extends the specification's API and has its own version. */

export const queryVersion = '1.0.0'
export const queryBasePath = '/api/query/v1'

export const queryLimits = {
  /** Values per `in`. */
  values: 50,
  /** Identities per `ids`. */
  ids: 100,
  /** Characters of a prefix after folding. */
  prefix: 100,
  /** Characters of an amount. */
  amount: 100,
} as const

/** An operation of the query API. */
export interface QueryOperation {
  readonly id: string
  readonly resource: Resource
  /** Below `queryBasePath`. */
  readonly path: string
}

/** The lists of the query API, in the order of the catalog. */
export const queryOperationsOf = ({ resources }: Catalog): readonly QueryOperation[] =>
  resources
    .filter(({ endpoints }) => endpoints.includes('list'))
    .map((resource) => ({
      id: `query${resource.group.replaceAll(' ', '')}`,
      resource,
      path: `/brands/{brand}/${resource.path}`,
    }))

/** The path of links to downloads: `/links/{token}`. */
export const linksPath = '/links'

/** Separates the parts of an identity of several fields in `ids`. */
export const keySeparator = ':'

/** The meaning of a list parameter. */
export type QueryParameterKind =
  | 'limit'
  | 'cursor'
  | 'filter'
  | 'range'
  | 'in'
  | 'null'
  | 'prefix'
  | 'ids'
  | 'updatedSince'
  | 'view'
  | 'viewParameter'
  | 'asOf'
  | 'sort'
  | 'fields'
  | 'include'
  | 'totals'
  | 'sum'
  | 'min'
  | 'max'
  | 'by'
  | 'order'
  | 'scorecardSort'
  | 'top'
  | 'format'
  | 'bom'
  | 'delimiter'
  | 'labels'

/** A parameter of a list of the query API, as data: for parsing and for documentation. */
export interface QueryParameter {
  readonly name: string
  readonly kind: QueryParameterKind
  readonly required?: true
  readonly description: string
  /** The field that it compares, and its path. */
  readonly path?: string
  readonly field?: Field
  /** For a range. */
  readonly is?: Exclude<Comparison, 'eq'>
  /** For a filter of the contract. */
  readonly filter?: Filter
}

const rangeWords: Record<Exclude<Comparison, 'eq'>, string> = {
  gte: 'at or after this value',
  gt: 'after this value',
  lte: 'at or before this value',
  lt: 'before this value',
}

/** Kinds of fields that a range can limit: all ordered kinds except texts. */
const rangedKinds: readonly Field['kind'][] = ['integer', 'amount', 'date', 'timestamp']

/** Every parameter of a resource's list, in the order of the documentation. */
export const queryParametersOf = (resource: Resource): readonly QueryParameter[] => [
  ...pageParameters,
  ...resource.filters.map(
    (filter): QueryParameter => ({
      name: filter.name,
      kind: 'filter',
      filter,
      description: `Only records with this ${filter.name}.`,
    }),
  ),
  ...valueFields(resource).map(
    ({ name, path, field }): QueryParameter => ({
      name: `${name}.in`,
      kind: 'in',
      path,
      field,
      description: `Only records whose ${name} is one of these values, separated by commas: at most ${queryLimits.values}.`,
    }),
  ),
  ...sortFields(resource).flatMap(({ name, path, field }) => rangesOf(name, path, field)),
  ...sortFields(resource)
    .filter(({ field }) => field.kind === 'text')
    .map(
      ({ name, path, field }): QueryParameter => ({
        name: `${name}.startsWith`,
        kind: 'prefix',
        path,
        field,
        description: `Only records whose ${name} begins with this text, whatever its case, accents and spaces at its ends.`,
      }),
    ),
  ...valueFields(resource)
    .filter(({ field }) => field.nullable)
    .map(
      ({ name, path, field }): QueryParameter => ({
        name: `${name}.isNull`,
        kind: 'null',
        path,
        field,
        description: `true: only records without ${name}; false: only records with it.`,
      }),
    ),
  {
    name: 'ids',
    kind: 'ids',
    description: `Only the records with these identities, separated by commas: at most ${queryLimits.ids}. The response lists in missingIds those that are not among the records.${
      resource.key.length > 1 ? ` An identity is ${resource.key.join(keySeparator)}.` : ''
    }`,
  },
  ...changedParameters(resource),
  ...viewParameters(resource),
  ...sortParameters(resource),
  {
    name: 'fields',
    kind: 'fields',
    description:
      'Only these fields of each record, separated by commas. Its identity is always included.',
  },
  ...(relationsOf(resource).length > 0
    ? [
        {
          name: 'include',
          kind: 'include',
          description: `The records that these references point at, separated by commas: ${relationsOf(
            resource,
          )
            .map(({ name }) => name)
            .join(', ')}.`,
        } as const,
      ]
    : []),
  ...totalsParameters(resource),
]

const totalsParameters = (resource: Resource): readonly QueryParameter[] => {
  const names = summableFields(resource)
  if (names.length === 0) return []
  return [
    {
      name: 'totals',
      kind: 'totals',
      description: `Adds totals to the page: the exact sums of these fields over all records of the list, from the same snapshot, separated by commas: ${names.join(', ')}. Amounts of money by currency, and in the base currency of the brand, as in the summary.`,
    },
  ]
}

const sortParameters = (resource: Resource): readonly QueryParameter[] => {
  const names = sortsOf(resource)
  if (names.length === 0) return []
  const sentences = [
    `The order: one of ${names.join(', ')}; descending with - before it.`,
    'Records without a value come last, equal values are ordered by identity.',
    ...(names.some((name) => name.endsWith(baseSuffix))
      ? [
          `With ${baseSuffix}, an amount counts in the base currency of the brand by what its record states: the amount in that currency, or else its own rate. Records that state neither come last.`,
        ]
      : []),
    ...(names.includes(viewDate) ? [`${viewDate} is the date of the view, and needs view.`] : []),
    'Default: the order of the identity.',
  ]
  return [{ name: 'sort', kind: 'sort', description: sentences.join(' ') }]
}

const pageParameters: readonly QueryParameter[] = [
  {
    name: 'limit',
    kind: 'limit',
    description: `How many records a page has, at most: from ${limits.pageSize.minimum} to ${limits.pageSize.maximum}. Default: ${limits.pageSize.default}.`,
  },
  {
    name: 'cursor',
    kind: 'cursor',
    description: 'nextCursor of the page before, with otherwise the same parameters.',
  },
]

/** The formats of a download. */
export const downloadFormats = ['ndjson', 'csv', 'xlsx'] as const
export type DownloadFormat = (typeof downloadFormats)[number]

/** The delimiters of CSV. Excel expects a semicolon where a comma separates decimals. */
export const csvDelimiters = ['comma', 'semicolon'] as const
export type CsvDelimiter = (typeof csvDelimiters)[number]

/** Every parameter of a list's download: those that select, sort and narrow its records. */
export const downloadParametersOf = (resource: Resource): readonly QueryParameter[] => [
  {
    name: 'format',
    kind: 'format',
    required: true,
    description: `The format of the file: ${downloadFormats.join(', ')}.`,
  },
  {
    name: 'bom',
    kind: 'bom',
    description:
      'true: CSV begins with a byte order mark, by which some programs recognise UTF-8. Default: false.',
  },
  {
    name: 'delimiter',
    kind: 'delimiter',
    description: `What separates the cells of CSV: ${csvDelimiters.join(', ')}. Excel expects a semicolon in most of Europe. Default: comma.`,
  },
  {
    name: 'labels',
    kind: 'labels',
    description: `For people: CSV and XLSX have labels in this language instead of names of fields, names instead of identifiers, statuses in words, times in the time zone of the brand, and currencies beside amounts: ${labelLanguages.join(', ')}.`,
  },
  ...queryParametersOf(resource).filter(({ kind }) => !pageKinds.has(kind)),
]

/** Parameters of pages only. */
const pageKinds: ReadonlySet<QueryParameterKind> = new Set(['limit', 'cursor', 'include', 'totals'])

interface NamedField {
  /** The name in parameters. */
  readonly name: string
  readonly path: string
  readonly field: Field
}

const sortFields = ({ sortable, fields }: Resource): readonly NamedField[] =>
  sortable.flatMap((name) => {
    const field = fields[name]
    return field ? [{ name, path: name, field }] : []
  })

/** The fields whose distinct values can be listed: those of filters and of sort orders. */
const valueFields = (resource: Resource): readonly NamedField[] => {
  const filtered = resource.filters.flatMap(({ name, field: path }): readonly NamedField[] => {
    const field = path === undefined ? undefined : fieldAt(resource.fields, path)
    return path !== undefined && field ? [{ name, path, field }] : []
  })
  const names = new Set(filtered.map(({ path }) => path))
  return [...filtered, ...sortFields(resource).filter(({ path }) => !names.has(path))]
}

const rangesOf = (name: string, path: string, field: Field): readonly QueryParameter[] =>
  rangedKinds.includes(field.kind)
    ? (['gte', 'gt', 'lte', 'lt'] as const).map((is) => ({
        name: `${name}.${is}`,
        kind: 'range',
        path,
        field,
        is,
        description: `Only records whose ${name} is ${rangeWord(is, field)}.${
          field.kind === 'timestamp'
            ? ` A date means the beginning of that day in the time zone of the brand${
                is === 'lte' ? ': to include the day, use .lt with the day after it' : ''
              }.`
            : ''
        }`,
      }))
    : []

const rangeWord = (is: Exclude<Comparison, 'eq'>, { kind }: Field): string =>
  kind === 'date' || kind === 'timestamp' ? rangeWords[is] : numberWords[is]

const numberWords: Record<Exclude<Comparison, 'eq'>, string> = {
  gte: 'this number or more',
  gt: 'more than this number',
  lte: 'this number or less',
  lt: 'less than this number',
}

/** The field with the time of a record's last change. */
export const changedField = ({ sortable }: Resource): string | undefined =>
  sortable.includes('updatedAt') ? 'updatedAt' : sortable.find((name) => name === 'createdAt')

const changedParameters = (resource: Resource): readonly QueryParameter[] => {
  const path = changedField(resource)
  const field = path === undefined ? undefined : resource.fields[path]
  if (path === undefined || !field) return []
  return [
    {
      name: 'updatedSince',
      kind: 'updatedSince',
      path,
      field,
      description: `The same as ${path}.gte: only records that were changed at this time or later.`,
    },
  ]
}

const viewParameters = ({ views }: Resource): readonly QueryParameter[] => {
  if (views.length === 0) return []
  const summaries = new Map(
    views.flatMap(({ parameters }) => parameters.map(({ name, summary }) => [name, summary])),
  )
  return [
    {
      name: 'view',
      kind: 'view',
      description: `Only the records of a view. ${views
        .map(({ name, summary }) => `${name}: ${summary}`)
        .join(' ')}`,
    },
    {
      name: 'asOf',
      kind: 'asOf',
      description:
        'The day that a view takes for today, such as 2026-03-01. Default: today in the time zone of the brand.',
    },
    ...[...summaries].map(
      ([name, summary]): QueryParameter => ({
        name,
        kind: 'viewParameter',
        description: `${summary} With view only.`,
      }),
    ),
  ]
}
