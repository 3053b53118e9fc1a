import { createHash } from 'node:crypto'
import { type Resource, valueAt } from '#contract'
import { type Dialect, type Query, quote, type Row, type Session, type SqlValue } from '#database'
import { asInteger, type StoreTable } from '../schema/collection-stats.ts'
import { keyFromBytes, keyToBytes } from '../schema/identifier.ts'
import { type Table, wholeText } from '../schema/tables.ts'
import type { SearchEntry } from './entries.ts'

/*
 * The search index: a row for each entry of each record (`entries.ts`). It is an ordinary table
 * sorted by text, so that both engines find the same rows in the same order.
 * - `write/maintain-entries.ts` changes it in the transaction that changes the records.
 * - `fill-entries.ts` builds it for records that are stored already.
 * - `search/search.ts` reads it.
 * To remove a record's entries, they are computed again from the stored record. So no second index
 * by record is needed.
 */
export const searchTable = 'selvedge_search'

export const searchStoreTable = ({ text, integer, blob, tableOptions }: Dialect): StoreTable => ({
  name: searchTable,
  rows: 'owner',
  ddl: `create table "${searchTable}" (
  "owner" ${integer} not null,
  "collection" integer not null,
  "rank" integer not null,
  "text" ${text} not null,
  "key" ${blob} not null,
  primary key ("owner", "collection", "text", "key")
)${tableOptions}`,
})

/** The number of a collection in the index: the first 24 bits of the SHA-256 of its path. */
export const collectionNumber = (path: string): number =>
  createHash('sha256').update(path).digest().readUIntBE(0, 3)

/** Whether a search can find records of a collection. */
export const isSearchable = ({ resource }: Table): boolean => resource.searchable.length > 0

/** The searchable tables by number. Rejects a catalog in which two collections have the same number. */
export const searchableTables = (
  tables: ReadonlyMap<string, Table>,
): ReadonlyMap<number, Table> => {
  const byNumber = new Map<number, Table>()
  for (const table of tables.values()) {
    if (!isSearchable(table)) continue
    const { path } = table.resource
    const number = collectionNumber(path)
    const other = byNumber.get(number)?.resource.path
    if (other !== undefined) {
      throw new RangeError(`${path} and ${other} have the same number in the search index.`)
    }
    if (table.key.slice(0, -1).some(({ kind }) => kind !== 'uuid')) {
      throw new RangeError(
        `${path} cannot be searched: a text is not the last part of its identity.`,
      )
    }
    byNumber.set(number, table)
  }
  return byNumber
}

/** An identity as the index stores it: the concatenated bytes of its parts. */
export const readIdentity = (parts: Row): Uint8Array =>
  parts.length === 1 ? (parts[0] as Uint8Array) : Buffer.concat(parts as readonly Uint8Array[])

const uuidBytes = 16

export const splitIdentity = ({ key }: Table, bytes: Uint8Array): readonly string[] =>
  key.map(({ kind }, index) =>
    keyFromBytes(
      kind,
      kind === 'uuid'
        ? bytes.subarray(index * uuidBytes, (index + 1) * uuidBytes)
        : bytes.subarray(index * uuidBytes),
    ),
  )

export const identityBytes = ({ key }: Table, parts: readonly string[]): Uint8Array =>
  Buffer.concat(key.map(({ kind }, index) => keyToBytes(kind, parts[index] ?? '')))

/** The bytes of a row's identity, one column per part. */
export const identityColumns = (table: Table, alias: string, dialect: Dialect): readonly string[] =>
  table.key.map(({ name, kind }) => dialect.keyBytes(`${alias}.${quote(name)}`, kind))

/** The searchable values of a row: from a column if there is one, else from the record. */
export const valueColumns = (table: Table, alias: string, dialect: Dialect): readonly string[] =>
  table.resource.searchable.map((field) => {
    const column = table.lookups.find(({ path }) => path.join('.') === field)
    return column
      ? wholeText(column, alias, dialect)
      : dialect.jsonText(`${alias}."body"`, field.split('.'))
  })

export const searchedValues = (
  { searchable }: Resource,
  record: unknown,
): readonly (string | null)[] => searchable.map((field) => valueAt(record, field) as string | null)

/** Entries of one record to add or remove. */
export interface RecordEntries {
  readonly owner: number
  readonly key: Uint8Array
  readonly entries: readonly SearchEntry[]
}

/** Collects changes of the index and applies them together, in index order. */
export interface EntryChanges {
  add(records: readonly RecordEntries[]): Promise<void>
  remove(records: readonly RecordEntries[]): Promise<void>
  apply(): Promise<void>
}

const changeTables = { add: 'search_added', remove: 'search_removed' } as const

/**
 * Collects changes in temporary tables, one row per record: filling the index in its order is
 * several times faster, and memory does not grow with the number of records.
 */
export const createEntryChanges = async (
  session: Session,
  dialect: Dialect,
  table: Table,
): Promise<EntryChanges> => {
  const run = (clauses: readonly string[], ...values: SqlValue[]) =>
    session.run({ text: clauses.join('\n'), values })
  const collection = collectionNumber(table.resource.path)
  for (const name of Object.values(changeTables)) {
    await run([
      `create temp table if not exists ${quote(name)} (`,
      `"owner" ${dialect.integer} not null,`,
      `"key" ${dialect.blob} not null,`,
      '"entries" text not null',
      ')',
    ])
  }
  const empty = async () => {
    for (const name of Object.values(changeTables)) await run([`delete from ${quote(name)}`])
  }
  await empty()
  let removed = 0
  const collect = async (name: string, records: readonly RecordEntries[]) => {
    if (records.length === 0) return
    await session.bulkInsert(
      name,
      ['owner', 'key', 'entries'],
      records.map(({ owner, key, entries }) => [owner, key, packEntries(entries)]),
    )
  }
  const entriesOf = (name: string) =>
    `from ${quote(name)} as r cross join ${dialect.textsIn('r."entries"', 'e')}`
  const number = asInteger('?1', dialect)
  return {
    add: (records) => collect(changeTables.add, records),
    remove: (records) => {
      removed += records.length
      return collect(changeTables.remove, records)
    },
    apply: async () => {
      if (removed > 0) {
        await run(
          [
            `delete from "${searchTable}"`,
            'where ("owner", "collection", "text", "key") in (',
            `select r."owner", ${number}, substr(e."value", 2), r."key"`,
            `${entriesOf(changeTables.remove)})`,
          ],
          collection,
        )
      }
      await run(
        [
          `insert into "${searchTable}" ("owner", "collection", "rank", "text", "key")`,
          `select r."owner", ${number}, cast(substr(e."value", 1, 1) as integer),`,
          'substr(e."value", 2), r."key"',
          entriesOf(changeTables.add),
          'where true',
          'order by 1, 4, 5',
          'on conflict ("owner", "collection", "text", "key") do update set "rank" = excluded."rank"',
        ],
        collection,
      )
      await empty()
    },
  }
}

/** The entries of a record as one text: an array of texts, each prefixed by the digit of its rank. */
const packEntries = (entries: readonly SearchEntry[]): string =>
  JSON.stringify(entries.map(({ rank, text }) => `${rank}${text}`))

/** Removes all entries of a collection, for every owner. */
export const removeEntries = (path: string): Query => ({
  text: [
    `delete from "${searchTable}"`,
    'where "owner" in (select "owner" from "selvedge_owners") and "collection" = ?1',
  ].join('\n'),
  values: [collectionNumber(path)],
})
