import type { Reference } from '#contract'
import { type Dialect, literal, type Query, quote, type Row, type Session } from '#database'
import {
  changesTable,
  everyIdentity,
  identityColumns,
  identityOf,
} from '../schema/change-tables.ts'
import { asInteger, asText } from '../schema/collection-stats.ts'
import { ownerAmong } from '../schema/owners.ts'
import type { StoredRecord } from '../schema/record-body.ts'
import { storedValue, type Table, tableAt } from '../schema/tables.ts'
import type { HeldSource } from './held-rows.ts'
import type { DanglingRow, QuarantineParts } from './quarantine.ts'
import { isQuarantined, isSame, isUnstaged, parentOf } from './quarantine-identity.ts'
import { quarantineId, quarantineTable } from './quarantine-table.ts'
import { referenceValue } from './rejected-rows.ts'
import { isAmong, keptName, removalsName, stagedName } from './staging.ts'

/** Rows per batch of candidates. */
const batchRows = 1_000

const q = quote(quarantineTable)
const keyColumns = identityColumns.map(quote).join(', ')

/** One import into an owner's collections, alone or as a part of a transaction. */
export interface Writing {
  /** Its time. */
  readonly at: string
  /** Differs from that of every row that was quarantined before. A time may not. */
  readonly number: number
}

export const compileWriting = ({ dialect, owner }: QuarantineParts): Query => ({
  text: [
    `select ${dialect.now}, coalesce(max("writing"), 0) + 1`,
    `from ${q}`,
    'where "owner" = ?1',
  ].join('\n'),
  values: [owner],
})

export const rowNumbers = (rows: readonly DanglingRow[]): readonly number[] =>
  rows.map(({ row }) => row)

/** As many rows as fit. Rows that are in quarantine already need no room. */
export const fitting = (
  rows: readonly DanglingRow[],
  waiting: ReadonlySet<number>,
  room: number,
): readonly DanglingRow[] => {
  let left = room
  return rows.filter(({ row }) => {
    if (waiting.has(row)) return true
    left -= 1
    return left >= 0
  })
}

export const compileCounts = ({ owner }: QuarantineParts): Query => ({
  text: [
    'select "collection", count(*)',
    `from ${q}`,
    'where "owner" = ?1',
    'group by "collection"',
  ].join('\n'),
  values: [owner],
})

export const compileHasCandidate = (
  parts: QuarantineParts,
  table: Table,
  reference: Reference,
): Query => ({
  text: `select 1\n${candidatesOf(parts, table, reference, false)}\nlimit 1`,
  values: candidateValues(parts, table, reference),
})

/** Reads a batch of candidates whose identity is neither staged nor staged for removal. */
export const compileCandidates = (
  parts: QuarantineParts,
  table: Table,
  reference: Reference,
): Query => {
  const { dialect } = parts
  return {
    text: [
      'select q."body"',
      candidatesOf(parts, table, reference, true),
      ...isUnstaged(table, dialect),
      `order by ${identityColumns.map((name) => `q.${quote(name)}`).join(', ')}`,
      `limit ${batchRows}`,
    ].join('\n'),
    values: candidateValues(parts, table, reference),
  }
}

/** The rows that wait for a reference whose record is stored or, if `staged` is set, staged. */
const candidatesOf = (
  { dialect, tables }: QuarantineParts,
  table: Table,
  reference: Reference,
  staged: boolean,
): string => {
  const target = tableAt(tables, reference.to)
  const [key] = target.key
  if (!key) throw new RangeError(`${target.name} has no identity.`)
  const wanted = storedValue(key, 'q."value"', dialect)
  const isStored = [
    `exists (select 1 from ${quote(target.name)} as t`,
    `where t."owner" = ?3 and t.${quote(key.name)} = ${wanted})`,
  ].join('\n')
  const isStaged = [
    `exists (select 1 from ${quote(stagedName(table))} as o`,
    `where o.${quote(key.name)} = ${wanted})`,
  ].join('\n')
  const isWithin = target.name === table.name
  return [
    `from ${q} as q`,
    `where q."owner" = ?1 and q."collection" = ?2 and q."field" = ${literal(reference.field)}`,
    `and (${staged && isWithin ? `${isStored} or ${isStaged}` : isStored})`,
  ].join('\n')
}

const candidateValues = (
  { tables, owner }: QuarantineParts,
  table: Table,
  reference: Reference,
): Query['values'] => [
  owner,
  table.resource.path,
  ownerAmong(tableAt(tables, reference.to).resource, owner),
]

/** The numbers of staged rows, and their identities as bytes. */
export const compileIdentities = (
  { dialect }: QuarantineParts,
  table: Table,
  rows: readonly number[],
): Query => ({
  text: [
    `select "staged_row", ${identityOf(table, dialect)}`,
    `from ${quote(stagedName(table))}`,
    `where ${isAmong('"staged_row"', '?1', dialect)}`,
  ].join('\n'),
  values: [JSON.stringify(rows)],
})

/** The bytes of staged records. */
export const compileSize = (
  { dialect }: QuarantineParts,
  table: Table,
  rows: readonly number[],
): Query => ({
  text: [
    'select coalesce(sum(octet_length("body")), 0)',
    `from ${quote(stagedName(table))}`,
    `where ${isAmong('"staged_row"', '?1', dialect)}`,
  ].join('\n'),
  values: [JSON.stringify(rows)],
})

/** The number of a staged row and its id in quarantine, as JSON. */
export const rowWithId =
  ({ resource }: Table) =>
  ([row, ...identity]: Row): string =>
    JSON.stringify({ row, id: quarantineId(resource.path, identity as Uint8Array[], 0) })

interface WaitingPlace extends Writing {
  readonly reference: Reference
  /** Null for rows that waited before, which keep their source and line. */
  readonly from: HeldSource | null
}

/** Puts staged rows in quarantine that wait for a record; `rows` are texts of `rowWithId`. */
export const compilePark = (
  { dialect, owner }: QuarantineParts,
  table: Table,
  rows: readonly string[],
  { reference, from, at, number }: WaitingPlace,
): Query => {
  const value = referenceValue(table, reference.field, 's', dialect)
  const replaced = [
    ...['reason', 'field', 'value', 'parent', 'problems', 'tried_at', 'bytes', 'body', 'writing'],
    ...(from ? ['file', 'line', 'source_kind', 'source_name', 'mapping', 'row'] : []),
  ]
  const row = asInteger(dialect.jsonText('n."value"', ['row']), dialect)
  return {
    text: [
      `insert into ${q} ("owner", "collection", ${keyColumns}, "part", "id", "is_identified",`,
      '"reason", "field", "value", "parent", "file", "line", "since", "tried_at", "writing",',
      '"bytes", "problems", "source_kind", "source_name", "mapping", "row", "body")',
      `select ${asInteger('?1', dialect)}, ?2, ${identityOf(table, dialect, 's')}, 0,`,
      `${dialect.jsonText('n."value"', ['id'])}, 1,`,
      `'reference', ${literal(reference.field)}, ${asText(value, 'uuid', dialect)},`,
      `${parentOf(table, 's', dialect)}, ?3, s."staged_line", ?4, ?4, ${asInteger('?5', dialect)},`,
      // The list of problems has two characters.
      `${asInteger('octet_length(s."body") + 2', dialect)}, '[]',`,
      `${['?7', '?8', '?9'].map((each) => `cast(${each} as text)`).join(', ')},`,
      'cast(null as text), s."body"',
      `from ${dialect.textsIn('?6', 'n')}`,
      `join ${quote(stagedName(table))} as s on s."staged_row" = ${row}`,
      // An upsert from a select needs a condition in SQLite.
      'where true',
      `on conflict ("owner", "collection", ${keyColumns}, "part") do update`,
      `set ${replaced.map((name) => `${quote(name)} = excluded.${quote(name)}`).join(', ')}`,
    ].join('\n'),
    values: [
      ...[owner, table.resource.path, from?.file ?? '', at, number, JSON.stringify(rows)],
      ...[from?.source?.kind ?? null, from?.source?.name ?? null, from?.mapping ?? null],
    ],
  }
}

/** The staged rows that are in quarantine already. */
export const compileWaitingAmong = (
  { dialect, owner }: QuarantineParts,
  table: Table,
  rows: readonly number[],
): Query => ({
  text: [
    'select s."staged_row"',
    `from ${quote(stagedName(table))} as s`,
    `join ${q} as q on ${isQuarantined(table, 's', dialect)}`,
    'where q."owner" = ?1 and q."collection" = ?2',
    `and ${isAmong('s."staged_row"', '?3', dialect)}`,
  ].join('\n'),
  values: [owner, table.resource.path, JSON.stringify(rows)],
})

/**
 * Reads batches of records whose key or code was refused and whose identity is not staged: those that
 * were tried before a time, and those whose key a record has that is written now.
 */
export const compileRetried = (
  { dialect, owner }: Pick<QuarantineParts, 'dialect' | 'owner'>,
  table: Table,
  before: string,
): readonly Query[] => {
  const [key, ...others] = table.key
  const isSingle = key !== undefined && others.length === 0
  const written = [stagedName(table), removalsName(table)].map(
    (name) =>
      `select ${asText(`w.${quote(key?.name ?? '')}`, key?.kind ?? 'text', dialect)} from ${quote(name)} as w`,
  )
  const conditions = isSingle
    ? [
        [`and q."reason" in ('key', 'code') and q."tried_at" < ?3`],
        [`and q."field" is null and q."value" in (${written.join(' union all ')})`],
      ]
    : [[`and q."reason" in ('key', 'code') and ?3 <> ''`]]
  return conditions.map((condition) => ({
    text: [
      'select q."body"',
      `from ${q} as q`,
      'where q."owner" = ?1 and q."collection" = ?2 and q."body" is not null',
      ...condition,
      ...isUnstaged(table, dialect),
      `order by ${identityColumns.map((name) => `q.${quote(name)}`).join(', ')}`,
      `limit ${batchRows}`,
    ].join('\n'),
    values: [owner, table.resource.path, ...(condition[0]?.includes('?3') ? [before] : [])],
  }))
}

/** Lets rows be tried again whose key belongs to no stored record, at the end of a transaction. */
export const freeKeys = async (
  session: Session,
  dialect: Dialect,
  owner: number,
  table: Table,
): Promise<void> => {
  const [key, ...others] = table.key
  if (!key || others.length > 0) return
  await session.run({
    text: [
      `update ${q}`,
      `set "tried_at" = ''`,
      `where "owner" = ?1 and "collection" = ?2 and "reason" = 'key' and "tried_at" > ''`,
      `and not exists (select 1 from ${quote(table.name)} as t`,
      `where t."owner" = ?1 and t.${quote(key.name)} = ${storedValue(key, `${q}."value"`, dialect)})`,
    ].join('\n'),
    values: [owner, table.resource.path],
  })
}

/** Lets all rows of an owner be tried again whose key or code was refused. */
export const retryAll = (owner: number): Query => ({
  text: `update ${q}\nset "tried_at" = ''\nwhere "owner" = ?1 and "reason" in ('key', 'code')`,
  values: [owner],
})

export const compileDropSuperseded = (
  { dialect, owner }: QuarantineParts,
  table: Table,
  number: number,
  after: number,
): Query => {
  const own = identityColumns.map((name) => `c.${quote(name)} = ${q}.${quote(name)}`).join(' and ')
  const any = `(c."${identityColumns.join('", c."')}") = (${everyIdentity(dialect)})`
  const of = asInteger('?1', dialect)
  return {
    text: [
      `delete from ${q}`,
      `where "owner" = ${of} and "collection" = ?2 and "writing" = ?3`,
      `and exists (select 1 from "${changesTable}" as c`,
      `where c."owner" in (${of}, -${of}) and c."collection" = ?2 and c."change" > ?4`,
      `and (${own} or ${any}))`,
    ].join('\n'),
    values: [owner, table.resource.path, number, after],
  }
}

interface Settled extends Writing {
  readonly replaces: boolean
  readonly hasKept: boolean
}

export const compileSettle = (
  { dialect, owner }: QuarantineParts,
  table: Table,
  { replaces, hasKept, number }: Settled,
): readonly Query[] => {
  const of = [`delete from ${q}`, `where ${q}."owner" = ?1 and ${q}."collection" = ?2`]
  const values = [owner, table.resource.path]
  const isIn = (name: string) =>
    `exists (select 1 from ${quote(name)} as s where ${isSame(table, 's', q, dialect)})`
  // A row that this import quarantined takes precedence over the removal of its identity.
  const isMissing = replaces
    ? hasKept
      ? [`and not ${isIn(keptName(table))}`]
      : []
    : [`and ${isIn(removalsName(table))}`]
  const isStaged = `and ${isIn(stagedName(table))}`
  const isEarlier = `and ${q}."writing" <> ?3`
  // A row beside a good one of this import stays to be seen, and is not tried again: which of both is
  // right is not known.
  const beside = [
    `update ${q}`,
    `set "reason" = 'duplicate', "mapping" = case when "mapping" is null then null else '' end`,
    ...of.slice(1),
    `and ${q}."writing" = ?3`,
  ]
  return [
    [...of, isEarlier, isStaged],
    [...beside, isStaged],
    [...of, isEarlier, ...isMissing],
  ].map((lines) => ({ text: lines.join('\n'), values: [...values, number] }))
}

export const compileRetain = ({ dialect, owner }: QuarantineParts, table: Table): Query => {
  const r = quote(removalsName(table))
  return {
    text: [
      `delete from ${r}`,
      `where exists (select 1 from ${q} as q`,
      `where q."owner" = ?1 and q."collection" = ?2 and ${isQuarantined(table, r, dialect)})`,
    ].join('\n'),
    values: [owner, table.resource.path],
  }
}

/** The record of a waiting row. Fields added to the contract since then are null. */
export const recordOf = ({ resource }: Table, [body]: Row): StoredRecord => ({
  ...Object.fromEntries(Object.keys(resource.fields).map((name) => [name, null])),
  ...(JSON.parse(String(body)) as StoredRecord),
})
