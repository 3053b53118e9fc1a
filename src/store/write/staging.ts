import { type Fields, type Reference, type Resource, valueAt } from '#contract'
import { type Dialect, type Query, quote, type Row, type Session, type SqlValue } from '#database'
import { type Column, columnDdl, ownerOf, type Table } from '../schema/tables.ts'
import type { RowDigest } from './row-digest.ts'

/** A record on its way in. It has been checked against the contract. */
export type StoredRecord = { readonly [name: string]: unknown }

/** Records on their way in, packed: the ready ones as bytes, and the others as cells. */
export interface RowBatch {
  /** The lines of all of them in the source they came from, in order. */
  readonly lines: readonly number[]
  readonly canonical: CanonicalRecords | null
  /** Which of the lines are not ready, in order. */
  readonly others: readonly number[]
  /** What `pack` made of those, one after the other. */
  readonly cells: readonly SqlValue[]
  /** What was noted of all of them. */
  readonly digest: RowDigest
}

/** Records as the texts that are stored, and where in them they are. */
export interface CanonicalRecords {
  readonly bytes: Uint8Array
  /** For each record where it begins and ends, and then each of its columns; -1 twice for null. */
  readonly offsets: Int32Array<ArrayBuffer>
}

/** Packed records, and which of the sources of an import they came from. */
export interface StagedRows extends RowBatch {
  readonly source: number
}

/** A staged row that cannot be taken, and why. */
export interface RejectedRow {
  readonly source: number
  readonly line: number
  /** The reference that points nowhere; none for a row that is there twice. */
  readonly reference: Reference | null
  readonly value: string
  /** Where the same identity was first met. */
  readonly first: { readonly source: number; readonly line: number } | null
}

export const stagedName = (table: Table) => `staged_${table.name}`
export const removalsName = (table: Table) => `removals_${table.name}`

/** The temporary tables that hold what is staged and what is to be removed. */
export const createStaging = async (
  session: Session,
  table: Table,
  dialect: Dialect,
): Promise<void> => {
  const run = (text: string) => session.run({ text, values: [] })
  const columns = packedColumns(table).map((column) => columnDdl(column, dialect))
  const key = table.key.map(({ name }) => quote(name)).join(', ')
  await run(
    `create temp table if not exists ${quote(stagedName(table))} ("staged_row" ${dialect.integer} primary key, "staged_source" ${dialect.integer} not null, "staged_line" ${dialect.integer} not null, ${columns.join(', ')}, "body" text not null)`,
  )
  await run(
    `create temp table if not exists ${quote(removalsName(table))} (${table.key.map((column) => columnDdl(column, dialect)).join(', ')}, primary key (${key}))${dialect.tableOptions}`,
  )
  await emptyStaging(session, table)
}

export const emptyStaging = async (session: Session, table: Table): Promise<void> => {
  // Looked up by identity only once it is full: an index made in one go is made much faster.
  await session.run({ text: `drop index if exists ${quote(keyIndex(table))}`, values: [] })
  for (const name of [stagedName(table), removalsName(table)]) {
    await session.run({ text: `delete from ${quote(name)}`, values: [] })
  }
}

/** Makes what was staged quick to look up by identity. */
export const indexStaging = async (
  session: Session,
  table: Table,
  dialect: Dialect,
): Promise<void> => {
  const key = table.key.map(({ name }) => quote(name)).join(', ')
  await session.run({
    text: `create index if not exists ${dialect.temporaryIndex(keyIndex(table))} on ${quote(stagedName(table))} (${key})`,
    values: [],
  })
}

const keyIndex = (table: Table) => `${stagedName(table)}__key`

/** The columns that a record is packed into, before its text. */
export const packedColumns = (table: Table): readonly Column[] => [...table.key, ...table.lookups]

/** Takes out of a record what its table keeps: what it is found by, and its text. */
export type Pack = (record: StoredRecord, into: SqlValue[]) => void

export const createPacker = (table: Table): Pack => {
  const columns = packedColumns(table)
  return (record, into) => {
    for (const { path } of columns) into.push(valueAt(record, path) as SqlValue)
    into.push(bodyOf(table.resource, record))
  }
}

/** Adds packed records to what is staged. `firstRow` numbers them. */
export const loadStaging = async (
  session: Session,
  table: Table,
  rows: StagedRows,
  firstRow: number,
): Promise<void> => {
  const { canonical, others, cells } = rows
  const columns = packedColumns(table)
  const numbersAt = numbering(rows, firstRow)
  if (canonical) {
    const isOther = new Set(others)
    const canonicalRows =
      isOther.size === 0 ? null : [...rows.lines.keys()].filter((row) => !isOther.has(row))
    await session.bulkInsertSlices(stagedName(table), {
      bytes: canonical.bytes,
      offsets: canonical.offsets,
      parts: columns,
      whole: 'body',
      numbered: numberNames,
      numbersOf: (row) => numbersAt(canonicalRows ? (canonicalRows[row] as number) : row),
    })
  }
  const width = columns.length + 1
  const otherRows = function* (): Iterable<Row> {
    for (const [index, row] of others.entries()) {
      yield [...numbersAt(row), ...cells.slice(index * width, (index + 1) * width)]
    }
  }
  if (others.length > 0) {
    const names = [...numberNames, ...columns.map(({ name }) => name), 'body']
    await session.bulkInsert(stagedName(table), names, otherRows())
  }
}

const numberNames = ['staged_row', 'staged_source', 'staged_line']

/** The number, the source and the line of each of some rows. */
const numbering =
  ({ source, lines }: StagedRows, firstRow: number) =>
  (row: number): readonly number[] => [firstRow + row, source, lines[row] ?? 0]

/** The record as it will be sent: its fields in the contract's order, and nothing else. */
export const bodyOf = (resource: Resource, record: StoredRecord): string =>
  JSON.stringify(inOrder(resource.fields, record))

/** A record as it is where its fields are in order, as an export has them; otherwise a copy. */
const inOrder = (fields: Fields, record: StoredRecord): StoredRecord => {
  const names = namesOf(fields)
  let place = 0
  let asItIs = true
  for (const name in record) {
    if (names.all[place] !== name) asItIs = false
    place += 1
  }
  if (asItIs && place === names.all.length && names.holders.length === 0) return record
  const ordered: { [name: string]: unknown } = {}
  for (const name of names.all) ordered[name] = record[name]
  for (const name of names.holders) {
    const inner = fields[name]?.fields ?? {}
    const value = record[name]
    ordered[name] = Array.isArray(value)
      ? value.map((each: StoredRecord) => inOrder(inner, each))
      : value && inOrder(inner, value as StoredRecord)
  }
  return ordered
}

interface Names {
  readonly all: readonly string[]
  /** Those that hold objects with fields of their own. */
  readonly holders: readonly string[]
}

const knownNames = new WeakMap<Fields, Names>()

const namesOf = (fields: Fields): Names => {
  const known = knownNames.get(fields)
  if (known) return known
  const all = Object.keys(fields)
  const names = { all, holders: all.filter((name) => fields[name]?.fields !== undefined) }
  knownNames.set(fields, names)
  return names
}

const rejectedAtOnce = 5_000

/** Rows whose identity was staged before, in order. They are taken out of what is staged. */
export const rejectDuplicates = (session: Session, table: Table): AsyncIterable<RejectedRow> => {
  const s = quote(stagedName(table))
  const key = table.key.map(({ name }) => quote(name))
  const same = key.map((name) => `d.${name} = s.${name}`).join(' and ')
  const text = [
    `select s."staged_row", s."staged_source", s."staged_line", s.${key.join(" || ' ' || s.")}, f."staged_source", f."staged_line"`,
    `from (select ${key.join(', ')}, min("staged_row") as "first" from ${s} group by ${key.join(', ')} having count(*) > 1) as d`,
    `join ${s} as s on ${same} and s."staged_row" > d."first"`,
    `join ${s} as f on f."staged_row" = d."first" where s."staged_row" > ?1`,
    `order by s."staged_row" limit ${rejectedAtOnce}`,
  ].join(' ')
  const search = { session, table, text, values: [], take: true }
  return findRejected(search, ([, source, line, value, firstSource, firstLine]) => ({
    source: Number(source),
    line: Number(line),
    reference: null,
    value: String(value),
    first: { source: Number(firstSource), line: Number(firstLine) },
  }))
}

export interface DanglingSearch {
  readonly session: Session
  readonly dialect: Dialect
  readonly table: Table
  readonly target: Table
  readonly reference: Reference
  readonly brand: string
  /** Whether what is found is taken out of what is staged. */
  readonly take: boolean
}

/** Rows whose reference points at nothing, in order. */
export const findDangling = (search: DanglingSearch): AsyncIterable<RejectedRow> => {
  const { session, dialect, table, target, reference, brand, take } = search
  const { field } = reference
  const value = referenceValue(table, field, 's', dialect)
  const [key] = target.key
  const column = quote(key?.name ?? 'id')
  const itself =
    target.name === table.name
      ? ` and not exists (select 1 from ${quote(stagedName(table))} as o where o.${column} = ${value})`
      : ''
  const text = [
    `select s."staged_row", s."staged_source", s."staged_line", ${value} from ${quote(stagedName(table))} as s`,
    `where s."staged_row" > ?1 and ${value} is not null`,
    `and not exists (select 1 from ${quote(target.name)} as t where t."brand" = ?2 and t.${column} = ${value})${itself}`,
    `order by s."staged_row" limit ${rejectedAtOnce}`,
  ].join(' ')
  const owner = ownerOf(target.resource, brand)
  // Most imports point at nothing missing. Asking once for each value, in order, is far less work
  // than asking for each row.
  const anyMissing = {
    text: `select 1 from (select distinct ${value} as v from ${quote(stagedName(table))} as s) as d where d.v is not null and not exists (select 1 from ${quote(target.name)} as t where t."brand" = ?1 and t.${column} = d.v) limit 1`,
    values: [owner],
  }
  return findRejected(
    { session, table, text, values: [owner], take, anyMissing },
    ([, source, line, found]) => ({
      source: Number(source),
      line: Number(line),
      reference,
      value: String(found),
      first: null,
    }),
  )
}

/** A reference's value: its own column where there is one, otherwise out of the record's text. */
export const referenceValue = (
  table: Table,
  field: string,
  alias: string,
  dialect: Dialect,
): string => {
  const column = packedColumns(table).find(({ path }) => path.join('.') === field)
  return column
    ? `${alias}.${quote(column.name)}`
    : dialect.jsonText(`${alias}."body"`, field.split('.'))
}

interface RejectedRowSearch {
  readonly session: Session
  readonly table: Table
  /** Finds rows beyond the one numbered ?1, some thousand at a time. */
  readonly text: string
  readonly values: readonly SqlValue[]
  readonly take: boolean
  /** A quicker question first: whether there is anything to be found. */
  readonly anyMissing?: Query
}

async function* findRejected(
  { session, table, text, values, take, anyMissing }: RejectedRowSearch,
  read: (row: Row) => RejectedRow,
): AsyncIterable<RejectedRow> {
  if (anyMissing && (await session.all(anyMissing)).length === 0) return
  const remove = `delete from ${quote(stagedName(table))} where "staged_row" = ?1`
  let last: SqlValue = 0
  for (;;) {
    const rows = await session.all({ text, values: [last, ...values] })
    for (const row of rows) {
      last = row[0] ?? 0
      yield read(row)
      if (take) await session.run({ text: remove, values: [last] })
    }
    if (rows.length < rejectedAtOnce) return
  }
}
