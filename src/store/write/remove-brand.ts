import { type Dialect, quote, type Session } from '#database'
import { nextChange, removalMark, type StoreTable, storeMark } from '../schema/collection-stats.ts'
import type { Table } from '../schema/tables.ts'
import { releaseRewrites } from './rewrites.ts'

/** The rows that a removal deleted from one table. */
export interface RemovedRows {
  readonly table: string
  readonly rows: number
}

export interface BrandRemoval {
  readonly session: Session
  readonly dialect: Dialect
  readonly tables: ReadonlyMap<string, Table>
  /** The tables other than those of the collections. */
  readonly storeTables: readonly StoreTable[]
  readonly owner: number
  /** Called after each table from which rows were removed. */
  readonly onRemoved: (removed: RemovedRows) => void
}

/**
 * Removes all data of a brand: its records and everything derived from them, its change log,
 * findings, quarantined rows and source states. Keeps the states of its collections, now empty and with
 * a new version, so that running servers notice the removal.
 */
export const removeBrand = async (removal: BrandRemoval): Promise<void> => {
  const { session, dialect, tables, storeTables, owner, onRemoved } = removal
  const remove = async (name: string) => {
    const rows = await session.run({
      text: `delete from ${quote(name)}\nwhere "owner" = ?1`,
      values: [owner],
    })
    if (rows > 0) onRemoved({ table: name, rows })
  }
  for (const { name, resource } of tables.values())
    if (resource.scope === 'brand') await remove(name)
  for (const name of ownedTables(storeTables)) await remove(name)
  await releaseRewrites(session, owner)
  const version = await nextChange(session, dialect)
  await session.run({
    text: [
      'update "selvedge_collections"',
      'set "version" = ?2, "total" = 0',
      'where "owner" = ?1',
    ].join('\n'),
    values: [owner, version],
  })
  await storeMark(session, owner, removalMark, version)
}

/** The tables with an owner column, except the states of collections. */
const ownedTables = (storeTables: readonly StoreTable[]): readonly string[] =>
  storeTables
    .filter(({ name, ddl }) => name !== 'selvedge_collections' && /^ *"owner" /m.test(ddl))
    .map(({ name }) => name)
