import {
  catalog,
  type Field,
  type RecordAt,
  type Resource,
  type ResourcePath,
  resourceAt,
} from '#contract'
import { quote } from '#database'
import { kindOf, sharedNumber, sortColumnName } from '#store'
import { type Sql, scaled, scales, spellings, sql, type Writing } from './sql.ts'

/** A source of rows: a collection or a named query. */
export interface Source {
  readonly [place]: Place
}

interface Place {
  /** The collection; absent for a query. */
  readonly resource?: Resource
  readonly alias: string
  /** The text for a `from`. The condition determines which index is used. */
  readonly table: (to: Writing, condition: Sql | undefined) => string
}

const place: unique symbol = Symbol('place')

/** A record of a collection, with its fields as SQL. */
export type Row<P extends ResourcePath> = Source & {
  readonly [N in keyof RecordAt<P> & string]: Sql
}

/**
 * A record of a collection under an alias. A field that has a column is read from it. Other fields are
 * extracted from the JSON text: integers and amounts as integers, flags as conditions.
 */
export const row = <P extends ResourcePath>(path: P, alias: string): Row<P> => {
  const resource = resourceAt(catalog, path)
  const own = { [place]: { resource, alias, table: indexedTable(resource, alias) } }
  return Object.assign(Object.create(fieldsOf(resource)), own) as Row<P>
}

const prototypes = new Map<Resource, object>()

/**
 * The fields of a collection as getters. The rules declare hundreds of rows and name few of their fields,
 * so the SQL of a field is made when it is read first.
 */
const fieldsOf = (resource: Resource): object => {
  const existing = prototypes.get(resource)
  if (existing) return existing
  const prototype = {}
  for (const [name, field] of Object.entries(resource.fields)) {
    Object.defineProperty(prototype, name, {
      get(this: Source) {
        const value = fieldSql(resource, this[place].alias, name, field)
        Object.defineProperty(this, name, { value })
        return value
      },
    })
  }
  prototypes.set(resource, prototype)
  return prototype
}

/**
 * The table, read through the index of a column in the condition. An engine without statistics assumes
 * that a brand has few rows and would scan all of them.
 */
const indexedTable =
  (resource: Resource, alias: string): Place['table'] =>
  (to, condition) => {
    to.onTable?.(resource.path)
    const table = resource.path.replaceAll('-', '_')
    const names = (condition?.finds ?? []).flatMap((each) =>
      each.alias === alias ? each.name : [],
    )
    const isByIdentity = names.includes(resource.key[0] ?? '')
    const index = names.map((name) => `${table}__${name}`).find((name) => to.indexes.has(name))
    return index && !isByIdentity
      ? to.dialect.indexedBy(table, quote(alias), index)
      : `${quote(table)} as ${quote(alias)}`
  }

const fieldSql = (resource: Resource, alias: string, name: string, field: Field): Sql => {
  if (isColumn(resource, name)) return columnSql(alias, name, 0, kindOf(field) === 'uuid')
  const json = (to: Writing) => jsonAt(alias, [name], to)
  // In the representation of the columns, so that both can be compared.
  if (kindOf(field) === 'uuid') {
    return { ...scaled(0, (to) => [to.dialect.uuid(json(to))]), isIdentifier: true }
  }
  if (field.kind === 'integer') {
    return scaled(0, (to) => [spellings[to.dialect.name].integer(json(to))])
  }
  if (field.kind === 'flag') return scaled(0, (to) => [spellings[to.dialect.name].flag(json(to))])
  if (field.kind === 'amount' && field.measure) {
    const scale = scales[field.measure]
    return scaled(scale, (to) => [spellings[to.dialect.name].amount(json(to), scale)])
  }
  return scaled(0, (to) => [json(to)])
}

/** Key fields and filters have columns. */
const isColumn = (resource: Resource, name: string): boolean =>
  resource.key.includes(name) ||
  resource.filters.some((filter) => filter.name === name && filter.field === name)

const columnSql = (alias: string, name: string, scale: number, isIdentifier = false): Sql => ({
  ...scaled(scale, () => [`${quote(alias)}.${quote(name)}`]),
  isIdentifier,
  column: { alias, name },
})

const jsonAt = (alias: string, path: readonly string[], to: Writing): string =>
  to.dialect.jsonText(`${quote(alias)}."body"`, path)

/** The text of a field in the record: an amount with all its digits, a list as JSON. */
export const textOf = <P extends ResourcePath>(
  record: Row<P>,
  ...path: readonly [keyof RecordAt<P> & string, ...string[]]
): Sql => scaled(0, (to) => [jsonAt(record[place].alias, path, to)])

/**
 * The text of a field by its path: from its column if it has one, as the record has it otherwise. A
 * list is its JSON.
 */
export const fieldText = (record: Source, path: readonly string[]): Sql => {
  const { resource, alias } = record[place]
  const [name = '', ...inner] = path
  const isText = resource?.fields[name]?.kind === 'text' && inner.length === 0
  return resource && isText && isColumn(resource, name)
    ? columnSql(alias, name, 0)
    : scaled(0, (to) => [jsonAt(alias, path, to)])
}

/** The record is not deleted. */
export const notDeleted = (record: { readonly deletedAt: Sql }): Sql =>
  sql`${record.deletedAt} is null`

export interface Join {
  readonly source: Source
  readonly on: Sql
  readonly outer: boolean
}

export const join = (source: Source, on: Sql): Join => ({ source, on, outer: false })

/** A left join: if there is no row, every field is null. */
export const leftJoin = (source: Source, on: Sql): Join => ({ source, on, outer: true })

/** Rows of one source, with joins and a condition. */
export interface Select {
  readonly from: Source
  readonly join?: readonly Join[]
  readonly where?: Sql
}

/** Joins run in the written order, if the engine supports it. */
export const writeSelect = ({ from, join: joins = [], where }: Select, to: Writing): string => {
  const conditions = [...owned(from), ...(where ? [where.write(to)] : [])]
  return [
    `from ${from[place].table(to, where)}`,
    ...joins.map(({ source, on, outer }) =>
      [
        outer ? 'left join' : to.dialect.joinsInOrder ? 'cross join' : 'join',
        source[place].table(to, on),
        `on ${[...owned(source), on.write(to)].join(' and ')}`,
      ].join(' '),
    ),
    ...(conditions.length > 0 ? [`where ${conditions.join(' and ')}`] : []),
  ].join(' ')
}

/** Restricts a collection to its owner: the number of the brand is the first parameter of every query. */
const owned = (source: Source): readonly string[] => {
  const { resource, alias } = source[place]
  if (!resource) return []
  const column = `${quote(alias)}."owner"`
  // PostgreSQL refuses a parameter that the query does not use.
  return resource.scope === 'shared'
    ? [`${column} = ${sharedNumber}`, 'cast(?1 as bigint) is not null']
    : [`${column} = ?1`]
}

/** A named query that can be joined like a collection, optionally grouped. */
export const derived = <const C extends { readonly [name: string]: Sql }>(
  alias: string,
  query: Select & { readonly columns: C; readonly group?: readonly Sql[] },
): Source & { readonly [N in keyof C]: Sql } => {
  const { columns, group = [] } = query
  const table = (to: Writing) =>
    [
      `(select ${Object.entries(columns).map(([name, each]) => `${each.write(to)} as ${quote(name)}`)}`,
      writeSelect(query, to),
      ...(group.length > 0 ? [`group by ${group.map((each) => each.write(to))}`] : []),
    ].join(' ')
  const fields = Object.entries(columns).map(([name, { scale, isIdentifier }]) => [
    name,
    columnSql(alias, name, scale, isIdentifier),
  ])
  return {
    ...(Object.fromEntries(fields) as { readonly [N in keyof C]: Sql }),
    [place]: { alias, table: (to) => `${table(to)}) as ${quote(alias)}` },
  }
}

/** The first identifier of a group. */
export const firstOf = (identifier: Sql): Sql => ({
  ...scaled(0, (to) => [to.dialect.aggregateUuid('min', identifier.write(to))]),
  isIdentifier: true,
})

/** At least one row exists. */
export const some = (select: Select): Sql =>
  scaled(0, (to) => [`exists (select 1 ${writeSelect(select, to)})`])

/** No row exists. */
export const none = (select: Select): Sql => sql`not ${some(select)}`

/** One value from a single row, or an aggregate over all rows. */
export const valueFrom = (value: Sql, select: Select): Sql =>
  scaled(value.scale, (to) => [`(select ${value.write(to)} ${writeSelect(select, to)})`])

/** The collection of a source. */
export const resourceOf = (source: Source): Resource => {
  const { resource, alias } = source[place]
  if (!resource)
    throw new RangeError(`${alias} is a query: set names to the record that a row names.`)
  return resource
}

/** The key columns of a row, as SQL. */
export const keyOf = (source: Source): readonly Sql[] =>
  resourceOf(source).key.map((name) => columnSql(source[place].alias, name, 0))

/** The time of the last change, in milliseconds since 1970, from the column that has an index. */
export const changedColumn = (source: Source): Sql =>
  columnSql(source[place].alias, sortColumnName('updatedAt'), 0)

/** A column of a source by its name. */
export const columnAt = (source: Source, name: string): Sql =>
  columnSql(source[place].alias, name, 0)
