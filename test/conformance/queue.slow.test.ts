import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, openQueueDatabase } from '#database'
import { putDatabase } from '../support/prepared-database.ts'
import { intakeConformance } from './intake.ts'
import { queueConformance } from './queue.ts'
import { queueContextConformance } from './queue-context.ts'
import { queueMappedConformance } from './queue-mapped.ts'
import { queueMergesConformance } from './queue-merges.ts'

const open = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-queue-'))
  await putDatabase('tables', join(folder, 'records.db'))
  const url = `sqlite:${join(folder, 'records.db')}`
  const records = openDatabase(url)
  const database = openQueueDatabase(url, records)
  return {
    records,
    database,
    close: async () => {
      await database.close()
      await records.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

queueConformance('SQLite', open)
queueMappedConformance('SQLite', open)
queueContextConformance('SQLite', open)
queueMergesConformance('SQLite', open)
intakeConformance('SQLite', open)
