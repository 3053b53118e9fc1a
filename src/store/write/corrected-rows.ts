import { type Dialect, quote, type Session, type SqlValue } from '#database'
import {
  changesTable,
  everyIdentity,
  identityColumns,
  isRecording,
} from '../schema/change-tables.ts'
import { asInteger, asText, rewriteMark } from '../schema/collection-stats.ts'
import { type Key, storedValue, type Table } from '../schema/tables.ts'
import { quarantineTable, quarantineVersion } from './quarantine-table.ts'
import type { SupersededRow } from './rewrites.ts'
import { isAmong, stagedName } from './staging.ts'

/*
 * A correction is made from a state of the records, and is imported later. It must not overwrite
 * anything that was written in between. Every write of a record takes its row out of quarantine, also
 * one that leaves the record as it is. So a row that is still there as it was has had no later write,
 * and its record may be written. For other records, such as those of a row whose key was corrected, the
 * log of changes decides. In a database that has none, a stored record counts as newer once its
 * collection has changed.
 */

/** What a correction was made from: a quarantined row, and the owner's last write at that time. */
export interface CorrectedRow {
  readonly collection: string
  readonly id: string
  /** See `quarantineVersion`. */
  readonly version: string
  readonly change: number
}

/** A quarantined row as it is now. */
export interface CurrentRow {
  readonly version: string
  readonly file: string
}

/** What some corrections were made from. */
export interface Corrections {
  /** The number of the write that they were made after. */
  readonly after: number
  /** The ids of the quarantined rows that are as they were. */
  readonly ids: readonly string[]
}

interface CorrectionParts {
  readonly session: Session
  readonly dialect: Dialect
  readonly owner: number
  readonly table: Table
}

const q = quote(quarantineTable)

/** The quarantined rows with these ids, by id. */
export const findCurrent = async (
  { session, dialect, owner, table }: CorrectionParts,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CurrentRow>> => {
  const rows = await session.all({
    text: [
      `select "id", "file", "row", case when "row" is null then "body" end`,
      `from ${q}`,
      'where "owner" = ?1 and "collection" = ?2',
      `and "id" in (select i."value" from ${dialect.textsIn('?3', 'i')})`,
    ].join('\n'),
    values: [owner, table.resource.path, JSON.stringify(ids)],
  })
  return new Map(
    rows.map(([id, file, row, body]) => [
      String(id),
      { version: quarantineVersion(row ?? null, body ?? null), file: String(file) },
    ]),
  )
}

/** Removes staged rows of a source: those of stale lines, and those whose records are newer. */
export const unstageOlder = async (
  parts: CorrectionParts,
  source: number,
  lines: { readonly all: readonly number[]; readonly stale: readonly number[] },
  corrections: Corrections,
): Promise<readonly SupersededRow[]> => {
  const { session, dialect, table } = parts
  const identity = table.key
    .map(({ name, kind }) => asText(quote(name), kind, dialect))
    .join(" || ' ' || ")
  const rows = await session.all({
    text: [
      `delete from ${quote(stagedName(table))} as s`,
      `where s."staged_source" = ${asInteger('?5', dialect)}`,
      `and ${isAmong('s."staged_line"', '?6', dialect)}`,
      `and (${isAmong('s."staged_line"', '?7', dialect)}`,
      `or ${await isNewer(
        parts,
        corrections,
        table.key.map(({ name }) => `s.${quote(name)}`),
      )})`,
      `returning "staged_line", ${identity}`,
    ].join('\n'),
    values: [
      ...valuesOf(parts, corrections),
      ...[source, JSON.stringify(lines.all), JSON.stringify(lines.stale)],
    ],
  })
  return rows.map(([line, text]) => ({ source, line: Number(line), identity: String(text) }))
}

/** The places of those keys whose records are newer. */
export const findNewer = async (
  parts: CorrectionParts,
  keys: readonly Key[],
  corrections: Corrections,
): Promise<ReadonlySet<number>> => {
  if (keys.length === 0) return new Set()
  const { session, dialect, table } = parts
  const at = (name: string) => dialect.jsonText('g."value"', [name])
  const values = table.key.map((column, index) => storedValue(column, at(`key${index}`), dialect))
  const texts = keys.map((key, place) =>
    JSON.stringify({ place, ...Object.fromEntries(key.map((part, n) => [`key${n}`, part])) }),
  )
  const rows = await session.all({
    text: [
      `select ${asInteger(at('place'), dialect)}`,
      `from ${dialect.textsIn('?5', 'g')}`,
      `where ${await isNewer(parts, corrections, values)}`,
    ].join('\n'),
    values: [...valuesOf(parts, corrections), JSON.stringify(texts)],
  })
  return new Set(rows.map(([place]) => Number(place)))
}

const valuesOf = ({ owner, table }: CorrectionParts, { after, ids }: Corrections): SqlValue[] => [
  ...[owner, table.resource.path, after, JSON.stringify(ids)],
]

/** A condition: the record with these key values is newer than the corrections. */
const isNewer = async (
  { session, dialect, owner, table }: CorrectionParts,
  { after }: Corrections,
  key: readonly string[],
): Promise<string> => {
  const bytes = identityColumns.map((_, index) =>
    dialect.keyBytes(key[index] ?? "''", table.key[index]?.kind ?? 'text'),
  )
  const is = (alias: string) =>
    identityColumns.map((name, index) => `${alias}.${quote(name)} = ${bytes[index]}`).join(' and ')
  const of = asInteger('?1', dialect)
  const number = asInteger('?3', dialect)
  const isHeld = `exists (select 1 from ${q} as q where q."owner" = ${of} and q."collection" = ?2\nand ${is('q')}`
  const isAny = `(c."${identityColumns.join('", c."')}") = (${everyIdentity(dialect)})`
  const isLogged = [
    `exists (select 1 from "${changesTable}" as c`,
    `where c."owner" in (${of}, -${of}) and c."collection" = ?2 and c."change" > ${number}`,
    `and (${is('c')} or ${isAny}))`,
  ].join('\n')
  const isStored = [
    `exists (select 1 from ${quote(table.name)} as t where t."owner" = ${of}`,
    ...table.key.map(({ name }, index) => `and t.${quote(name)} = ${key[index]}`),
    `and exists (select 1 from "selvedge_collections" as v where v."owner" = ${of}`,
    `and v."collection" = ?2 and v."version" > ${number}))`,
  ].join('\n')
  return [
    `(not ${isHeld} and q."id" in (select o."value" from ${dialect.textsIn('?4', 'o')}))`,
    `and (${isHeld})`,
    `or ${isLogged}`,
    `or ${(await isLoggedSince(session, owner, after)) ? 'false' : isStored}))`,
  ].join('\n')
}

/** Whether every change of the owner's records after a number is logged. */
const isLoggedSince = async (session: Session, owner: number, after: number): Promise<boolean> => {
  if (await isRecording((query) => session.all(query))) return true
  const rows = await session.all({
    text: [
      'select 1 from "selvedge_collections"',
      'where "owner" = ?1 and "collection" = ?2 and "version" <= ?3',
    ].join('\n'),
    values: [owner, rewriteMark, after],
  })
  return rows.length > 0
}
