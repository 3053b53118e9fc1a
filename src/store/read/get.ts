import type { Relation, Resource } from '#contract'
import { type Dialect, type IsCancelled, quote } from '#database'
import { comparable } from '../schema/comparable.ts'
import { ownerOf } from '../schema/owners.ts'
import { type Key, storedValue, type Table, tableAt } from '../schema/tables.ts'
import { ofShort, type Reserve } from './list.ts'
import {
  createParams,
  type ExtraColumns,
  noExtraColumns,
  type Param,
  type Params,
  type QueryTemplate,
} from './query-template.ts'

/** A request for one record by its identity. */
export interface GetRequest {
  readonly resource: Resource
  readonly brand: string
  readonly key: Key
  readonly include: readonly Relation[]
  /** Without it, a read may use up to `limits.pageBytes`, regardless of concurrent reads. */
  readonly reserve?: Reserve | undefined
  /** Cancelling ends a read in steps. */
  readonly isCancelled?: IsCancelled | undefined
}

/** A get in terms of tables and columns. */
export interface GetPlan {
  readonly table: Table
  readonly references: readonly string[]
}

export const planGet = (request: GetRequest, tables: ReadonlyMap<string, Table>): GetPlan => ({
  table: tableAt(tables, request.resource.path),
  references: request.include.map(({ field }) => field),
})

/**
 * Reads the record's identity, its text if short, and the references to include, as a page of one.
 * Extra columns come from the same statement and snapshot.
 */
export const compileGet = (
  { table, references }: GetPlan,
  dialect: Dialect,
  extra: (values: Params<GetRequest>) => ExtraColumns = noExtraColumns,
): QueryTemplate<GetRequest> => {
  const values = createParams<Param<GetRequest>>(({ brand }) => ownerOf(table.resource, brand))
  const where = table.key.map((column, index) => {
    const value = values.add(({ key }) => comparable(column.kind, key[index] ?? ''))
    return `t.${quote(column.name)} = ${storedValue(column, value, dialect)}`
  })
  const { columns, joins } = extra(values)
  const all = [
    ...table.key.map(({ name }) => `t.${quote(name)}`),
    dialect.bytes(ofShort('t."body"')),
    ...references.map((field) => ofShort(dialect.jsonText('t."body"', [field]))),
    ...columns,
  ]
  const text = [
    `select ${all.join(', ')}`,
    `from ${quote(table.name)} as t${joins}`,
    `where t."owner" = ?1 and ${where.join(' and ')}`,
  ].join('\n')
  return { text, params: values.all }
}
