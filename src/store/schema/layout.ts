import type { Database, Query } from '#database'
import { MigrationError } from './migration-error.ts'
import { readSetting } from './settings.ts'

/**
 * The storage layout, independent of the catalog. Raised if the tables of every collection change.
 * - 1: the owner is the brand's slug, an identifier is a text.
 * - 2: the owner is a number, an identifier has 16 bytes.
 */
const layout = 2

/** The column of the owner in layout 1. */
export const slugColumn = 'brand'

/** Whether a database is in layout 1, which has no stored layout number. */
export const isLayout1 = (present: ReadonlyMap<string, readonly string[]>): boolean =>
  present.get('selvedge_collections')?.[0] === slugColumn

/** The database is in layout 1 and must be converted before use. */
export class OldLayoutError extends MigrationError {
  constructor() {
    super(
      `The database has storage layout 1, and this version of Selvedge reads layout ${layout}. Nothing was changed. Start the program again: it converts the database.`,
    )
  }
}

/** Rejects a database whose layout is not this program's. */
export const refuseOtherLayout = async (
  database: Database,
  present: ReadonlyMap<string, readonly string[]>,
): Promise<void> => {
  if (!present.has('selvedge_settings')) return
  if (isLayout1(present)) throw new OldLayoutError()
  // A database user restricted to what requests see cannot read this setting.
  const stored = Number((await readSetting(database, 'layout')) ?? layout)
  if (stored > layout) {
    throw new MigrationError(
      `The database has storage layout ${stored}, and this version of Selvedge reads layout ${layout}. Nothing was changed. Upgrade this program, then try again.`,
    )
  }
}

/** Stores the layout number, in the transaction that creates the tables. */
export const storeLayout: Query = {
  text: 'insert into "selvedge_settings" ("name", "value") values (?1, ?2)',
  values: ['layout', String(layout)],
}
