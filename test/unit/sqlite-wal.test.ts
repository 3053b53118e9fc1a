import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { openDatabase } from '#database'

it('a snapshot after a large transaction reads from the database, not from its write-ahead log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-wal-'))
  const file = join(folder, 'records.db')
  const database = openDatabase(`sqlite:${file}`)
  const bytes = 40_000_000
  try {
    await database.write((session) =>
      session.run({ text: 'create table "t" ("body" blob)', values: [] }),
    )
    await database.write(async ({ run }) => {
      await run({
        text: `with recursive c (n) as (select 1 union all select n + 1 from c where n < 40)
          insert into "t" select zeroblob(${bytes / 40}) from c`,
        values: [],
      })
      // Large is what took long to write, and that depends on the machine.
      for (let spentMs = 0; spentMs < 500; ) {
        const began = performance.now()
        await run({
          text: `with recursive c (n) as (select 1 union all select n + 1 from c where n < 200000)
            delete from "t" where rowid in (select -n from c)`,
          values: [],
        })
        spentMs += performance.now() - began
      }
    })
    assert.ok(statSync(file).size < bytes / 2)
    const count = await database.snapshot((all) =>
      all({ text: 'select count(*) from "t"', values: [] }),
    )
    assert.deepEqual(
      count.map(([n]) => Number(n)),
      [40],
    )
    assert.ok(statSync(file).size >= bytes)
  } finally {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

it('large transactions one after the other do not let it grow where a thread copies it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-wal-'))
  const file = join(folder, 'records.db')
  const database = openDatabase(`sqlite:${file}`, { checkpointsInThread: true })
  const [transactions, bytes] = [12, 40_000_000]
  try {
    await database.write((session) =>
      session.run({ text: 'create table "t" ("body" blob)', values: [] }),
    )
    for (let n = 0; n < transactions; n += 1) {
      await database.write((session) =>
        session.run({ text: `insert into "t" values (zeroblob(${bytes}))`, values: [] }),
      )
    }
    // A third of what was written: what may wait, and one transaction.
    assert.ok(statSync(`${file}-wal`).size < 5 * bytes)
    const [rows = []] = await database.read([
      { text: 'select count(*), sum(length("body")) from "t"', values: [] },
    ])
    assert.deepEqual(rows[0]?.map(Number), [transactions, transactions * bytes])
  } finally {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
