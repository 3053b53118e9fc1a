import { createAuditOutbox, createChainTable } from '#audit'
import { catalog } from '#contract'
import type { Database } from '#database'
import { createUnitTables } from '#intake'
import { createKeyTable, createLinkTable } from '#keys'
import { createConsentTables } from '#oauth'
import { createStore } from '#store'
import { createUsageTables } from '#usage'

/** The databases of an installation. On PostgreSQL they are one. */
export interface EmptyDatabases {
  readonly records: Database
  readonly keys: Database
  readonly queue: Database
}

/** Creates every table of an installation, without a row that a server would add to it. */
export const createAllTables = async ({ records, keys, queue }: EmptyDatabases): Promise<void> => {
  await createStore(catalog, records)
  await createKeyTable(keys)
  await createLinkTable(keys)
  await createUsageTables(keys)
  await createConsentTables(keys)
  await createAuditOutbox(keys)
  await createChainTable(keys)
  await createUnitTables(queue)
  await createAuditOutbox(queue)
}
