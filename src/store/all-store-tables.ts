import { outboxDdl, outboxName } from '#audit'
import type { Catalog } from '#contract'
import type { Dialect } from '#database'
import { qualityTables } from './quality/check-results.ts'
import { daySnapshotsTable } from './query/day-snapshots.ts'
import { brandChecksTable } from './schema/brand-checks.ts'
import { changeIndexes, changeTables } from './schema/change-tables.ts'
import { statsTables, versionIndex } from './schema/collection-stats.ts'
import { ownersTable } from './schema/owners.ts'
import type { StoreTables } from './schema/store-tables.ts'
import { searchIndex } from './search-index/fill-entries.ts'
import { searchStoreTable } from './search-index/search-table.ts'
import { fileIndexes, filesTable } from './sources/imported-files.ts'
import { leasesTable } from './sources/lease.ts'
import { sourcesTable } from './sources/source-states.ts'
import { batchesTable } from './write/batch-results.ts'
import { importsTable } from './write/import-log.ts'
import { missingPartsTable } from './write/missing-parts.ts'
import { publishedViewsTable } from './write/published-views.ts'
import { quarantineIndexes, quarantineStoreTable } from './write/quarantine-table.ts'
import { writesTable } from './write/write-log.ts'

/** The tables of every layer, other than those of the collections. */
export const allStoreTables = (dialect: Dialect, catalog: Catalog): StoreTables => ({
  tables: [
    ...statsTables(dialect),
    ownersTable(dialect),
    brandChecksTable(dialect),
    ...changeTables(dialect),
    importsTable(dialect),
    writesTable(dialect),
    batchesTable(dialect),
    quarantineStoreTable(dialect, catalog),
    missingPartsTable(dialect),
    ...qualityTables(dialect),
    daySnapshotsTable(dialect),
    publishedViewsTable(dialect),
    sourcesTable(dialect),
    filesTable(dialect),
    leasesTable(dialect),
    searchStoreTable(dialect),
    { name: outboxName, rows: 'none', ddl: outboxDdl(dialect) },
  ],
  indexes: [versionIndex, ...quarantineIndexes, ...fileIndexes, ...Object.values(changeIndexes)],
  searchIndex,
})
