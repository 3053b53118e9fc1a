import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#database'
import { conditionConformance } from './query/conditions.ts'
import { downloadConformance } from './query/downloads.ts'
import { listConformance } from './query/lists.ts'

const open = async () => {
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

conditionConformance('SQLite', open)
listConformance('SQLite', 150, open)
downloadConformance('SQLite', 150, open)
