import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '#database'
import { storeConformance } from '../src/store/conformance.ts'

storeConformance('SQLite', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-store-'))
  const database = openDatabase(`sqlite:${join(folder, 'store.db')}`)
  return {
    database,
    close: async () => {
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
})
