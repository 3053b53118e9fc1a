import { type Condition, conditionWithin, type GroupScope } from '#contract'
import { type Dialect, type Query, quote, type Row, type SqlValue, type Steps } from '#database'
import { compileCondition } from '../query/condition-sql.ts'
import { lookupColumn } from '../query/operand.ts'
import { readKey, tableByIndex } from '../read/list.ts'
import { createParams } from '../read/query-template.ts'
import { ownerOf } from '../schema/owners.ts'
import {
  type Column,
  indexFor,
  type Key,
  prefixText,
  type SortColumn,
  storedValue,
  type Table,
  tableAt,
  wholeText,
} from '../schema/tables.ts'

/** One read of a document for one brand. All its statements use one snapshot. */
export interface DocumentRead {
  readonly steps: Steps
  readonly dialect: Dialect
  readonly tables: ReadonlyMap<string, Table>
  readonly brand: string
  /** Other groups read as if they had no records. */
  readonly scope: GroupScope
}

/** Values of a record by field name. */
export interface Values {
  readonly [field: string]: string | null
}

/** A record found by following a reference. */
export interface FollowedRow {
  /** The value of the column it was found by. */
  readonly from: string
  readonly key: Key
  readonly values: Values
}

export interface Follow {
  readonly group: string
  /** The field to compare: a reference with an index, or the identity. */
  readonly column: string
  readonly values: readonly string[]
  /** The fields to read. */
  readonly fields: readonly string[]
  readonly where: Condition | null
}

/** Values per statement, and records per statement: a few milliseconds each. */
const valuesMax = 100
const rowsMax = 1_000

/**
 * Yields the records of a group with one of these values, in batches, along an index. Everything that
 * a document shows of other records comes from here, or is included in them.
 */
export async function* follow(
  read: DocumentRead,
  whole: Follow,
): AsyncGenerator<readonly FollowedRow[]> {
  const { scope } = read
  if (!scope.has(whole.group)) return
  const request = { ...whole, where: whole.where && conditionWithin(scope, whole.where) }
  const values = [...new Set(request.values)]
  for (let from = 0; from < values.length; from += valuesMax) {
    yield* followSome(read, request, values.slice(from, from + valuesMax))
  }
}

/** Some fields of the records with these identities; a reference may be null or point to nothing. */
export const readById = async (
  read: DocumentRead,
  group: string,
  ids: readonly (string | null)[],
  fields: readonly string[],
): Promise<ReadonlyMap<string, Values>> => {
  const values = ids.filter((id) => id !== null)
  const records = new Map<string, Values>()
  for await (const batch of follow(read, { group, column: 'id', values, fields, where: null })) {
    for (const { from, values: record } of batch) records.set(from, record)
  }
  return records
}

async function* followSome(
  read: DocumentRead,
  request: Follow,
  values: readonly string[],
): AsyncGenerator<readonly FollowedRow[]> {
  const [only] = values
  if (only === undefined) return
  if (values.length === 1) {
    yield* followOne(read, request, only)
    return
  }
  const table = tableAt(read.tables, request.group)
  const rows = await read.steps.all(compileMany(read, request, values))
  if (rows.length <= rowsMax) {
    if (rows.length > 0) {
      yield rows.map((row) => readRow(row.slice(1), String(row[0]), table, request))
    }
    return
  }
  const half = Math.ceil(values.length / 2)
  yield* followSome(read, request, values.slice(0, half))
  yield* followSome(read, request, values.slice(half))
}

async function* followOne(
  read: DocumentRead,
  request: Follow,
  value: string,
): AsyncGenerator<readonly FollowedRow[]> {
  const table = tableAt(read.tables, request.group)
  for (let after: Key | null = null; ; ) {
    const rows: readonly Row[] = await read.steps.all(compileOne(read, request, value, after))
    const last = rows.at(-1)
    if (!last) return
    yield rows.map((row) => readRow(row, value, table, request))
    if (rows.length < rowsMax) return
    after = readKey(last, table)
  }
}

const readRow = (row: Row, from: string, table: Table, { fields }: Follow): FollowedRow => ({
  from,
  key: readKey(row, table),
  values: Object.fromEntries(
    fields.map((field, index) => {
      const cell = row[table.key.length + index] ?? null
      return [field, cell === null ? null : String(cell)]
    }),
  ),
})

/** Begins a statement whose first value is the owner, with the columns to select from `t`. */
const begin = ({ dialect, tables, brand }: DocumentRead, { group, column, fields }: Follow) => {
  const table = tableAt(tables, group)
  const lookup = lookupColumn(table, column)
  if (!lookup) throw new RangeError(`${group} cannot be looked up by ${column}.`)
  const keys = table.key.map(({ name }) => `t.${quote(name)}`)
  const scope = {
    table,
    tables,
    brand,
    dialect,
    alias: 't',
    values: createParams<SqlValue>(ownerOf(table.resource, brand)),
  }
  return {
    scope,
    keys,
    index: indexFor(table, lookup.name),
    lookup,
    columns: [...keys, ...fields.map((each) => dialect.jsonText('t."body"', each.split('.')))],
    isValue: (value: string) => hasValue(lookup, value, dialect),
  }
}

const hasValue = (lookup: Column | SortColumn, value: string, dialect: Dialect): string => {
  const column = `t.${quote(lookup.name)}`
  return lookup.kind === 'prefix'
    ? `${column} = ${prefixText(value)} and ${wholeText(lookup, 't', dialect)} = ${value}`
    : `${column} = ${storedValue(lookup, value, dialect)}`
}

/**
 * The records with one value after another one, in identity order. A planner that believes the value
 * to be frequent would walk through all records of the brand in that order. So it gets a range from
 * the value to itself, in an order that only the index of the value has.
 */
export const compileOne = (
  read: DocumentRead,
  request: Follow,
  value: string,
  after: Key | null,
): Query => {
  const { scope, keys, index, columns, lookup, isValue } = begin(read, request)
  const { table, dialect, values } = scope
  const wanted = values.add(value)
  const isRange = dialect.joinsLaterally && lookup.kind !== 'prefix' && index !== undefined
  const column = `t.${quote(lookup.name)}`
  const stored = isRange ? storedValue(lookup, wanted, dialect) : ''
  const order = isRange ? [column, ...keys] : keys
  const where = ['t."owner" = ?1']
  if (isRange) where.push(`${column} >= ${stored}`, `${column} <= ${stored}`)
  else where.push(isValue(wanted))
  if (after) {
    const bounds = table.key.map((each, at) =>
      storedValue(each, values.add(after[at] ?? ''), dialect),
    )
    const from = isRange ? [stored, ...bounds] : bounds
    where.push(
      order.length === 1
        ? `${order[0]} > ${from[0]}`
        : `(${order.join(', ')}) > (${from.join(', ')})`,
    )
  }
  if (request.where) where.push(compileCondition(request.where, scope))
  const text = [
    `select ${columns.join(', ')}`,
    `from ${tableByIndex(dialect, table.name, 't', index)}`,
    `where ${[...where, ...dialect.inTime].join('\nand ')}`,
    `order by ${order.join(', ')}`,
    `limit ${rowsMax}`,
  ].join('\n')
  return { text, values: values.all }
}

const compileMany = (read: DocumentRead, request: Follow, wanted: readonly string[]): Query => {
  const { scope, index, columns, isValue } = begin(read, request)
  const { table, dialect, values } = scope
  const source = dialect.textsIn(values.add(JSON.stringify(wanted)), 'v')
  const own = ['t."owner" = ?1', isValue('v."value"')]
  const others = request.where ? [compileCondition(request.where, scope)] : []
  // A lateral join forces one lookup per value, regardless of table statistics.
  const joined = dialect.joinsLaterally
    ? [
        'cross join lateral (select t.*',
        `from ${quote(table.name)} as t`,
        `where ${own.join(' and ')}`,
        `${dialect.onceForEachRow}) as t`,
        ...(others.length > 0 ? [`where ${others.join(' and ')}`] : []),
      ]
    : [
        `cross join ${tableByIndex(dialect, table.name, 't', index)}`,
        `where ${[...own, ...others, ...dialect.inTime].join('\nand ')}`,
      ]
  const text = [
    `select v."value", ${columns.join(', ')}`,
    `from ${source}`,
    ...joined,
    `limit ${rowsMax + 1}`,
  ].join('\n')
  return { text, values: values.all }
}
