import { type Catalog, collectionsBehind, type Resource } from '#contract'
import type { Database, Row, SqlValue } from '#database'
import { bodiesById, compileInclude, spliceIncluded } from './include.ts'
import {
  type Collection,
  compileKept,
  compileStanding,
  standingsBeside,
  totalText,
} from './ledger.ts'
import {
  compileJoined,
  compileList,
  countText,
  type Key,
  type ListPlan,
  type ListRequest,
  planList,
} from './list.ts'
import { type AsOf, subjectOf } from './news.ts'
import { bind, fill, openShapes, type Shape, type Slot, type Values } from './shape.ts'
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
  readonly items: string
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
  /** The collections that an answer depends on, the asked one first. */
  behind(request: Omit<StateRequest, 'brand'>): readonly BehindAnswer[]
}

export type BehindAnswer = Collection<{ readonly brand: string }>

/** The statements of lists that differ in nothing but their values. */
interface ListForm {
  readonly plan: ListPlan
  readonly on: readonly BehindAnswer[]
  readonly counts: boolean
  /** The page, the standings and the total in one row, where it can be so. */
  readonly joined: Shape<ListRequest> | null
  /** Otherwise one by one. */
  readonly page: Shape<ListRequest>
  readonly total: Shape<ListRequest> | null
  readonly included: readonly Shape<ListRequest>[]
}

interface ReadPage extends State {
  readonly items: string
  readonly next: Key | null
  /** The whole collection's, or what was counted. */
  readonly total: number
}

export const openPages = (parts: PagesParts): Pages => {
  const { catalog, database, tables, joinsPages, keepsTotals } = parts
  const { dialect } = database
  const totals = openTotals()
  const keepForm = openShapes<ListForm>()
  const keepBehind = openShapes<readonly BehindAnswer[]>()

  const behind: Pages['behind'] = ({ resource, filters, include }) => {
    const names = [...filters]
    const includes = include.map(({ name }) => name)
    return keepBehind(`${resource.path} ${names} ${includes}`, () => {
      const paths = [...collectionsBehind(catalog, resource, names), ...include.map(({ to }) => to)]
      return [...new Set(paths)].map((path) => {
        const owned = catalog.byPath.get(path) ?? resource
        return { path, owner: ({ brand }) => ownerOf(owned, brand) }
      })
    })
  }

  /** The own filter that leaves the fewest records, as far as that is known. */
  const leadOf = async (request: ListRequest): Promise<string | undefined> => {
    const { resource, brand, filters } = request
    const plan = planList(request, tables)
    if (plan.own.length < 2 || plan.through.length > 0) return plan.along
    const own = plan.own.map((name) => [name, filters.get(name) ?? null] as const)
    const query = compileKept(ownerOf(resource, brand), resource.path, own)
    const [rows = []] = await database.read([query], brand)
    const kept = new Map(rows.map(([filter, total]) => [filter as string, Number(total)]))
    // What is not kept is small; among several of those any will do.
    const size = (name: string) => kept.get(name) ?? (name === plan.along ? 0 : 1)
    return [...plan.own].sort((one, other) => size(one) - size(other))[0]
  }

  const totalOf = (plan: ListPlan, values: Values<ListRequest>): string => {
    const [only, ...others] = plan.own
    const count = countText(plan, dialect, values)
    const isKept = keepsTotals && others.length === 0 && plan.through.length === 0
    if (!isKept || only === undefined) return `(${count})`
    const value = values.add(({ filters }) => String(filters.get(only)))
    return totalText(plan.table, only, value, count)
  }

  /** The total alone. */
  const compileTotal = (plan: ListPlan): Shape<ListRequest> => {
    const values = bind<Slot<ListRequest>>(({ brand }) => ownerOf(plan.table.resource, brand))
    return { text: `select ${totalOf(plan, values)}`, slots: values.all }
  }

  const writeForm = (
    request: ListRequest,
    along: string | undefined,
    counts: boolean,
  ): ListForm => {
    const { resource, filters, include } = request
    const plan = { ...planList(request, tables), along }
    const on = behind({ resource, filters: filters.keys(), include })
    const joins = joinsPages && include.length === 0 && plan.table.key.length === 1
    const page = compileList(plan, dialect)
    const width = plan.table.key.length + 1
    return {
      plan,
      on,
      counts,
      joined: joins
        ? compileJoined(plan, dialect, (values) => {
            const standings = standingsBeside(on, values)
            const total = counts ? [totalOf(plan, values)] : []
            return { ...standings, columns: [...standings.columns, ...total] }
          })
        : null,
      page,
      total: counts ? compileTotal(plan) : null,
      included: include.map((relation, index) => {
        const columns = { count: width + include.length, reference: width + index }
        return compileInclude(page, columns, relation, tables)
      }),
    }
  }

  const formOf = (request: ListRequest, along: string | undefined, counts: boolean): ListForm => {
    const { resource, filters, after, include } = request
    const names = `${[...filters.keys()]} ${include.map(({ name }) => name)}`
    const name = `${resource.path} ${names} ${after !== null} ${along} ${counts}`
    return keepForm(name, () => writeForm(request, along, counts))
  }

  const readJoined = async (
    { on, counts }: ListForm,
    joined: Shape<ListRequest>,
    request: ListRequest,
  ): Promise<ReadPage> => {
    const { brand } = request
    const [rows] = await database.read([fill(joined, request)], brand)
    const row = rows?.[0] ?? []
    const at = 3 + on.length
    return {
      ...stateOf(on, brand, row.slice(3, at), row[at + 1]),
      items: (row[0] ?? '') as string,
      next: Number(row[2] ?? 0) > 0 ? [row[1] as string] : null,
      total: Number(row[counts ? at + 2 : at] ?? 0),
    }
  }

  const readRows = async (form: ListForm, request: ListRequest): Promise<ReadPage> => {
    const { plan, on, page, total, included } = form
    const { brand, include, limit } = request
    const standings = on.map(({ owner, path }) => compileStanding(owner(request), path))
    const others = [...(total ? [total] : []), ...included].map((shape) => fill(shape, request))
    const results = await database.read([fill(page, request), ...standings, ...others], brand)
    const [rows = []] = results
    const states = results.slice(1, 1 + on.length)
    const rest = results.slice(1 + on.length)
    const [counted] = total ? rest : [[[states[0]?.[0]?.[1] ?? 0]]]
    const shown = rows.slice(0, limit)
    const last = shown.at(-1)
    const bodies = readBodies(shown, plan.table, include, total ? rest.slice(1) : rest)
    return {
      ...readState(on, brand, states),
      items: bodies.join(','),
      next: rows.length > limit && last ? readKey(last, plan.table) : null,
      total: Number(counted?.[0]?.[0] ?? 0),
    }
  }

  const read = (form: ListForm, request: ListRequest): Promise<ReadPage> =>
    form.joined ? readJoined(form, form.joined, request) : readRows(form, request)

  return {
    behind,
    list: async (request) => {
      const { resource, brand, filters } = request
      if (filters.size === 0) return read(formOf(request, undefined, !keepsTotals), request)
      const owner = ownerOf(resource, brand)
      const name = JSON.stringify([owner, resource.path, [...filters].sort()])
      const known = keepsTotals ? totals.find(name) : undefined
      if (known) {
        const page = await read(formOf(request, known.along, false), request)
        if (page.version === known.version) return { ...page, total: known.total }
      }
      const along = known ? known.along : await leadOf(request)
      const page = await read(formOf(request, along, true), request)
      if (keepsTotals) totals.keep(name, { version: page.version, total: page.total, along })
      return page
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

/** The state of an answer, from the standings of what is behind it. */
export const readState = (
  on: readonly BehindAnswer[],
  brand: string,
  standings: readonly (readonly Row[])[],
): State =>
  stateOf(
    on,
    brand,
    standings.map((rows) => rows[0]?.[0] ?? 0),
    standings[0]?.[0]?.[2],
  )

export const stateOf = (
  on: readonly BehindAnswer[],
  brand: string,
  versions: readonly SqlValue[],
  change: SqlValue | undefined,
): State => ({
  version: versions.join('.'),
  asOf: {
    change: Number(change ?? 0),
    behind: on.map(({ owner, path }) => subjectOf(owner({ brand }), path)),
  },
})
