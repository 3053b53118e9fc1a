/** The reliability check of backups notices a backup that is not one committed state. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { missesOfState } from '../../reliability/backup/judge.ts'
import { writerNames } from '../../reliability/backup/load.ts'
import { readState } from '../../reliability/backup/state.ts'
import { batchOf, codeOf, lastOf } from '../../reliability/ingest-kill/senders.ts'
import { openSandbox } from '../support/command.ts'

/** Writes at these times, each acknowledged 5 ms after it began. */
const writesAt = (...times: readonly number[]) =>
  times.map((beganAt, index) => ({ number: index + 1, beganAt, ackedAt: beganAt + 5 }))

const writers = [
  { name: 'batches', writes: writesAt(10, 30, 50) },
  { name: 'keys', writes: writesAt(20, 40, 60) },
]

const judge = (batches: number, keys: number, beganAt: number) =>
  missesOfState({ lasts: new Map(Object.entries({ batches, keys })) }, { writers }, beganAt)

describe('the judgement of a backup', () => {
  it('accepts each state between two writes', () => {
    for (const [batches, keys] of [
      [1, 0],
      [1, 1],
      [2, 1],
      [2, 2],
      [3, 3],
    ] as const) {
      assert.deepEqual(judge(batches, keys, 0), [])
    }
  })

  it('accepts two writes at the same time in any order', () => {
    const overlapping = { ...writers[1], name: 'keys', writes: writesAt(12) }
    const all = { writers: [writers[0] as (typeof writers)[number], overlapping] }
    for (const [batches, keys] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const lasts = new Map(Object.entries({ batches, keys }))
      assert.deepEqual(missesOfState({ lasts }, all, 0), [])
    }
  })

  it('finds a later write without an earlier one', () => {
    const [miss = ''] = judge(1, 2, 0)
    assert.match(miss, /^write 2 of keys is there, and write 2 of batches is not/)
  })

  it('finds that a write is missing from before the backup', () => {
    const [miss = ''] = judge(1, 1, 45)
    assert.match(miss, /^write 2 of batches was acknowledged 10 ms before the backup began/)
  })
})

describe('the state that a judgement reads', () => {
  const { folder, databaseUrl, close } = openSandbox()
  const files: DatabaseSync[] = []
  after(() => {
    for (const file of files) file.close()
    close()
  })
  const open = (name: string, ddl: string): DatabaseSync => {
    const file = new DatabaseSync(join(folder, name))
    file.exec(`pragma journal_mode = wal; ${ddl}`)
    files.push(file)
    return file
  }

  it('has the records of each batch that does not wait, whenever a server stores it', async () => {
    const records = open('selvedge.db', 'create table tags (body); create table colors (body)')
    open('selvedge.keys.db', 'create table selvedge_keys (name)')
    const queue = open(
      'selvedge.queue.db',
      `create table selvedge_units (kind, idempotency_key, finished_at);
      insert into selvedge_units values ('batch', '${batchOf(0, 1).key}', null)`,
    )
    const tag = JSON.stringify({ id: lastOf(0), code: codeOf(0, 1) })
    const store = () => {
      records.prepare('insert into tags values (?)').run(tag)
      queue.exec(`update selvedge_units set finished_at = '2026-11-18T09:00:00.000Z'`)
    }
    const states: (readonly [waiting: number, last: number | undefined])[] = []
    const isOver = () => states.at(-1)?.join() === '1,0'
    // One step later each time, until the batch is stored after everything was read.
    for (let step = 0; !isOver(); step += 1) {
      records.exec('delete from tags')
      queue.exec('update selvedge_units set finished_at = null')
      const reading = readState(databaseUrl, { writers: [] })
      for (let turn = 0; turn < step; turn += 1) await Promise.resolve()
      store()
      const { waiting, lasts } = await reading
      states.push([waiting, lasts.get(writerNames.batches(0))])
    }
    const isTorn = ([waiting, last]: (typeof states)[number]) => waiting === 0 && last === 0
    assert.deepEqual(states.filter(isTorn), [])
    assert.ok(states.length > 1)
  })
})
