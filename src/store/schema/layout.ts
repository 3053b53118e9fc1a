import type { Database, Query } from '#database'
import { MigrationError, refusal } from './migration-error.ts'
import { readSetting } from './settings.ts'

/**
 * How records are stored, whatever the catalog is. Raised when the tables of every collection change.
 * - 1: the owner is the brand's slug, an identifier is a text.
 * - 2: the owner is a number, an identifier has 16 bytes.
 */
const layout = 2

/** Refuses a database whose layout this program cannot read. */
export const refuseOtherLayout = async (
  database: Database,
  present: ReadonlyMap<string, readonly string[]>,
): Promise<void> => {
  if (!present.has('selvedge_settings')) return
  // Layout 1 is not named. A user who sees nothing but what requests see does not read the name.
  const isFirst = present.get('selvedge_collections')?.[0] === 'brand'
  const stored = isFirst ? 1 : Number((await readSetting(database, 'layout')) ?? layout)
  if (stored > layout) {
    throw new MigrationError(
      `The database has storage layout ${stored}, and this version of Selvedge reads layout ${layout}. Nothing was changed. Upgrade this program, then try again.`,
    )
  }
  if (stored < layout) {
    throw refusal(`it has storage layout ${stored}, and this version reads layout ${layout}`)
  }
}

/** Names the layout, in the transaction that creates the tables. */
export const storeLayout: Query = {
  text: 'insert into "selvedge_settings" ("name", "value") values (?1, ?2)',
  values: ['layout', String(layout)],
}
