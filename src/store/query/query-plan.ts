import { hash } from 'node:crypto'
import { type Condition, conditionCollections, fieldAt } from '#contract'
import type { Dialect } from '#database'
import { createBoundedCache } from '../read/bounded-cache.ts'
import type { Dependency, State } from '../read/state.ts'
import { ownerOf } from '../schema/owners.ts'
import { type Table, tableAt } from '../schema/tables.ts'
import { type Driver, driversOf, identityDriver, walkOf } from './access.ts'
import { conjunctsOf, isCostly } from './conjuncts.ts'
import { lookupColumn, sortColumnOf } from './operand.ts'
import type { QueryRequest, Selection } from './request.ts'
import { type Order, orderOf } from './sort-order.ts'
import type { PageRange, QueryTarget, Search } from './statements.ts'

/** A list in terms of tables, indexes and conditions. */
export interface QueryPlan {
  readonly target: QueryTarget
  /** Whether it is a contract list: only filters, in identity order. */
  readonly isContract: boolean
  /** Cache key of the selection: the same for lists that select the same records. */
  readonly name: string
  /** Cache key of the list: the selection and its order. */
  readonly listName: string
  readonly conditions: readonly Condition[]
  readonly order: Order
  /** Every possible driver; the last one is the identity. */
  readonly drivers: readonly Driver[]
  /** The search that returns the list in its order; null if no index has the order. */
  readonly walk: Search | null
  /** The collections it depends on: its own, those of its conditions, then included ones. */
  readonly dependencies: readonly Dependency[]
  /** How many of the first dependencies its total depends on. */
  readonly countedDependencies: number
}

export interface PlanParts {
  readonly tables: ReadonlyMap<string, Table>
  readonly dialect: Dialect
}

/** The part of a request that determines its plan. Pages of one walk share it. */
type PlannedRequest = Selection & Pick<QueryRequest, 'sort' | 'include'>

/** Cached plans, about 2 KB each. */
const plansMax = 1_000

export type Planner = (request: PlannedRequest, isContract: boolean) => QueryPlan

/** Plans lists and caches the plans: most requests ask for another page of a recent list. */
export const createPlanner = (parts: PlanParts): Planner => {
  const plans = createBoundedCache<QueryPlan>(plansMax)
  return (request, isContract) => {
    const { resource, brand, filters, where, ids, sort, include } = request
    const includes = include.map(({ name }) => name)
    const selection = [resource.path, brand, [...filters], where, ids, sort, includes]
    const name = JSON.stringify(isContract ? [selection] : selection)
    const existing = plans.get(name)
    if (existing) return existing
    const plan = planQuery(request, isContract, parts)
    // Long names (many ids) would take more memory than their plans.
    if (name.length <= nameLengthMax) plans.set(name, plan)
    return plan
  }
}

const nameLengthMax = 1_000

export const planQuery = (
  request: PlannedRequest,
  isContract: boolean,
  { tables, dialect }: PlanParts,
): QueryPlan => {
  const { resource, brand, sort } = request
  const table = tableAt(tables, resource.path)
  const conditions = conjunctsOf(request)
  const target = { table, tables, brand, dialect }
  const order = orderOf(target, sort)
  const drivers = [...driversOf(table, tables, conditions), identityDriver]
  const name = isContract ? contractName(request) : nameOf(request, conditions)
  const sorted = sort?.by?.kind === 'firstDate' ? sort.by.fields[0] : sort?.field
  const isNullable = fieldAt(resource.fields, sorted ?? '')?.nullable === true
  const walk = walkOf(order, isNullable, drivers, conditions)
  return {
    target,
    isContract,
    name,
    listName: `${name} ${JSON.stringify(sort)}`,
    conditions,
    order,
    drivers,
    walk: walk && searchBy(conditions, walk),
    ...dependenciesOf(request, conditions, tables),
  }
}

/** Cache key of a contract list with filters. Built for every page, hence without its conditions. */
export const contractName = ({
  resource,
  brand,
  filters,
}: Pick<Selection, 'resource' | 'brand' | 'filters'>): string =>
  JSON.stringify([ownerOf(resource, brand), resource.path, [...filters].sort()])

const nameOf = ({ resource, brand, ids }: Selection, conditions: readonly Condition[]): string => {
  const text = JSON.stringify([ownerOf(resource, brand), resource.path, conditions, ids])
  return hash('sha256', text, 'base64')
}

/** A search by a driver. Compares the conditions that the driver does not imply record by record. */
export const searchBy = (conditions: readonly Condition[], driver: Driver): Search => ({
  driver,
  others: conditions.filter((condition) => !driver.implied.includes(condition)),
})

/** The range of a page, with one more record to show whether another page follows. */
export const rangeOf = (
  { order }: QueryPlan,
  { after, limit }: Pick<QueryRequest, 'after' | 'limit'>,
): PageRange => ({
  order,
  after,
  take: limit + 1,
})

/** Comparing this many records by column takes well under a step's time. */
const comparedMax = 1_000
/** The limit for conditions that parse JSON text or look up other records. */
const parsedMax = 200

/** How many records a search may compare in one statement on the event loop. */
export const shortMax = ({ others }: Search, { table }: QueryTarget): number => {
  const hasColumn = (field: string) =>
    (lookupColumn(table, field) ?? sortColumnOf(table, field)) !== undefined
  return others.some((condition) => isCostly(condition, hasColumn)) ? parsedMax : comparedMax
}

const dependenciesOf = (
  { resource, include }: PlannedRequest,
  conditions: readonly Condition[],
  tables: ReadonlyMap<string, Table>,
): Pick<QueryPlan, 'dependencies' | 'countedDependencies'> => {
  const own = new Set([resource.path, ...conditions.flatMap(conditionCollections)])
  const all = new Set([...own, ...include.map(({ to }) => to)])
  const dependencies = [...all].map((path) => {
    const { resource: owned } = tableAt(tables, path)
    return { path, owner: ({ brand }: { readonly brand: string }) => ownerOf(owned, brand) }
  })
  return { dependencies, countedDependencies: own.size }
}

/** The version of the dependencies of a total, taken from the version of a page. */
export const versionOf = (
  { dependencies, countedDependencies }: Pick<QueryPlan, 'dependencies' | 'countedDependencies'>,
  { version }: State,
): string =>
  countedDependencies === dependencies.length
    ? version
    : version.split('.').slice(0, countedDependencies).join('.')
