import {
  ApiError,
  catalog,
  facts,
  type IncomingList,
  incomingLists,
  type JsonValue,
  limits,
  type Reference,
  type Resource,
  referencesOf,
  relationsOf,
  resourceAt,
  valueAt,
} from '#contract'
import { refuseProblems } from '#request'
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
import type { JsonRecord, Reader } from './reader.ts'
import { cutSchema, pageArguments, showPage } from './records.ts'
import { type Call, callOf, counted, inWords, type Result, tool } from './tool.ts'
import { fitRecord } from './truncate.ts'

/** Records shown of each list unless said. */
const firstOfList = 3

/** From a record to what it points to, and to what points at it. */
export const followReferences = tool({
  name: 'follow_references',
  title: 'Follow references',
  description:
    'From a record, shows the records it points to (out) and how many records point at it, with the first of them (in). With via it follows one reference and shows whole records.',
  arguments: {
    group: groupArgument,
    id: { ...idArgument, required: true },
    direction: {
      kind: 'text',
      values: ['out', 'in', 'both'],
      default: 'both',
      meaning: 'out: what it points to; in: what points at it',
    },
    via: {
      kind: 'text',
      meaning:
        'one reference to follow: a field of the record such as supplierId, or a list such as order-items.orderId',
    },
    limit: {
      ...pageArguments.limit,
      default: firstOfList,
      meaning: `records of each list; with via ${limits.pageSize.default} unless said`,
    },
    cursor: pageArguments.cursor,
    brand: brandArgument,
  },
  results: {
    brand: { type: 'string' },
    group: { type: 'string' },
    total: { type: 'integer', description: 'All records at the other ends of what was followed.' },
    shown: { type: 'integer' },
    out: {
      type: 'array',
      description: 'What the record points to; found is false where there is no such record.',
      items: { type: 'object' },
    },
    in: {
      type: 'array',
      description: 'Lists of records that point at it, each with its total and the call for more.',
      items: { type: 'object' },
    },
    empty: {
      type: 'array',
      description: 'References that lead nowhere from this record.',
      items: { type: 'string' },
    },
    records: { type: 'array', items: { type: 'object' } },
    cut: cutSchema,
  },
  sometimes: ['out', 'in', 'empty', 'records', 'cut'],
  run: async (given, caller) => {
    const resource = groupAt(given.group)
    const id = checkId(resource, given.id)
    const { via, direction = 'both', cursor } = given
    const way = via === undefined ? null : wayOf(resource, via)
    if (!way && cursor !== undefined) {
      refuseProblems([{ parameter: 'cursor', issue: 'goes with via only' }])
    }
    const reader = await caller.open(given.brand)
    const names = relationsOf(resource).map(({ name }) => name)
    const record = await reader.get(resource, id, direction === 'in' || way ? [] : names)
    if (way && 'filter' in way) {
      const filters = { [way.filter.name]: identityOf(resource, record) }
      return showPage(reader, way.resource, { filters, limit: given.limit, cursor }, (next) =>
        callOf('follow_references', { ...given, brand: reader.brand, cursor: next }),
      )
    }
    if (way) return showTarget(reader, record, way)
    const out = direction === 'in' ? [] : await outOf(reader, resource, record)
    const lists = direction === 'out' ? [] : await inOf(reader, resource, record, given.limit)
    return told(reader, resource, out, lists)
  },
})

type Way = Reference | IncomingList

/** The reference or list that `via` names; a reference also by the name that include has for it. */
const wayOf = (resource: Resource, via: string): Way => {
  const references = referencesOf(resource)
  const named = relationsOf(resource).find(({ name }) => name === via)?.field ?? via
  const reference = references.find(({ field }) => field === named)
  const lists = incomingLists(catalog, resource.path)
  const list = lists.find((each) => nameOfList(each) === via)
  if (!reference && !list) {
    const known = [...references.map(({ field }) => field), ...lists.map(nameOfList)]
    checkNames('via', [via], known, `reference of ${resource.path}`)
  }
  return (reference ?? list) as Way
}

/** What filters by a record of a group are given. */
export const identityOf = ({ key }: Resource, record: JsonRecord): string =>
  String(record[key[0] ?? 'id'])

const showTarget = async (
  reader: Reader,
  record: JsonRecord,
  { field, to }: Reference,
): Promise<Result> => {
  const target = resourceAt(catalog, to)
  const id = valueAt(record, field)
  const found = typeof id === 'string' ? await find(reader, target, id) : null
  const fitted = found ? fitRecord(found) : { records: [], cut: [] }
  const [first] = fitted.cut
  const next: Call | null =
    first && typeof id === 'string'
      ? callOf('get_record', { brand: reader.brand, group: to, id, field: first.field })
      : null
  const words = found
    ? `${field} points to 1 record of ${to}${next ? `, too long to be shown whole: ${inWords(next)} shows one value whole` : '; nothing is cut'}.`
    : typeof id === 'string'
      ? `${field} names ${id}, which does not exist in ${to} or is not available to this brand.`
      : `${field} is null: it points to nothing.`
  return {
    summary: words,
    brand: reader.brand,
    group: to,
    total: fitted.records.length,
    shown: fitted.records.length,
    records: fitted.records,
    cut: fitted.cut,
    next,
  }
}

/** The record, or null where there is none. */
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
    const id = valueAt(record, field)
    const target = resourceAt(catalog, to)
    if (typeof id !== 'string') {
      out.push({ via: field, group: to, id: null, found: false })
      continue
    }
    const included = relationsOf(resource).find((each) => each.field === field)?.name
    const found = included
      ? ((record[included] ?? null) as JsonRecord | null)
      : await find(reader, target, id)
    const title = found ? { title: titleOf(target, found) } : {}
    out.push({ via: field, group: to, id, found: found !== null, ...title })
  }
  return out
}

interface In {
  readonly via: string
  readonly group: string
  readonly total: number
  readonly records: readonly object[]
  /** The call that shows them whole, all of them. */
  readonly all: Call
}

const inOf = async (
  reader: Reader,
  resource: Resource,
  record: JsonRecord,
  limit: number = firstOfList,
): Promise<readonly In[]> => {
  const id = identityOf(resource, record)
  const found: In[] = []
  for (const list of incomingLists(catalog, resource.path)) {
    const filters = { [list.filter.name]: id }
    const page = await reader.list(list.resource, { filters, limit })
    const all = { brand: reader.brand, group: list.resource.path, filters }
    found.push({
      via: nameOfList(list),
      group: list.resource.path,
      total: page.totalItems,
      records: page.items.map((each) => briefOf(list.resource, each)),
      all: callOf('list_records', all),
    })
  }
  return found
}

/** A record in a line: what it is called, and what people look at first. */
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

/** Characters that the records of lists may take, all lists together. */
const listsMax = 14_000

const told = (
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
      `The record points to ${counted(leading.length, 'record')}, and ${counted(pointing, 'record')} in ${counted(filled.length, 'list')} point at it; ${listed} of these are shown, in a line each.`,
      first
        ? `${counted(partly.length, 'list')} cut; all gives the call for each, such as ${inWords(first.all)}.`
        : 'No list is cut; all gives the call that shows its records whole.',
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
