import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#database'
import type { OpenedForStore } from '../store/samples.ts'

/** A new database for queries, in a folder that is removed when it is closed. */
export const openOnSqlite = async (): Promise<OpenedForStore> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-query-'))
  const database = openDatabase(`sqlite:${join(folder, 'query.db')}`, { queryMs: 60_000 })
  return {
    database,
    close: async () => {
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
