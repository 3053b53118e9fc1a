import { type Catalog, collectionsBehind, type Resource } from '#contract'
import type { Database, Row, SqlValue } from '#database'
import { bodiesById, compileInclude, spliceIncluded } from './include.ts'
import { compileKept, compileStanding, compileTotal } from './ledger.ts'
import {
  compileCount,
  compileJoined,
  compileList,
  type Key,
  type ListPlan,
  type ListRequest,
  planList,
} from './list.ts'
import { type AsOf, subjectOf } from './news.ts'
import { ownerOf, type Table } from './tables.ts'
import { openTotals } from './totals.ts'

/** What was read, and from which state. */
export interface State {
  /** A text that changes whenever one of the collections behind it does. */
  readonly version: string
  readonly asOf: AsOf
}

/** One page: its records' JSON texts, how many match in all, and where the next page begins. */
export interface Page extends State {
  /** Joined by commas, ready to send. */
  readonly items: Uint8Array
  readonly total: number
  readonly next: Key | null
}

export interface StateRequest {
  readonly resource: Resource
  readonly brand: string
  readonly filters: Iterable<string>
  readonly include: ListRequest['include']
}

export interface PagesParts {
  readonly catalog: Catalog
  readonly database: Database
  readonly tables: ReadonlyMap<string, Table>
  readonly joinsPages: boolean
  readonly keepsTotals: boolean
}

/** Reads pages with their exact totals. */
export interface Pages {
  list(request: ListRequest): Promise<Page>
  behind(request: StateRequest): readonly Behind[]
}

export const openPages = (parts: PagesParts): Pages => {
  const { catalog, database, tables, joinsPages, keepsTotals } = parts
  const { dialect } = database
  const totals = openTotals()

  /** The collections that an answer depends on, the asked one first, each with its owner. */
  const behind = ({ resource, brand, filters, include }: StateRequest): readonly Behind[] => {
    const paths = [...collectionsBehind(catalog, resource, filters), ...include.map(({ to }) => to)]
    return [...new Set(paths)].map((path) => ({
      owner: ownerOf(catalog.byPath.get(path) ?? resource, brand),
      path,
    }))
  }

  /** The own filter that leaves the fewest records, as far as that is known. */
  const leadOf = async (plan: ListPlan, brand: string): Promise<string | undefined> => {
    if (plan.own.length < 2 || plan.through.length > 0) return plan.along
    const query = compileKept(plan.owner, plan.table.resource.path, plan.own)
    const [rows = []] = await database.read([query], brand)
    const kept = new Map(rows.map(([filter, total]) => [filter as string, Number(total)]))
    // What is not kept is small; among several of those any will do.
    const size = ({ column }: { readonly column: string }) =>
      kept.get(column) ?? (column === plan.along ? 0 : 1)
    return [...plan.own].sort((one, other) => size(one) - size(other))[0]?.column
  }

  const readPage = async (
    request: ListRequest,
    plan: ListPlan,
    counts: boolean,
  ): Promise<Omit<Page, 'total'> & { readonly total: number | null }> => {
    const { resource, brand, filters, include, limit } = request
    const joins = joinsPages && include.length === 0 && plan.table.key.length === 1
    const page = joins ? compileJoined(plan, dialect) : compileList(plan, dialect)
    const on = behind({ resource, brand, filters: filters.keys(), include })
    const states = on.map(({ owner, path }) => compileStanding(owner, path))
    const [only] = plan.own
    const count = compileCount(plan, dialect)
    const counting = !counts
      ? []
      : keepsTotals && filters.size === 1 && only
        ? [compileTotal(plan.table, only.column, only.value as string, count)]
        : [count]
    const width = plan.table.key.length + 1
    const included = include.map((relation, index) => {
      const columns = { count: width + include.length, reference: width + index }
      return compileInclude(page, columns, relation, brand, tables)
    })
    const results = await database.read([page, ...states, ...counting, ...included], brand)
    const rows = results[0] ?? []
    const stateRows = results.slice(1, 1 + states.length)
    const [counted] = counts ? (results[1 + states.length] ?? []) : []
    const total = counted ? Number(counted[0]) : null
    const state = readState(on, stateRows)
    if (joins) {
      const [items, last, more] = rows[0] ?? []
      const next = Number(more ?? 0) > 0 ? [last as string] : null
      return {
        ...state,
        items: asBytes(items ?? ''),
        next,
        total: total ?? totalOf(stateRows, filters),
      }
    }
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const bodies = readBodies(
      shown,
      plan.table,
      include,
      results.slice(1 + states.length + counting.length),
    )
    return {
      ...state,
      items: Buffer.from(bodies.join(',')),
      next: rows.length > limit && last ? readKey(last, plan.table) : null,
      total: total ?? totalOf(stateRows, filters),
    }
  }

  return {
    behind,
    list: async (request) => {
      const { brand, filters } = request
      const plan = planList(request, tables)
      if (filters.size === 0) {
        const page = await readPage(request, plan, !keepsTotals)
        return { ...page, total: page.total ?? 0 }
      }
      const name = JSON.stringify([plan.owner, plan.table.name, [...filters].sort()])
      const known = keepsTotals ? totals.find(name) : undefined
      const along = known ? known.along : await leadOf(plan, brand)
      const led = { ...plan, along }
      if (known) {
        const page = await readPage(request, led, false)
        if (page.version === known.version) return { ...page, total: known.total }
      }
      const page = await readPage(request, led, true)
      const total = page.total ?? 0
      if (keepsTotals) totals.keep(name, { version: page.version, total, along })
      return { ...page, total }
    },
  }
}

export const readKey = (row: Row, table: Table): Key => row.slice(0, table.key.length) as string[]

export const readBodies = (
  rows: readonly Row[],
  table: Table,
  include: ListRequest['include'],
  results: readonly (readonly Row[])[],
): readonly string[] => {
  const place = table.key.length
  if (include.length === 0) return rows.map((row) => row[place] as string)
  const included = include.map(({ name }, index) => ({
    name,
    bodies: bodiesById(results[index] ?? []),
  }))
  return rows.map((row) => spliceIncluded(row[place] as string, row.slice(place + 1), included))
}

/** A collection behind an answer, and whose it is. */
export interface Behind {
  readonly owner: string
  readonly path: string
}

export const readState = (on: readonly Behind[], states: readonly (readonly Row[])[]): State => ({
  version: states.map((rows) => rows[0]?.[0] ?? 0).join('.'),
  asOf: {
    change: Number(states[0]?.[0]?.[2] ?? 0),
    behind: on.map(({ owner, path }) => subjectOf(owner, path)),
  },
})

/** The whole collection's total stands beside its version. */
const totalOf = (
  states: readonly (readonly Row[])[],
  filters: ReadonlyMap<string, unknown>,
): number | null => (filters.size === 0 ? Number(states[0]?.[0]?.[1] ?? 0) : null)

const asBytes = (items: SqlValue): Uint8Array =>
  items instanceof Uint8Array ? items : Buffer.from(String(items))
