import { createHash } from 'node:crypto'
import { type Condition, conditionCollections, fieldAt } from '#contract'
import type { Dialect } from '#database'
import { tableAt } from '../read/list.ts'
import type { Dependency } from '../read/state.ts'
import { ownerOf } from '../schema/owners.ts'
import type { Table } from '../schema/tables.ts'
import { type Driver, driversOf, identityDriver, walkOf } from './access.ts'
import { conjunctsOf, isCostly } from './conjuncts.ts'
import { lookupColumn, sortColumnOf } from './operand.ts'
import type { QueryRequest, Selection } from './request.ts'
import { type Order, orderOf } from './sort-order.ts'
import type { QueryTarget, Search } from './statements.ts'

/** A list of the query API in terms of tables, indexes and conditions. */
export interface QueryPlan {
  readonly target: QueryTarget
  /** Names the selection: lists that select the same records have the same name. */
  readonly name: string
  readonly conditions: readonly Condition[]
  readonly order: Order
  /** What the list can be driven by; the last one is the identity. */
  readonly drivers: readonly Driver[]
  /** The list in its order. */
  readonly walk: Search
}

export interface PlanParts {
  readonly tables: ReadonlyMap<string, Table>
  readonly dialect: Dialect
}

export const planQuery = (request: QueryRequest, { tables, dialect }: PlanParts): QueryPlan => {
  const { resource, brand, sort } = request
  const table = tableAt(tables, resource.path)
  const conditions = conjunctsOf(request)
  const order = orderOf(table, sort)
  const drivers = [...driversOf(table, tables, conditions), identityDriver]
  const isNullable = sort !== null && fieldAt(resource.fields, sort.field)?.nullable === true
  return {
    target: { table, tables, brand, dialect },
    name: nameOf(request, conditions),
    conditions,
    order,
    drivers,
    walk: searchBy(conditions, walkOf(order, isNullable, drivers)),
  }
}

const nameOf = ({ resource, brand, ids }: Selection, conditions: readonly Condition[]): string => {
  const text = JSON.stringify([ownerOf(resource, brand), resource.path, conditions, ids])
  return createHash('sha256').update(text).digest('base64')
}

/** A search by a driver: the conditions that it does not imply are compared record by record. */
export const searchBy = (conditions: readonly Condition[], driver: Driver): Search => ({
  driver,
  others: conditions.filter((condition) => !driver.implied.includes(condition)),
})

/** Records that are compared by their columns in well under a step's time. */
const comparedMax = 1_000
/** The same for records whose texts are parsed, or that others are looked up for. */
const parsedMax = 200

/** How many records a search may look at in one statement of the event loop. */
export const shortMax = ({ others }: Search, { table }: QueryTarget): number => {
  const hasColumn = (field: string) =>
    (lookupColumn(table, field) ?? sortColumnOf(table, field)) !== undefined
  return others.some((condition) => isCostly(condition, hasColumn)) ? parsedMax : comparedMax
}

/** The collections that a list depends on: its own, those of its conditions, then those it includes. */
export const dependenciesOfQuery = (
  request: Pick<QueryRequest, 'resource' | 'filters' | 'where' | 'include' | 'brand' | 'ids'>,
  tables: ReadonlyMap<string, Table>,
): { readonly dependencies: readonly Dependency[]; readonly ofTotal: number } => {
  const { resource, include } = request
  const own = new Set([resource.path, ...conjunctsOf(request).flatMap(conditionCollections)])
  const all = new Set([...own, ...include.map(({ to }) => to)])
  const dependencies = [...all].map((path) => {
    const { resource: owned } = tableAt(tables, path)
    return { path, owner: ({ brand }: { readonly brand: string }) => ownerOf(owned, brand) }
  })
  return { dependencies, ofTotal: own.size }
}
