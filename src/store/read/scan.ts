import { limits } from '#contract'
import { type Dialect, type Query, quote, type Row, type Steps } from '#database'
import { countedMax } from '../schema/collection-stats.ts'
import { indexFor, linkIndexFor, storedValue, type Table } from '../schema/tables.ts'
import {
  isFilterValue,
  isWholeKey,
  joinByKey,
  type Key,
  type ListPlan,
  type ListRequest,
  ownerIn,
  type ThroughPlan,
  tableByIndex,
} from './list.ts'
import {
  bind,
  createParams,
  type Param,
  type Params,
  type QueryTemplate,
} from './query-template.ts'
import { runScan, type ScanProgress } from './resumable-scan.ts'

/**
 * What a scan follows, in the order of the identity: the index of one of the collection's own
 * filters, the index of a link table, or the identity itself.
 */
export interface Driver {
  readonly kind: 'own' | 'link' | 'identity'
  /** The filter's name; empty for the identity. */
  readonly filter: string
}

/** How many rows match each filter by itself; a filter that is missing matches few. */
export type FilterSizes = ReadonlyMap<string, number>

/** Whether a list can have filters so wide that one statement takes long: one own filter never is. */
export const canBeWide = ({ own, through }: ListPlan): boolean =>
  own.length > 1 || through.length > 0

/**
 * What to follow for a list whose filters are each so wide that one statement may take long; null
 * for all others, which look at no more than `countedMax` rows beside those of the page.
 */
export const chooseDriver = (plan: ListPlan, sizes: FilterSizes): Driver | null => {
  const isLarge = (name: string) => (sizes.get(name) ?? 0) > countedMax
  const isWide =
    plan.through.length > 0
      ? plan.through.some(({ name }) => isLarge(name))
      : plan.own.length > 1 && plan.own.every(isLarge)
  return isWide ? smallestDriver(plan, sizes) : null
}

/** What to follow so that a scan looks at the fewest rows. */
export const smallestDriver = (plan: ListPlan, sizes: FilterSizes): Driver => {
  const drivers: readonly Driver[] = [
    ...plan.own.map((filter) => ({ kind: 'own', filter }) as const),
    ...plan.through
      .filter(({ local }) => isWholeKey(plan.table, local))
      .map(({ name }) => ({ kind: 'link', filter: name }) as const),
  ]
  // A filter without a size matches few.
  const sizeOf = ({ filter }: Driver) => sizes.get(filter) ?? 0
  const [smallest] = [...drivers].sort((one, other) => sizeOf(one) - sizeOf(other))
  return smallest ?? { kind: 'identity', filter: '' }
}

/** A part of a scan: the rows after one record, up to and including another. */
interface SliceRequest extends ListRequest {
  readonly from: Key | null
  readonly to: Key | null
  /** How many rows of what is followed, or how many records at most. */
  readonly rows: number
}

type SliceParams = Params<SliceRequest>

export type SliceStatement = 'end' | 'count' | 'keys' | 'last'

/** The statements of a scan, for slices with and without a beginning and an end. */
export const compileSlice = (
  plan: ListPlan,
  driver: Driver,
  dialect: Dialect,
  statement: SliceStatement,
  { hasFrom, hasTo }: { readonly hasFrom: boolean; readonly hasTo: boolean },
): QueryTemplate<SliceRequest> => {
  // A statement that asks a link table alone has no use for the collection's owner.
  const isOfLink = statement === 'end' && driver.kind === 'link'
  const values = createParams<Param<SliceRequest>>(...(isOfLink ? [] : [ownerIn(plan.table)]))
  const marks = (of: 'from' | 'to') =>
    plan.table.key.map((column, index) =>
      storedValue(
        column,
        values.add((slice) => slice[of]?.[index] ?? null),
        dialect,
      ),
    )
  const range: Range = { from: hasFrom ? marks('from') : null, to: hasTo ? marks('to') : null }
  const text =
    statement === 'end'
      ? endText(plan, driver, dialect, values, range)
      : matchText(plan, driver, dialect, values, range, statement)
  return { text, params: values.all }
}

/** The parameters of a slice's beginning and end. */
interface Range {
  readonly from: readonly string[] | null
  readonly to: readonly string[] | null
}

const within = (columns: readonly string[], { from, to }: Range): readonly string[] => {
  const tuple = (parts: readonly string[]) =>
    parts.length === 1 ? parts[0] : `(${parts.join(', ')})`
  return [
    ...(from ? [`${tuple(columns)} > ${tuple(from)}`] : []),
    ...(to ? [`${tuple(columns)} <= ${tuple(to)}`] : []),
  ]
}

/** The identity so many rows further along what is followed; none when fewer are left. */
const endText = (
  plan: ListPlan,
  driver: Driver,
  dialect: Dialect,
  values: SliceParams,
  range: Range,
): string => {
  const link = linkOf(plan, driver)
  const columns = link ? [`l.${quote(link.match)}`] : keyColumns(plan.table)
  const where = link
    ? linkConditions(link, dialect, values)
    : [
        't."owner" = ?1',
        ...(driver.kind === 'own' ? [ownCondition(plan, driver.filter, dialect, values)] : []),
      ]
  return [
    `select ${columns.join(', ')}`,
    `from ${link ? linkSource(link, dialect) : ownSource(plan, driver, dialect)}`,
    `where ${[...where, ...within(columns, range)].join(' and ')}`,
    `order by ${columns.join(', ')}`,
    `limit 1 offset ${dialect.limit(values.add(({ rows }) => rows))}`,
  ].join('\n')
}

/** The records of a slice that match all filters: how many, which, or the last one. */
const matchText = (
  plan: ListPlan,
  driver: Driver,
  dialect: Dialect,
  values: SliceParams,
  range: Range,
  statement: Exclude<SliceStatement, 'end'>,
): string => {
  const link = linkOf(plan, driver)
  const key = keyColumns(plan.table)
  const others = plan.through.filter((each) => each !== link)
  const conditions = [
    ...plan.own.map((name) => ownCondition(plan, name, dialect, values)),
    ...others.map((each) => throughCondition(each, dialect, values)),
    ...(link ? [] : within(key, range)),
    ...dialect.inTime,
  ]
  const source = link
    ? `(${linkText(link, dialect, values, range)}) as m\n${joinByKey(plan.table, dialect, ['m."match"'])}`
    : `${ownSource(plan, driver, dialect)}\nwhere t."owner" = ?1`
  const matching = `from ${[source, ...conditions].join(' and ')}`
  if (statement === 'count') return `select count(*)\n${matching}`
  const order = statement === 'last' ? key.map((column) => `${column} desc`) : key
  const take = dialect.limit(values.add(({ rows }) => rows))
  return [
    `select ${key.join(', ')}`,
    matching,
    `order by ${order.join(', ')}`,
    `limit ${take}`,
  ].join('\n')
}

/** What a link table names within a slice, each once. */
const linkText = (
  link: ThroughPlan,
  dialect: Dialect,
  values: SliceParams,
  range: Range,
): string => {
  const match = `l.${quote(link.match)}`
  return [
    `select ${match} as "match"`,
    `from ${linkSource(link, dialect)}`,
    `where ${[...linkConditions(link, dialect, values), ...within([match], range)].join(' and ')}`,
    `group by ${match}`,
  ].join('\n')
}

/**
 * A subquery for each record: a link table may have many more rows than a slice. Not `exists`, which
 * PostgreSQL turns into a join, in whichever order it estimates to be cheaper.
 */
const throughCondition = (link: ThroughPlan, dialect: Dialect, values: SliceParams): string => {
  const match = `l.${quote(link.match)}`
  const local = `t.${quote(link.local)}`
  return [
    `${local} = (select ${match}`,
    `from ${linkSource(link, dialect)}`,
    `where ${[...linkConditions(link, dialect, values), `${match} >= ${local}`].join(' and ')}`,
    `order by ${match}`,
    'limit 1)',
  ].join('\n')
}

const keyColumns = (table: Table): readonly string[] =>
  table.key.map(({ name }) => `t.${quote(name)}`)

const linkOf = (plan: ListPlan, driver: Driver): ThroughPlan | undefined =>
  driver.kind === 'link' ? plan.through.find(({ name }) => name === driver.filter) : undefined

const linkSource = (link: ThroughPlan, dialect: Dialect): string =>
  tableByIndex(dialect, link.link.name, 'l', linkIndexFor(link.link, link.where, link.match))

const ownSource = (plan: ListPlan, driver: Driver, dialect: Dialect): string =>
  tableByIndex(
    dialect,
    plan.table.name,
    't',
    driver.kind === 'own' ? indexFor(plan.table, driver.filter) : undefined,
  )

const linkConditions = (
  link: ThroughPlan,
  dialect: Dialect,
  values: SliceParams,
): readonly string[] => [
  `l."owner" = ${values.add(ownerIn(link.link))}`,
  isFilterValue('l', link.link, link.where, link.name, dialect, values),
]

const ownCondition = (
  { table }: ListPlan,
  name: string,
  dialect: Dialect,
  values: SliceParams,
): string => isFilterValue('t', table, name, name, dialect, values)

/** The records of a list that match, as far as a scan has come. */
export interface ListProgress extends ScanProgress<Key> {
  /** How many matched; not kept by a search for a page. */
  counted: number
  /** The first of those that matched. */
  readonly keys: Key[]
  /** The last slice in which one matched. */
  lastMatch: { readonly from: Key | null; readonly to: Key | null } | null
  /** The last of those that matched; known at the end. */
  last: Key | null
}

/** Rows of a scan's first slice: about a step's time when nothing is in memory. */
const firstRows = 1_000
/** A slice of fewer rows costs more to ask for than to read; more rows may fill the memory. */
const rowBounds = { min: 250, max: 100_000 }

export const newProgress = (from: Key | null): ListProgress => ({
  position: from,
  isDone: false,
  rows: firstRows,
  counted: 0,
  keys: [],
  lastMatch: null,
  last: null,
})

/** The identities that are cached of a list: enough for its longest page, and whether more follow. */
export const keysMax: number = limits.pageSize.maximum + 1

/** Runs the statements of one scan. */
export type RunSlice = (
  statement: SliceStatement,
  slice: Pick<SliceRequest, 'from' | 'to' | 'rows'>,
) => Promise<readonly Row[]>

const endOf =
  (run: RunSlice) =>
  async (from: Key | null, rows: number): Promise<Key | null> => {
    const [end] = await run('end', { from, to: null, rows: rows - 1 })
    return end ? (end as Key) : null
  }

/** Counts what matches from where the progress is to the end, and keeps the first identities. */
export const countMatches = async (
  steps: Steps,
  run: RunSlice,
  progress: ListProgress,
): Promise<void> => {
  const { keys } = progress
  await runScan<Key, number>(steps, progress, {
    rowBounds,
    endOf: endOf(run),
    read: async ({ from, to }) => {
      const [counted] = await run('count', { from, to, rows: 0 })
      return Number(counted?.[0] ?? 0)
    },
    add: async (matched, { from, to }) => {
      const wanted = Math.min(matched, keysMax - keys.length)
      const matches = wanted > 0 ? await run('keys', { from, to, rows: wanted }) : []
      keys.push(...matches.map((row) => row as Key))
      progress.counted += matched
      if (matched > 0) progress.lastMatch = { from, to }
      return false
    },
  })
  const { counted, lastMatch } = progress
  const [last] =
    lastMatch && counted > keys.length ? await run('last', { ...lastMatch, rows: 1 }) : []
  progress.last = last ? (last as Key) : (keys.at(-1) ?? null)
}

/** Looks for so many identities that match, from where the progress is to the end or to `last`. */
export const findMatches = (
  steps: Steps,
  run: RunSlice,
  progress: ListProgress,
  wanted: number,
  last: Key | null,
): Promise<void> => {
  const { keys } = progress
  return runScan<Key, readonly Row[]>(steps, progress, {
    rowBounds,
    endOf: endOf(run),
    read: ({ from, to }) => run('keys', { from, to, rows: wanted - keys.length }),
    add: async (matches) => {
      keys.push(...matches.map((row) => row as Key))
      const latest = keys.at(-1)
      const isLast = latest !== undefined && last !== null && compareKeys(latest, last) >= 0
      return keys.length >= wanted || isLast
    },
  })
}

/** The order of identities: by their bytes, part by part. */
export const compareKeys = (one: Key, other: Key): number => {
  for (const [index, part] of one.entries()) {
    const order = Buffer.compare(Buffer.from(part), Buffer.from(other[index] ?? ''))
    if (order !== 0) return order
  }
  return 0
}

/** The query of a slice. */
export const bindSlice = (
  template: QueryTemplate<SliceRequest>,
  request: ListRequest,
  slice: Pick<SliceRequest, 'from' | 'to' | 'rows'>,
): Query => bind(template, { ...request, ...slice })
