import type { Resource } from '#contract'
import { type Dialect, literal, type Query, quote, type SqlValue } from '#database'
import {
  changeIndexes,
  changesTable,
  identityColumns,
  newestNumber,
  numbersTable,
} from '../schema/change-tables.ts'
import { removalMark } from '../schema/collection-stats.ts'
import { keyFromBytes, keyToBytes } from '../schema/identifier.ts'
import { ownerNumber, ownerOf, sharedNumber } from '../schema/owners.ts'
import { type Key, type Table, tableAt } from '../schema/tables.ts'
import type { Body } from './body.ts'
import type { ChangesRequest, FeedPosition } from './feed.ts'
import { ofShort } from './list.ts'
import { createParams, type Param, type Params, type QueryTemplate } from './query-template.ts'

type FeedTemplate = QueryTemplate<ChangesRequest>
type FeedParams = Params<ChangesRequest>

/** Columns of a change, before the text of its record. */
export const changeColumns = ['owner', 'change', 'collection', 'removed', ...identityColumns]

/** Replaces a text that is too long to be read with others. No record's text is empty. */
const longText = ''

export const isLongText = (body: Body): boolean => body.length === longText.length

const keyColumns = identityColumns.map((name) => `c.${quote(name)}`)

/**
 * A page of the feed in one statement, so that changes and records come from one snapshot: the
 * changes after a position, one more than the page holds, each with the text of its record. The
 * text is null for a removed record, and `longText` for a long one.
 *
 * Only the change itself says which collection its record is in. So the statement has one branch
 * per collection of the feed, and runs one of them for each change.
 */
export const compilePage = (
  groups: FeedGroups,
  tables: ReadonlyMap<string, Table>,
  dialect: Dialect,
): FeedTemplate => {
  const values = createParams<Param<ChangesRequest>>()
  const changes = changesText(groups, tables, dialect, values)
  const named = groups ? groups.map(({ path }) => tableAt(tables, path)) : [...tables.values()]
  const branches = [...Map.groupBy(named, (table) => table.resource.scope).values()].flatMap(
    (ofScope) => {
      const [{ resource: first }] = ofScope as [Table]
      const owner = values.add(({ brand }) => ownerOf(first, brand))
      return ofScope.map(
        (table) => `when ${literal(table.resource.path)} then ${recordText(table, dialect, owner)}`,
      )
    },
  )
  const text = [
    `select ${changeColumns.map((name) => `c.${quote(name)}`).join(', ')},`,
    dialect.bytes(
      ['case when c."removed" = 0 then case c."collection"', ...branches, 'end end'].join('\n'),
    ),
    `from (${changes}) as c`,
    `order by ${groups?.length === 1 ? inOrderOfOne : inOrder}`,
  ].join('\n')
  return { text, params: values.all }
}

/** Only the changes of a page, one more than it holds. */
export const compileChanges = (
  groups: FeedGroups,
  tables: ReadonlyMap<string, Table>,
  dialect: Dialect,
): FeedTemplate => {
  const values = createParams<Param<ChangesRequest>>()
  return { text: changesText(groups, tables, dialect, values), params: values.all }
}

/** The groups whose changes a page has; null for all. */
export type FeedGroups = readonly Resource[] | null

const inOrder = ['c."change"', 'c."collection"', ...keyColumns].join(', ')
const inOrderOfOne = ['c."change"', ...keyColumns].join(', ')

/** The changes after a position, the brand's and the shared ones, as one sequence. */
const changesText = (
  groups: FeedGroups,
  tables: ReadonlyMap<string, Table>,
  dialect: Dialect,
  values: FeedParams,
): string => {
  const limit = dialect.limit(values.add((request) => request.limit + 1))
  const parts = groups
    ? groups.map((resource) => changesOf(resource, tables, dialect, values, limit))
    : [
        changesOfOwner(({ brand }) => ownerNumber(brand), tables, dialect, values, limit),
        changesOfOwner(() => sharedNumber, tables, dialect, values, limit),
      ]
  const [only, ...others] = parts
  if (only !== undefined && others.length === 0) return only
  return [
    'select *',
    'from (',
    parts.map((part, index) => `select * from (${part}) as p${index}`).join('\nunion all\n'),
    ') as c',
    `order by ${inOrder}`,
    `limit ${limit}`,
  ].join('\n')
}

const changesOfOwner = (
  owner: Param<ChangesRequest>,
  tables: ReadonlyMap<string, Table>,
  dialect: Dialect,
  values: FeedParams,
  limit: string,
): string => {
  const after = [
    values.add((request) => request.after.change),
    values.add((request) => request.after.collection),
    // The position may name a collection that is no longer in the catalog.
    ...keyAfter(values, ({ after }) => ({ ...after, table: tables.get(after.collection) })),
  ]
  return [
    `select ${changeColumns.map((name) => `c.${quote(name)}`).join(', ')}`,
    `from ${dialect.indexedBy(changesTable, 'c', changeIndexes.all.name)}`,
    `where c."owner" = ${values.add(owner)}`,
    `and (${inOrder}) > (${after.join(', ')})`,
    `order by ${inOrder}`,
    `limit ${limit}`,
  ].join('\n')
}

/** The changes of one collection. Those with the position's number come before it or after it. */
const changesOf = (
  resource: Resource,
  tables: ReadonlyMap<string, Table>,
  dialect: Dialect,
  values: FeedParams,
  limit: string,
): string => {
  const { path } = resource
  const table = tables.get(path)
  const after = [
    // No identity is empty.
    values.add(({ after }) => after.change + (path < after.collection ? 1 : 0)),
    ...keyAfter(values, ({ after }) => ({
      key: path === after.collection ? after.key : [],
      table,
    })),
  ]
  return [
    `select ${changeColumns.map((name) => `c.${quote(name)}`).join(', ')}`,
    `from ${dialect.indexedBy(changesTable, 'c', changeIndexes.collection.name)}`,
    `where c."owner" = ${values.add(({ brand }) => ownerOf(resource, brand))}`,
    `and c."collection" = ${literal(path)}`,
    `and (${inOrderOfOne}) > (${after.join(', ')})`,
    `order by ${inOrderOfOne}`,
    `limit ${limit}`,
  ].join('\n')
}

/** The parts of an identity that changes come after. */
const keyAfter = (
  values: FeedParams,
  positionOf: (request: ChangesRequest) => { readonly key: Key; readonly table: Table | undefined },
): readonly string[] =>
  identityColumns.map((_, index) =>
    values.add((request) => {
      const { key, table } = positionOf(request)
      return keyToBytes(table?.key[index]?.kind ?? 'text', key[index] ?? '')
    }),
  )

/**
 * The text of a change's record: selects the first record at or after the identity, and keeps it if
 * it is the wanted one. This form makes a planner without statistics use the primary key; otherwise
 * it considers any index that contains the identity as good.
 */
const recordText = (table: Table, dialect: Dialect, owner: string): string => {
  const names = table.key.map(({ name }) => quote(name))
  const columns = names.map((name) => `t.${name}`).join(', ')
  const wanted = table.key.map(({ kind }, index) =>
    dialect.keyOfBytes(keyColumns[index] ?? '', kind),
  )
  const isSame = names.map((name, index) => `n.${name} = ${wanted[index]}`).join(' and ')
  const isFromThere =
    names.length === 1 ? `${columns} >= ${wanted[0]}` : `(${columns}) >= (${wanted.join(', ')})`
  return [
    `(select case when ${isSame} then n."body" end`,
    `from (select ${columns}, coalesce(${ofShort('t."body"')}, ${literal(longText)}) as "body"`,
    `from ${quote(table.name)} as t`,
    `where t."owner" = ${owner} and ${isFromThere}`,
    `order by ${columns}`,
    'limit 1) as n)',
  ].join('\n')
}

/** The newest change in these groups, or in all, and the number of the last change of all. */
export const compileFeedState = (brand: string, groups: FeedGroups): Query => {
  const values = createParams<SqlValue>(ownerNumber(brand), sharedNumber)
  const named = groups?.map(({ path }) => literal(path)).join(', ')
  const isNamed = named === undefined ? '' : ` and "collection" in (${named || 'null'})`
  return {
    text: [
      'select (select coalesce(max("version"), 0) from "selvedge_collections"',
      `where "owner" in (?1, ?2)${isNamed}),`,
      'coalesce((select "value" from "selvedge_settings" where "name" = \'change\'), \'0\')',
    ].join('\n'),
    values: values.all,
  }
}

/**
 * The number of the newest change in a brand's feed: 0 before the first one, null in a database
 * that does not record changes. Ignores other brands: a higher number of theirs may have been taken
 * after one of this brand that is not committed yet.
 */
export const compileNewestChange = (brand: string): Query => {
  const newestOf = (owner: string) =>
    `select max("change") as "newest" from "${changesTable}" where "owner" = ${owner}`
  return {
    text: [
      'select case when exists (',
      `select 1 from "${numbersTable}")`,
      'then coalesce(max("newest"), 0) end',
      `from (${newestOf('?1')} union all ${newestOf('?2')}) as n`,
    ].join('\n'),
    values: [ownerNumber(brand), sharedNumber],
  }
}

/**
 * The newest number in the change log, whether it contains a position's number, and the number of
 * the change that last removed the brand.
 */
export const compileNumbers = (brand: string, { change }: FeedPosition): Query => ({
  text: [
    `select (${newestNumber.text}),`,
    `(select count(*) from "${numbersTable}" where "change" = ?1),`,
    '(select "version" from "selvedge_collections" where "owner" = ?2 and "collection" = ?3)',
  ].join('\n'),
  values: [change, ownerNumber(brand), removalMark],
})

/** An identity from the columns that all collections share. */
export const keyIn = (columns: readonly SqlValue[], table: Table): Key =>
  table.key.map(({ kind }, index) => keyFromBytes(kind, columns[index] as Uint8Array))
