import {
  type Condition,
  type ConditionValue,
  type CsvDelimiter,
  comparableFields,
  csvDelimiters,
  type DownloadFormat,
  downloadFormats,
  fieldAt,
  foldText,
  type Grouping,
  type GroupScope,
  groupItems,
  groupingsMax,
  groupingsOf,
  groupsMax,
  keySeparator,
  type LabelLanguage,
  labelLanguages,
  limits,
  mapValues,
  patterns,
  type QueryParameter,
  type QueryParameterKind,
  queryLimits,
  queryParametersOf,
  type Relation,
  type Resource,
  relationsOf,
  requireNamed,
  resolveView,
  scorecardSorts,
  sortsOf,
  startOfDay,
  summableFields,
  type Today,
  type View,
  viewDate,
} from '#contract'
import type { GroupOrder, Key, Sort } from '#store'
import { filterReader, readInclude } from './parameters.ts'
import { cut, parseQuery } from './query-string.ts'
import { isDate, type ParsedValue, readValue, readValues } from './query-values.ts'
import { nearest, unknownName } from './suggestion.ts'

/** The parsed parameters of a query API list. The cursor is opened later. */
export interface QueryParameters {
  readonly filters: ReadonlyMap<string, string | number>
  /** The conditions on fields, by parameter name. */
  readonly where: ReadonlyMap<string, Condition<ParsedValue>>
  readonly ids: readonly Key[] | null
  readonly view: View | null
  readonly viewValues: ReadonlyMap<string, number>
  readonly asOf: string | null
  /** Without what its value is computed from. */
  readonly sort: Sort | null
  /** Null for all fields. */
  readonly fields: readonly string[] | null
  readonly limit: number
  readonly include: readonly Relation[]
  readonly cursor: string | null
  /** The fields to add up over the whole list. */
  readonly totals: readonly string[]
  /** The figures of a summary. */
  readonly sum: readonly string[]
  readonly min: readonly string[]
  readonly max: readonly string[]
  readonly by: readonly Grouping[]
  readonly order: GroupOrder | null
  readonly top: number | null
  /** For downloads. */
  readonly format: DownloadFormat | null
  readonly hasBom: boolean
  readonly delimiter: CsvDelimiter
  readonly labels: LabelLanguage | null
  /** Every parameter except the cursor, as sent. */
  readonly sent: ReadonlyMap<string, string>
}

interface Draft {
  readonly filters: Map<string, string | number>
  readonly where: Map<string, Condition<ParsedValue>>
  readonly viewTexts: Map<string, string>
  ids: readonly Key[] | null
  view: View | null
  asOf: string | null
  sort: Sort | null
  fields: readonly string[] | null
  limit: number
  cursor: string | null
  totals: readonly string[]
  sum: readonly string[]
  min: readonly string[]
  max: readonly string[]
  by: readonly Grouping[]
  order: GroupOrder | null
  top: number | null
  format: DownloadFormat | null
  hasBom: boolean
  delimiter: CsvDelimiter
  labels: LabelLanguage | null
}

/** Reads one parameter's text into the draft, or returns its problem. */
type Reader = (text: string, draft: Draft) => string | undefined

/** Parses the parameters of a resource's list, for a key with a scope; prepared once. */
export const queryParameters = (
  resource: Resource,
  parameters: readonly QueryParameter[] = queryParametersOf(resource),
) => {
  const isDownload = parameters.some(({ kind }) => kind === 'format')
  const hasDay = parameters.some(({ kind }) => kind === 'scorecardSort')
  const relations = relationsOf(resource)
  const readers = new Map(
    parameters.map((parameter) => [
      parameter.name,
      readersByKind[parameter.kind](parameter, resource),
    ]),
  )
  const lists = parameters.filter(({ kind }) => listKinds.has(kind)).map(({ name }) => name)
  return (queryText: string, scope: GroupScope): QueryParameters => {
    const query = parseQuery(queryText, lists)
    const problems = [...query.problems]
    const broken = new Set(problems.map(({ parameter }) => parameter))
    const draft: Draft = {
      filters: new Map(),
      where: new Map(),
      viewTexts: new Map(),
      ids: null,
      view: null,
      asOf: null,
      sort: null,
      fields: null,
      limit: limits.pageSize.default,
      cursor: null,
      totals: [],
      sum: [],
      min: [],
      max: [],
      by: [],
      order: null,
      top: null,
      format: null,
      hasBom: false,
      delimiter: 'comma',
      labels: null,
    }
    let unknownCount = 0
    for (const [name, text] of query.values) {
      if ((name === 'include' && !isDownload) || broken.has(cut(name))) continue
      const read = readers.get(name)
      const issue = read
        ? read(text, draft)
        : unknownIssue(name, resource, parameters, unknownCount++)
      if (issue) problems.push({ parameter: cut(name), issue })
    }
    const { viewValues, viewProblems } = readViewParameters(draft, hasDay)
    problems.push(...viewProblems, ...orderProblems(draft), ...sortProblems(draft))
    if (isDownload && !query.values.has('format')) {
      problems.push({ parameter: 'format', issue: `is missing: use ${downloadFormats.join(', ')}` })
    }
    if (draft.labels && draft.format === 'ndjson') {
      problems.push({ parameter: 'labels', issue: 'needs the format csv or xlsx' })
    }
    const include = readInclude(resource, relations, query, problems)
    const { filters, view } = draft
    requireNamed(scope, resource, { filters, view, include })
    const sent = new Map([...query.values].filter(([name]) => name !== 'cursor'))
    const order = draft.order ?? (draft.top === null ? null : greatestFirst(draft))
    return { ...draft, order, viewValues, include, sent }
  }
}

/** List-valued parameters, which clients write with commas or by repetition. */
const listKinds: ReadonlySet<QueryParameterKind> = new Set([
  'in',
  'ids',
  'fields',
  'include',
  'totals',
  'sum',
  'min',
  'max',
  'by',
])

const pageSize = new RegExp(patterns.pageSize)

const readersByKind: Record<
  QueryParameterKind,
  (parameter: QueryParameter, resource: Resource) => Reader
> = {
  limit: () => (text, draft) => {
    const { minimum, maximum } = limits.pageSize
    if (!pageSize.test(text)) return `must be a whole number from ${minimum} to ${maximum}`
    draft.limit = Number(text)
    return undefined
  },
  cursor: () => (text, draft) => {
    if (text === '') return 'must not be empty'
    draft.cursor = text
    return undefined
  },
  filter: ({ filter }, resource) => (filter ? filterReader(resource, filter) : () => undefined),
  range: (parameter) => (text, draft) => {
    const { name, path = '', field, is = 'gte' } = parameter
    const result = field ? readValue(field, text) : ''
    if (typeof result === 'string') return result
    draft.where.set(name, { kind: 'compare', field: path, is, value: result.value })
    return undefined
  },
  updatedSince: (parameter, resource) => readersByKind.range({ ...parameter, is: 'gte' }, resource),
  in:
    ({ name, path = '', field }) =>
    (text, draft) => {
      const result = field ? readValues(field, text) : ''
      if (typeof result === 'string') return result
      draft.where.set(name, { kind: 'in', field: path, values: result.values })
      return undefined
    },
  null:
    ({ name, path = '' }) =>
    (text, draft) => {
      if (text !== 'true' && text !== 'false') return 'must be true or false'
      draft.where.set(name, { kind: 'null', field: path, isNull: text === 'true' })
      return undefined
    },
  prefix:
    ({ name, path = '' }) =>
    (text, draft) => {
      const { length } = foldText(text)
      if (length < 1 || length > queryLimits.prefix) {
        return `must have 1 to ${queryLimits.prefix} characters`
      }
      draft.where.set(name, { kind: 'startsWith', field: path, text })
      return undefined
    },
  ids: (_, resource) => (text, draft) => {
    const result = readIds(resource, text)
    if (typeof result === 'string') return result
    draft.ids = result.keys
    return undefined
  },
  view:
    (_, { views }) =>
    (text, draft) => {
      const view = views.find(({ name }) => name === text)
      if (!view)
        return oneOfIssue(
          text,
          'a view',
          views.map(({ name }) => name),
        )
      draft.view = view
      return undefined
    },
  viewParameter:
    ({ name }) =>
    (text, draft) => {
      draft.viewTexts.set(name, text)
      return undefined
    },
  asOf: () => (text, draft) => {
    if (!isDate(text)) return 'must be a date such as 2026-03-01'
    draft.asOf = text
    return undefined
  },
  sort: (_, resource) => {
    const names = sortsOf(resource)
    return (text, draft) => {
      const isDescending = text.startsWith('-')
      const field = isDescending ? text.slice(1) : text
      if (!names.includes(field)) {
        const issue = oneOfIssue(field, 'a field that this list can be sorted by', names)
        return `${issue}; a - before it sorts in descending order`
      }
      draft.sort = { field, isDescending }
      return undefined
    }
  },
  fields: (_, resource) => (text, draft) => {
    const names = Object.keys(resource.fields)
    const wanted = text.split(',')
    const unknown = wanted.find((name) => !names.includes(name))
    if (unknown !== undefined) return oneOfIssue(unknown, 'a field', names)
    draft.fields = names.filter((name) => resource.key.includes(name) || wanted.includes(name))
    return undefined
  },
  totals: (_, resource) => namesReader('totals', summableFields(resource), 'a field to add up'),
  sum: (_, resource) => namesReader('sum', summableFields(resource), 'a field to add up'),
  min: (_, resource) => namesReader('min', comparableFields(resource), 'a field to compare'),
  max: (_, resource) => namesReader('max', comparableFields(resource), 'a field to compare'),
  by: (_, resource) => {
    const groupings = groupingsOf(resource)
    const names = groupings.map(({ name }) => name)
    return (text, draft) => {
      const requested = [...new Set(text.split(','))]
      if (requested.length > groupingsMax) return `must have at most ${groupingsMax} fields`
      const unknown = requested.find((name) => !names.includes(name))
      if (unknown !== undefined) return oneOfIssue(unknown, 'a field to group by', names)
      draft.by = requested.flatMap((name) => groupings.filter((each) => each.name === name))
      return undefined
    }
  },
  order: () => (text, draft) => {
    const isDescending = text.startsWith('-')
    const name = isDescending ? text.slice(1) : text
    draft.order = { field: name === groupItems ? null : name, isDescending }
    return undefined
  },
  scorecardSort: () => {
    const names = Object.keys(scorecardSorts)
    return (text, draft) => {
      const isDescending = text.startsWith('-')
      const field = isDescending ? text.slice(1) : text
      if (!names.includes(field)) return oneOfIssue(field, 'an order of scorecards', names)
      draft.sort = { field, isDescending }
      return undefined
    }
  },
  top: () => (text, draft) => {
    const value = wholeNumber.test(text) ? Number(text) : 0
    if (value < 1 || value > groupsMax) return `must be a whole number from 1 to ${groupsMax}`
    draft.top = value
    return undefined
  },
  format: () => (text, draft) => {
    const format = downloadFormats.find((each) => each === text)
    if (!format) return oneOfIssue(text, 'a format', downloadFormats)
    draft.format = format
    return undefined
  },
  bom: () => (text, draft) => {
    if (text !== 'true' && text !== 'false') return 'must be true or false'
    draft.hasBom = text === 'true'
    return undefined
  },
  delimiter: () => (text, draft) => {
    const delimiter = csvDelimiters.find((each) => each === text)
    if (!delimiter) return oneOfIssue(text, 'a delimiter', csvDelimiters)
    draft.delimiter = delimiter
    return undefined
  },
  labels: () => (text, draft) => {
    const language = labelLanguages.find((each) => each === text)
    if (!language) return oneOfIssue(text, 'a language of labels', labelLanguages)
    draft.labels = language
    return undefined
  },
  // Read at the end, because it has a separate error code.
  include: () => () => undefined,
}

const namesReader =
  (kind: 'totals' | 'sum' | 'min' | 'max', names: readonly string[], what: string): Reader =>
  (text, draft) => {
    const requested = [...new Set(text.split(','))]
    const unknown = requested.find((name) => !names.includes(name))
    if (unknown !== undefined) return oneOfIssue(unknown, what, names)
    draft[kind] = requested
    return undefined
  }

const oneOfIssue = (text: string, what: string, names: readonly string[]): string => {
  const meant = nearest(text, names)
  const quoted = JSON.stringify(cut(text))
  return meant
    ? `names ${quoted}, which is not ${what}; did you mean ${meant}? Possible are ${names.join(', ')}`
    : `names ${quoted}, which is not ${what}; possible are ${names.join(', ')}`
}

/** Reads a list of identities. Colons join the parts of an identity with several fields. */
const readIds = (resource: Resource, text: string): { readonly keys: readonly Key[] } | string => {
  const texts = [...new Set(text.split(','))]
  if (texts.length > queryLimits.ids) return `must have at most ${queryLimits.ids} identities`
  const wrong = texts.find((each) => !isIdentity(resource, each.split(keySeparator)))
  if (wrong === undefined) return { keys: texts.map((each) => each.split(keySeparator)) }
  const form = resource.key.length > 1 ? `: use ${resource.key.join(keySeparator)}` : ''
  return `has ${JSON.stringify(cut(wrong))}, which is not an identity of ${resource.path}${form}`
}

const isIdentity = ({ key, fields, idPattern }: Resource, parts: readonly string[]): boolean =>
  parts.length === key.length &&
  parts.every((part, index) => {
    const kind = fieldAt(fields, key[index] ?? '')?.kind
    if (kind === 'text') return idPattern ? new RegExp(idPattern).test(part) : part !== ''
    return new RegExp(patterns.id).test(part)
  })

const wholeNumber = /^\d{1,6}$/

/** The order of the first groups: by the first sum, or else by the number of records. */
const greatestFirst = ({ sum }: Draft): GroupOrder => ({
  field: sum[0] ?? null,
  isDescending: true,
})

const sortProblems = ({ sort, view }: Draft) =>
  sort?.field !== viewDate || (view && view.dates.length > 0)
    ? []
    : [
        {
          parameter: 'sort',
          issue: view ? `needs a view with a date; ${view.name} has none` : 'needs a view',
        },
      ]

/** Groups are ordered by what the summary has of them. */
const orderProblems = ({ by, sum, order, top }: Draft) => {
  const problems: { parameter: string; issue: string }[] = []
  if (by.length === 0) {
    for (const parameter of [...(order ? ['sort'] : []), ...(top === null ? [] : ['top'])]) {
      problems.push({ parameter, issue: 'needs by' })
    }
  } else if (order?.field != null && !sum.includes(order.field)) {
    const names = [groupItems, ...sum]
    problems.push({
      parameter: 'sort',
      issue: oneOfIssue(order.field, 'items or one of sum', names),
    })
  }
  return problems
}

/** The values of a view's parameters, which have no meaning without the view. */
const readViewParameters = ({ view, viewTexts, asOf, by }: Draft, hasDay: boolean) => {
  const viewValues = new Map<string, number>()
  const viewProblems: { parameter: string; issue: string }[] = []
  const isAged = by.some(({ dates }) => dates === 'ageing')
  if (asOf !== null && !view && !isAged && !hasDay) {
    viewProblems.push({ parameter: 'asOf', issue: 'needs a view' })
  }
  for (const [name, text] of viewTexts) {
    const parameter = view?.parameters.find((each) => each.name === name)
    if (!parameter) {
      const issue = view ? `is not a parameter of the view ${view.name}` : 'needs a view'
      viewProblems.push({ parameter: name, issue })
      continue
    }
    const { minimum, maximum } = parameter
    const value = wholeNumber.test(text) ? Number(text) : Number.NaN
    if (value >= minimum && value <= maximum) viewValues.set(name, value)
    else {
      const issue = `must be a whole number from ${minimum} to ${maximum}`
      viewProblems.push({ parameter: name, issue })
    }
  }
  return { viewValues, viewProblems }
}

/**
 * The problem with a parameter that its path does not take. The first also lists all parameters.
 */
const unknownIssue = (
  name: string,
  resource: Resource,
  parameters: readonly QueryParameter[],
  index: number,
): string => {
  const names = parameters.map((parameter) => parameter.name)
  return unknownName(name, names, index, {
    unknown: 'is not a parameter here',
    all: `This path takes ${listOf(names)}`,
    hint: () => withSuffix(name, resource, names),
  })
}

/** For a comparison that a field does not support: the fields that support it. */
const withSuffix = (
  name: string,
  { fields }: Resource,
  names: readonly string[],
): string | undefined => {
  const suffix = name.slice(name.lastIndexOf('.'))
  const alike = names.filter((each) => name.includes('.') && each.endsWith(suffix))
  return alike.length > 0 && fieldAt(fields, baseOf(name))
    ? `${suffix} is possible with ${alike.map(baseOf).join(', ')}`
    : undefined
}

const baseOf = (name: string): string => name.slice(0, name.lastIndexOf('.'))

/** All parameters in few words, grouped by suffix. */
const listOf = (names: readonly string[]): string => {
  const plain = names.filter((name) => !name.includes('.'))
  const suffixes = new Set(
    names.filter((name) => name.includes('.')).map((name) => name.slice(name.lastIndexOf('.'))),
  )
  const fields = new Map<string, string[]>()
  for (const suffix of suffixes) {
    const bases = names
      .filter((name) => name.endsWith(suffix))
      .map(baseOf)
      .join(', ')
    fields.set(bases, [...(fields.get(bases) ?? []), suffix])
  }
  const groups = [...fields].map(([bases, each]) => `${each.join(', ')} with ${bases}`)
  return [plain.join(', '), ...groups].join('; ')
}

/** Whether the parameters depend on the brand's time zone. */
export const needsTimezone = ({ view, where }: QueryParameters): boolean =>
  view !== null || [...where.values()].some(comparesDay)

const comparesDay = (condition: Condition<ParsedValue>): boolean =>
  condition.kind === 'compare'
    ? typeof condition.value === 'object'
    : condition.kind === 'in' && condition.values.some((value) => typeof value === 'object')

/** Resolves the conditions for a day: those on fields, and the view's. */
export const resolveConditions = (
  { where, view, viewValues }: QueryParameters,
  today: Today,
  fieldOf: Parameters<typeof resolveView>[3],
): readonly Condition[] => {
  const resolve = (value: ParsedValue): ConditionValue =>
    typeof value === 'object'
      ? new Date(startOfDay(today.timezone, value.startOf)).toISOString()
      : value
  return [
    // In a canonical order: they are part of cursors and tags.
    ...[...where]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([, condition]) => mapValues(condition, resolve)),
    ...(view ? [resolveView(view, today, viewValues, fieldOf)] : []),
  ]
}
