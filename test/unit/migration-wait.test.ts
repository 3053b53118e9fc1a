import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { it } from 'node:test'
import { type Database, DatabaseBusyError } from '#database'
import { openSqlite } from '../../src/database/sqlite/sqlite.ts'
import { createStore } from '../../src/store/store.ts'
import { small } from '../conformance/store/samples.ts'
import { until } from '../support/cluster.ts'

it('A migration waits for a process that writes, such as another server that migrates', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-wait-'))
  const file = join(folder, 'selvedge.db')
  const other = new DatabaseSync(file)
  const database = openSqlite(file, { writeWaitMs: 1 })
  context.after(async () => {
    await database.close()
    other.close()
    rmSync(folder, { recursive: true })
  })
  let refused = 0
  const counted: Database = {
    ...database,
    write: async (...args) => {
      try {
        return await database.write(...args)
      } catch (error) {
        if (error instanceof DatabaseBusyError) refused += 1
        throw error
      }
    },
  }
  other.exec('begin immediate')
  const migrated = createStore(small, counted)
  await Promise.race([until(() => refused > 1), migrated])
  other.exec('commit')
  await migrated
  assert.ok(refused > 1)
  assert.ok((await database.tables()).has('crates'))
})
