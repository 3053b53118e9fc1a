import { hash } from 'node:crypto'
import { type Dialect, type Query, quote, type Row, type SqlValue } from '#database'
import { identityColumns, identityList, identityOf } from '../schema/change-tables.ts'
import { asInteger } from '../schema/collection-stats.ts'
import { formatUuid, keyToBytes } from '../schema/identifier.ts'
import type { Key, Table } from '../schema/tables.ts'
import type { SourceName } from '../sources/source-states.ts'
import { isQuarantined, parentOf } from './quarantine-identity.ts'
import {
  type QuarantineReason,
  quarantineBytesMax,
  quarantineId,
  quarantineMax,
  quarantineTable,
} from './quarantine-table.ts'
import { isAmong, rejectedName } from './staging.ts'

/** Where rows come from, for those that are put in quarantine. */
export interface HeldSource {
  readonly file: string
  readonly source?: SourceName | null
  /** The hash of the mapping that has made the records; null without one. */
  readonly mapping?: string | null
}

/** A row to put in quarantine that does not merely wait for a record. */
export interface HeldRow {
  /**
   * The number of a rejected row, which has the identity, the parent and the record. Null for a row
   * that was not staged.
   */
  readonly row: number | null
  /** The identity; null if it cannot be read. */
  readonly key: Key | null
  readonly parent: string | null
  readonly body: string | null
  /** What tells the row from others if it has no identity. */
  readonly natural: string | null
  readonly reason: Exclude<QuarantineReason, 'reference'>
  /** The identity of the record that has its key. */
  readonly holder?: string | undefined
  readonly from: HeldSource
  readonly line: number
  readonly problems: readonly object[]
  readonly received: object | null
}

/** What a report says of a rejected row, and the row as it was received. */
export interface RowDescription {
  readonly row: number
  readonly problems?: readonly object[] | undefined
  readonly received?: object | undefined
}

/** The quarantine of an owner has no room. */
export class QuarantineFullError extends Error {
  constructor() {
    super(
      `More than ${quarantineMax.toLocaleString('en')} rows or ${quarantineBytesMax / 1_048_576} MB would be in quarantine, which is the maximum of a brand. Correct the rows in their source, or discard them: selvedge intake rows`,
    )
  }
}

interface HeldParts {
  readonly dialect: Dialect
  readonly owner: number
}

const q = quote(quarantineTable)

/** The identities, parents and texts of rejected rows, by their numbers. */
export const compileRejected = (
  { dialect }: HeldParts,
  table: Table,
  rows: readonly HeldRow[],
): Query => ({
  text: [
    `select "staged_row", ${parentOf(table, 's', dialect)}, "body", ${identityOf(table, dialect)}`,
    `from ${quote(rejectedName(table))} as s`,
    `where ${isAmong('"staged_row"', '?1', dialect)}`,
  ].join('\n'),
  values: [JSON.stringify(rows.flatMap(({ row }) => (row === null ? [] : [row])))],
})

/** The columns of a row in quarantine, by name. */
export const heldValues = (
  { resource, key }: Table,
  held: HeldRow,
  staged: Row | undefined,
  nextPart: (identity: string) => number,
) => {
  const [parent, body, ...bytes] = staged ?? [held.parent, held.body]
  const identity = staged
    ? (bytes as Uint8Array[])
    : identityColumns.map((_, part) =>
        keyToBytes(
          key[part]?.kind ?? 'text',
          held.key ? (held.key[part] ?? '') : hashOf(held, part),
        ),
      )
  const { file, source = null, mapping = null } = held.from
  const part = nextPart(
    [resource.path, ...identity.map((each) => Buffer.from(each).toString('hex'))].join(),
  )
  const [problems, row] = [JSON.stringify(held.problems), JSON.stringify(held.received)]
  return {
    collection: resource.path,
    ...(Object.fromEntries(identityColumns.map((name, at) => [name, identity[at]])) as Record<
      (typeof identityColumns)[number],
      Uint8Array
    >),
    part,
    id: quarantineId(resource.path, identity, part),
    is_identified: staged || held.key ? 1 : 0,
    reason: held.reason,
    value: held.holder ?? null,
    parent: parent ?? null,
    source_kind: source?.kind ?? null,
    source_name: source?.name ?? null,
    file,
    line: held.line,
    mapping,
    bytes:
      Buffer.byteLength(problems) +
      Buffer.byteLength(row) +
      (body ? Buffer.byteLength(String(body)) : 0),
    problems,
    row: held.received ? row : null,
    body: body ?? null,
  }
}

/** An identifier for a row without an identity. A row that comes again has the same. */
const hashOf = ({ natural, received, from, line }: HeldRow, part: number): string => {
  const own = natural ?? (received ? JSON.stringify(received) : `${from.file} ${line}`)
  const text = hash('sha256', JSON.stringify([from.source?.name ?? '', own, part]), 'hex')
  return formatUuid(Buffer.from(text.slice(0, 32), 'hex'))
}

type HeldValues = ReturnType<typeof heldValues>

export const compileHold = (
  { owner }: HeldParts,
  values: HeldValues & Pick<Record<string, SqlValue>, 'since' | 'tried_at' | 'writing'>,
): Query => {
  const names = Object.keys(values)
  const fixed = ['collection', ...identityColumns, 'part', 'since']
  const set = [...names.filter((name) => !fixed.includes(name)), 'field']
  return {
    text: [
      `insert into ${q} ("owner", ${names.map(quote).join(', ')})`,
      `values (?1, ${names.map((_, index) => `?${index + 2}`).join(', ')})`,
      `on conflict ("owner", "collection", ${identityList}, "part") do update`,
      `set ${set.map((name) => `${quote(name)} = excluded.${quote(name)}`).join(', ')}`,
    ].join('\n'),
    values: [owner, ...(Object.values(values) as SqlValue[])],
  }
}

/** Deletes what earlier imports have put in quarantine for an identity. */
export const compileDropEarlier = (
  { owner }: HeldParts,
  { collection, key1, key2, key3 }: HeldValues,
  number: number,
): Query => ({
  text: [
    `delete from ${q}`,
    'where "owner" = ?1 and "collection" = ?2 and "key1" = ?3 and "key2" = ?4 and "key3" = ?5',
    'and "writing" <> ?6',
  ].join('\n'),
  values: [owner, collection, key1, key2, key3, number],
})

/** The bytes that a description adds at most. */
export const describedBytes = ({ problems, received }: RowDescription): number =>
  [problems, received].reduce<number>(
    (sum, each) => sum + (each ? Buffer.byteLength(JSON.stringify(each)) : 0),
    0,
  )

/** Sets what is known of rejected rows. Texts of both lists are JSON. */
export const compileDescribe = (
  { dialect, owner }: HeldParts,
  table: Table,
  rows: readonly RowDescription[],
  number: number,
): readonly Query[] =>
  (['problems', 'row'] as const).flatMap((column) => {
    const texts = rows.flatMap((each) => {
      const value = column === 'row' ? each.received : each.problems
      return value === undefined
        ? []
        : [JSON.stringify({ row: each.row, text: JSON.stringify(value) })]
    })
    if (texts.length === 0) return []
    const at = (name: string) => dialect.jsonText('n."value"', [name])
    return [
      {
        text: [
          `update ${q}`,
          `set ${quote(column)} = ${at('text')}, "bytes" = ${asInteger(
            `${q}."bytes" + octet_length(${at('text')}) - coalesce(octet_length(${q}.${quote(column)}), 0)`,
            dialect,
          )}`,
          `from ${dialect.textsIn('?1', 'n')}`,
          `join ${quote(rejectedName(table))} as s on s."staged_row" = ${asInteger(at('row'), dialect)}`,
          `where ${q}."owner" = ?2 and ${q}."collection" = ?3 and ${q}."writing" = ?4`,
          `and ${q}."line" = s."staged_line"`,
          `and ${isQuarantined(table, 's', dialect, q)}`,
        ].join('\n'),
        values: [JSON.stringify(texts), owner, table.resource.path, number],
      },
    ]
  })
