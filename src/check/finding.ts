import { formatDecimal, type ResourcePath } from '#contract'
import type { Row } from '#database'
import { readText } from '#store'
import { orZero, over, whole } from './amount.ts'
import { all } from './condition.ts'
import {
  columnAt,
  derived,
  keyOf,
  resourceOf,
  type Select,
  type Source,
  writeSelect,
} from './source.ts'
import { type Sql, scaled, sql, type Writing } from './sql.ts'
import { first, previous } from './window.ts'

/**
 * One way to break a rule, as data: the query for the rows, the record of each row, and the detail.
 */
export type Finding = QueryFinding | ScanFinding | CycleFinding

interface Base {
  readonly select: Select
  /** The record of a row: its collection and its key. */
  readonly names: Names
}

type Names = readonly [collection: ResourcePath, ...key: readonly Sql[]]

/** Every row of the query is a violation. */
export interface QueryFinding extends Base {
  readonly kind: 'query'
  readonly detail: Detail
}

/** Every row is read, in batches ordered by record, and judged separately. */
export interface ScanFinding extends Base {
  readonly kind: 'scan'
  readonly read: readonly Sql[]
  readonly judge: (values: Row) => string | undefined
}

/** Every row is an edge of a graph. The edges of cycles are violations. */
export interface CycleFinding extends Base {
  readonly kind: 'cycle'
  readonly read: readonly [from: Sql, to: Sql]
  readonly detail: string
}

/** The detail of a violation: a text with values of the row. */
export interface Detail {
  readonly texts: readonly string[]
  readonly values: readonly Sql[]
}

export const detailText = (
  texts: TemplateStringsArray,
  ...values: readonly (Sql | Money)[]
): Detail => ({
  texts: texts.flatMap((text, at) => (isMoney(values[at - 1]) ? [' ', text] : [text])),
  values: values.flatMap((value) => (isMoney(value) ? [value.amount, value.currency] : [value])),
})

/** An amount in a detail, which is followed by its currency: `1250.00 EUR`. */
interface Money {
  readonly amount: Sql
  readonly currency: Sql
}

export const money = (amount: Sql, currency: Sql): Money => ({ amount, currency })

const isMoney = (value: Sql | Money | undefined): value is Money =>
  value !== undefined && 'amount' in value

/** The text with the values of a row. Scaled amounts are formatted as decimals. */
export const formatDetail = ({ texts, values }: Detail, read: Row): string =>
  texts
    .map((text, index) => {
      const value = values[index]
      return value ? text + formatValue(read[index] ?? null, value.scale) : text
    })
    .join('')

const formatValue = (value: Row[number], scale: number): string => {
  if (value === null) return 'none'
  const text = String(value)
  if (scale === 0) return text
  if (/^-?\d+$/.test(text)) return formatDecimal({ units: BigInt(text), scale })
  // A double, whose digits after the fifteenth mean nothing.
  return isDouble.test(text) ? formatDecimal({ units: BigInt(Number(text)), scale }) : text
}

const isDouble = /^-?\d+\.\d+e\+\d+$/

interface Selection extends Select {
  /** Required if the first source is a query. A collection names its own records. */
  readonly names?: Names
}

/** The rows that match the condition are violations. Deleted records are ignored. */
export const find = ({
  detail,
  ...selection
}: Selection & { readonly where: Sql; readonly detail: Detail }): Finding => ({
  kind: 'query',
  detail,
  ...based(selection),
})

/**
 * For conditions that SQL cannot express: rows are read and judged one by one. The values are passed
 * by name. Joins must not multiply the records.
 */
export const scan = <const C extends { readonly [name: string]: Sql }>({
  read,
  judge,
  ...selection
}: Selection & {
  readonly read: C
  readonly judge: (values: { readonly [N in keyof C]: string | null }) => string | undefined
}): Finding => {
  const names = Object.keys(read)
  return {
    kind: 'scan',
    ...based(selection),
    read: Object.values(read),
    judge: (values) => {
      const named = names.map((name, index) => [name, asText(values[index] ?? null)])
      return judge(Object.fromEntries(named) as { [N in keyof C]: string | null })
    },
  }
}

/** The rows that are part of a cycle are violations. */
export const cycle = (
  selection: Selection & { readonly read: readonly [Sql, Sql]; readonly detail: string },
): Finding => {
  const { read, detail, ...rest } = selection
  return { kind: 'cycle', read, detail, ...based(rest) }
}

const based = ({ names, from, join = [], where = always }: Selection): Base => ({
  names: names ?? named(from),
  select: { from, join, where: names ? where : all(...notDeletedOf(from), where) },
})

const always = sql`true`

const named = (from: Source): Names => [resourceOf(from).path as ResourcePath, ...keyOf(from)]

const notDeletedOf = (from: Source): readonly Sql[] =>
  'deletedAt' in from ? [sql`${from.deletedAt as Sql} is null`] : []

const asText = (value: Row[number]): string | null => (value === null ? null : readText(value))

/** Within each parent, the numbers must be 1, 2, 3 ... Every number that does not follow its predecessor is a violation. */
export const numbered = (parts: {
  readonly of: Source
  readonly within: Sql
  readonly number: Sql
}): Finding => {
  const { of, within, number } = parts
  const steps = derived('steps', {
    from: of,
    where: all(...notDeletedOf(of), always),
    columns: {
      ...keyColumns(of),
      number,
      before: previous(number, sql`partition by ${within} order by ${number}, ${list(keyOf(of))}`),
    },
  })
  return find({
    from: steps,
    names: namedBy(of, steps),
    where: sql`${steps.number} <> ${orZero(steps.before)} + 1`,
    detail: detailText`number ${steps.number} follows ${steps.before}`,
  })
}

/** At most one row may have the same values. Every further row is a violation. */
export const atMostOne = (
  parts: Select & {
    readonly of: Source
    readonly per: readonly Sql[]
    /** The title of the first row, for the detail of later ones. */
    readonly title: Sql
    readonly detail: string
  },
): Finding => {
  const { of, per, title, detail, join, where = always } = parts
  const key = list(keyOf(of))
  const ranked = derived('ranked', {
    from: parts.from,
    ...(join && { join }),
    where: all(...notDeletedOf(of), where),
    columns: {
      ...keyColumns(of),
      place: sql`row_number() over (partition by ${list(per)} order by ${key})`,
      first: first(title, sql`partition by ${list(per)} order by ${key}`),
    },
  })
  return find({
    from: ranked,
    names: namedBy(of, ranked),
    where: over(ranked.place, whole(1)),
    detail: { texts: [`${detail} `, ''], values: [ranked.first] },
  })
}

const keyColumns = (of: Source) =>
  Object.fromEntries(keyOf(of).map((each, index) => [`key${index}`, each]))

const namedBy = (of: Source, query: Source): Names => [
  resourceOf(of).path as ResourcePath,
  ...keyOf(of).map((_, index) => columnAt(query, `key${index}`)),
]

const list = (parts: readonly Sql[]): Sql =>
  scaled(0, (to) => [parts.map((each) => each.write(to)).join(', ')])

/** The first violations of a query, each with the total number of violations. */
export const writeQuery = (finding: QueryFinding, to: Writing): string => {
  const [, ...key] = finding.names
  const keys = key.map((each) => each.write(to)).join(', ')
  // As text, because a scaled amount can exceed a JavaScript number.
  const values = finding.detail.values.map((each) =>
    each.isIdentifier ? to.dialect.uuidText(each.write(to)) : `cast(${each.write(to)} as text)`,
  )
  return [
    `select ${[keys, ...values, 'count(*) over ()'].join(', ')}`,
    writeSelect(finding.select, to),
    `order by ${keys}`,
    `limit ${to.dialect.limit('?2')}`,
  ].join(' ')
}

/** A batch of a scan: the key and the values, after the record whose key is `?3` and following. */
export const writeBatch = (
  finding: ScanFinding | CycleFinding,
  isFirst: boolean,
  to: Writing,
): string => {
  const [, ...key] = finding.names
  const keys = key.map((each) => each.write(to)).join(', ')
  const marks = key.map((_, index) => `?${index + 3}`).join(', ')
  const where = all(
    ...(finding.select.where ? [finding.select.where] : []),
    ...(isFirst ? [] : [scaled(0, () => [`(${keys}) > (${marks})`])]),
  )
  return [
    `select ${[keys, ...finding.read.map((each) => each.write(to))].join(', ')}`,
    writeSelect({ ...finding.select, where }, to),
    `order by ${keys}`,
    `limit ${to.dialect.limit('?2')}`,
  ].join(' ')
}
