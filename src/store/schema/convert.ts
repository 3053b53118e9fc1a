import { DatabaseBusyError, DatabaseError, quote, type Session } from '#database'
import { changesTable } from './change-tables.ts'
import { compileLargeTotals } from './collection-stats.ts'
import { copyRows } from './copy-rows.ts'
import { isLayout1, slugColumn, storeLayout } from './layout.ts'
import {
  addUnfilled,
  type MigrationParts,
  planMigration,
  readUnfilled,
  removeUnfilled,
} from './migrate.ts'
import { refusal } from './migration-error.ts'
import { createOccasionalLog } from './occasional-log.ts'
import { nameOwner, ownersTable } from './owners.ts'
import {
  createReplacement,
  indexReplacement,
  replaceTable,
  replaceTables,
} from './replace-table.ts'
import { listed, raiseGeneration } from './schema-version.ts'
import { ownFilters } from './tables.ts'
import { type Layout1, newLookups, type Transfer, transfersOf } from './transfer.ts'

export interface ConversionParts extends MigrationParts {
  readonly log: (sentence: string) => void
}

/**
 * Converts a database from storage layout 1 in one transaction, so that a crash leaves either the
 * old or the new layout. Does nothing to other databases. If several processes start at once, one
 * converts and the others wait.
 */
export const convertLayout = async (parts: ConversionParts): Promise<void> => {
  const { database, log } = parts
  const logWaiting = createOccasionalLog(log)
  while (isLayout1(await database.tables())) {
    try {
      const isConverted = await database.write(async (session) => {
        // Another process may have converted it while this one waited for the write lock.
        if (!isLayout1(await database.tables())) return false
        await convert(session, parts)
        return true
      })
      if (isConverted) await reclaimSpace(parts)
    } catch (error) {
      if (!(error instanceof DatabaseBusyError)) throw error
      logWaiting('Waiting for another program that converts the database or writes to it.')
    }
  }
}

const convert = async (session: Session, parts: ConversionParts): Promise<void> => {
  const { tables, database, log } = parts
  const { dialect } = database
  await refuseUnfit(parts)
  const began = performance.now()
  log(
    'The database is being converted to storage layout 2. If this is interrupted, nothing is changed. Earlier versions cannot use the database afterwards.',
  )
  const layout1 = { columns: await database.tables(), unfilled: await readUnfilled(database) }
  const indexes = [...(await database.indexes())]
  const run = (text: string) => session.run({ text, values: [] })
  for (const text of dialect.followIndexes) await run(text)
  await nameOwners(session, parts, layout1)
  const rowsOf = await readTotals(session)
  const replacements = transfersOf(layout1, tables, dialect)
    // Smallest first: later tables can reuse the space of earlier ones.
    .toSorted((one, other) => rowsOf(one) - rowsOf(other))
    .map((transfer, index) => ({ transfer, into: `selvedge_new_${index + 1}` }))
  let records = 0
  for (const replacement of replacements) {
    const { transfer, into } = replacement
    await run(createReplacement(replacement))
    if (dialect.dropsBesideReaders) {
      const own = indexes.filter((name) => name.startsWith(`${transfer.name}__`))
      for (const name of own) await run(`drop index ${quote(name)}`)
    }
    const logProgress = createOccasionalLog(log)
    let rows = 0
    const onRows = (copied: number) => {
      rows += copied
      logProgress(
        `Conversion: ${transfer.label}, ${count(rows)} of ${count(rowsOf(transfer))} rows.`,
      )
    }
    const onIndex = (created: number) =>
      logProgress(
        `Conversion: ${transfer.label}, ${created} of ${transfer.indexes.length} indexes.`,
      )
    await copyRows({ session, transfer, into, deletes: dialect.dropsBesideReaders, onRows })
    if (dialect.dropsBesideReaders) await replaceTable(session, replacement, onIndex)
    else await indexReplacement(session, dialect, replacement, onIndex)
    if (rows > 0) log(`Conversion: ${transfer.label}, ${count(rows)} rows.`)
    if (tables.has(transfer.label)) records += rows
  }
  await session.run(storeLayout)
  await session.run(raiseGeneration)
  if (!dialect.dropsBesideReaders) {
    const logWaiting = createOccasionalLog(log)
    const onWait = () => logWaiting('Conversion: waiting for programs that read the old tables.')
    await replaceTables(session, replacements, dialect, onWait)
  }
  await storeNewTotals(session, parts, layout1)
  const seconds = (performance.now() - began) / 1_000
  log(`Conversion: ${count(records)} records converted in ${seconds.toFixed(1)} s.`)
}

/** Rejects whatever the following migration would reject, before anything changes. */
const refuseUnfit = async (parts: ConversionParts): Promise<void> => {
  const { database } = parts
  const tables = async () =>
    new Map(
      [...(await database.tables())].map(([name, columns]) => [
        name,
        columns.map((column) => (column === slugColumn ? 'owner' : column)),
      ]),
    )
  const { additions } = await planMigration({ ...parts, database: { ...database, tables } })
  if (additions.length > 0) {
    throw refusal(`another version has added ${listed(additions)}`)
  }
}

/** Names every owner with rows. Each has the state of at least one collection. */
const nameOwners = async (
  session: Session,
  { database: { dialect } }: ConversionParts,
  { columns }: Layout1,
): Promise<void> => {
  const { name, ddl } = ownersTable(dialect)
  if (!columns.has(name)) await session.run({ text: ddl, values: [] })
  const rows = await session.all({
    text: `select distinct ${quote(slugColumn)} from "selvedge_collections"`,
    values: [],
  })
  for (const [slug] of rows) await nameOwner(session, slug as string)
}

/** The approximate number of rows of a table. */
const readTotals = async (session: Session): Promise<(transfer: Transfer) => number> => {
  const rows = await session.all({
    text: [
      'select "collection", sum("total")',
      'from "selvedge_collections"',
      'group by "collection"',
    ].join('\n'),
    values: [],
  })
  const totals = new Map(rows.map(([path, total]) => [path as string, Number(total)]))
  const sum = [...totals.values()].reduce((all, each) => all + each, 0)
  return ({ name, label }) => (name === changesTable ? sum : (totals.get(label) ?? 0))
}

/** Stores the totals of filters whose columns were filled during the conversion. */
const storeNewTotals = async (
  session: Session,
  { tables, database: { dialect } }: ConversionParts,
  layout1: Layout1,
): Promise<void> => {
  for (const table of tables.values()) {
    if (!layout1.columns.has(table.name)) continue
    const filters = ownFilters(table.resource).map(({ name }) => name)
    for (const { name } of newLookups(layout1, table)) {
      if (filters.includes(name)) await session.run(compileLargeTotals(table, name, dialect))
      await session.run(removeUnfilled(`${table.name}.${name}`))
    }
    // The following migration fills these columns and creates their indexes.
    for (const { name } of table.sorts) await session.run(addUnfilled(`${table.name}.${name}`))
  }
}

/** The old tables leave free pages in the file. If this fails, later imports reuse them. */
const reclaimSpace = async ({ database, log }: ConversionParts): Promise<void> => {
  try {
    await database.reclaimSpace()
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    log(
      `Conversion: the room of the old tables was not given back to the file system. ${error.message} Later imports use it.`,
    )
  }
}

const count = (rows: number): string => rows.toLocaleString('en')
