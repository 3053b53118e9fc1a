import {
  DatabaseBusyError,
  type ReadableTable,
  type RowSecurityState,
  tableLockMs,
} from '#database'
import type { ConversionParts } from './convert.ts'
import { whenFree } from './when-free.ts'

/**
 * Ensures that the engine hides rows of other brands from requests, if it supports that. Every
 * start adds missing policies: the role may have been created after the tables, or be missing in a
 * restored copy. Returns the remaining problem, or null. A repair waits for the records' write
 * lock; without `repairs`, nothing changes.
 */
export const secureRows = async (
  parts: Pick<ConversionParts, 'database' | 'tables' | 'storeTables' | 'log'>,
  repairs = true,
): Promise<string | null> => {
  const { database, tables, storeTables, log } = parts
  const { dialect } = database
  if (!dialect.rowLevelSecurity) return null
  const readable: readonly ReadableTable[] = [
    ...storeTables.tables,
    ...[...tables.values()].map(({ name }) => ({ name, rows: 'owner' as const })),
  ]
  const { inspect, read, repair } = dialect.rowLevelSecurity
  const inspected = (rows: readonly Parameters<typeof read>[0][]): RowSecurityState =>
    read(rows[0] ?? [])
  const state = inspected((await database.read([inspect(readable)]))[0] ?? [])
  if (!repairs || !state.canRepair) return state.problem
  try {
    return await whenFree(() =>
      database.write(async (session) => {
        // Another process may have repaired it meanwhile, or the first check may have read a
        // replica.
        const before = inspected(await session.all(inspect(readable)))
        if (before.problem === null) return null
        const incomplete = readable.filter(({ name }) => before.incomplete.includes(name))
        for (const text of [...dialect.lockTimeout(tableLockMs), ...repair(incomplete)]) {
          await session.run({ text, values: [] })
        }
        const after = inspected(await session.all(inspect(readable)))
        if (after.incomplete.length < before.incomplete.length) {
          const repaired = before.incomplete.length - after.incomplete.length
          log(
            `Row-level security was set up on ${repaired} ${repaired === 1 ? 'table' : 'tables'}.`,
          )
        }
        return after.problem
      }),
    )
  } catch (error) {
    if (!(error instanceof DatabaseBusyError)) throw error
    return `${state.problem} It could not be repaired because the tables are in use. ${error.message}`
  }
}
