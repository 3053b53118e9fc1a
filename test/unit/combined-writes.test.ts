/** Pieces of work that share a transaction. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { DatabaseRefusedError, openDatabase, type Session } from '#database'
import { combineWrites, TakenBackError } from '../../src/intake/combined-writes.ts'

const insert = (no: number) => (session: Session) =>
  session.run({ text: 'insert into "pieces" values (?1)', values: [no] })

const open = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-combined-'))
  const database = openDatabase(`sqlite:${join(folder, 'pieces.db')}`)
  const write = combineWrites(database)
  await write((session) => session.runAll(['create table "pieces" ("no" integer primary key)']))
  return {
    write,
    stored: async () => {
      const [rows] = await database.read([{ text: 'select "no" from "pieces"', values: [] }])
      return rows?.flat()
    },
    close: async () => {
      await database.close()
      rmSync(folder, { recursive: true })
    },
  }
}

it('a piece that the database refuses does not fail the others of its transaction', async () => {
  const { write, stored, close } = await open()
  // The first one is alone. The others come while it runs, and share a transaction.
  const outcomes = await Promise.allSettled([1, 2, 2, 3].map((no) => write(insert(no))))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
  const refused = outcomes[2] as PromiseRejectedResult
  assert.ok(refused.reason instanceof DatabaseRefusedError)
  assert.deepEqual(await stored(), [1, 2, 3])
  await close()
})

it('a piece that takes back what it has written leaves the others of its transaction', async () => {
  const { write, stored, close } = await open()
  const takesBack = async (session: Session) => {
    await insert(3)(session)
    throw new TakenBackError('not now')
  }
  const works = [insert(1), insert(2), takesBack, insert(4)]
  const outcomes = await Promise.allSettled(works.map((work) => write<unknown>(work)))
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(await stored(), [1, 2, 4])
  await close()
})
