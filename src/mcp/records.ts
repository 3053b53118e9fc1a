import {
  catalog,
  formatCount,
  limits,
  queryLimits,
  type Resource,
  relationsOf,
  resourceAt,
} from '#contract'
import { cut, notFound, rejectProblems } from '#request'
import { type FilterValues, filtersArgument, hintsFor, readFilters } from './filters.ts'
import { brandArgument, checkId, checkNames, groupArgument, groupAt, idArgument } from './group.ts'
import type { JsonRecord, ListPage, ListRequest, Reader } from './reader.ts'
import { type Call, callOf, callText, type Result, tool } from './tool.ts'
import {
  type CutValue,
  partOf,
  resultMax,
  sizeOf,
  truncateRecord,
  truncateRecords,
} from './truncate.ts'

const includeArgument = {
  kind: 'texts',
  meaning: 'references to resolve to full records, by the names that describe_group lists',
} as const

const fieldsArgument = {
  kind: 'texts',
  meaning:
    'only these fields of each record, such as id, or supplier.name of an included record; all fields by default',
} as const

export const pageArguments = {
  limit: {
    kind: 'whole',
    minimum: limits.pageSize.minimum,
    maximum: limits.pageSize.maximum,
    default: limits.pageSize.default,
    meaning: 'records per page',
  },
  cursor: { kind: 'text', meaning: 'continues a list: the cursor in next of the previous page' },
} as const

export const cutSchema = {
  type: 'array',
  description: 'Values of which only the beginning is shown.',
  items: {
    type: 'object',
    required: ['record', 'field', 'characters', 'shown'],
    properties: {
      record: { type: 'integer', description: 'Index among the records shown, from 0.' },
      field: { type: 'string' },
      characters: { type: 'integer' },
      shown: { type: 'integer' },
    },
  },
} as const

/** Arguments that select and sort records beyond filters. */
export const queryArguments = {
  view: {
    kind: 'text',
    meaning: 'only the records of a view, such as late; describe_group lists the views',
  },
  asOf: {
    kind: 'text',
    meaning: "the day that a view takes for today; today in the brand's time zone by default",
  },
} as const

/** A page of a group's records. */
export const listRecords = tool({
  name: 'list_records',
  title: 'List records',
  description:
    'Lists the records of a group that match all filters, with the exact total: exact values, ranges, several values, a view such as late, in any order. describe_group lists what is possible.',
  arguments: {
    group: groupArgument,
    filters: filtersArgument,
    ids: { kind: 'texts', meaning: `only the records with these ids: at most ${queryLimits.ids}` },
    ...queryArguments,
    sort: {
      kind: 'text',
      meaning: 'the order: a sortable field of describe_group; descending with - before it',
    },
    fields: fieldsArgument,
    include: includeArgument,
    ...pageArguments,
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    group: { type: 'string' },
    total: { type: 'integer', description: 'All matching records, across all pages.' },
    shown: { type: 'integer' },
    records: { type: 'array', items: { type: 'object' } },
    cut: cutSchema,
  },
  run: async (args, caller) => {
    const resource = groupAt(args.group)
    const { ids, view, asOf, sort, fields } = args
    const filters = readFilters(resource, args.filters)
    if (fields) checkFields(resource, fields, args.include)
    const reader = await caller.open(args.brand)
    const query = isQuery(resource, { filters, ids, view, asOf, sort })
      ? { ids: ids?.join(','), view, asOf, sort }
      : undefined
    return showPage(reader, resource, { ...args, filters, query }, (cursor, day) =>
      callOf('list_records', {
        brand: reader.brand,
        group: args.group,
        filters: args.filters && filters,
        ids,
        view,
        asOf: day ?? asOf,
        sort,
        fields,
        include: args.include,
        limit: args.limit,
        cursor,
      }),
    )
  },
})

/** Whether a list needs the query API, because it uses more than the contract's filters. */
const isQuery = (
  resource: Resource,
  {
    filters,
    ids,
    view,
    asOf,
    sort,
  }: {
    filters: FilterValues
    ids: readonly string[] | undefined
  } & Loose<Omit<QueryArguments, 'ids'>>,
): boolean =>
  [ids, view, asOf, sort].some((value) => value !== undefined) ||
  Object.keys(filters).some((name) => !resource.filters.some((filter) => filter.name === name))

interface QueryArguments {
  readonly ids: string
  readonly view: string
  readonly asOf: string
  readonly sort: string
}

interface PageRequest extends ListRequest {
  readonly fields?: readonly string[] | undefined
  /** Arguments for the query API only; undefined for a list of the contract. */
  readonly query?: Loose<QueryArguments> | undefined
}

type Loose<T> = { readonly [N in keyof T]: T[N] | undefined }

/** As many records of a page as fit, and the call that continues after the last one shown. */
export const showPage = async (
  reader: Reader,
  resource: Resource,
  request: Loose<PageRequest>,
  nextPage: (cursor: string, asOf: string | undefined) => Call,
): Promise<Result> => {
  const { filters, limit, cursor, include, query } = request
  const read = (size: number | undefined) =>
    query
      ? reader.query(resource, {
          ...filters,
          ...query,
          limit: size,
          cursor,
          include: include && include.length > 0 ? include.join(',') : undefined,
        })
      : reader.list(resource, defined({ filters, limit: size, cursor, include }))
  const page = await read(limit)
  const narrowed = page.items.map((record) => narrow(record, request))
  // The call that continues has the filters and ids again.
  const truncated = truncateRecords(narrowed, resultMax - sizeOf([filters, query]))
  const shown = truncated.records.length
  // If not all records fit, the next page starts after the last one that does.
  const fits = shown === page.items.length
  const end: ListPage = fits ? page : await read(shown)
  const next = end.nextCursor === null ? null : nextPage(end.nextCursor, end.asOf)
  return {
    summary: [
      `${formatCount(page.totalItems, 'record')} of ${resource.path} match${page.totalItems === 1 ? 'es' : ''}${page.asOf ? ` as of ${page.asOf}` : ''}; ${shown} shown here${request.cursor ? ', after those of the previous page' : ''}.`,
      ...(fits ? [] : [`${page.items.length - shown} more were requested but do not fit.`]),
      ...missingText(page.missingIds),
      ...(page.totalItems === 0 ? hintsFor(reader.brand, resource, request.filters) : []),
      ...cutText(resource, truncated.cut),
      next ? `For more: ${callText(next)}.` : 'There are no more.',
    ].join(' '),
    brand: reader.brand,
    group: resource.path,
    total: page.totalItems,
    shown,
    records: truncated.records,
    cut: truncated.cut,
    next,
  }
}

/** Removes undefined properties. */
const defined = <T extends object>(loose: T): { [N in keyof T]: Exclude<T[N], undefined> } =>
  Object.fromEntries(Object.entries(loose).filter(([, value]) => value !== undefined)) as never

/** The relations in `include`. */
const includedBy = (resource: Resource, include: readonly string[]) =>
  relationsOf(resource).filter(({ name }) => include.includes(name))

/** Rejects names that are neither fields of the group nor of an included record. */
const checkFields = (
  resource: Resource,
  fields: readonly string[],
  include: readonly string[] = [],
): void => {
  const included = includedBy(resource, include)
  const nested = included.flatMap(({ name, to }) =>
    Object.keys(resourceAt(catalog, to).fields).map((field) => `${name}.${field}`),
  )
  const isNested = new Set(nested)
  const direct = [...Object.keys(resource.fields), ...included.map(({ name }) => name)]
  const unknown = fields.filter((name) => !isNested.has(name))
  const [notIncluded] = relationsOf(resource).filter(
    ({ name }) =>
      !include.includes(name) &&
      unknown.some((field) => field === name || field.startsWith(`${name}.`)),
  )
  if (notIncluded) {
    const issue = `names ${notIncluded.name}, which include adds: pass include ["${notIncluded.name}"] too`
    rejectProblems([{ parameter: 'fields', issue }])
  }
  checkNames('fields', unknown, direct, 'field')
}

/** Reduces a record and its included records to the requested fields. */
const narrow = (
  record: JsonRecord,
  { fields, include = [] }: Pick<Loose<PageRequest>, 'fields' | 'include'>,
): JsonRecord => {
  if (!fields) return record
  const wanted = new Set([...fields, ...include])
  const entries = Object.entries(record).flatMap(([name, value]) => {
    if (!wanted.has(name)) return []
    const prefix = `${name}.`
    const own = fields.flatMap((each) =>
      each.startsWith(prefix) ? [each.slice(prefix.length)] : [],
    )
    const isWhole = own.length === 0 || fields.includes(name) || !include.includes(name)
    const isNarrowed = !isWhole && typeof value === 'object' && value !== null
    return [[name, isNarrowed ? narrow(value as JsonRecord, { fields: own, include: [] }) : value]]
  })
  return Object.fromEntries(entries) as JsonRecord
}

const missingText = (ids: readonly string[] = []): readonly string[] =>
  ids.length > 0 ? [`No record has these ids: ${ids.map((id) => cut(id)).join(', ')}.`] : []

const cutText = (resource: Resource, cut: readonly CutValue[]): readonly string[] => {
  if (cut.length === 0) return []
  const how = resource.endpoints.includes('get')
    ? `get_record {"group": "${resource.path}", "id": …, "field": "${cut[0]?.field}"} shows one in full`
    : 'request fewer fields to see more of each'
  return [`${formatCount(cut.length, 'long value')} truncated, listed in cut: ${how}.`]
}

/** One record, or a part of one long value. */
export const getRecord = tool({
  name: 'get_record',
  title: 'Get a record',
  description:
    'Shows one record by its id, with the records it refers to if include names them. With field, shows only that field, in parts if it is long.',
  arguments: {
    group: groupArgument,
    id: { ...idArgument, meaning: `${idArgument.meaning}; not needed for the group brand` },
    include: includeArgument,
    fields: fieldsArgument,
    field: { kind: 'text', meaning: 'one field, in full' },
    offset: {
      kind: 'whole',
      minimum: 0,
      maximum: 1_000_000_000,
      default: 0,
      meaning: 'with field: the index of the first character to show',
    },
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    group: { type: 'string' },
    total: {
      type: 'integer',
      description: '1; with field, the number of characters of its value.',
    },
    record: { type: 'object' },
    cut: cutSchema,
    field: { type: 'string' },
    offset: { type: 'integer' },
    text: { type: 'string', description: 'The value: a string as it is, anything else as JSON.' },
  },
  optional: ['record', 'cut', 'field', 'offset', 'text'],
  run: async (args, caller) => {
    const resource = groupAt(args.group)
    const { include = [], fields, field, offset } = args
    const validNames = Object.keys(resource.fields)
    if (fields) checkFields(resource, fields, include)
    if (field !== undefined) {
      const included = includedBy(resource, include).map(({ name }) => name)
      checkNames('field', [field], [...validNames, ...included], 'field')
    } else if (offset !== undefined) {
      rejectProblems([{ parameter: 'offset', issue: 'can only be used with field' }])
    }
    const id = checkId(resource, args.id)
    const reader = await caller.open(args.brand)
    if (resource.lookup && args.id !== undefined && args.id !== reader.brand) throw notFound()
    const record = await reader.get(resource, id, include)
    const call = { brand: reader.brand, group: args.group, id: args.id, include: args.include }
    if (field !== undefined) return showPart(call, record, field, offset ?? 0)
    const truncated = truncateRecord(narrow(record, { fields, include }))
    const [first] = truncated.cut
    const next = first ? callOf('get_record', { ...call, field: first.field }) : null
    return {
      summary: `1 record of ${resource.path}${
        next
          ? `, too long to be shown in full: ${formatCount(truncated.cut.length, 'value')} truncated, listed in cut. To see one in full: ${callText(next)}.`
          : '; nothing is truncated.'
      }`,
      brand: reader.brand,
      group: resource.path,
      total: 1,
      record: truncated.records[0],
      cut: truncated.cut,
      next,
    }
  },
})

const showPart = (
  call: { readonly brand: string; readonly group: string } & Parameters<typeof callOf>[1],
  record: JsonRecord,
  field: string,
  from: number,
): Result => {
  const { text, offset, characters, next: rest } = partOf(record[field] ?? null, from)
  const next = rest === null ? null : callOf('get_record', { ...call, field, offset: rest })
  const end = offset + text.length
  return {
    summary:
      text === '' && from > 0
        ? `${field} has ${formatCount(characters, 'character')}; it ends before ${offset}.`
        : `Characters ${offset} to ${end} of ${characters} of ${field}. ${next ? `For more: ${callText(next)}.` : 'There are no more.'}`,
    brand: call.brand,
    group: call.group,
    total: characters,
    field,
    offset,
    text,
    next,
  }
}
