import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#database'
import { documentConformance } from './query/documents.ts'

documentConformance('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-documents-'))
  const database = openDatabase(`sqlite:${join(folder, 'documents.db')}`, { queryMs: 60_000 })
  return {
    database,
    close: async () => {
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
})
