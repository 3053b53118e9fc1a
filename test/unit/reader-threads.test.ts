import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Worker } from 'node:worker_threads'
import {
  type Database,
  DatabaseError,
  openDatabase,
  type Query,
  QueryTimeoutError,
  ReadLimitError,
} from '#database'
import type { ReadShare } from '../../src/database/read-shares.ts'
import { threadDataFor } from '../../src/database/sqlite/connection.ts'
import { openReaderThread, type ThreadRead } from '../../src/database/sqlite/reader-thread.ts'
import {
  createReaderThreads,
  type ReaderThreads,
} from '../../src/database/sqlite/reader-threads.ts'
import { until } from '../support/cluster.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-threads-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const query = (text: string): Query => ({ text, values: [] })
const one = query('select 1')
/** As many rows of numbers, one after the other. */
const numbers = (count: number) =>
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`

let files = 0
const open = (queryMs = 1_000): Database => {
  files += 1
  return openDatabase(`sqlite:${join(folder, `${files}.db`)}`, { queryMs })
}

const read = (database: Database, each: Query, owner = 1) =>
  database.readInSteps(owner, undefined, ({ all }) => all(each))

/** How a thread opens the file of the last database. */
const threadData = () => threadDataFor(join(folder, `${files}.db`), { readOnly: false })
const noPriorities = process.platform !== 'linux' && 'only Linux has priorities of threads'
/** Undefined if the thread has ended. */
const priorityOf = (id: string): number | undefined => {
  try {
    return getPriority(Number(id))
  } catch {
    return undefined
  }
}
const threadOptions = { niceness: 10, lateMs: 1_000, onExit: () => undefined }
const limits = { processorMs: 60_000, elapsedMs: 60_000 }
const shareOf = (isHeavy: boolean): ReadShare => {
  const time = { name: '', ms: isHeavy ? 1_000 : 0 }
  return { brand: time, key: time, isHeavy, charge: () => undefined }
}

/** A statement that does not look at its time. */
const late = query(`${numbers(2_000_000)} select count(*) from n`)
/** One that is still running when other threads have started and read. */
const later = query(`${numbers(12_000_000)} select count(*) from n`)
const noTime = { processorMs: 1, elapsedMs: 1 }
const readOne = async (threads: ReaderThreads) => {
  const { all, end } = threads.begin(shareOf(false))
  const { rows } = await all(one, limits)
  end()
  return rows
}

describe('a thread that reads', () => {
  it('hands over short and long values as they are', async () => {
    const database = open()
    const text = "select zeroblob(1000000), x'0102', 'ä中', 1.5, null"
    const expected = [new Uint8Array(1_000_000), new Uint8Array([1, 2]), 'ä中', 1.5, null]
    assert.deepEqual(await read(database, query(text)), [expected])
    await database.close()
  })

  it('leaves the event loop free while a statement runs', async () => {
    const database = open(60_000)
    let ticks = 0
    const ticking = setInterval(() => {
      ticks += 1
    }, 1)
    await read(database, query(`${numbers(500_000)} select count(*) from n`))
    clearInterval(ticking)
    assert.ok(ticks > 5, `${ticks} ticks`)
    await database.close()
  })

  it('reports a statement that fails, and continues', async () => {
    const database = open()
    await database.readInSteps(1, undefined, async ({ all }) => {
      await assert.rejects(all(query('select x')), {
        constructor: DatabaseError,
        message: /no such column/,
      })
      assert.deepEqual(await all(one), [[1]])
    })
    await database.close()
  })

  it('is replaced when it ends, and its reads fail', async () => {
    const database = open(60_000)
    const threads: Worker[] = []
    const add = (thread: Worker) => void threads.push(thread)
    process.on('worker', add)
    await database.readInSteps(1, undefined, async ({ all }) => {
      assert.deepEqual(await all(one), [[1]])
      assert.equal(threads.length, 1)
      const pending = assert.rejects(
        all(query(`${numbers(1_000_000)} select count(*) from n`)),
        DatabaseError,
      )
      await threads[0]?.terminate()
      await pending
      await assert.rejects(all(one), {
        constructor: DatabaseError,
        message: 'The thread that reads the database has ended.',
      })
    })
    assert.deepEqual(await read(database, one), [[1]])
    assert.equal(threads.length, 2)
    process.off('worker', add)
    await database.close()
  })

  it('has time while it waits for a processor, which does not count', async () => {
    const database = open(1_000)
    const rows = await database.readInSteps(1, undefined, async ({ all }) => {
      await all(one)
      // As long as a busy machine may keep it waiting.
      await wait(1_100)
      return all(one)
    })
    assert.deepEqual(rows, [[1]])
    await database.close()
  })

  it('is stopped once it has used its processor time', async () => {
    const database = open(50)
    const scan = query(
      `${numbers(100_000_000)} select count(*) from n where ${database.dialect.inTime.join(' and ')}`,
    )
    await assert.rejects(read(database, scan), QueryTimeoutError)
    const repeated = database.readInSteps(1, undefined, async ({ all }) => {
      for (;;) await all(query(`${numbers(10_000)} select count(*) from n`))
    })
    await assert.rejects(repeated, QueryTimeoutError)
    await database.close()
  })

  it('is given up when a statement ignores its time limit, while others continue', async () => {
    const database = open()
    const threads = createReaderThreads(threadData(), 50)
    const failed = assert.rejects(threads.begin(shareOf(false)).all(late, noTime), ReadLimitError)
    for (let round = 0; round < 5; round += 1) assert.deepEqual(await readOne(threads), [[1]])
    await failed
    assert.deepEqual(await readOne(threads), [[1]])
    await threads.close()
    await database.close()
  })

  it('runs the steps of light keys first, and lets them take turns', async () => {
    const database = open()
    const thread = openReaderThread(threadData(), threadOptions)
    const order: string[] = []
    const readThree = async (name: string, share: ReadShare) => {
      const { all, end } = thread.begin(share)
      for (let step = 0; step < 3; step += 1) {
        await all(one, limits)
        order.push(name)
      }
      end()
    }
    const names = { heavy: shareOf(true), a: shareOf(false), b: shareOf(false) }
    await Promise.all(Object.entries(names).map((each) => readThree(...each)))
    // The first step of the heavy key has begun before the others come.
    assert.equal(order.join(' '), 'heavy a b a b a b heavy heavy')
    await thread.close()
    await database.close()
  })

  it('does not begin a read again that was ended while its query waited', async () => {
    const database = open()
    const thread = openReaderThread(threadData(), threadOptions)
    await database.write((session) => session.run(query('create table t (x)')))
    const [running, waiting] = [thread.begin(shareOf(false)), thread.begin(shareOf(false))]
    const first = running.all(query(`${numbers(100_000)} select count(*) from n`), limits)
    const second = waiting.all(query('select count(*) from t'), limits)
    waiting.end()
    await assert.rejects(second, { message: 'The read has ended.' })
    await first
    await assert.rejects(waiting.all(one, limits), { message: 'The read has ended.' })
    running.end()
    // The WAL can be truncated: no read holds it.
    const writer = new DatabaseSync(join(folder, `${files}.db`))
    await until(() => {
      writer.exec('insert into t values (1)')
      const { busy } = writer.prepare('pragma wal_checkpoint(truncate)').get() ?? {}
      return busy === 0
    })
    writer.close()
    await thread.close()
    await database.close()
  })

  it('is shared by the reads of heavy keys, and two others read for light keys', async () => {
    const database = open()
    const threads = createReaderThreads(threadData())
    let opened = 0
    const count = () => {
      opened += 1
    }
    process.on('worker', count)
    const reads: ThreadRead[] = []
    const counts: number[] = []
    for (const isHeavy of [true, true, false, true, false, false]) {
      reads.push(threads.begin(shareOf(isHeavy)))
      // The process reports a new thread in the next turn.
      await new Promise((resolve) => setImmediate(resolve))
      counts.push(opened)
    }
    process.off('worker', count)
    assert.deepEqual(counts, [1, 1, 2, 2, 3, 3])
    for (const { all } of reads) assert.deepEqual((await all(one, limits)).rows, [[1]])
    for (const { end } of reads) end()
    await threads.close()
    await database.close()
  })

  it('for heavy keys is replaced once until its statement has ended', async () => {
    const database = open()
    const threads = createReaderThreads(threadData(), 500)
    for (const _ of [1, 2]) {
      const { all, end } = threads.begin(shareOf(true))
      await assert.rejects(all(later, noTime), ReadLimitError)
      end()
    }
    assert.throws(() => threads.begin(shareOf(true)), ReadLimitError)
    assert.deepEqual(await readOne(threads), [[1]])
    await threads.close()
    await database.close()
  })

  it('has a higher priority for light keys than for heavy ones', {
    skip: noPriorities,
  }, async () => {
    const database = open()
    const threads = createReaderThreads(threadData())
    for (const isHeavy of [true, false]) {
      const before = new Set(readdirSync('/proc/self/task'))
      const { all, end } = threads.begin(shareOf(isHeavy))
      await all(one, limits)
      end()
      const added = readdirSync('/proc/self/task').filter((id) => !before.has(id))
      const expected = Math.max(getPriority(), isHeavy ? 10 : 5)
      assert.ok(added.map(priorityOf).includes(expected), `no new thread with ${expected}`)
    }
    await threads.close()
    await database.close()
  })

  it('that reads for a key that has become heavy gets no other read', async () => {
    const database = open()
    const threads = createReaderThreads(threadData())
    const [first, second] = [shareOf(false), shareOf(false)]
    let isHeavy = false
    Object.defineProperty(first, 'isHeavy', { get: () => isHeavy })
    const reads = [threads.begin(first), threads.begin(second)]
    for (const { all } of reads) await all(one, limits)
    isHeavy = true
    const long = reads[0]?.all(later, limits)
    let isOver = false
    void long?.then(() => {
      isOver = true
    })
    assert.deepEqual(await readOne(threads), [[1]])
    assert.equal(isOver, false)
    await long
    for (const { end } of reads) end()
    await threads.close()
    await database.close()
  })

  it('does not keep a process running, whether or not the database is closed', async () => {
    for (const close of ['await database.close()', '']) {
      const program = `
        import { openDatabase } from '#database'
        const database = openDatabase('sqlite:${join(folder, 'process.db')}')
        const query = { text: 'select 1', values: [] }
        const rows = await database.readInSteps('one', undefined, ({ all }) => all(query))
        ${close}
        console.log(JSON.stringify(rows))
        process.on('exit', () => console.log(process.uptime()))
        const began = process.uptime()
        console.log(began)`
      const args = ['--input-type=module-typescript', '--eval', program]
      const { stdout } = await promisify(execFile)(process.execPath, args, {
        cwd: join(import.meta.dirname, '../..'),
      })
      const [rows, began, ended] = stdout.split('\n')
      assert.equal(rows, '[[1]]')
      // Idle threads are ended only after several seconds.
      assert.ok(Number(ended) - Number(began) < 3, `${began} to ${ended} s`)
    }
  })

  it('refuses reads once the database is closed', async () => {
    const database = open()
    await read(database, one)
    const closing = database.readInSteps(1, undefined, async ({ all }) => {
      await all(one)
      await database.close()
      return all(one)
    })
    await assert.rejects(closing, DatabaseError)
    await assert.rejects(read(database, one), /was closed/)
  })
})
