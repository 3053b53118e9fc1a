import { formatDecimal, type ResourcePath } from '#contract'
import type { Row } from '#database'
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

/** One way of breaking a rule, as data: the rows that do, the record each names, and what to say. */
export type Finding = QueryFinding | ScanFinding | CircleFinding

interface Base {
  readonly select: Select
  /** The record that a row names: its collection, then its identity. */
  readonly names: Names
}

type Names = readonly [collection: ResourcePath, ...key: readonly Sql[]]

/** Every row of the query is a breach. */
export interface QueryFinding extends Base {
  readonly kind: 'query'
  readonly detail: Detail
}

/** Every row is read, a batch at a time in the order of its record, and judged by itself. */
export interface ScanFinding extends Base {
  readonly kind: 'scan'
  readonly read: readonly Sql[]
  readonly judge: (values: Row) => string | undefined
}

/** Every row leads from one thing to another; those that lead in a circle are breaches. */
export interface CircleFinding extends Base {
  readonly kind: 'circle'
  readonly read: readonly [from: Sql, to: Sql]
  readonly detail: string
}

/** What was found, with values of the row in it. */
export interface Detail {
  readonly texts: readonly string[]
  readonly values: readonly Sql[]
}

export const say = (texts: TemplateStringsArray, ...values: readonly Sql[]): Detail => ({
  texts,
  values,
})

/** The sentence, once the values have been read; amounts as people write them. */
export const tell = ({ texts, values }: Detail, read: Row): string =>
  texts
    .map((text, index) => {
      const value = values[index]
      return value ? text + shown(read[index] ?? null, value.scale) : text
    })
    .join('')

const shown = (value: Row[number], scale: number): string => {
  if (value === null) return 'none'
  const text = String(value)
  return scale > 0 && /^-?\d+$/.test(text) ? formatDecimal({ units: BigInt(text), scale }) : text
}

interface Asked extends Select {
  /** Said where the first source is a query; a collection names its own records. */
  readonly names?: Names
}

/** The rows that meet the condition are breaches. A record that was removed breaks nothing. */
export const find = ({
  detail,
  ...asked
}: Asked & { readonly where: Sql; readonly detail: Detail }): Finding => ({
  kind: 'query',
  detail,
  ...based(asked),
})

/**
 * For what SQL cannot say of a record: its rows are read and judged one by one. The values come
 * under the names they are read by. No join may multiply the records.
 */
export const scan = <const C extends { readonly [name: string]: Sql }>({
  read,
  judge,
  ...asked
}: Asked & {
  readonly read: C
  readonly judge: (values: { readonly [N in keyof C]: string | null }) => string | undefined
}): Finding => {
  const names = Object.keys(read)
  return {
    kind: 'scan',
    ...based(asked),
    read: Object.values(read),
    judge: (values) => {
      const named = names.map((name, index) => [name, asText(values[index] ?? null)])
      return judge(Object.fromEntries(named) as { [N in keyof C]: string | null })
    },
  }
}

/** The rows that lead in a circle are breaches. */
export const circle = (
  asked: Asked & { readonly read: readonly [Sql, Sql]; readonly detail: string },
): Finding => {
  const { read, detail, ...rest } = asked
  return { kind: 'circle', read, detail, ...based(rest) }
}

const based = ({ names, from, join = [], where = always }: Asked): Base => ({
  names: names ?? named(from),
  select: { from, join, where: names ? where : all(...keptOf(from), where) },
})

const always = sql`true`

const named = (from: Source): Names => [resourceOf(from).path as ResourcePath, ...keyOf(from)]

const keptOf = (from: Source): readonly Sql[] =>
  'deletedAt' in from ? [sql`${from.deletedAt as Sql} is null`] : []

const asText = (value: Row[number]): string | null => (value === null ? null : String(value))

/** Within each parent the numbers go 1, 2, 3 ...: whatever does not follow the one before is named. */
export const numbered = (parts: {
  readonly of: Source
  readonly within: Sql
  readonly number: Sql
}): Finding => {
  const { of, within, number } = parts
  const steps = derived('steps', {
    from: of,
    where: all(...keptOf(of), always),
    columns: {
      ...keyColumns(of),
      number,
      before: sql`lag(${number}) over (partition by ${within} order by ${number}, ${list(keyOf(of))})`,
    },
  })
  return find({
    from: steps,
    names: namedBy(of, steps),
    where: sql`${steps.number} <> ${orZero(steps.before)} + 1`,
    detail: say`number ${steps.number} follows ${steps.before}`,
  })
}

/** Of the rows that have the same values there is one: every further one is named. */
export const atMostOne = (
  parts: Select & {
    readonly of: Source
    readonly per: readonly Sql[]
    /** How the first one is called when a further one is named. */
    readonly title: Sql
    readonly detail: string
  },
): Finding => {
  const { of, per, title, detail, join, where = always } = parts
  const key = list(keyOf(of))
  const ranked = derived('ranked', {
    from: parts.from,
    ...(join && { join }),
    where: all(...keptOf(of), where),
    columns: {
      ...keyColumns(of),
      place: sql`row_number() over (partition by ${list(per)} order by ${key})`,
      first: sql`first_value(${title}) over (partition by ${list(per)} order by ${key})`,
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

/** The first breaches of a query and, beside each, how many there are in all. */
export const writeQuery = (finding: QueryFinding, to: Writing): string => {
  const [, ...key] = finding.names
  const keys = key.map((each) => each.write(to)).join(', ')
  // As texts, because a scaled amount can be more than a JavaScript number holds.
  const values = finding.detail.values.map((each) => `cast(${each.write(to)} as text)`)
  return [
    `select ${[keys, ...values, 'count(*) over ()'].join(', ')}`,
    writeSelect(finding.select, to),
    `order by ${keys}`,
    `limit ${to.dialect.limit('?2')}`,
  ].join(' ')
}

/** A batch of a scan: the identity, then what is read; after the record that `?3` and on name. */
export const writeBatch = (
  finding: ScanFinding | CircleFinding,
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
