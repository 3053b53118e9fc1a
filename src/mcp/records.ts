import { limits, type Resource, relationsOf } from '#contract'
import { notFound, refuseProblems, unknownIssue } from '#request'
import type { FilterValues } from './arguments.ts'
import { type CutValue, fitRecord, fitRecords, partOf } from './fit.ts'
import { brandArgument, checkId, checkNames, groupArgument, groupAt, idArgument } from './group.ts'
import type { JsonRecord, ListPage, ListQuestion, Reader } from './reader.ts'
import { type Call, callOf, counted, inWords, type Result, tool } from './tool.ts'

const includeArgument = {
  kind: 'texts',
  meaning: 'references to show as whole records, by the names that describe_group lists',
} as const

const fieldsArgument = {
  kind: 'texts',
  meaning: 'only these fields of each record; all of them unless said',
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
    if (fields) checkNames('fields', fields, Object.keys(resource.fields), 'field')
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

const narrow = (
  record: JsonRecord,
  { fields, include = [] }: Pick<Loose<Asked>, 'fields' | 'include'>,
): JsonRecord => {
  if (!fields) return record
  const wanted = [...fields, ...include]
  return Object.fromEntries(Object.entries(record).filter(([name]) => wanted.includes(name)))
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
  refuseProblems(
    Object.keys(filters)
      .filter((name) => !known.includes(name))
      .map((name) => ({
        parameter: name,
        issue: `${unknownIssue(name, known)} ${resource.path} is filtered by ${known.join(', ') || 'nothing'}`,
      })),
  )
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
    if (fields) checkNames('fields', fields, known, 'field')
    if (field !== undefined) {
      const named = relationsOf(resource).map(({ name }) => name)
      checkNames(
        'field',
        [field],
        [...known, ...include.filter((name) => named.includes(name))],
        'field',
      )
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
