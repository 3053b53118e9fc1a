import { fieldAt, type Relation, type Resource } from '#contract'
import { type Dialect, quote } from '#database'
import { indexFor, linkIndexFor, ownerOf, type Table } from '../schema/tables.ts'
import {
  createParams,
  type ExtraColumns,
  noExtraColumns,
  type Param,
  type Params,
  type QueryTemplate,
} from './query-template.ts'

/** The values of a record's identity, in the order of its key. */
export type Key = readonly string[]

/**
 * Sets memory aside for so many bytes of records before they are read, or throws. May be called again
 * for the same response, when it is read again. Called only where records are read by their
 * identities, because some are longer than `inlineBytesMax` or filters are wide, and have more than
 * `limits.unreservedBytes`: a page of short records has at most 100 of them, with what they include,
 * and is read without it.
 */
export type Reserve = (bytes: number) => void | Promise<void>

/** What a list asks for, once HTTP has been left behind. */
export interface ListRequest {
  readonly resource: Resource
  readonly brand: string
  readonly filters: ReadonlyMap<string, string | number>
  readonly limit: number
  /** The page begins after this record. */
  readonly after: Key | null
  readonly include: readonly Relation[]
  /** Without it, what is read may have `limits.pageBytes`, however much is read at the same time. */
  readonly reserve?: Reserve | undefined
}

/**
 * A list as a matter of tables and columns. Lists that differ in nothing but their values have the
 * same plan.
 */
export interface ListPlan {
  readonly table: Table
  /** The filters on columns of its own. */
  readonly own: readonly string[]
  readonly through: readonly ThroughPlan[]
  /** Whether it begins after a record. */
  readonly isLater: boolean
  /** The own column whose index leads; none where the identity or a link table does. */
  readonly drivingIndex: string | undefined
  /** Paths of the references to read beside each record. */
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
  const given = resource.filters.filter(({ name }) => filters.has(name))
  const own = given.filter(({ field }) => field !== undefined).map(({ name }) => name)
  return {
    table: tableAt(tables, resource.path),
    own,
    through: given.flatMap(({ name, through }) =>
      through ? [{ ...through, name, link: tableAt(tables, through.collection) }] : [],
    ),
    isLater: after !== null,
    drivingIndex: mostSelective(resource, own),
    references: include.map(({ field }) => field),
  }
}

/** Who owns the records of a table, for the brand that asks. */
export const ownerIn =
  ({ resource }: Table): Param<ListRequest> =>
  ({ brand }) =>
    ownerOf(resource, brand)

export const filterValue =
  (name: string): Param<ListRequest> =>
  ({ filters }) =>
    filters.get(name) ?? null

const afterValues = ({ table, isLater }: ListPlan, values: ListParams): readonly string[] | null =>
  isLater ? table.key.map((_, index) => values.add(({ after }) => after?.[index] ?? null)) : null

/**
 * A record's text is read together with others only if it has no more bytes than this, so that the
 * texts of a page fit into memory whatever it holds. Longer ones are read one by one.
 */
export const inlineBytesMax = 16_384

/** A value of a record, or null where its text is long. A length is known without the text. */
export const ofShort = (value: string): string =>
  `case when octet_length(t."body") <= ${inlineBytesMax} then ${value} end`

/** The page: for each record its identity, its body if it is short, and the references asked for. */
export const compileList = (plan: ListPlan, dialect: Dialect): ListTemplate =>
  compileRows(plan, dialect, [
    ofShort('t."body"'),
    ...plan.references.map((field) => ofShort(dialect.jsonText('t."body"', [field]))),
  ])

/** The identities of the page alone. */
export const compileKeys = (plan: ListPlan, dialect: Dialect): ListTemplate =>
  compileRows(plan, dialect, [])

const compileRows = (plan: ListPlan, dialect: Dialect, beside: readonly string[]): ListTemplate => {
  const values = createParams(ownerIn(plan.table))
  const columns = [...plan.table.key.map(({ name }) => `t.${quote(name)}`), ...beside]
  const after = afterValues(plan, values)
  // One more than the page holds, to learn whether another follows.
  const take = values.add(({ limit }) => limit + 1)
  const text = pageText(plan, dialect, values, { columns, after, take })
  return { text, params: values.all }
}

/**
 * The same page in one row: its records' texts joined by commas, the last identity, whether another
 * page follows, and how many texts are missing because they are long. For records that are
 * identified by one column. What is to be read beside it, from the same state, is written in the
 * same statement.
 */
export const compileJoined = (
  plan: ListPlan,
  dialect: Dialect,
  beside: (values: ListParams) => ExtraColumns = noExtraColumns,
): ListTemplate => {
  const values = createParams(ownerIn(plan.table))
  const [key] = plan.table.key
  const size = values.add(({ limit }) => limit)
  const rows = pageText(plan, dialect, values, {
    columns: [`t.${quote(key?.name ?? '')} as "k"`, `${ofShort('t."body"')} as "b"`],
    after: afterValues(plan, values),
    take: size,
  })
  const next = pageText(plan, dialect, values, { columns: ['1'], after: ['a."last"'], take: '1' })
  const { columns, joins } = beside(values)
  // Not `exists`: PostgreSQL would leave out the order, and look for any one row wherever it may be.
  const isMore = `case when a."size" = ${size} and (${next}) is not null then 1 else 0 end`
  const text = [
    `select ${['a."items"', 'a."last"', isMore, 'a."size" - a."texts"', ...columns].join(', ')}`,
    `from (select ${dialect.concat('r."b"', 'r."k"')} as "items", max(r."k") as "last",`,
    `count(*) as "size", count(r."b") as "texts" from (${rows}) as r) as a${joins}`,
  ].join(' ')
  return { text, params: values.all }
}

/** A stretch of a list, as text: what to select, after which identity, and how many. */
interface Stretch {
  readonly columns: readonly string[]
  readonly after: readonly string[] | null
  readonly take: string
}

const pageText = (
  plan: ListPlan,
  dialect: Dialect,
  values: ListParams,
  stretch: Stretch,
): string => {
  const [lead] = plan.through
  return lead && dialect.joinsInOrder && isWholeKey(plan.table, lead.local)
    ? drivenText(plan, lead, dialect, values, stretch)
    : plainText(plan, dialect, values, stretch)
}

/** How many records match, all pages together. */
export const compileCount = (plan: ListPlan, dialect: Dialect): ListTemplate => {
  const values = createParams(ownerIn(plan.table))
  const text = countText(plan, dialect, values)
  return { text, params: values.all }
}

/** The same inside a statement whose first value is the owner. */
export const countText = (plan: ListPlan, dialect: Dialect, values: ListParams): string =>
  `select count(*) from ${source(plan, dialect)} where ${conditions(plan, dialect, values).join(' and ')}`

const plainText = (
  plan: ListPlan,
  dialect: Dialect,
  values: ListParams,
  { columns, after, take }: Stretch,
): string => {
  const key = plan.table.key.map(({ name }) => `t.${quote(name)}`)
  const where = conditions(plan, dialect, values)
  if (after) {
    where.push(
      key.length === 1 ? `${key[0]} > ${after[0]}` : `(${key.join(', ')}) > (${after.join(', ')})`,
    )
  }
  return [
    `select ${columns.join(', ')}`,
    `from ${source(plan, dialect)}`,
    `where ${where.join(' and ')}`,
    `order by ${key.join(', ')}`,
    `limit ${dialect.limit(take)}`,
  ].join(' ')
}

/**
 * Led by a link table: its index holds the identities that match, in order, so the page costs the
 * same however many there are. A link may name a record more than once; grouping tells it once.
 */
const drivenText = (
  plan: ListPlan,
  lead: ThroughPlan,
  dialect: Dialect,
  values: ListParams,
  { columns, after, take }: Stretch,
): string => {
  const match = `l.${quote(lead.match)}`
  const rest = { ...plan, through: plan.through.filter((each) => each !== lead) }
  const where = [
    `l."brand" = ${values.add(ownerIn(lead.link))}`,
    `l.${quote(lead.where)} = ${values.add(filterValue(lead.name))}`,
    ...(after ? [`${match} > ${after[0]}`] : []),
    ...conditions(rest, dialect, values).slice(1),
  ]
  return [
    `select ${columns.join(', ')}`,
    `from ${tableByIndex(dialect, lead.link.name, 'l', linkIndexFor(lead.link, lead.where, lead.match))}`,
    `cross join ${quote(plan.table.name)} as t on t."brand" = ?1 and t.${quote(lead.local)} = ${match}`,
    `where ${where.join(' and ')}`,
    `group by ${match} order by ${match}`,
    `limit ${dialect.limit(take)}`,
  ].join(' ')
}

const source = (plan: ListPlan, dialect: Dialect): string =>
  tableByIndex(
    dialect,
    plan.table.name,
    't',
    plan.drivingIndex && indexFor(plan.table, plan.drivingIndex),
  )

/**
 * Joins the record of the first owner of a statement whose identity is given, as `t`, by its primary
 * key. It ends with the conditions, so that more of them can follow.
 */
export const joinByKey = (table: Table, dialect: Dialect, wanted: readonly string[]): string => {
  const names = table.key.map(({ name }) => `t.${quote(name)}`)
  const same = names.map((name, index) => `${name} = ${wanted[index]}`)
  const where = `where t."brand" = ?1 and ${same.join(' and ')}`
  if (!dialect.joinsLaterally) return `cross join ${quote(table.name)} as t ${where}`
  const from = `(${names.join(', ')}) >= (${wanted.join(', ')})`
  return [
    `cross join lateral (select t.* from ${quote(table.name)} as t where t."brand" = ?1 and ${from}`,
    `order by ${names.join(', ')} limit 1) as t ${where}`,
  ].join(' ')
}

/** The brand, the own filters, then those through link tables. */
const conditions = (plan: ListPlan, dialect: Dialect, values: ListParams): string[] => [
  't."brand" = ?1',
  ...plan.own.map((name) => `t.${quote(name)} = ${values.add(filterValue(name))}`),
  ...plan.through.map(({ name, link, match, where, local }) =>
    [
      `t.${quote(local)} in (select l.${quote(match)}`,
      `from ${tableByIndex(dialect, link.name, 'l', linkIndexFor(link, where, match))}`,
      `where l."brand" = ${values.add(ownerIn(link))} and l.${quote(where)} = ${values.add(filterValue(name))})`,
    ].join(' '),
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
 * The filter expected to leave the fewest records: the identity's own first field, then a natural
 * key, then a reference, then free text, and last a status or a code that many records share.
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

export const tableAt = (tables: ReadonlyMap<string, Table>, path: string): Table => {
  const table = tables.get(path)
  if (!table) throw new RangeError(`There is no table for ${path}.`)
  return table
}
