import {
  ApiError,
  catalog,
  facts,
  formatCount,
  type IncomingList,
  incomingLists,
  type JsonValue,
  limits,
  type Reference,
  type Resource,
  referencesOf,
  relationsOf,
  requireGroups,
  resourceAt,
  valueAt,
} from '#contract'
import { rejectProblems } from '#request'
import {
  brandArgument,
  checkId,
  checkNames,
  groupArgument,
  groupAt,
  idArgument,
  titleOf,
} from './group.ts'
import { nameOfList } from './groups.ts'
import { isReadable, openFor } from './passing-reader.ts'
import type { JsonRecord, Reader } from './reader.ts'
import { cutSchema, pageArguments, showPage } from './records.ts'
import { type Call, callOf, callText, type Result, tool } from './tool.ts'
import { truncateRecord } from './truncate.ts'

/** Default number of records per list. */
const firstOfList = 3

/** Follows the references of a record, and the references to it. */
export const followReferences = tool({
  name: 'follow_references',
  title: 'Follow references',
  description:
    'Shows the records that a record refers to (out), and how many records refer to it, with the first of them (in). With via, follows one reference and shows full records.',
  arguments: {
    group: groupArgument,
    id: { ...idArgument, required: true },
    direction: {
      kind: 'text',
      values: ['out', 'in', 'both'],
      default: 'both',
      meaning: 'out: what the record refers to; in: what refers to it',
    },
    via: {
      kind: 'text',
      meaning:
        'one reference to follow: a field of the record such as supplierId, or a list such as order-items.orderId',
    },
    limit: {
      ...pageArguments.limit,
      default: firstOfList,
      meaning: `records per list; the default with via is ${limits.pageSize.default}`,
    },
    cursor: pageArguments.cursor,
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    group: { type: 'string' },
    total: { type: 'integer', description: 'All records that the references lead to.' },
    shown: { type: 'integer' },
    out: {
      type: 'array',
      description: 'What the record refers to; found is false if there is no such record.',
      items: { type: 'object' },
    },
    in: {
      type: 'array',
      description:
        'Lists of records that refer to it, each with its total and the call that lists them all.',
      items: { type: 'object' },
    },
    empty: {
      type: 'array',
      description: 'References that lead to no records.',
      items: { type: 'string' },
    },
    records: { type: 'array', items: { type: 'object' } },
    cut: cutSchema,
  },
  optional: ['out', 'in', 'empty', 'records', 'cut'],
  run: async (args, caller) => {
    const resource = groupAt(args.group)
    const id = checkId(resource, args.id)
    const { via, direction = 'both', cursor } = args
    const followed = via === undefined ? null : relationVia(resource, via)
    if (!followed && cursor !== undefined) {
      rejectProblems([{ parameter: 'cursor', issue: 'can only be used with via' }])
    }
    const reader = await openFor(caller, args.brand, resource)
    if (followed) requireGroups(reader.scope, groupsIn(followed))
    const names = relationsOf(resource).map(({ name }) => name)
    const record = await reader.get(resource, id, direction === 'in' || followed ? [] : names)
    if (followed && 'filter' in followed) {
      const filters = { [followed.filter.name]: identityOf(resource, record) }
      return showPage(reader, followed.resource, { filters, limit: args.limit, cursor }, (next) =>
        callOf('follow_references', { ...args, brand: reader.brand, cursor: next }),
      )
    }
    if (followed) return showTarget(reader, record, followed)
    const out = direction === 'in' ? [] : await outOf(reader, resource, record)
    const lists = direction === 'out' ? [] : await inOf(reader, resource, record, args.limit)
    return showReferences(reader, resource, out, lists)
  },
})

type Followed = Reference | IncomingList

/** The groups that a reference or a list names. */
const groupsIn = (followed: Followed): readonly string[] =>
  'to' in followed
    ? [followed.to]
    : [followed.resource.path, followed.filter.through?.collection ?? []].flat()

/** The reference or list named by `via`. A reference may also have its name for `include`. */
const relationVia = (resource: Resource, via: string): Followed => {
  const references = referencesOf(resource)
  const named = relationsOf(resource).find(({ name }) => name === via)?.field ?? via
  const reference = references.find(({ field }) => field === named)
  const lists = incomingLists(catalog, resource.path)
  const list = lists.find((each) => nameOfList(each) === via)
  if (!reference && !list) {
    const validNames = [...references.map(({ field }) => field), ...lists.map(nameOfList)]
    checkNames('via', [via], validNames, `reference of ${resource.path}`)
  }
  return (reference ?? list) as Followed
}

/** The value to filter by a record of a group. */
export const identityOf = ({ key }: Resource, record: JsonRecord): string =>
  String(record[key[0] ?? 'id'])

const showTarget = async (
  reader: Reader,
  record: JsonRecord,
  { field, to }: Reference,
): Promise<Result> => {
  const target = resourceAt(catalog, to)
  const id = valueAt(record, field)
  const targetRecord = typeof id === 'string' ? await find(reader, target, id) : null
  const truncated = targetRecord ? truncateRecord(targetRecord) : { records: [], cut: [] }
  const [first] = truncated.cut
  const next: Call | null =
    first && typeof id === 'string'
      ? callOf('get_record', { brand: reader.brand, group: to, id, field: first.field })
      : null
  const summary = targetRecord
    ? `${field} refers to 1 record of ${to}${next ? `, too long to be shown in full: ${callText(next)} shows one value in full` : '; nothing is truncated'}.`
    : typeof id === 'string'
      ? `${field} names ${id}, which does not exist in ${to} or is not available to this brand.`
      : `${field} is null: it refers to nothing.`
  return {
    summary,
    brand: reader.brand,
    group: to,
    total: truncated.records.length,
    shown: truncated.records.length,
    records: truncated.records,
    cut: truncated.cut,
    next,
  }
}

/** The record; null if it does not exist. */
export const find = async (
  reader: Reader,
  resource: Resource,
  id: string,
  include: readonly string[] = [],
): Promise<JsonRecord | null> => {
  try {
    return await reader.get(resource, id, include)
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return null
    throw error
  }
}

interface Out {
  readonly via: string
  readonly group: string
  readonly id: string | null
  readonly found: boolean
  readonly title?: string
}

const outOf = async (
  reader: Reader,
  resource: Resource,
  record: JsonRecord,
): Promise<readonly Out[]> => {
  const out: Out[] = []
  for (const { field, to } of referencesOf(resource)) {
    if (!reader.scope.has(to)) continue
    const id = valueAt(record, field)
    const target = resourceAt(catalog, to)
    if (typeof id !== 'string') {
      out.push({ via: field, group: to, id: null, found: false })
      continue
    }
    const included = relationsOf(resource).find((each) => each.field === field)?.name
    const targetRecord = included
      ? ((record[included] ?? null) as JsonRecord | null)
      : await find(reader, target, id)
    const title = targetRecord ? { title: titleOf(target, targetRecord) } : {}
    out.push({ via: field, group: to, id, found: targetRecord !== null, ...title })
  }
  return out
}

interface In {
  readonly via: string
  readonly group: string
  readonly total: number
  readonly records: readonly object[]
  /** The call that lists all of them in full. */
  readonly all: Call
}

const inOf = async (
  reader: Reader,
  resource: Resource,
  record: JsonRecord,
  limit: number = firstOfList,
): Promise<readonly In[]> => {
  const id = identityOf(resource, record)
  const result: In[] = []
  for (const list of incomingLists(catalog, resource.path)) {
    if (!isReadable(reader.scope, list)) continue
    const filters = { [list.filter.name]: id }
    const page = await reader.list(list.resource, { filters, limit })
    const all = { brand: reader.brand, group: list.resource.path, filters }
    result.push({
      via: nameOfList(list),
      group: list.resource.path,
      total: page.totalItems,
      records: page.items.map((each) => briefOf(list.resource, each)),
      all: callOf('list_records', all),
    })
  }
  return result
}

/** A record in one line: its identity, its name, and its most important fields. */
export const briefOf = (resource: Resource, record: JsonRecord): JsonRecord => {
  const { quantity, money, date } = facts[resource.path] ?? {}
  const shown: { [name: string]: JsonValue } = {}
  for (const name of ['status', quantity, money, money && 'currency', date]) {
    const value = name ? record[name] : undefined
    if (name && value !== undefined && value !== null) shown[name] = value
  }
  const identity = Object.fromEntries(resource.key.map((name) => [name, record[name] ?? null]))
  return { ...identity, title: titleOf(resource, record), ...shown }
}

/** Maximum length of the records of all lists together. */
const listsMax = 14_000

const showReferences = (
  reader: Reader,
  resource: Resource,
  out: readonly Out[],
  lists: readonly In[],
): Result => {
  const leading = out.filter((each) => each.id !== null)
  const filled = lists.filter(({ total }) => total > 0)
  const each = filled.length === 0 ? 0 : Math.floor(listsMax / filled.length)
  const shownLists = filled.map((list) => ({ ...list, records: within(list.records, each) }))
  const listed = shownLists.reduce((sum, { records }) => sum + records.length, 0)
  const pointing = filled.reduce((sum, { total }) => sum + total, 0)
  const partly = shownLists.filter(({ total, records }) => records.length < total)
  const [first] = partly
  const empty = [
    ...out.filter((one) => one.id === null).map(({ via }) => via),
    ...lists.filter(({ total }) => total === 0).map(({ via }) => via),
  ]
  return {
    summary: [
      `The record refers to ${formatCount(leading.length, 'record')}, and ${formatCount(pointing, 'record')} in ${formatCount(filled.length, 'list')} refer to it; ${listed} of these are shown, one line each.`,
      first
        ? `${formatCount(partly.length, 'list')} truncated; all has the call for each, such as ${callText(first.all)}.`
        : 'No list is truncated; all has the call that shows the records of a list in full.',
    ].join(' '),
    brand: reader.brand,
    group: resource.path,
    total: leading.length + pointing,
    shown: leading.length + listed,
    out: leading,
    in: shownLists,
    empty,
    next: first ? first.all : null,
  }
}

const within = (records: readonly object[], max: number): readonly object[] => {
  let room = max
  return records.filter((record) => {
    room -= JSON.stringify(record).length + 1
    return room >= 0
  })
}
