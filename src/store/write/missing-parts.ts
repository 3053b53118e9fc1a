import type { Dialect, Query, Session } from '#database'
import type { StoreTable } from '../schema/collection-stats.ts'
import type { Table } from '../schema/tables.ts'
import { quarantineTable } from './quarantine-table.ts'

/**
 * How many parts of a record are in quarantine, by the collection of the parts. Documents of records
 * show it, and requests do not read the quarantine.
 */
export const missingPartsTable = ({ text, integer, tableOptions }: Dialect): StoreTable => ({
  name: tableName,
  rows: 'owner',
  ddl: `create table "${tableName}" (
  "owner" ${integer} not null,
  "parent" ${text} not null,
  "collection" ${text} not null,
  "parts" ${integer} not null,
  primary key ("owner", "parent", "collection")
)${tableOptions}`,
  // Rows of an earlier version that wait are in quarantine by then.
  fill: insertCounts('"parent" is not null'),
})

const insertCounts = (where: string): string =>
  [
    `insert into "${tableName}" ("owner", "parent", "collection", "parts")`,
    'select "owner", "parent", "collection", count(*)',
    `from "${quarantineTable}"`,
    `where ${where}`,
    'group by "owner", "parent", "collection"',
  ].join('\n')

const tableName = 'selvedge_missing_parts'

/** Counts the missing parts of some collections again. Returns those whose counts have changed. */
export const countMissingParts = async (
  session: Session,
  owner: number,
  collections: Iterable<Table>,
): Promise<readonly string[]> => {
  const changed: string[] = []
  for (const { resource } of collections) {
    if (resource.parent === undefined) continue
    const values = [owner, resource.path]
    const [before, after] = [
      await session.all({ text: selectCounts(tableName, '"parts"', ''), values }),
      await session.all({
        text: selectCounts(
          quarantineTable,
          'count(*)',
          'and "parent" is not null group by "parent"',
        ),
        values,
      }),
    ]
    const counts = new Map(after.map(([parent, count]) => [String(parent), Number(count)]))
    const isSame =
      before.length === after.length &&
      before.every(([parent, count]) => counts.get(String(parent)) === Number(count))
    if (isSame) continue
    await session.run({
      text: `delete from "${tableName}" where "owner" = ?1 and "collection" = ?2`,
      values,
    })
    await session.run({
      text: insertCounts('"owner" = ?1 and "collection" = ?2 and "parent" is not null'),
      values,
    })
    changed.push(resource.path)
  }
  return changed
}

const selectCounts = (table: string, count: string, rest: string): string =>
  `select "parent", ${count} from "${table}" where "owner" = ?1 and "collection" = ?2 ${rest}`

/** The missing parts of a record in some collections. */
export const missingPartsQuery = (
  owner: number,
  parent: string,
  collections: readonly string[],
  dialect: Dialect,
): Query => ({
  text: [
    'select "collection", "parts"',
    `from "${tableName}"`,
    'where "owner" = ?1 and "parent" = ?2',
    `and "collection" in (select c."value" from ${dialect.textsIn('?3', 'c')})`,
    'order by "collection"',
  ].join('\n'),
  values: [owner, parent, JSON.stringify(collections)],
})
