/** When the write-ahead log of a SQLite file is copied into the database, and when it is truncated. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { connect, pageBytes } from '../../src/database/sqlite/connection.ts'
import { createWalPolicy, type WalPolicy } from '../../src/database/sqlite/wal-policy.ts'

interface Opened {
  readonly policy: WalPolicy
  readonly writer: DatabaseSync
  /** Writes so many pages in a transaction, whose statement is said to have taken so long. */
  write(pages: number, tookMs: number): Promise<void>
  /** Pages of the database file, without those that are only in the WAL. */
  pages(): number
  walBytes(): number
}

const withPolicy = async (inThread: boolean, work: (opened: Opened) => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-wal-'))
  const file = join(folder, 'records.db')
  const writer = connect(file, { readOnly: false })
  const policy = createWalPolicy({ file, writer, inThread })
  writer.exec('create table "t" ("body" blob)')
  try {
    await work({
      policy,
      writer,
      write: async (pages, tookMs) => {
        await policy.prepare()
        writer.exec('begin immediate')
        writer.exec(`insert into "t" values (zeroblob(${pages * pageBytes}))`)
        await policy.wrote(tookMs)
        policy.commit(() => writer.exec('commit'))
      },
      pages: () => statSync(file).size / pageBytes,
      walBytes: () => statSync(`${file}-wal`).size,
    })
  } finally {
    await policy.close()
    writer.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What a transaction's statements take together, if it is small and if it is large. */
const [shortMs, longMs] = [1, 1_000]

describe('the write-ahead log', () => {
  it('is copied by the commit that makes it long', () =>
    withPolicy(false, async ({ write, pages }) => {
      await write(100, shortMs)
      assert.ok(pages() < 100)
      await write(1_000, shortMs)
      assert.ok(pages() > 1_000)
    }))

  it('is not copied by the commit of a large transaction, but afterwards', () =>
    withPolicy(false, async ({ policy, write, pages }) => {
      await write(1_100, longMs)
      assert.ok(pages() < 100)
      policy.checkpoint()
      assert.ok(pages() > 1_000)
    }))

  it('is copied by the next small commit, if nothing else has', () =>
    withPolicy(false, async ({ write, pages }) => {
      await write(1_100, longMs)
      await write(1, shortMs)
      assert.ok(pages() > 1_000)
    }))

  it('is copied by no commit that fails', () =>
    withPolicy(false, async ({ policy, write, pages }) => {
      await write(10, shortMs)
      await policy.prepare()
      await policy.wrote(longMs)
      assert.throws(
        () =>
          policy.commit(() => {
            throw new RangeError('full')
          }),
        RangeError,
      )
      policy.checkpoint()
      assert.ok(pages() < 10)
      await write(1_100, shortMs)
      assert.ok(pages() > 1_000)
    }))

  it('is truncated after a rollback', () =>
    withPolicy(false, async ({ policy, writer, walBytes }) => {
      await policy.prepare()
      // With a small cache, pages are in the WAL before the commit.
      writer.exec('pragma cache_size = 10; begin immediate')
      writer.exec(`insert into "t" values (zeroblob(${500 * pageBytes}))`)
      writer.exec('rollback')
      assert.ok(walBytes() > 400 * pageBytes)
      await policy.truncate()
      assert.equal(walBytes(), 0)
    }))

  it('is left as it is after a small rollback', () =>
    withPolicy(false, async ({ policy, write, walBytes }) => {
      await write(10, shortMs)
      const before = walBytes()
      await policy.truncate()
      assert.equal(walBytes(), before)
    }))

  it('is copied by a thread before the next transaction, if it is very long', () =>
    withPolicy(true, async ({ policy, write, pages }) => {
      await write(8_500, longMs)
      await policy.prepare()
      assert.ok(pages() > 8_000)
    }))
})
