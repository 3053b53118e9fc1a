import { fieldAt, limits, type Relation, type Resource } from '#contract'
import { type Dialect, type IsCancelled, quote, type Row } from '#database'
import { comparable } from '../schema/comparable.ts'
import { readText } from '../schema/identifier.ts'
import { ownerOf } from '../schema/owners.ts'
import {
  type Column,
  columnOf,
  indexFor,
  type Key,
  linkIndexFor,
  storedValue,
  type Table,
  tableAt,
} from '../schema/tables.ts'
import type { Body } from './body.ts'
import {
  createParams,
  type ExtraColumns,
  noExtraColumns,
  type Param,
  type Params,
  type QueryTemplate,
} from './query-template.ts'
import type { State } from './state.ts'

/**
 * Reserves memory for this many bytes of records before they are read, or throws. May be called
 * again for the same response if it is read again. Called only if records are read by identity,
 * because some are longer than `inlineBytesMax` or filters are wide, and exceed
 * `limits.unreservedBytes`. Pages of short records have at most 100 of them, with included ones,
 * and need no reservation.
 */
export type Reserve = (bytes: number) => void | Promise<void>

/** A request for a list, independent of HTTP. */
export interface ListRequest {
  readonly resource: Resource
  readonly brand: string
  readonly filters: ReadonlyMap<string, string | number>
  readonly limit: number
  /** The page begins after this record. */
  readonly after: Key | null
  readonly include: readonly Relation[]
  /** Without it, a read may use up to `limits.pageBytes`, regardless of concurrent reads. */
  readonly reserve?: Reserve | undefined
  /** Cancelling ends a read in steps. */
  readonly isCancelled?: IsCancelled | undefined
}

/**
 * One page of a list: the records' JSON texts, the number of matches on all pages, and where the
 * next page begins (specification §List endpoints).
 */
export interface Page extends State {
  /** Joined by commas, ready to send. */
  readonly items: Body
  /** Number of records in `items`. */
  readonly count: number
  readonly total: number
  readonly next: Key | null
}

/** A list in terms of tables and columns. Lists that differ only in their values have the same plan. */
export interface ListPlan {
  readonly table: Table
  /** The filters on columns of its own table. */
  readonly own: readonly string[]
  readonly through: readonly ThroughPlan[]
  /** Whether it begins after a record. */
  readonly isLater: boolean
  /**
   * The own filter whose index drives the query; undefined if the identity or a link table drives
   * it.
   */
  readonly drivingIndex: string | undefined
  /** Paths of the references to read with each record. */
  readonly references: readonly string[]
}

export interface ThroughPlan {
  readonly name: string
  readonly link: Table
  readonly match: string
  readonly where: string
  readonly local: string
}

type ListTemplate = QueryTemplate<ListRequest>
type ListParams = Params<ListRequest>

export const planList = (request: ListRequest, tables: ReadonlyMap<string, Table>): ListPlan => {
  const { resource, filters, after, include } = request
  const requested = resource.filters.filter(({ name }) => filters.has(name))
  const own = requested.filter(({ field }) => field !== undefined).map(({ name }) => name)
  return {
    table: tableAt(tables, resource.path),
    own,
    through: requested.flatMap(({ name, through }) =>
      through ? [{ ...through, name, link: tableAt(tables, through.collection) }] : [],
    ),
    isLater: after !== null,
    drivingIndex: mostSelective(resource, own),
    references: include.map(({ field }) => field),
  }
}

/** The owner of a table's records, for the brand of a request. */
export const ownerIn =
  ({ resource }: Table): Param<ListRequest> =>
  ({ brand }) =>
    ownerOf(resource, brand)

const filterValue =
  (name: string, { kind }: Column): Param<ListRequest> =>
  ({ filters }) =>
    comparable(kind, filters.get(name) ?? null)

/** The condition that a column has the value of a filter. */
const isFilterValue = (
  alias: string,
  table: Table,
  column: string,
  filter: string,
  dialect: Dialect,
  values: Pick<ListParams, 'add'>,
): string => {
  const own = columnOf(table, column)
  const value = storedValue(own, values.add(filterValue(filter, own)), dialect)
  return `${alias}.${quote(column)} = ${value}`
}

const afterValues = (
  { table, isLater }: ListPlan,
  dialect: Dialect,
  values: ListParams,
): readonly string[] | null =>
  isLater
    ? table.key.map((column, index) =>
        storedValue(
          column,
          values.add(({ after }) => comparable(column.kind, after?.[index] ?? null)),
          dialect,
        ),
      )
    : null

/**
 * Maximum bytes of a text that is read together with others. It bounds the memory of a page: 100
 * records with as many included ones, or 1,000 changes, take at most 16 MB. Longer texts are read
 * one by one.
 */
export const inlineBytesMax = 16_384

/** A value of a record; null if its text is long. The engine knows the length without reading it. */
export const ofShort = (value: string): string =>
  `case when octet_length(t."body") <= ${inlineBytesMax} then ${value} end`

/** The page: each record's identity, its text if short, and the references to include. */
export const compileList = (plan: ListPlan, dialect: Dialect): ListTemplate =>
  compileRows(plan, dialect, [
    dialect.bytes(ofShort('t."body"')),
    ...plan.references.map((field) => ofShort(dialect.jsonText('t."body"', [field]))),
  ])

/** Only the identities of the page. */
export const compileKeys = (plan: ListPlan, dialect: Dialect): ListTemplate =>
  compileRows(plan, dialect, [])

const compileRows = (plan: ListPlan, dialect: Dialect, extra: readonly string[]): ListTemplate => {
  const values = createParams(ownerIn(plan.table))
  const columns = [...plan.table.key.map(({ name }) => `t.${quote(name)}`), ...extra]
  const after = afterValues(plan, dialect, values)
  // One more than the page holds, to know whether another page follows.
  const take = values.add(({ limit }) => limit + 1)
  const text = pageText(plan, dialect, values, { columns, after, take })
  return { text, params: values.all }
}

/**
 * The page in one row: the joined texts, the last identity, the number of records found (one more
 * than the page holds if another page follows), and how many texts are missing because they are long. For records with a one-column identity. Extra
 * columns come from the same statement and snapshot.
 */
export const compileJoined = (
  plan: ListPlan,
  dialect: Dialect,
  extra: (values: ListParams) => ExtraColumns = noExtraColumns,
): ListTemplate => {
  const values = createParams(ownerIn(plan.table))
  const [key] = plan.table.key
  const size = values.add(({ limit }) => limit)
  const rows = pageText(plan, dialect, values, {
    columns: [`t.${quote(key?.name ?? '')} as "k"`, `${ofShort('t."body"')} as "b"`],
    after: afterValues(plan, dialect, values),
    take: size,
    most: limits.pageSize.maximum,
  })
  const next = pageText(plan, dialect, values, { columns: ['1'], after: ['a."last"'], take: '1' })
  const { columns, joins } = extra(values)
  const last = key?.kind === 'uuid' ? dialect.aggregateUuid('max', 'r."k"') : 'max(r."k")'
  // Not `exists`: PostgreSQL would drop the order and search for any matching row.
  const rowCount = `a."size" + case when a."size" = ${size} and (${next}) is not null then 1 else 0 end`
  const text = [
    `select ${['a."items"', 'a."last"', rowCount, 'a."size" - a."texts"', ...columns].join(', ')}`,
    `from (select ${dialect.bytes(dialect.concat('r."b"', 'r."k"'))} as "items", ${last} as "last",`,
    'count(*) as "size", count(r."b") as "texts"',
    `from (${rows}) as r) as a${joins}`,
  ].join('\n')
  return { text, params: values.all }
}

/** A range of a list as SQL: the columns, the identity it follows, and the number of rows. */
interface Range {
  readonly columns: readonly string[]
  readonly after: readonly string[] | null
  readonly take: string
  /** An upper bound on `take`. */
  readonly most?: number
}

const pageText = (plan: ListPlan, dialect: Dialect, values: ListParams, range: Range): string => {
  const [driving] = plan.through
  return driving && dialect.joinsInOrder && isWholeKey(plan.table, driving.local)
    ? drivenText(plan, driving, dialect, values, range)
    : plainText(plan, dialect, values, range)
}

/**
 * Counts the matches on all pages (specification §List endpoints), inside a statement whose first
 * value is the owner.
 */
export const countText = (plan: ListPlan, dialect: Dialect, values: ListParams): string =>
  [
    'select count(*)',
    `from ${source(plan, dialect)}`,
    `where ${conditions(plan, dialect, values).join(' and ')}`,
  ].join('\n')

const plainText = (
  plan: ListPlan,
  dialect: Dialect,
  values: ListParams,
  { columns, after, take, most }: Range,
): string => {
  const key = plan.table.key.map(({ name }) => `t.${quote(name)}`)
  const where = conditions(plan, dialect, values)
  if (after) {
    where.push(
      key.length === 1 ? `${key[0]} > ${after[0]}` : `(${key.join(', ')}) > (${after.join(', ')})`,
    )
  }
  const ordered = [
    `select ${columns.join(', ')}`,
    `from ${source(plan, dialect)}`,
    `where ${where.join(' and ')}`,
    `order by ${key.join(', ')}`,
  ].join('\n')
  return most !== undefined && hasOnePlan(plan)
    ? dialect.firstRows(ordered, take, most)
    : `${ordered}\nlimit ${dialect.limit(take)}`
}

/** Whether one index is the best for all filter values. */
const hasOnePlan = ({ own, through }: ListPlan): boolean => own.length <= 1 && through.length === 0

/**
 * Driven by a link table: its index holds the matching identities in order, so that a page costs
 * the same however many there are. Groups rows, because a link table may reference a record more
 * than once.
 */
const drivenText = (
  plan: ListPlan,
  driving: ThroughPlan,
  dialect: Dialect,
  values: ListParams,
  { columns, after, take }: Range,
): string => {
  const { link } = driving
  const match = `l.${quote(driving.match)}`
  const rest = { ...plan, through: plan.through.filter((each) => each !== driving) }
  const where = [
    `l."owner" = ${values.add(ownerIn(link))}`,
    isFilterValue('l', link, driving.where, driving.name, dialect, values),
    ...(after ? [`${match} > ${after[0]}`] : []),
    ...conditions(rest, dialect, values).slice(1),
  ]
  return [
    `select ${columns.join(', ')}`,
    `from ${tableByIndex(dialect, link.name, 'l', linkIndexFor(link, driving.where, driving.match))}`,
    `cross join ${quote(plan.table.name)} as t`,
    `on t."owner" = ?1 and t.${quote(driving.local)} = ${match}`,
    `where ${where.join(' and ')}`,
    `group by ${match}`,
    `order by ${match}`,
    `limit ${dialect.limit(take)}`,
  ].join('\n')
}

const source = (plan: ListPlan, dialect: Dialect): string =>
  tableByIndex(
    dialect,
    plan.table.name,
    't',
    plan.drivingIndex && indexFor(plan.table, plan.drivingIndex),
  )

/** Joins the record with an identity by its primary key, as `t`. Its owner is the first value. */
export const keyJoin = (
  table: Table,
  dialect: Dialect,
  wanted: readonly string[],
): { readonly join: string; readonly where: readonly string[] } => {
  const names = table.key.map(({ name }) => `t.${quote(name)}`)
  const isSame = names.map((name, index) => `${name} = ${wanted[index]}`)
  const where = ['t."owner" = ?1', ...isSame]
  if (!dialect.joinsLaterally) return { join: `cross join ${quote(table.name)} as t`, where }
  const from = `(${names.join(', ')}) >= (${wanted.join(', ')})`
  const join = [
    'cross join lateral (select t.*',
    `from ${quote(table.name)} as t`,
    `where t."owner" = ?1 and ${from}`,
    `order by ${names.join(', ')}`,
    'limit 1) as t',
  ].join('\n')
  return { join, where }
}

/** The join of `keyJoin` as one text. Ends with the conditions, so that more can be appended. */
export const joinByKey = (table: Table, dialect: Dialect, wanted: readonly string[]): string => {
  const { join, where } = keyJoin(table, dialect, wanted)
  return `${join}\nwhere ${where.join(' and ')}`
}

/**
 * The brand, the own filters, then those through link tables. All must match (specification §List
 * endpoints).
 */
const conditions = (plan: ListPlan, dialect: Dialect, values: ListParams): string[] => [
  't."owner" = ?1',
  ...plan.own.map((name) => isFilterValue('t', plan.table, name, name, dialect, values)),
  ...plan.through.map(({ name, link, match, where, local }) =>
    [
      `t.${quote(local)} in (select l.${quote(match)}`,
      `from ${tableByIndex(dialect, link.name, 'l', linkIndexFor(link, where, match))}`,
      `where l."owner" = ${values.add(ownerIn(link))}`,
      `and ${isFilterValue('l', link, where, name, dialect, values)})`,
    ].join('\n'),
  ),
]

export const tableByIndex = (
  dialect: Dialect,
  table: string,
  alias: string,
  index: string | undefined,
): string => (index ? dialect.indexedBy(table, alias, index) : `${quote(table)} as ${alias}`)

export const isWholeKey = (table: Table, column: string): boolean =>
  table.key.length === 1 && table.key[0]?.name === column

/**
 * The filter expected to be the most selective: the identity's first field, then a natural key, the
 * parent, a reference, free text, and last a status or code that many records share.
 */
const mostSelective = (resource: Resource, own: readonly string[]): string | undefined => {
  const rank = (column: string): number => {
    const path = resource.filters.find(({ name }) => name === column)?.field ?? column
    const field = fieldAt(resource.fields, path)
    if (resource.key[0] === column) return 0
    if (resource.unique.some((names) => names.length === 1 && names[0] === column)) return 1
    if (column === resource.parent) return 2
    if (field?.kind === 'ref') return 3
    return field?.values || field?.code ? 5 : 4
  }
  return [...own].sort((a, b) => rank(a) - rank(b))[0]
}

/** Compares identities by their bytes, part by part. */
export const compareKeys = (one: Key, other: Key): number => {
  for (const [index, part] of one.entries()) {
    const order = Buffer.compare(Buffer.from(part), Buffer.from(other[index] ?? ''))
    if (order !== 0) return order
  }
  return 0
}

/** The identity at the beginning of a row. */
export const readKey = (row: Row, table: Table): Key => row.slice(0, table.key.length).map(readText)
