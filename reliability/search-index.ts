/** Checks that the search index of a database matches its records, of any number. */
import { createHash } from 'node:crypto'
import { type Catalog, catalog as productCatalog } from '#contract'
import type { Database, Row, Session, SqlValue } from '#database'
import { walkedKey, walkRows } from '../src/store/schema/row-walk.ts'
import { tablesOf } from '../src/store/schema/tables.ts'
import { searchEntries } from '../src/store/search-index/entries.ts'
import {
  collectionNumber,
  identityBytes,
  isSearchable,
  searchedValues,
} from '../src/store/search-index/search-table.ts'

/** The number of entries and the sum of their hashes, which does not depend on their order. */
interface EntryDigest {
  entries: number
  sum: number
}

const addEntry = (digest: EntryDigest, ...parts: readonly unknown[]): void => {
  digest.entries += 1
  const hash = createHash('sha256').update(parts.join(' ')).digest()
  digest.sum = (digest.sum + hash.readUIntBE(0, 6)) % 2 ** 48
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** The entries that the stored records of all owners should have. */
const digestRecords = async (
  session: Session,
  { dialect }: Database,
  catalog: Catalog,
): Promise<EntryDigest> => {
  const digest = { entries: 0, sum: 0 }
  for (const table of tablesOf(catalog).values()) {
    if (!isSearchable(table)) continue
    const { length } = walkedKey(table)
    const number = collectionNumber(table.resource.path)
    for await (const rows of walkRows(session, table, dialect)) {
      for (const row of rows) {
        const key = hexOf(identityBytes(table, row.slice(1, length) as readonly string[]))
        const values = searchedValues(table.resource, JSON.parse(row[length] as string))
        for (const { rank, text } of searchEntries(values)) {
          addEntry(digest, row[0], number, rank, text, key)
        }
      }
    }
  }
  return digest
}

const batchRows = 5_000

/** The entries in the index. */
const digestIndex = async (session: Session): Promise<EntryDigest> => {
  const digest = { entries: 0, sum: 0 }
  const columns = '"owner", "collection", "text", "key"'
  const text = [
    `select ${columns}, "rank"`,
    'from "selvedge_search"',
    `where (${columns}) > (?1, ?2, ?3, ?4)`,
    `order by ${columns}`,
    `limit ${batchRows}`,
  ].join('\n')
  let after: readonly SqlValue[] = [-1, -1, '', Buffer.of()]
  for (;;) {
    const rows: readonly Row[] = await session.all({ text, values: after })
    for (const [owner, collection, entry, key, rank] of rows) {
      addEntry(digest, owner, collection, rank, entry, hexOf(key as Uint8Array))
    }
    const last = rows.at(-1)
    if (!last) return digest
    after = last.slice(0, 4)
  }
}

/** The differences between the search index and the records; empty if they match. */
export const wrongIndex = (
  database: Database,
  catalog: Catalog = productCatalog,
): Promise<readonly string[]> =>
  database.write(async (session) => {
    const expected = await digestRecords(session, database, catalog)
    const stored = await digestIndex(session)
    return expected.entries === stored.entries && expected.sum === stored.sum
      ? []
      : [
          `The search index has ${stored.entries} entries; its records have ${expected.entries}, or others.`,
        ]
  })
