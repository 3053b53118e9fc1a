import { catalog, filteredField, limits, type Resource, relationsOf, resourceAt } from '#contract'
import { cut, nearest, notFound, refuseProblems } from '#request'
import { type FilterValues, unknownNames } from './arguments.ts'
import { brandArgument, checkId, checkNames, groupArgument, groupAt, idArgument } from './group.ts'
import type { JsonRecord, ListPage, ListQuestion, Reader } from './reader.ts'
import { type Call, callOf, counted, inWords, type Result, tool } from './tool.ts'
import { type CutValue, fitRecord, fitRecords, partOf } from './truncate.ts'

const includeArgument = {
  kind: 'texts',
  meaning: 'references to show as whole records, by the names that describe_group lists',
} as const

const fieldsArgument = {
  kind: 'texts',
  meaning:
    'only these fields of each record, such as id; of an included record all, or some, such as supplier.name. All fields unless given',
} as const

export const pageArguments = {
  limit: {
    kind: 'whole',
    minimum: limits.pageSize.minimum,
    maximum: limits.pageSize.maximum,
    default: limits.pageSize.default,
    meaning: 'records of one page',
  },
  cursor: { kind: 'text', meaning: 'where to go on, as next of the page before says' },
} as const

export const cutSchema = {
  type: 'array',
  description: 'Values of which only the beginning is shown.',
  items: {
    type: 'object',
    required: ['record', 'field', 'characters', 'shown'],
    properties: {
      record: { type: 'integer', description: 'Place among the records shown, from 0.' },
      field: { type: 'string' },
      characters: { type: 'integer' },
      shown: { type: 'integer' },
    },
  },
} as const

/** A page of a group's records. */
export const listRecords = tool({
  name: 'list_records',
  title: 'List records',
  description:
    'Lists the records of a group that match all filters, with the exact total. Filters compare exactly; describe_group names them.',
  arguments: {
    group: groupArgument,
    filters: { kind: 'filters', meaning: 'values that records must have, by name of filter' },
    fields: fieldsArgument,
    include: includeArgument,
    ...pageArguments,
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    group: { type: 'string' },
    total: { type: 'integer', description: 'All records that match, across pages.' },
    shown: { type: 'integer' },
    records: { type: 'array', items: { type: 'object' } },
    cut: cutSchema,
  },
  run: async (given, caller) => {
    const resource = groupAt(given.group)
    const { filters = {}, fields } = given
    checkFilters(resource, filters)
    if (fields) checkFields(resource, fields, given.include)
    const reader = await caller.open(given.brand)
    return showPage(reader, resource, given, (cursor) =>
      callOf('list_records', {
        brand: reader.brand,
        group: given.group,
        filters: given.filters,
        fields,
        include: given.include,
        limit: given.limit,
        cursor,
      }),
    )
  },
})

interface Asked extends ListQuestion {
  readonly fields?: readonly string[] | undefined
}

type Loose<T> = { readonly [N in keyof T]: T[N] | undefined }

/** A page that fits, and the call that goes on after the last record that is shown. */
export const showPage = async (
  reader: Reader,
  resource: Resource,
  asked: Loose<Asked>,
  goOn: (cursor: string) => Call,
): Promise<Result> => {
  const question = defined({
    filters: asked.filters,
    limit: asked.limit,
    cursor: asked.cursor,
    include: asked.include,
  })
  const page = await reader.list(resource, question)
  const narrowed = page.items.map((record) => narrow(record, asked))
  const fitted = fitRecords(narrowed)
  const shown = fitted.records.length
  // Where less fits than was asked for, the walk goes on after what fitted.
  const fits = shown === page.items.length
  const end: ListPage = fits ? page : await reader.list(resource, { ...question, limit: shown })
  const next = end.nextCursor === null ? null : goOn(end.nextCursor)
  return {
    summary: [
      `${counted(page.totalItems, 'record')} of ${resource.path} match${page.totalItems === 1 ? 'es' : ''}; ${shown} shown here${asked.cursor ? ', after those of the page before' : ''}.`,
      ...(fits ? [] : [`${page.items.length - shown} more were asked for but do not fit.`]),
      ...(page.totalItems === 0 ? hintsFor(resource, asked.filters) : []),
      ...sayCut(resource, fitted.cut),
      next ? `There are more: ${inWords(next)}.` : 'There are no more.',
    ].join(' '),
    brand: reader.brand,
    group: resource.path,
    total: page.totalItems,
    shown,
    records: fitted.records,
    cut: fitted.cut,
    next,
  }
}

/** The properties that are there. */
const defined = <T extends object>(loose: T): { [N in keyof T]: Exclude<T[N], undefined> } =>
  Object.fromEntries(Object.entries(loose).filter(([, value]) => value !== undefined)) as never

/** The relations that `include` names. */
const includedBy = (resource: Resource, include: readonly string[]) =>
  relationsOf(resource).filter(({ name }) => include.includes(name))

/** Refuses names that are neither fields of the group, nor of what include adds. */
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
  const [lacking] = relationsOf(resource).filter(
    ({ name }) =>
      !include.includes(name) &&
      unknown.some((field) => field === name || field.startsWith(`${name}.`)),
  )
  if (lacking) {
    const issue = `names ${lacking.name}, which include adds: give include ["${lacking.name}"] too`
    refuseProblems([{ parameter: 'fields', issue }])
  }
  checkNames('fields', unknown, direct, 'field')
}

/** The record with the fields that were asked for; included records are narrowed to theirs. */
const narrow = (
  record: JsonRecord,
  { fields, include = [] }: Pick<Loose<Asked>, 'fields' | 'include'>,
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

/** What may be wrong with filters that nothing matches: a value that is none of those known. */
const hintsFor = (resource: Resource, filters: FilterValues = {}): readonly string[] => {
  const hints = resource.filters.flatMap((filter) => {
    const value = filters[filter.name]
    const values = filteredField(catalog, resource, filter)?.values ?? []
    if (value === undefined || values.length === 0 || values.includes(String(value))) return []
    const meant = nearest(String(value), values)
    const known = `Known values of ${filter.name}: ${values.join(', ')}`
    return [meant ? `${known}; did you mean ${meant}?` : `${known}.`]
  })
  const isText = resource.filters.some(
    ({ name, kind }) => kind === 'string' && filters[name] !== undefined,
  )
  if (hints.length > 0 || !isText) return hints
  return ['Filters compare exactly, upper and lower case too.']
}

const sayCut = (resource: Resource, cut: readonly CutValue[]): readonly string[] => {
  if (cut.length === 0) return []
  const how = resource.endpoints.includes('get')
    ? `get_record {"group": "${resource.path}", "id": …, "field": "${cut[0]?.field}"} shows one whole`
    : 'ask for fewer fields to see more of them'
  return [`${counted(cut.length, 'long value')} cut, listed under cut: ${how}.`]
}

const checkFilters = (resource: Resource, filters: FilterValues): void => {
  const known = resource.filters.map(({ name }) => name)
  if (!resource.endpoints.includes('list')) {
    refuseProblems([
      { parameter: 'group', issue: `${resource.path} has no list. Call get_record instead` },
    ])
  }
  const unknown = Object.keys(filters).filter((name) => !known.includes(name))
  const issues = unknownNames(unknown, known, () => ({
    unknown: `is not a filter of ${resource.path}`,
    all: `It is filtered by ${known.join(', ') || 'nothing'}`,
  }))
  refuseProblems(issues.map((issue, index) => ({ parameter: cut(unknown[index] ?? ''), issue })))
}

/** One record, or a part of a long value of it. */
export const getRecord = tool({
  name: 'get_record',
  title: 'Get a record',
  description:
    'Shows one record by its id, with the records it refers to where include names them. With field it shows that field alone, in parts where it is long.',
  arguments: {
    group: groupArgument,
    id: { ...idArgument, meaning: `${idArgument.meaning}; the group brand needs none` },
    include: includeArgument,
    fields: fieldsArgument,
    field: { kind: 'text', meaning: 'one field, whole' },
    offset: {
      kind: 'whole',
      minimum: 0,
      maximum: 1_000_000_000,
      default: 0,
      meaning: 'with field: the character to begin at',
    },
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    group: { type: 'string' },
    total: { type: 'integer', description: 'One; with field, the characters of its value.' },
    record: { type: 'object' },
    cut: cutSchema,
    field: { type: 'string' },
    offset: { type: 'integer' },
    text: { type: 'string', description: 'The value: a text as it is, anything else as JSON.' },
  },
  sometimes: ['record', 'cut', 'field', 'offset', 'text'],
  run: async (given, caller) => {
    const resource = groupAt(given.group)
    const { include = [], fields, field, offset } = given
    const known = Object.keys(resource.fields)
    if (fields) checkFields(resource, fields, include)
    if (field !== undefined) {
      const included = includedBy(resource, include).map(({ name }) => name)
      checkNames('field', [field], [...known, ...included], 'field')
    } else if (offset !== undefined) {
      refuseProblems([{ parameter: 'offset', issue: 'goes with field only' }])
    }
    const id = checkId(resource, given.id)
    const reader = await caller.open(given.brand)
    if (resource.lookup && given.id !== undefined && given.id !== reader.brand) throw notFound()
    const record = await reader.get(resource, id, include)
    const place = { brand: reader.brand, group: given.group, id: given.id, include: given.include }
    if (field !== undefined) return showPart(place, record, field, offset ?? 0)
    const fitted = fitRecord(narrow(record, { fields, include }))
    const [first] = fitted.cut
    const next = first ? callOf('get_record', { ...place, field: first.field }) : null
    return {
      summary: `1 record of ${resource.path}${
        next
          ? `, too long to be shown whole: ${counted(fitted.cut.length, 'value')} cut, listed under cut. One at a time is shown whole: ${inWords(next)}.`
          : '; nothing is cut.'
      }`,
      brand: reader.brand,
      group: resource.path,
      total: 1,
      record: fitted.records[0],
      cut: fitted.cut,
      next,
    }
  },
})

const showPart = (
  place: { readonly brand: string; readonly group: string } & Parameters<typeof callOf>[1],
  record: JsonRecord,
  field: string,
  from: number,
): Result => {
  const { text, offset, characters, next: rest } = partOf(record[field] ?? null, from)
  const next = rest === null ? null : callOf('get_record', { ...place, field, offset: rest })
  const end = offset + text.length
  return {
    summary:
      text === '' && from > 0
        ? `${field} has ${counted(characters, 'character')}; there is nothing at ${offset}.`
        : `Characters ${offset} to ${end} of ${characters} of ${field}. ${next ? `There are more: ${inWords(next)}.` : 'There are no more.'}`,
    brand: place.brand,
    group: place.group,
    total: characters,
    field,
    offset,
    text,
    next,
  }
}
