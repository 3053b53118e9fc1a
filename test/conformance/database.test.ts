import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  checkDatabaseUrl,
  DatabaseBusyError,
  DatabaseOutageError,
  openDatabase,
  type Session,
  sqliteFileOf,
  together,
} from '#database'
import { until } from '../support/cluster.ts'
import { databaseConformance } from './database.ts'

const folder = mkdtempSync(join(tmpdir(), 'selvedge-database-'))
after(() => rmSync(folder, { recursive: true, force: true }))

databaseConformance('SQLite', async () => {
  const url = `sqlite:${join(folder, 'conformance.db')}`
  const database = openDatabase(url)
  return {
    database,
    again: async (options) => openDatabase(url, options),
    close: () => database.close(),
  }
})

describe('SQLite', () => {
  it('is in the file that the address names, in folders that are created for it', async () => {
    const file = join(folder, 'deep/er/x.db')
    const database = openDatabase(`sqlite:${file}`)
    await database.write((session) => session.run({ text: 'create table x (a text)', values: [] }))
    await database.close()
    assert.ok(statSync(file).size > 0)
  })

  it('makes its files for their owner alone, and leaves the mode of a file that is there', async () => {
    const modeOf = (name: string) => (statSync(name).mode & 0o777).toString(8)
    const file = join(folder, 'private.db')
    const database = openDatabase(`sqlite:${file}`)
    await database.write((session) => session.run({ text: 'create table x (a text)', values: [] }))
    for (const name of [file, `${file}-wal`, `${file}-shm`]) assert.equal(modeOf(name), '600', name)
    await database.close()
    chmodSync(file, 0o640)
    await openDatabase(`sqlite:${file}`).close()
    assert.equal(modeOf(file), '640')
  })

  it('refuses an address it does not know, with the form it wants', () => {
    assert.match(checkDatabaseUrl('mysql://x') ?? '', /sqlite:<file>/)
    assert.equal(checkDatabaseUrl('sqlite:./x.db'), undefined)
    assert.throws(() => openDatabase('mysql://x'), /must be sqlite:<file>/)
    for (const part of ['%ZZ:x@h/d', 'u:%ff@h/d', 'u:x@h/%']) {
      assert.match(checkDatabaseUrl(`postgres://${part}`) ?? '', /not percent-encoded/)
    }
    for (const ms of ['', '9', '60001', '1e3']) {
      assert.match(checkDatabaseUrl(`sqlite:./x.db?query-ms=${ms}`) ?? '', /from 10 to 60000/)
    }
  })

  it('takes the time limit of its reads from the address, and other question marks as they are', () => {
    assert.equal(sqliteFileOf('sqlite:./x.db?query-ms=10'), './x.db')
    assert.equal(sqliteFileOf('sqlite:./what?.db'), './what?.db')
    const file = join(folder, 'limited.db')
    const database = openDatabase(`sqlite:${file}?query-ms=60000`)
    assert.ok(existsSync(file))
    return database.close()
  })

  it('refuses a file that is not a database, with a sentence', () => {
    const file = join(folder, 'garbage.db')
    writeFileSync(file, 'this is not a database, and long enough to be read '.repeat(100))
    assert.throws(() => openDatabase(`sqlite:${file}`), {
      constructor: DatabaseOutageError,
      message: /file is not a database/,
    })
  })

  it('does not wait for another writer for ever, and does not stop the event loop while it waits', async () => {
    const url = `sqlite:${join(folder, 'busy.db')}`
    const [first, second] = [openDatabase(url), openDatabase(url, { writeWaitMs: 150 })]
    await first.write(async (session) => {
      await session.run({ text: 'create table x (a text)', values: [] })
      let ticks = 0
      const ticking = setInterval(() => {
        ticks += 1
      }, 10)
      const waiting = second.write((inner) =>
        inner.run({ text: "insert into x values ('a')", values: [] }),
      )
      await assert.rejects(waiting, DatabaseBusyError)
      clearInterval(ticking)
      assert.ok(ticks > 5, `${ticks} ticks`)
    })
    await Promise.all([first.close(), second.close()])
  })

  it('lets another process write between two long transactions', async () => {
    const file = join(folder, 'turns.db')
    const [busy, other] = [openDatabase(`sqlite:${file}`), openDatabase(`sqlite:${file}`)]
    const begun = Promise.withResolvers<void>()
    const order: string[] = []
    const holdLong = (name: string) =>
      busy.write(async () => {
        order.push(name)
        begun.resolve()
        await wait(600)
      })
    const long = Promise.all(['first', 'second', 'third'].map(holdLong))
    await begun.promise
    await other.write(async () => {
      order.push('other')
    })
    await long
    assert.deepEqual(order, ['first', 'other', 'second', 'third'])
    await Promise.all([busy.close(), other.close()])
  })

  it('resolves a large transaction before its WAL is copied, and copies it in the end, although others have it open', async () => {
    const file = join(folder, 'large.db')
    const [other, writer] = [openDatabase(`sqlite:${file}`), openDatabase(`sqlite:${file}`)]
    const count = { text: 'select count(*) from x', values: [] }
    const megabytes = () => statSync(file).size / 1_000_000
    await writer.write(async (session) => {
      await session.run({ text: 'create table x (a text)', values: [] })
      // Most of the time goes by with counting, so that it takes long on any machine.
      const text =
        'with recursive n(i) as (values (1) union all select i + 1 from n where i < 1200000) insert into x select hex(zeroblob(500)) from n where i % 120 = 0'
      await session.run({ text, values: [] })
    })
    assert.equal((await other.read([count]))[0]?.[0]?.[0], 10_000)
    assert.ok(megabytes() < 1, `${megabytes()} MB`)
    await writer.close()
    assert.ok(megabytes() > 10, `${megabytes()} MB`)
    assert.equal((await other.read([count]))[0]?.[0]?.[0], 10_000)
    await other.close()
  })

  const manyRows =
    'with recursive n(i) as (values (1) union all select i + 1 from n where i < 40000) insert into x select hex(zeroblob(500)) from n'

  it('frees what a failed transaction has taken in the WAL, while others read', async () => {
    const file = join(folder, 'failed.db')
    const [server, writer] = [openDatabase(`sqlite:${file}`), openDatabase(`sqlite:${file}`)]
    await writer.write((session) => session.run({ text: 'create table x (a text)', values: [] }))
    const count = { text: 'select count(*) from x', values: [] }
    let reading = true
    let reads = 0
    const reader = (async () => {
      while (reading) {
        // Two queries are one transaction, which may be in the way of truncating.
        const results = await server.read([count, count])
        assert.deepEqual(results, [[[0]], [[0]]])
        reads += 1
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    let [during, before] = [0, 0]
    try {
      const failing = writer.write(async (session) => {
        await session.run({ text: manyRows, values: [] })
        during = statSync(`${file}-wal`).size
        before = reads
        throw new RangeError('on purpose')
      })
      await assert.rejects(failing, /on purpose/)
      const after = statSync(`${file}-wal`).size
      assert.ok(during > 8_000_000, `${during} bytes while it wrote`)
      assert.ok(after < 2 ** 20, `${after} bytes afterwards`)
      await until(() => reads > before)
    } finally {
      reading = false
      await reader
      await Promise.all([server.close(), writer.close()])
    }
  })

  it('truncates the WAL of a large transaction to its usual length when it begins again', async () => {
    const file = join(folder, 'long.db')
    const [server, writer] = [openDatabase(`sqlite:${file}`), openDatabase(`sqlite:${file}`)]
    const run = (text: string) => writer.write((session) => session.run({ text, values: [] }))
    const megabytes = () => statSync(`${file}-wal`).size / 2 ** 20
    await run('create table x (a text)')
    await run(manyRows)
    const long = megabytes()
    assert.ok(long > 20, `${long} MB`)
    // One commit copies the log into the database, the next begins again from its start.
    for (let commits = 0; commits < 3; commits += 1) await run("insert into x values ('a')")
    const short = megabytes()
    assert.ok(short < 16, `${short} MB`)
    await Promise.all([server.close(), writer.close()])
  })

  it('has rolled back by itself when the disk is full, and works again afterwards', async () => {
    const database = openDatabase(`sqlite:${join(folder, 'full.db')}`)
    await database.write((session) => session.run({ text: 'create table x (a text)', values: [] }))
    const fill = database.write(async (session) => {
      await session.all({ text: 'pragma max_page_count = 5', values: [] })
      const big = 'x'.repeat(10_000)
      await session.bulkInsert(
        'x',
        ['a'],
        Array.from({ length: 100 }, () => [big]),
      )
    })
    await assert.rejects(fill, /full/)
    const count = { text: 'select count(*) from x', values: [] }
    assert.equal((await database.read([count]))[0]?.[0]?.[0], 0)
    await database.write(async (session) => {
      await session.all({ text: 'pragma max_page_count = 1000000', values: [] })
      await session.bulkInsert('x', ['a'], [['works']])
    })
    assert.equal((await database.read([count]))[0]?.[0]?.[0], 1)
    await database.close()
  })

  it('stores nothing of a transaction that SQLite has ended, and throws why it has', async () => {
    const database = openDatabase(`sqlite:${join(folder, 'ended.db')}`)
    await database.write((session) =>
      session.runAll([
        'create table x (a text)',
        // Ends the transaction as a disk does that fails.
        "create trigger ending before insert on x when new.a = 'end' begin select raise(rollback, 'ended here'); end",
      ]),
    )
    const insert = (session: Session, a: string) =>
      session.run({ text: 'insert into x values (?1)', values: [a] })
    const because = { message: /ended here/ }
    const issued = database.write((session) =>
      together([
        insert(session, 'before'),
        insert(session, 'end'),
        insert(session, 'after'),
        session.bulkInsert('x', ['a'], [['after']]),
        session.all({ text: "insert into x values ('after') returning a", values: [] }),
      ]),
    )
    await assert.rejects(issued, because)
    const undone = database.write(async (session) => {
      await session.run({ text: 'savepoint "s"', values: [] })
      await assert.rejects(insert(session, 'end'), because)
      await session.run({ text: 'rollback to savepoint "s"', values: [] })
    })
    await assert.rejects(undone, because)
    const ignored = database.write((session) => insert(session, 'end').catch(() => 0))
    await assert.rejects(ignored, because)
    await database.write((session) => insert(session, 'works'))
    const rows = await database.read([{ text: 'select a from x', values: [] }])
    assert.deepEqual(rows, [[['works']]])
    await database.close()
  })
})
