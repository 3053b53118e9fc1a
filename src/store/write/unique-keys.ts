import { type Field, type UniqueKey, uniqueKeysOf } from '#contract'
import { type Dialect, type Query, quote, type Row, type Session } from '#database'
import { asInteger, asText } from '../schema/collection-stats.ts'
import { readText } from '../schema/identifier.ts'
import { indexFor, kindOf, type Table } from '../schema/tables.ts'
import { isAmong, removalsName, stagedName } from './staging.ts'

/*
 * Unique keys, judged on the records as a merge will leave them: the staged rows, and the stored
 * records that are neither staged nor removed. So two records may swap their numbers. A first query
 * per key finds out whether any value belongs to two records. It compares the columns, of which some
 * hold only a part of the value, and needs no index of the staged rows. Only if it finds something,
 * the rows are searched for, by whole values.
 *
 * The record that had the value before keeps it. Otherwise the row that was staged first does.
 */

/** A staged row whose key another record has. */
export interface RepeatedKey {
  readonly row: number
  readonly source: number
  readonly line: number
  readonly key: UniqueKey
  readonly values: readonly (string | null)[]
  /** The identity of its record, and that of the other one. */
  readonly id: string
  readonly other: {
    readonly id: string
    /** Where the other record was staged; null if it is only stored. */
    readonly staged: { readonly source: number; readonly line: number } | null
  }
}

/** Rows whose key is new or changed, or rows whose stored record has the same key already. */
export type KeyRows = 'new' | 'kept'

export interface KeyParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly table: Table
  readonly owner: number
  /** A condition: the stored record `t` stays if it is not staged. Without it, all stay. */
  readonly stays?: string | undefined
}

/** Rows per query. */
const batchRows = 5_000

/** The keys of a collection that may be repeated among staged and stored records. */
export const suspiciousKeys = async (
  parts: KeyParts,
  from: { readonly staged: boolean; readonly stored: boolean },
): Promise<readonly UniqueKey[]> => {
  const suspicious: UniqueKey[] = []
  for (const key of uniqueKeysOf(parts.table.resource)) {
    const rows = await parts.session.all(compileSuspicion(parts, key, from))
    if (rows.length > 0) suspicious.push(key)
  }
  return suspicious
}

/**
 * Yields staged rows whose key another record has, in order. They are searched for once. Needs an
 * index of the staged rows, and the caller takes all before it removes any.
 */
export async function* repeatedKeys(
  parts: KeyParts,
  key: UniqueKey,
  which: KeyRows,
): AsyncIterable<readonly RepeatedKey[]> {
  const { session, dialect, table, owner } = parts
  const matches = quote(repeatedName(table))
  const { integer, text } = dialect
  await session.runAll([
    [
      `create temp table if not exists ${matches} ("row" ${integer} primary key,`,
      `"other_row" ${integer}, "other_source" ${integer}, "other_line" ${integer}, "other_id" ${text})`,
    ].join('\n'),
    `delete from ${matches}`,
  ])
  const count = await session.run({
    text: `insert into ${matches}\n${compileRepeated(parts, key, which)}`,
    values: [owner],
  })
  if (count === 0) return
  const values = keyFieldsOf(parts, key).map(({ value }) => value('s'))
  const page = [
    'select s."staged_row", s."staged_source", s."staged_line",',
    `${identityText(parts, 's')}, f."other_row", f."other_source", f."other_line", f."other_id",`,
    values.join(', '),
    `from ${matches} as f`,
    `join ${quote(stagedName(table))} as s on s."staged_row" = f."row"`,
    'where f."row" > ?1',
    'order by f."row"',
    `limit ${batchRows}`,
  ].join('\n')
  for (let last = 0; ; ) {
    const rows = await session.all({ text: page, values: [last] })
    if (rows.length === 0) return
    last = Number(rows.at(-1)?.[0])
    yield rows.map((row) => readRepeated(key, row))
  }
}

const repeatedName = (table: Table) => `repeated_${table.name}`

const readRepeated = (
  key: UniqueKey,
  [row, source, line, id, otherRow, otherSource, otherLine, other, ...values]: Row,
): RepeatedKey => ({
  row: Number(row),
  source: Number(source),
  line: Number(line),
  key,
  values: values.map((value) => (value === null ? null : readText(value))),
  id: String(id),
  other: {
    id: String(other),
    staged: Number(otherRow) > 0 ? { source: Number(otherSource), line: Number(otherLine) } : null,
  },
})

/** A staged row that wants the key of a stored record, and the staged row that gives the key up. */
export interface PassedKey {
  readonly key: UniqueKey
  readonly from: number
  readonly to: number
}

/** The keys that staged rows take over from each other. */
export const passedKeys = async (
  parts: KeyParts,
  keys: readonly UniqueKey[],
): Promise<readonly PassedKey[]> => {
  const { session, dialect, table, owner } = parts
  const { integer, text } = dialect
  const name = `wanted_${table.name}`
  const wanted = quote(name)
  const passed: PassedKey[] = []
  await session.runAll([
    `create temp table if not exists ${wanted} ("start" ${text}, "value" ${text}, "row" ${integer})`,
    [
      `create index if not exists ${dialect.temporaryIndex(`${name}__start`)}`,
      `on ${wanted} ("start")`,
    ].join('\n'),
  ])
  for (const key of keys) {
    const fields = keyFieldsOf(parts, key)
    const own = keyText(parts, fields, 's')
    const held = keyText(parts, fields, 't')
    const isSame = table.key.map(({ name }) => `t.${quote(name)} = s.${quote(name)}`)
    await session.runAll([
      `delete from ${wanted}`,
      [
        `insert into ${wanted}`,
        `select ${startOf(own)}, ${own}, s."staged_row"`,
        ...stagedRows(parts, fields),
      ].join('\n'),
    ])
    const rows = await session.all({
      text: [
        'select s."staged_row", w."row"',
        `from ${quote(stagedName(table))} as s`,
        `join ${quote(table.name)} as t on t."owner" = ?1 and ${isSame.join(' and ')}`,
        `join ${wanted} as w on w."start" = ${startOf(held)} and w."value" = ${held}`,
        `where ${['w."row" <> s."staged_row"', ...countsIn(parts, fields, 't')].join(' and ')}`,
        'order by s."staged_row", w."row"',
      ].join('\n'),
      values: [owner],
    })
    for (const [from, to] of rows) passed.push({ key, from: Number(from), to: Number(to) })
  }
  return passed
}

/** Staged rows whose key another staged row would have had to give up. */
export const describePassed = async (
  parts: KeyParts,
  passed: readonly PassedKey[],
): Promise<readonly RepeatedKey[]> => {
  const { session, dialect, table } = parts
  const described: RepeatedKey[] = []
  for (const [key, own] of Map.groupBy(passed, (each) => each.key)) {
    const fromOf = new Map(own.map(({ from, to }) => [to, from]))
    const read = (rows: Iterable<number>, columns: readonly string[]) =>
      session.all({
        text: [
          `select ${['s."staged_row"', ...columns].join(', ')}`,
          `from ${quote(stagedName(table))} as s`,
          `where ${isAmong('s."staged_row"', '?1', dialect)}`,
          'order by s."staged_row"',
        ].join('\n'),
        values: [JSON.stringify([...rows])],
      })
    const id = identityText(parts, 's')
    const givers = await read(new Set(fromOf.values()), [id])
    const idOf = new Map(givers.map(([row, giver]) => [Number(row), String(giver)]))
    const values = keyFieldsOf(parts, key).map(({ value }) => value('s'))
    const places = ['s."staged_source"', 's."staged_line"', id]
    for (const [row = 0, source = 0, line = 0, own = '', ...rest] of await read(fromOf.keys(), [
      ...places,
      ...values,
    ])) {
      const giver = idOf.get(fromOf.get(Number(row)) ?? 0) ?? ''
      described.push(readRepeated(key, [row, source, line, own, 0, 0, 0, giver, ...rest]))
    }
  }
  return described
}

/** The values of a key as one text, different for different values. */
const keyText = ({ dialect }: KeyParts, fields: readonly KeyField[], alias: string): string =>
  fields
    .map(({ value, field }) => {
      const text = asText(value(alias), kindOf(field), dialect)
      return `case when ${value(alias)} is null then '-' else length(${text}) || ':' || ${text} end`
    })
    .map((each) => `(${each})`)
    .join(' || ')

/** A part that fits into an index. */
const startOf = (text: string): string => `substr(${text}, 1, 200)`

/** A field of a key, as SQL of the staged row or stored record under an alias. */
interface KeyField {
  readonly name: string
  readonly field: Field
  readonly value: (alias: string) => string
  /** Equal for equal values; an indexed column, if there is one. */
  readonly similar: (alias: string) => string
  readonly column: string | undefined
}

const keyFieldsOf = (
  { table, dialect }: Pick<KeyParts, 'table' | 'dialect'>,
  { fields }: UniqueKey,
): readonly KeyField[] =>
  fields.map((name) => {
    const field = table.resource.fields[name] as Field
    const kind = kindOf(field)
    const lookup = [...table.key, ...table.lookups].find(({ path }) => path.join('.') === name)
    const sort = table.sorts.find(({ path }) => path.join('.') === name)
    const column = lookup ?? sort
    const inBody = (alias: string) => {
      const text = dialect.jsonText(`${alias}."body"`, [name])
      if (kind === 'uuid') return dialect.uuid(text)
      return kind === 'integer' ? asInteger(text, dialect) : text
    }
    const similar = (alias: string) => (column ? `${alias}.${quote(column.name)}` : inBody(alias))
    return {
      name,
      field,
      // A column of a text may hold a part of it.
      value: column && kind !== 'text' ? similar : inBody,
      similar,
      column: column?.name,
    }
  })

/** The field whose column finds stored records with the same key: the parent's, else a number or code. */
const leadOf = ({ resource }: Table, fields: readonly KeyField[]): KeyField | undefined => {
  const rank = ({ name, field }: KeyField) =>
    name === resource.parent ? 0 : field.kind === 'text' && !field.values ? 1 : 2
  return fields
    .filter(({ column, field }) => column !== undefined && (fields.length === 1 || !field.nullable))
    .toSorted((one, other) => rank(one) - rank(other))[0]
}

/** Conditions: the record is not deleted, and a key of a single field is not null. */
const countsIn = (
  { table, dialect }: KeyParts,
  fields: readonly KeyField[],
  alias: string,
): readonly string[] => {
  const sort = table.sorts.find(({ path }) => path.join('.') === 'deletedAt')
  const deletedAt = sort
    ? `${alias}.${quote(sort.name)}`
    : dialect.jsonText(`${alias}."body"`, ['deletedAt'])
  const [first, ...others] = fields
  return [
    ...(table.resource.fields['deletedAt'] ? [`${deletedAt} is null`] : []),
    ...(first?.field.nullable && others.length === 0
      ? [`${first.similar(alias)} is not null`]
      : []),
  ]
}

/** Selects from the stored records of the owner that can have the key of a staged row. */
const storedRows = (
  parts: KeyParts,
  fields: readonly KeyField[],
  { nearStaged }: { readonly nearStaged: boolean },
): readonly string[] => {
  const { table, dialect } = parts
  const lead = nearStaged ? leadOf(table, fields) : undefined
  const index = lead?.column === undefined ? undefined : indexFor(table, lead.column)
  return [
    `from ${index ? dialect.indexedBy(table.name, 't', index) : `${quote(table.name)} as t`}`,
    'where t."owner" = ?1',
    ...countsIn(parts, fields, 't').map((each) => `and ${each}`),
    ...(lead
      ? [
          `and ${lead.similar('t')} in (select ${lead.similar('s')}`,
          `from ${quote(stagedName(table))} as s where ${lead.similar('s')} is not null)`,
        ]
      : []),
  ]
}

const stagedRows = (parts: KeyParts, fields: readonly KeyField[]): readonly string[] => [
  `from ${quote(stagedName(parts.table))} as s`,
  `where ${['true', ...countsIn(parts, fields, 's')].join(' and ')}`,
]

const compileSuspicion = (
  parts: KeyParts,
  key: UniqueKey,
  from: { readonly staged: boolean; readonly stored: boolean },
): Query => {
  const { table, dialect, owner } = parts
  const fields = keyFieldsOf(parts, key)
  const [identity, ...others] = table.key
  const isUuid = identity?.kind === 'uuid' && others.length === 0
  const columns = (alias: string) =>
    [
      ...fields.map(({ similar }, index) => `${similar(alias)} as "k${index}"`),
      `${isUuid ? `${alias}.${quote(identity.name)}` : identityText(parts, alias)} as "id"`,
    ].join(', ')
  const extreme = (aggregate: 'min' | 'max') =>
    isUuid ? dialect.aggregateUuid(aggregate, 'h."id"') : `${aggregate}(h."id")`
  return {
    text: [
      'select 1',
      'from (',
      [
        ...(from.staged
          ? [[`select ${columns('s')}`, ...stagedRows(parts, fields)].join('\n')]
          : []),
        ...(from.stored
          ? [
              [
                `select ${columns('t')}`,
                ...storedRows(parts, fields, { nearStaged: from.staged }),
              ].join('\n'),
            ]
          : []),
      ].join('\nunion all\n'),
      ') as h',
      `group by ${fields.map((_, index) => `h."k${index}"`).join(', ')}`,
      `having ${extreme('min')} <> ${extreme('max')}`,
      'limit 1',
    ].join('\n'),
    values: from.stored ? [owner] : [],
  }
}

/** Places the records with the same key: those that keep it first, then in the order of staging. */
const compileRepeated = (parts: KeyParts, key: UniqueKey, which: KeyRows): string => {
  const { table, stays } = parts
  const fields = keyFieldsOf(parts, key)
  const names = fields.map((_, index) => `"k${index}"`)
  const values = (alias: string) =>
    fields.map(({ value }, index) => `${value(alias)} as "k${index}"`).join(', ')
  const isSame = (one: string, other: string) =>
    table.key.map(({ name }) => `${one}.${quote(name)} = ${other}.${quote(name)}`).join(' and ')
  const equal = fields.map(({ value, field }) =>
    field.nullable
      ? `${value('t')} is not distinct from ${value('s')}`
      : `${value('t')} = ${value('s')}`,
  )
  const hadKey = [
    `exists (select 1 from ${quote(table.name)} as t`,
    `where t."owner" = ?1 and ${[isSame('t', 's'), ...countsIn(parts, fields, 't'), ...equal].join(' and ')})`,
  ].join(' ')
  const firstOf = (name: string) => `first_value(h."${name}") over w as "first_${name}"`
  const places = ['row', 'source', 'line', 'id'].map(firstOf)
  return [
    'select p."row", p."first_row", p."first_source", p."first_line", p."first_id"',
    `from (select h.*, row_number() over w as "place", ${places.join(', ')}`,
    'from (',
    'select s."staged_row" as "row", s."staged_source" as "source", s."staged_line" as "line",',
    `${identityText(parts, 's')} as "id", case when ${hadKey} then 1 else 0 end as "kept", ${values('s')}`,
    ...stagedRows(parts, fields),
    'union all',
    `select 0, 0, 0, ${identityText(parts, 't')}, 1, ${values('t')}`,
    ...storedRows(parts, fields, { nearStaged: true }),
    `and not exists (select 1 from ${quote(stagedName(table))} as o where ${isSame('o', 't')})`,
    `and not exists (select 1 from ${quote(removalsName(table))} as r where ${isSame('r', 't')})`,
    ...(stays === undefined ? [] : [`and ${stays}`]),
    ') as h',
    `window w as (partition by ${names.map((name) => `h.${name}`).join(', ')}`,
    'order by h."kept" desc, h."row", h."id")) as p',
    `where p."place" > 1 and p."row" > 0 and p."kept" = ${which === 'kept' ? 1 : 0}`,
  ].join('\n')
}

const identityText = ({ table, dialect }: KeyParts, alias: string): string =>
  table.key
    .map(({ name, kind }) => asText(`${alias}.${quote(name)}`, kind, dialect))
    .join(" || ' ' || ")
