import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#database'
import { summaryConformance } from './query/summaries.ts'

summaryConformance('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-summaries-'))
  const database = openDatabase(`sqlite:${join(folder, 'summaries.db')}`, { queryMs: 60_000 })
  return {
    database,
    close: async () => {
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
})
