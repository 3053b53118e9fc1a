import type { Relation, Resource } from '#contract'
import { type Dialect, type Query, quote } from '#database'
import { bind, type Key, tableAt } from './list.ts'
import { ownerOf, type Table } from './tables.ts'

/** One record, by its identity. */
export interface GetRequest {
  readonly resource: Resource
  readonly brand: string
  readonly key: Key
  readonly include: readonly Relation[]
}

export interface GetPlan {
  readonly table: Table
  readonly owner: string
  readonly key: Key
  readonly references: readonly string[]
}

export const planGet = (request: GetRequest, tables: ReadonlyMap<string, Table>): GetPlan => ({
  table: tableAt(tables, request.resource.path),
  owner: ownerOf(request.resource, request.brand),
  key: request.key,
  references: request.include.map(({ field }) => field),
})

/** The record's identity, body and the references asked for, as a page of one. */
export const compileGet = (plan: GetPlan, dialect: Dialect): Query => {
  const values = bind(plan.owner)
  const columns = [
    ...plan.table.key.map(({ name }) => quote(name)),
    '"body"',
    ...plan.references.map((field) => dialect.jsonText('"body"', [field])),
  ]
  const where = plan.table.key.map(
    ({ name }, index) => `${quote(name)} = ${values.add(plan.key[index] ?? '')}`,
  )
  const text = `select ${columns.join(', ')} from ${quote(plan.table.name)} where "brand" = ?1 and ${where.join(' and ')}`
  return { text, values: values.all }
}
