import type { Condition, Relation } from '#contract'
import { type Dialect, type Query, quote, type SqlValue } from '#database'
import { joinState, totalText } from '../read/collection-state.ts'
import { compileWithIncluded } from '../read/include.ts'
import { joinByKey, ofShort } from '../read/list.ts'
import { bind, createParams } from '../read/query-template.ts'
import type { Dependency } from '../read/state.ts'
import { ownerOf } from '../schema/owners.ts'
import type { Column, Key, Table } from '../schema/tables.ts'
import type { Driver, Some, Stretch } from './access.ts'
import type { ConditionScope } from './condition-sql.ts'
import type { Position } from './request.ts'
import { afterText, type Order } from './sort-order.ts'
import {
  conditionTexts,
  keysText,
  linkRowsText,
  type Span,
  type StretchText,
  spanAfter,
  stretchColumns,
  stretchText,
  wholeSpan,
} from './stretch-sql.ts'

/** The table, brand and dialect that a list's statements are compiled for. */
export interface QueryTarget {
  readonly table: Table
  readonly tables: ReadonlyMap<string, Table>
  readonly brand: string
  readonly dialect: Dialect
}

/** How to find the records of a list: by a driver, testing each against the other conditions. */
export interface Search {
  readonly driver: Driver
  readonly others: readonly Condition[]
}

/** The range of a list that makes up a page. */
export interface PageRange {
  readonly order: Order
  readonly after: Position | null
  readonly take: number
}

const scopeOf = ({ table, tables, brand, dialect }: QueryTarget): ConditionScope => {
  const values = createParams<SqlValue>(ownerOf(table.resource, brand))
  return { table, tables, brand, dialect, alias: 't', values }
}

/** The scope of a statement on a link alone, which does not use the collection's owner. */
const linkScopeOf = (target: QueryTarget): ConditionScope => ({
  ...scopeOf(target),
  values: createParams<SqlValue>(),
})

/** Counts the records that a driver finds, up to `most`. */
export const compileProbe = (target: QueryTarget, { stretches }: Driver, most: number): Query => {
  const [first] = stretches
  if (first?.kind === 'link') return compileLinkProbe(target, first.some, most)
  const scope = scopeOf(target)
  const rows = stretches.map((stretch) => {
    const { from, where } = stretchText(stretch, wholeSpan, false, scope)
    return `from ${from}\nwhere ${where.join(' and ')}`
  })
  const limited = rows.map((each) => `select 1 from (select 1\n${each}\nlimit ${most}) as p`)
  const text = [
    'select count(*)',
    `from (${limited.join('\nunion all\n')}`,
    `limit ${most}) as a`,
  ].join('\n')
  return { text, values: scope.values.all }
}

/** Counts link rows, which may reference a record more than once. */
const compileLinkProbe = (target: QueryTarget, some: Some, most: number): Query => {
  const scope = linkScopeOf(target)
  const rows = `select 1\n${linkRowsText(some, wholeSpan, scope)}\nlimit ${most}`
  return { text: `select count(*)\nfrom (${rows}) as a`, values: scope.values.all }
}

/** Counts the records that a search finds. */
export const compileCount = (target: QueryTarget, search: Search): Query => {
  const scope = scopeOf(target)
  const counts = foundTexts(search, scope).map((rows) => `(select count(*)\n${rows})`)
  return { text: `select ${counts.join(' + ') || '0'}`, values: scope.values.all }
}

/** Counts the records of one filter's values: stored totals, and counts of rare values. */
export const compileStoredCount = (target: QueryTarget, { stretches, counted }: Driver): Query => {
  const scope = scopeOf(target)
  const totals = stretches.map((stretch, index) => {
    const { from, where } = stretchText(stretch, wholeSpan, false, scope)
    const count = `select count(*)\nfrom ${from}\nwhere ${where.join(' and ')}`
    const value = scope.values.add(String(counted?.values[index]))
    return totalText(target.table, counted?.filter ?? '', value, count)
  })
  return { text: `select ${totals.join(' + ')}`, values: scope.values.all }
}

/** The `from` and `where` of a search, one per stretch. */
const foundTexts = (
  { driver: { stretches, keys }, others }: Search,
  scope: ConditionScope,
  more: (scope: ConditionScope) => readonly string[] = () => [],
): readonly string[] => {
  const conditions = () => [...conditionTexts(others, scope), ...more(scope)]
  if (keys) return [[keysText(keys, scope), ...conditions()].join(' and ')]
  return stretches.map((stretch) => {
    const { from, where } = stretchText(stretch, wholeSpan, false, scope)
    return `from ${from}\nwhere ${[...where, ...conditions()].join(' and ')}`
  })
}

const keyNames = ({ key }: Table): readonly string[] => key.map(({ name }) => `t.${quote(name)}`)

/** The identity of a record and its sort value. */
const positionColumns = (table: Table, { value }: Order): readonly string[] => [
  ...keyNames(table),
  value ? value.text : 'null',
]

/** The position of a record, its text if short, and the references to include. */
const recordColumns = (
  { table, dialect }: QueryTarget,
  order: Order,
  include: readonly Relation[],
): readonly string[] => [
  ...positionColumns(table, order),
  dialect.bytes(ofShort('t."body"')),
  ...include.map(({ field }) => ofShort(dialect.jsonText('t."body"', [field]))),
]

/** Compiles the statement of a page, for records or for positions alone. */
export type PageText = (scope: ConditionScope, columns: readonly string[]) => string

/** All positions that a search finds, unordered, and the order to sort them by. */
const gatheredRows = (
  search: Search,
  order: Order,
  scope: ConditionScope,
  more: (scope: ConditionScope) => readonly string[],
) => {
  const { names, selected, inOrder } = sortedColumns(scope.table, order)
  const rows = foundTexts(search, scope, more).map((each) => `select ${selected}\n${each}`)
  return { names, text: `from (${rows.join('\nunion all\n')}) as a`, inOrder }
}

/** The columns of positions in a subquery `a`, and the order to sort them by. */
const sortedColumns = (table: Table, order: Order) => {
  const names = table.key.map((_, index) => `k${index}`)
  const selected = positionColumns(table, order)
    .map((column, index) => `${column} as ${quote(names[index] ?? 'v')}`)
    .join(', ')
  const direction = order.isDescending ? ' desc' : ''
  const byValue = order.value ? ['a."v" is null', `a."v"${direction}`] : []
  const byKey = names.map((name) => `a.${quote(name)}${direction}`)
  return { names, selected, inOrder: [...byValue, ...byKey].join(', ') }
}

/** A page that gathers all matches and sorts them: for few records. */
export const gatheredPage =
  (search: Search, { order, after, take }: PageRange): PageText =>
  (scope, columns) => {
    const { table, dialect } = scope
    const { names, text, inOrder } = gatheredRows(search, order, scope, (each) =>
      after ? [afterText(order, after, each)] : [],
    )
    const first = `select a.*\n${text}\norder by ${inOrder}\nlimit ${take}`
    const wanted = names.map((name) => `f.${quote(name)}`)
    return `select ${columns.join(', ')}\nfrom (${first}) as f\n${joinByKey(table, dialect, wanted)}`
  }

/** A page of the records with some identities, already in order. */
export const keysPage =
  (keys: readonly Key[]): PageText =>
  (scope, columns) =>
    `select ${columns.join(', ')}\n${keysText(keys, scope)}`

/** The identities of all matches of a search, in order, as one text. For identities of 16 bytes. */
export const compileOrder = (target: QueryTarget, search: Search, order: Order): Query => {
  const scope = scopeOf(target)
  const { dialect } = target
  const { text, inOrder } = gatheredRows(search, order, scope, () => dialect.inTime)
  const digits = dialect.concat(dialect.uuidHex('a."k0"'), inOrder)
  return {
    text: `select ${digits}\nfrom (select a.*\n${text}\norder by ${inOrder}) as a`,
    values: scope.values.all,
  }
}

/**
 * A page along stretches in list order. With a window, it tests at most that many records of the
 * first stretch.
 */
export const walkedPage =
  (
    { driver, others }: Search,
    { order, after, take }: PageRange,
    window: number | null,
  ): PageText =>
  (scope, columns) => {
    const pieces = driver.stretches.flatMap((stretch) => {
      const span = spanAfter(stretch, order, after)
      return span ? [{ stretch, span }] : []
    })
    // The same stretch may continue after the window.
    const walked = window === null ? pieces : pieces.slice(0, 1)
    const parts = walked.map(({ stretch, span }) =>
      walkText(stretch, span, others, order, take, window, scope, columns),
    )
    const [first] = parts
    if (first !== undefined && parts.length === 1) return first
    const all = parts.map((part) => `select p.* from (${part}) as p`)
    return `${all.join('\nunion all\n')}\nlimit ${take}`
  }

const walkText = (
  stretch: Stretch,
  span: Span,
  others: readonly Condition[],
  { isDescending }: Order,
  take: number,
  window: number | null,
  scope: ConditionScope,
  columns: readonly string[],
): string => {
  const { from, where, order } = stretchText(stretch, span, isDescending, scope)
  const compared = conditionTexts(others, scope)
  const ordered = (source: string, conditions: readonly string[], most: number) =>
    [
      source,
      ...(conditions.length > 0 ? [`where ${conditions.join(' and ')}`] : []),
      `order by ${order}`,
      `limit ${most}`,
    ].join('\n')
  const selected = `select ${columns.join(', ')}`
  if (window === null) return ordered(`${selected}\nfrom ${from}`, [...where, ...compared], take)
  const windowText = ordered(`select t.*\nfrom ${from}`, where, window)
  return ordered(`${selected}\nfrom (${windowText}) as t`, compared, take)
}

/** A page with the records' texts. For included records, see `compileWithIncluded`. */
export const compilePage = (
  target: QueryTarget,
  page: PageText,
  order: Order,
  include: readonly Relation[],
): Query => {
  const scope = scopeOf(target)
  const { table, tables, dialect } = target
  const text = page(scope, recordColumns(target, order, include))
  const values = scope.values.all
  if (include.length === 0) return { text, values }
  // The sort value is an extra column after the identity.
  const columns = [...table.key, { name: '', path: [], kind: 'text' } satisfies Column]
  const params = values.map((value) => () => value)
  return bind(
    compileWithIncluded<QueryTarget>({ text, params }, columns, include, tables, dialect),
    target,
  )
}

/**
 * A page in one row, as contract lists return it: the joined texts, the number of texts, the number
 * of records found, the position of the last one, and the state of the collections. For records
 * with a one-column identity.
 */
export const compileJoinedPage = (
  target: QueryTarget,
  page: PageText,
  order: Order,
  limit: number,
  dependencies: readonly Dependency[],
): Query => {
  const scope = scopeOf(target)
  const { table, dialect, brand } = target
  const [key, value] = positionColumns(table, order)
  const rows = page(scope, [`${key} as "k"`, `${value} as "v"`, `${ofShort('t."body"')} as "b"`])
  const direction = order.isDescending ? ' desc' : ''
  const byValue = order.value ? ['r."v" is null', `r."v"${direction}`] : []
  const inOrder = [...byValue, `r."k"${direction}`].join(', ')
  const { columns, joins } = joinState(dependencies, {
    all: [],
    add: (param) => scope.values.add(param({ brand })),
  })
  const first = `select r.*\nfrom "p" as r${dialect.keptOrder(inOrder)}\nlimit`
  const text = [
    `with "p" as materialized (${rows})`,
    `select ${['f."items"', 'f."texts"', 'f."found"', 'l."k"', 'l."v"', ...columns].join(', ')}`,
    `from (select ${dialect.bytes(dialect.concat('r."b"', inOrder))} as "items", count(r."b") as "texts",`,
    '(select count(*) from "p") as "found"',
    `from (${first} ${limit}) as r) as f`,
    `left join (${first} 1 offset ${limit - 1}) as l on 1 = 1${joins}`,
  ].join('\n')
  return { text, values: scope.values.all }
}

/** Only the positions of a page. */
export const compilePositions = (target: QueryTarget, page: PageText, order: Order): Query => {
  const scope = scopeOf(target)
  const text = page(scope, positionColumns(target.table, order))
  return { text, values: scope.values.all }
}

/** The end of a slice of `rows` rows: the position of its last row; no row if fewer are left. */
export const compileSliceEnd = (
  target: QueryTarget,
  stretch: Stretch,
  span: Span,
  isDescending: boolean,
  rows: number,
): Query => {
  const scope = stretch.kind === 'link' ? linkScopeOf(target) : scopeOf(target)
  const end = () => `limit 1 offset ${target.dialect.limit(scope.values.add(rows - 1))}`
  if (stretch.kind === 'link') {
    const match = `l.${quote(stretch.some.match)}`
    const from = linkRowsText(stretch.some, span, scope)
    const text = `select ${match}\n${from}\norder by ${match}\n${end()}`
    return { text, values: scope.values.all }
  }
  const { from, where, order } = stretchText(stretch, span, isDescending, scope)
  const columns = stretchColumns(target.table, stretch).map(({ name }) => `t.${quote(name)}`)
  const text = [
    `select ${columns.join(', ')}`,
    `from ${from}`,
    `where ${where.join(' and ')}`,
    `order by ${order}`,
    end(),
  ].join('\n')
  return { text, values: scope.values.all }
}

/** Counts the records of a slice that fulfil the other conditions. */
export const compileSliceCount = (
  target: QueryTarget,
  stretch: Stretch,
  span: Span,
  others: readonly Condition[],
): Query => {
  const scope = scopeOf(target)
  const { from, where } = stretchText(stretch, span, false, scope)
  const conditions = [...where, ...conditionTexts(others, scope), ...target.dialect.inTime]
  const text = `select count(*)\nfrom ${from}\nwhere ${conditions.join(' and ')}`
  return { text, values: scope.values.all }
}

/** The positions of the first records of a slice that fulfil the other conditions. */
export const compileSlicePositions = (
  target: QueryTarget,
  stretch: Stretch,
  span: Span,
  others: readonly Condition[],
  listOrder: Order,
  take: number,
): Query => {
  const scope = scopeOf(target)
  const { order, ...rows } = stretchText(stretch, span, listOrder.isDescending, scope)
  const columns = positionColumns(target.table, listOrder)
  return compileMatches(target, scope, rows, others, { columns, order, take })
}

/**
 * The first records of a slice in an order that no index has, after a position, of those that fulfil
 * the other conditions.
 */
export const compileSliceFirst = (
  target: QueryTarget,
  stretch: Stretch,
  span: Span,
  others: readonly Condition[],
  { order, after, take }: PageRange,
): Query => {
  const scope = scopeOf(target)
  const { table, dialect } = target
  const { from, where } = stretchText(stretch, span, false, scope)
  const conditions = [
    ...where,
    ...conditionTexts(others, scope),
    ...(after ? [afterText(order, after, scope)] : []),
    ...dialect.inTime,
  ]
  const { names, selected, inOrder } = sortedColumns(table, order)
  const text = [
    `select ${[...names, 'v'].map((name) => `a.${quote(name)}`).join(', ')}`,
    `from (select ${selected}`,
    `from ${from}`,
    `where ${conditions.join(' and ')}`,
    `${dialect.onceForEachRow}) as a`,
    `order by ${inOrder}`,
    `limit ${dialect.limit(scope.values.add(take))}`,
  ].join('\n')
  return { text, values: scope.values.all }
}

/** The identity of the last match of a slice, for a stretch in identity order. */
export const compileSliceLast = (
  target: QueryTarget,
  stretch: Stretch,
  span: Span,
  others: readonly Condition[],
): Query => {
  const scope = scopeOf(target)
  const rows = stretchText(stretch, span, false, scope)
  const columns = keyNames(target.table)
  const order = columns.map((name) => `${name} desc`).join(', ')
  return compileMatches(target, scope, rows, others, { columns, order, take: 1 })
}

const compileMatches = (
  { dialect }: QueryTarget,
  scope: ConditionScope,
  { from, where }: Pick<StretchText, 'from' | 'where'>,
  others: readonly Condition[],
  wanted: {
    readonly columns: readonly string[]
    readonly order: string
    readonly take: number
  },
): Query => {
  const conditions = [...where, ...conditionTexts(others, scope), ...dialect.inTime]
  const text = [
    `select ${wanted.columns.join(', ')}`,
    `from ${from}`,
    `where ${conditions.join(' and ')}`,
    `order by ${wanted.order}`,
    `limit ${dialect.limit(scope.values.add(wanted.take))}`,
  ].join('\n')
  return { text, values: scope.values.all }
}
