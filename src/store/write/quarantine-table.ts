import { hash } from 'node:crypto'
import type { Catalog } from '#contract'
import { type Dialect, quote, type Session, type SqlValue } from '#database'
import { identityColumns, identityList } from '../schema/change-tables.ts'
import { asInteger, type StoreTable } from '../schema/collection-stats.ts'
import { quarantineMark } from '../schema/schema-version.ts'

/**
 * Quarantined rows: rows of a source that cannot be stored now. Each waits beside the records with
 * its reason. A row that refers to a missing record waits for that record; every other one is bad.
 * A row has the identity of its record if that can be read, and otherwise a hash of what it has.
 */
export const quarantineTable = 'selvedge_quarantine'

/** Limits per owner; further rows refuse their unit. */
export const quarantineMax = 100_000
export const quarantineBytesMax = 256 * 1_024 * 1_024
/** Rows that wait longer are removed. */
export const quarantineDays = 30

/** Why a row is in quarantine; `reference` if it waits for a record. */
export const quarantineReasons = [
  'reference',
  'row',
  'code',
  'key',
  'duplicate',
  'database',
] as const
export type QuarantineReason = (typeof quarantineReasons)[number]

export const quarantineStoreTable = (
  { text, integer, blob }: Dialect,
  catalog: Catalog,
): StoreTable => ({
  name: quarantineTable,
  // Quarantined rows are not records yet: no request reads them.
  rows: 'none',
  ddl: `create table "${quarantineTable}" (
  "owner" ${integer} not null,
  "collection" ${text} not null,
  ${identityColumns.map((name) => `"${name}" ${blob} not null,`).join('\n  ')}
  "part" ${integer} not null,
  "id" ${text} not null,
  "is_identified" ${integer} not null,
  "reason" ${text} not null,
  "field" ${text},
  "value" ${text},
  "parent" ${text},
  "source_kind" ${text},
  "source_name" ${text},
  "file" ${text} not null,
  "line" ${integer} not null,
  "since" ${text} not null,
  "tried_at" ${text} not null,
  "writing" ${integer} not null,
  "mapping" ${text},
  "bytes" ${integer} not null,
  "problems" text not null,
  "row" text,
  "body" text,
  primary key ("owner", "collection", ${identityList}, "part")
)`,
  succeeds: { name: parkedTable, transfer: transferParked(catalog) },
  mark: quarantineMark,
})

export const quarantineIndexes = [
  // Finds the rows that wait for a value of a reference.
  {
    name: `${quarantineTable}__missing`,
    ddl: [
      `create index "${quarantineTable}__missing"`,
      `on "${quarantineTable}" ("owner", "collection", "field", "value")`,
    ].join('\n'),
  },
  // Lists the rows, longest waiting first.
  {
    name: `${quarantineTable}__since`,
    ddl: [
      `create index "${quarantineTable}__since"`,
      `on "${quarantineTable}" ("owner", "since", "id")`,
    ].join('\n'),
  },
  // Counts the rows of each source and collection without reading them.
  {
    name: `${quarantineTable}__counts`,
    ddl: [
      `create index "${quarantineTable}__counts"`,
      `on "${quarantineTable}" ("owner", "source_kind", "source_name", "collection", "reason")`,
    ].join('\n'),
  },
  // Counts the rows of a source.
  {
    name: `${quarantineTable}__source`,
    ddl: [
      `create index "${quarantineTable}__source"`,
      `on "${quarantineTable}" ("owner", "source_kind", "source_name", "since", "id")`,
    ].join('\n'),
  },
  // Finds the rows that a mapping has refused.
  {
    name: `${quarantineTable}__mapping`,
    ddl: [
      `create index "${quarantineTable}__mapping"`,
      `on "${quarantineTable}" ("owner", "collection", "mapping", "id")`,
    ].join('\n'),
  },
  // Finds the rows with a refused key or code that are due to be tried again.
  {
    name: `${quarantineTable}__tried`,
    ddl: [
      `create index "${quarantineTable}__tried"`,
      `on "${quarantineTable}" ("owner", "collection", "reason", "tried_at")`,
    ].join('\n'),
  },
  // Counts the parts of a record that are not stored.
  {
    name: `${quarantineTable}__parent`,
    ddl: [
      `create index "${quarantineTable}__parent"`,
      `on "${quarantineTable}" ("owner", "parent", "collection")`,
    ].join('\n'),
  },
]

/** The id of a row, for commands and correction files: the same whenever the row comes again. */
export const quarantineId = (
  collection: string,
  identity: readonly Uint8Array[],
  part: number,
): string => {
  const text = [collection, ...identity.map((each) => Buffer.from(each).toString('hex')), part]
  return hash('sha256', text.join('\n'), 'hex').slice(0, 12)
}

/** What a row was received as, for those who correct it: its cells, or its record. */
export const quarantineVersion = (row: SqlValue, body: SqlValue): string =>
  hash('sha256', String(row ?? body), 'hex').slice(0, 12)

/** The rows of earlier versions, all of which wait for a record. */
const parkedTable = 'selvedge_parked'

/** Rows per statement. */
const batchRows = 1_000

/**
 * Moves the rows of an earlier version. Leaves its table empty: programs of that version read the
 * database only if they need not create it.
 */
const transferParked =
  ({ byPath }: Catalog) =>
  async (session: Session, dialect: Dialect): Promise<void> => {
    const keys = ['owner', 'collection', ...identityColumns].map(quote)
    for (;;) {
      const rows = await session.all({
        text: `select ${keys.join(', ')} from "${parkedTable}" limit ${batchRows}`,
        values: [],
      })
      if (rows.length === 0) return
      for (const row of rows) {
        const [, collection, ...identity] = row
        const id = quarantineId(String(collection), identity as Uint8Array[], 0)
        const isSame = keys.map((key, index) => `${key} = ?${index + 1}`).join(' and ')
        const path = byPath.get(String(collection))?.parent
        const parent = path ? dialect.jsonText('"body"', path.split('.')) : 'cast(null as text)'
        await session.run({
          text: [
            `insert into "${quarantineTable}" (${keys.join(', ')}, "part", "id", "is_identified",`,
            '"reason", "field", "value", "parent", "file", "line", "since", "tried_at", "writing",',
            '"bytes", "problems", "body")',
            `select ${keys.join(', ')}, 0, ?${keys.length + 1}, 1,`,
            `'reference', "field", "value", ${parent}, "file", "line", "since", "since", 0,`,
            `${asInteger('octet_length("body") + 2', dialect)}, '[]', "body"`,
            `from "${parkedTable}"`,
            `where ${isSame}`,
          ].join('\n'),
          values: [...row, id],
        })
        await session.run({
          text: `delete from "${parkedTable}" where ${isSame}`,
          values: row,
        })
      }
    }
  }
