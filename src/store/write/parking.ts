import type { Reference } from '#contract'
import { type Dialect, literal, type Query, quote, type Row, type Session } from '#database'
import { identityColumns, identityOf } from '../schema/change-tables.ts'
import { asInteger, asText, type StoreTable } from '../schema/collection-stats.ts'
import { ownerAmong } from '../schema/owners.ts'
import type { StoredRecord } from '../schema/record-body.ts'
import { storedValue, type Table, tableAt } from '../schema/tables.ts'
import { referencesInOrder } from './references.ts'
import { referenceValue } from './rejected-rows.ts'
import { indexStaging, isAmong, removalsName, stagedName } from './staging.ts'

/**
 * Parked rows: valid records that reference a record that has not arrived yet. They are stored in a
 * table that record readers do not use, each with its first missing reference. Every later import
 * of the same owner stages the rows whose missing record exists by then again, in the order in
 * which collections reference each other. So the arrival of the first record releases a whole
 * chain.
 */
export const parkedTable = 'selvedge_parked'

/** Limit per owner; further rows are rejected. */
export const parkedMax = 100_000

/** The source number of staged rows that were parked. Sources of an import count from 0. */
export const parkedSource = -1

/** The number of the import that parked a row last. Earlier versions know the column by this name. */
const writingColumn = 'parked_at'

export const parkedStoreTable = ({ text, integer, blob }: Dialect): StoreTable => ({
  name: parkedTable,
  // Parked rows are not records yet: no request reads them.
  rows: 'none',
  ddl: `create table "${parkedTable}" (
  "owner" ${integer} not null,
  "collection" ${text} not null,
  ${identityColumns.map((name) => `"${name}" ${blob} not null,`).join('\n  ')}
  "field" ${text} not null,
  "value" ${text} not null,
  "file" ${text} not null,
  "line" ${integer} not null,
  "since" ${text} not null,
  "${writingColumn}" ${text} not null,
  "body" text not null,
  primary key ("owner", "collection", ${identityColumns.map(quote).join(', ')})
)`,
})

/** Finds the rows that wait for a value of a reference. */
export const parkedIndex = {
  name: `${parkedTable}__missing`,
  ddl: [
    `create index "${parkedTable}__missing"`,
    `on "${parkedTable}" ("owner", "collection", "field", "value")`,
  ].join('\n'),
}

/** A staged row with a missing reference. */
export interface DanglingRow {
  readonly row: number
  readonly source: number
}

/** The parked rows of one owner, inside one transaction. */
export interface Parking {
  /** Parked rows per collection. */
  counts(): Promise<ReadonlyMap<string, number>>
  has(table: Table): Promise<boolean>
  /** Whether a parked row references a record that exists now. */
  hasCandidates(table: Table): Promise<boolean>
  /**
   * Yields batches of parked records whose missing record is now stored or staged, until none are
   * left. The caller stages each batch before it takes the next. Skips identities that are staged
   * already or staged for removal.
   */
  candidates(table: Table): AsyncIterable<readonly StoredRecord[]>
  /**
   * Parks staged rows with a missing reference, up to the limit, and returns their numbers. Rows
   * that were parked before always fit; others need `files`, the names of the sources.
   */
  park(
    table: Table,
    reference: Reference,
    rows: readonly DanglingRow[],
    files: readonly string[] | undefined,
  ): Promise<ReadonlySet<number>>
  /**
   * Deletes parked rows that no longer wait: those whose identity is staged or staged for removal.
   * A replacement also deletes those that the import did not contain.
   */
  settle(table: Table, replaces: boolean): Promise<void>
  /** Keeps stored records that a parked row will change. */
  retain(table: Table): Promise<void>
  /** A condition: a replacement by this import keeps the stored record `t` because of a parked row. */
  retains(table: Table): Promise<string>
}

export interface ParkingParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly tables: ReadonlyMap<string, Table>
  readonly owner: number
}

/** Rows per batch of candidates. */
const batchRows = 1_000

const p = quote(parkedTable)
const keyColumns = identityColumns.map(quote).join(', ')

export const createParking = (parts: ParkingParts): Parking => {
  const { session, dialect } = parts
  let counted: Promise<ReadonlyMap<string, number>> | undefined
  let writing: Promise<Writing> | undefined

  const counts = () => {
    counted ??= session
      .all(compileCounts(parts))
      .then((rows) => new Map(rows.map(([path, count]) => [String(path), Number(count)])))
    return counted
  }
  const has = async ({ resource }: Table) => ((await counts()).get(resource.path) ?? 0) > 0

  const thisWriting = () => {
    writing ??= session
      .all(compileWriting(parts))
      .then(([row]) => ({ at: String(row?.[0]), number: String(row?.[1]) }))
    return writing
  }

  /** The staged rows that can be parked within the limit. */
  const withRoom = async (table: Table, rows: readonly DanglingRow[]) => {
    const total = [...(await counts()).values()].reduce((sum, each) => sum + each, 0)
    const room = parkedMax - total
    if (rows.length <= room) return rows
    const parked = await session.all(compileParkedAmong(parts, table, rowNumbers(rows)))
    return fitting(rows, new Set(parked.map(([row]) => Number(row))), room)
  }

  return {
    counts,
    has,
    hasCandidates: async (table) => {
      for (const reference of referencesInOrder(table.resource)) {
        const rows = await session.all(compileHasCandidate(parts, table, reference))
        if (rows.length > 0) return true
      }
      return false
    },
    candidates: async function* (table) {
      await indexStaging(session, table, dialect)
      for (let isComplete = false; !isComplete; ) {
        isComplete = true
        for (const reference of referencesInOrder(table.resource)) {
          const rows = await session.all(compileCandidates(parts, table, reference))
          if (rows.length === 0) continue
          // Other rows of the collection may wait for the rows staged here.
          isComplete = false
          yield rows.map((row) => recordOf(table, row))
        }
      }
    },
    park: async (table, reference, rows, files) => {
      const earlier = rows.filter(({ source }) => source === parkedSource)
      const others = files ? rows.filter(({ source }) => source !== parkedSource) : []
      const parked = [...earlier, ...(await withRoom(table, others))]
      if (parked.length === 0) return new Set()
      for (const [source, own] of Map.groupBy(parked, (each) => each.source)) {
        const file = source === parkedSource ? null : (files?.[source] ?? '')
        const place = { reference, file, ...(await thisWriting()) }
        await session.run(compilePark(parts, table, rowNumbers(own), place))
      }
      counted = undefined
      const numbers = rowNumbers(parked)
      await session.run(compileUnstage(parts, table, numbers))
      return new Set(numbers)
    },
    settle: async (table, replaces) => {
      if (!(await has(table))) return
      await indexStaging(session, table, dialect)
      for (const query of compileSettle(parts, table, replaces, await thisWriting())) {
        await session.run(query)
      }
      counted = undefined
    },
    retain: async (table) => {
      if (await has(table)) await session.run(compileRetain(parts, table))
    },
    retains: async (table) => {
      if (!(await has(table))) return 'false'
      const { number } = await thisWriting()
      return [
        `exists (select 1 from ${p} as p`,
        `where p."owner" = ?1 and p."collection" = ${literal(table.resource.path)}`,
        `and p."${writingColumn}" = ${literal(number)} and ${isParked(table, 't', dialect)})`,
      ].join('\n')
    },
  }
}

/** One import into an owner's collections, alone or as a part of a transaction. */
interface Writing {
  /** Its time. */
  readonly at: string
  /** Differs from that of every row that was parked before. A time may not. */
  readonly number: string
}

/** Earlier versions stored a time instead of a number. */
const compileWriting = ({ dialect, owner }: ParkingParts): Query => ({
  text: [
    `select ${dialect.now}, coalesce(max(case when "${writingColumn}" like '%-%' then 0`,
    `else ${asInteger(quote(writingColumn), dialect)} end), 0) + 1`,
    `from ${p}`,
    'where "owner" = ?1',
  ].join('\n'),
  values: [owner],
})

const rowNumbers = (rows: readonly DanglingRow[]): readonly number[] => rows.map(({ row }) => row)

/** As many rows as fit. Rows that are parked already need no room. */
export const fitting = (
  rows: readonly DanglingRow[],
  parked: ReadonlySet<number>,
  room: number,
): readonly DanglingRow[] => {
  let left = room
  return rows.filter(({ row }) => {
    if (parked.has(row)) return true
    left -= 1
    return left >= 0
  })
}

const compileCounts = ({ owner }: ParkingParts): Query => ({
  text: [
    'select "collection", count(*)',
    `from ${p}`,
    'where "owner" = ?1',
    'group by "collection"',
  ].join('\n'),
  values: [owner],
})

const compileHasCandidate = (parts: ParkingParts, table: Table, reference: Reference): Query => ({
  text: `select 1\n${candidatesOf(parts, table, reference, false)}\nlimit 1`,
  values: candidateValues(parts, table, reference),
})

/** Reads a batch of candidates whose identity is neither staged nor staged for removal. */
const compileCandidates = (parts: ParkingParts, table: Table, reference: Reference): Query => {
  const { dialect } = parts
  const [s, r] = [stagedName(table), removalsName(table)].map(quote)
  return {
    text: [
      'select p."body"',
      candidatesOf(parts, table, reference, true),
      `and not exists (select 1 from ${s} as s where ${isSame(table, 's', 'p', dialect)})`,
      `and not exists (select 1 from ${r} as r where ${isSame(table, 'r', 'p', dialect)})`,
      `order by ${identityColumns.map((name) => `p.${quote(name)}`).join(', ')}`,
      `limit ${batchRows}`,
    ].join('\n'),
    values: candidateValues(parts, table, reference),
  }
}

/** The parked rows of a reference whose record is stored or, if `staged` is set, staged. */
const candidatesOf = (
  { dialect, tables }: ParkingParts,
  table: Table,
  reference: Reference,
  staged: boolean,
): string => {
  const target = tableAt(tables, reference.to)
  const [key] = target.key
  if (!key) throw new RangeError(`${target.name} has no identity.`)
  const wanted = storedValue(key, 'p."value"', dialect)
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
    `from ${p} as p`,
    `where p."owner" = ?1 and p."collection" = ?2 and p."field" = ${literal(reference.field)}`,
    `and (${staged && isWithin ? `${isStored} or ${isStaged}` : isStored})`,
  ].join('\n')
}

const candidateValues = (
  { tables, owner }: ParkingParts,
  table: Table,
  reference: Reference,
): Query['values'] => [
  owner,
  table.resource.path,
  ownerAmong(tableAt(tables, reference.to).resource, owner),
]

interface ParkedPlace extends Writing {
  readonly reference: Reference
  /** Null for rows that were parked before, which keep their file and line. */
  readonly file: string | null
}

const compilePark = (
  { dialect, owner }: ParkingParts,
  table: Table,
  rows: readonly number[],
  { reference, file, at, number }: ParkedPlace,
): Query => {
  const value = referenceValue(table, reference.field, 's', dialect)
  const replaced = ['field', 'value', 'body', ...(file === null ? [] : ['file', 'line'])]
  return {
    text: [
      `insert into ${p} ("owner", "collection", ${keyColumns}, "field", "value", "file", "line",`,
      `"since", "${writingColumn}", "body")`,
      `select ${asInteger('?1', dialect)}, ?2, ${identityOf(table, dialect)},`,
      `${literal(reference.field)}, ${asText(value, 'uuid', dialect)}, ?3, s."staged_line",`,
      '?4, ?5, s."body"',
      `from ${quote(stagedName(table))} as s`,
      `where ${isAmong('s."staged_row"', '?6', dialect)}`,
      `on conflict ("owner", "collection", ${keyColumns}) do update`,
      `set ${[...replaced, writingColumn].map((name) => `${quote(name)} = excluded.${quote(name)}`).join(', ')}`,
    ].join('\n'),
    values: [owner, table.resource.path, file ?? '', at, number, JSON.stringify(rows)],
  }
}

/** The staged rows that are parked already. */
const compileParkedAmong = (
  { dialect, owner }: ParkingParts,
  table: Table,
  rows: readonly number[],
): Query => ({
  text: [
    'select s."staged_row"',
    `from ${quote(stagedName(table))} as s`,
    `join ${p} as p on ${isParked(table, 's', dialect)}`,
    'where p."owner" = ?1 and p."collection" = ?2',
    `and ${isAmong('s."staged_row"', '?3', dialect)}`,
  ].join('\n'),
  values: [owner, table.resource.path, JSON.stringify(rows)],
})

const compileUnstage = (
  { dialect }: ParkingParts,
  table: Table,
  rows: readonly number[],
): Query => ({
  text: [
    `delete from ${quote(stagedName(table))}`,
    `where ${isAmong('"staged_row"', '?1', dialect)}`,
  ].join('\n'),
  values: [JSON.stringify(rows)],
})

const compileSettle = (
  { dialect, owner }: ParkingParts,
  table: Table,
  replaces: boolean,
  { number }: Writing,
): readonly Query[] => {
  const [s, r] = [stagedName(table), removalsName(table)].map(quote)
  const of = [`delete from ${p}`, `where ${p}."owner" = ?1 and ${p}."collection" = ?2`]
  const values = [owner, table.resource.path]
  const isStaged = `exists (select 1 from ${s} as s where ${isSame(table, 's', p, dialect)})`
  const isRemoved = `exists (select 1 from ${r} as r where ${isSame(table, 'r', p, dialect)})`
  return [
    { text: [...of, `and ${isStaged}`].join('\n'), values },
    // A row that this import parked takes precedence over the removal of its identity.
    {
      text: [
        ...of,
        `and ${p}."${writingColumn}" <> ?3`,
        ...(replaces ? [] : [`and ${isRemoved}`]),
      ].join('\n'),
      values: [...values, number],
    },
  ]
}

const compileRetain = ({ dialect, owner }: ParkingParts, table: Table): Query => {
  const r = quote(removalsName(table))
  return {
    text: [
      `delete from ${r}`,
      `where exists (select 1 from ${p} as p`,
      `where p."owner" = ?1 and p."collection" = ?2 and ${isParked(table, r, dialect)})`,
    ].join('\n'),
    values: [owner, table.resource.path],
  }
}

/** Compares the identity of a parked row with that of a row in another table. */
const isSame = (table: Table, alias: string, parked: string, dialect: Dialect): string =>
  table.key
    .map(({ name, kind }, index) => {
      const bytes = `${parked}.${quote(identityColumns[index] as string)}`
      return `${alias}.${quote(name)} = ${dialect.keyOfBytes(bytes, kind)}`
    })
    .join(' and ')

/** The same comparison in the form that uses the primary key of the parked rows. */
const isParked = (table: Table, alias: string, dialect: Dialect): string =>
  identityColumns
    .map((name, index) => {
      const column = table.key[index]
      const value = column ? `${alias}.${quote(column.name)}` : "''"
      return `p.${quote(name)} = ${dialect.keyBytes(value, column?.kind ?? 'text')}`
    })
    .join(' and ')

/** The record of a parked row. Fields added to the contract since then are null. */
const recordOf = ({ resource }: Table, [body]: Row): StoredRecord => ({
  ...Object.fromEntries(Object.keys(resource.fields).map((name) => [name, null])),
  ...(JSON.parse(String(body)) as StoredRecord),
})
