/** Pieces of work that share a transaction. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { DatabaseRefusedError, openDatabase, type Session } from '#database'
import { combineWrites } from '../../src/intake/combined-writes.ts'

it('a piece that the database refuses does not fail the others of its transaction', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-combined-'))
  const database = openDatabase(`sqlite:${join(folder, 'pieces.db')}`)
  const write = combineWrites(database)
  await write((session) => session.runAll(['create table "pieces" ("no" integer primary key)']))
  const insert = (no: number) => (session: Session) =>
    session.run({ text: 'insert into "pieces" values (?1)', values: [no] })
  // The first one is alone. The others come while it runs, and share a transaction.
  const outcomes = await Promise.allSettled([1, 2, 2, 3].map((no) => write(insert(no))))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
  const refused = outcomes[2] as PromiseRejectedResult
  assert.ok(refused.reason instanceof DatabaseRefusedError)
  const [rows] = await database.read([{ text: 'select "no" from "pieces"', values: [] }])
  assert.deepEqual(rows?.flat(), [1, 2, 3])
  await database.close()
  rmSync(folder, { recursive: true })
})
