/** One state of several SQLite files, while another process writes to all of them. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DatabaseBusyError, findSqliteDamage, openSqliteState } from '#database'

const writer = fileURLToPath(new URL('../support/lockstep-writer.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'selvedge-state-'))
after(() => rmSync(folder, { recursive: true }))

const create = (name: string): string => {
  const file = join(folder, name)
  const connection = new DatabaseSync(file)
  connection.exec(`
    pragma page_size = 16384;
    pragma journal_mode = wal;
    create table number (value integer);
    insert into number values (0);
    create table filler (id integer primary key, text text);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
    insert into filler select i, hex(randomblob(500)) from n`)
  connection.close()
  return file
}

const numberIn = (file: string): number => {
  const connection = new DatabaseSync(file, { readOnly: true })
  try {
    return Number(connection.prepare('select value from number').get()?.['value'])
  } finally {
    connection.close()
  }
}

describe('a state of several files', () => {
  const [queue, records, keys] = ['queue.db', 'records.db', 'keys.db'].map(create) as [
    string,
    string,
    string,
  ]
  const parts = { unlocked: records, locked: [keys, queue], now: Date.now, waitMs: 20_000 }

  it('is one that all files had at the same moment, although they are written to', async () => {
    const child = spawn(process.execPath, [writer, queue, records, keys], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    try {
      await once(child.stdout, 'data')
      let last = -1
      let written = 0
      for (let round = 0; round < 20; round += 1) {
        const state = await openSqliteState(parts)
        const copies = []
        for (const [index, file] of [queue, records, keys].entries()) {
          const copy = join(folder, `copy-${round}-${index}.db`)
          await state.copy(file, copy, () => undefined)
          copies.push(copy)
        }
        const newest = numberIn(records)
        state.close()
        const numbers = copies.map(numberIn)
        const [first = 0, second = 0, third = 0] = numbers
        const isOneMoment =
          first >= second && second >= third && third >= first - 1 && first >= last
        assert.ok(isOneMoment, `round ${round}: ${numbers} after ${last}`)
        written += newest - second
        last = first
        for (const copy of copies) {
          assert.deepEqual(findSqliteDamage(copy), [])
          rmSync(copy)
        }
      }
      assert.ok(written > 20, 'the writer continues while files are copied')
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  })

  it('does not wait for a writer of the file that is not locked', async () => {
    const other = new DatabaseSync(records)
    other.exec('begin immediate; update number set value = -1')
    const state = await openSqliteState(parts)
    const copy = join(folder, 'unlocked.db')
    await state.copy(records, copy, () => undefined)
    state.close()
    other.exec('rollback')
    other.close()
    assert.ok(numberIn(copy) >= 0)
  })

  it('gives up after a while if another file stays locked, and leaves no lock', async () => {
    const other = new DatabaseSync(queue)
    other.exec('begin immediate')
    await assert.rejects(openSqliteState({ ...parts, waitMs: 50 }), DatabaseBusyError)
    const keyWriter = new DatabaseSync(keys, { timeout: 0 })
    keyWriter.exec('begin immediate; rollback')
    keyWriter.close()
    other.close()
  })

  it('holds no lock while files are copied', async () => {
    const state = await openSqliteState(parts)
    for (const file of [queue, records, keys]) {
      const other = new DatabaseSync(file, { timeout: 0 })
      other.exec('begin immediate; update number set value = value; commit')
      other.close()
    }
    state.close()
  })
})

describe('a damaged file', () => {
  it('is noticed', () => {
    const file = create('damaged.db')
    assert.deepEqual(findSqliteDamage(file), [])
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.fill(0xff, 3 * 16_384, 3 * 16_384 + 100))
    assert.notDeepEqual(findSqliteDamage(file), [])
    assert.notDeepEqual(findSqliteDamage(writer), [])
  })
})
