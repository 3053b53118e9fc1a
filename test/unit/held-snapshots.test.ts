/** When a long read is ended because of what is written during it. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { SnapshotLimitError } from '#database'
import type { HeldSnapshots } from '../../src/database/held-snapshots.ts'
import { createHeldRows } from '../../src/database/postgres/held-rows.ts'
import { createHeldWal } from '../../src/database/sqlite/held-wal.ts'
import { until } from '../support/cluster.ts'

const limits = { heldMax: 100, ageMs: 30, everyMs: 1 }

/** A measure of what is written, which counts how often it is read. */
const createMeasure = () => {
  let [written, uncopied, looks] = [0, 0, 0]
  return {
    read: () => {
      looks += 1
      return { pages: written, uncopied }
    },
    write: (amount: number) => {
      written += amount
      uncopied += amount
    },
    /** A WAL that is written from its start again. */
    restart: () => {
      written = 0
      uncopied = 0
    },
    copied: () => {
      uncopied = 0
    },
    /** Waits until it was read again, and what follows from that was done. */
    look: async () => {
      const before = looks
      await until(() => looks > before + 1)
    },
    /** Writes much, a little at a time. */
    writeOften: async (amount: number) => {
      for (let left = amount; left > 0; left -= 30) {
        written += 30
        uncopied += 30
        // The register does not look once it has no read.
        await wait(3 * limits.everyMs)
      }
    },
  }
}

const openWal = (copy = async () => undefined) => {
  const measure = createMeasure()
  const held = createHeldWal({ readLength: measure.read, copy, limits })
  return { ...measure, held }
}

const openRows = () => {
  const measure = createMeasure()
  const held = createHeldRows(async () => measure.read().pages, limits)
  return { ...measure, held }
}

for (const [engine, open] of [
  ['SQLite', openWal],
  ['PostgreSQL', openRows],
] as const) {
  describe(`a long read on ${engine}`, () => {
    it('is ended when much was written during it and it is old', async () => {
      const { held, writeOften } = open()
      const began = performance.now()
      let endedMs = 0
      await held.begin(() => {
        endedMs = performance.now() - began
      })
      await writeOften(300)
      await until(() => endedMs > 0)
      assert.ok(endedMs >= limits.ageMs, `after ${endedMs} ms`)
    })

    it('is not ended because of one write, however large', async () => {
      const { held, write, writeOften, look } = open()
      let ended = 0
      const release = await held.begin(() => {
        ended += 1
      })
      await look()
      write(1_000_000)
      await wait(2 * limits.ageMs)
      await look()
      assert.equal(ended, 0)
      await writeOften(300)
      await until(() => ended === 1)
      release()
    })

    it('is counted with its age until it ends, and whether it was ended', async () => {
      const { held, writeOften } = open()
      assert.deepEqual(held.figures(), { count: 0, oldestSeconds: 0, ended: 0 })
      const release = await held.begin(() => undefined)
      await held.begin(() => undefined)
      await wait(2)
      const { count, oldestSeconds } = held.figures()
      assert.equal(count, 2)
      assert.ok(oldestSeconds > 0.001 && oldestSeconds < 60, String(oldestSeconds))
      release()
      await writeOften(300)
      await until(() => held.figures().ended > 0)
      assert.deepEqual(held.figures(), { count: 0, oldestSeconds: 0, ended: 1 })
    })

    it('that has ended is looked at no more', async () => {
      const { held, writeOften } = open()
      let ended = 0
      const first = await held.begin(() => {
        ended += 1
      })
      await held.begin(() => {
        ended += 10
      })
      first()
      await writeOften(300)
      await until(() => ended > 0)
      assert.equal(ended, 10)
    })
  })
}

describe('the WAL of SQLite', () => {
  it('is held by reads in turn, so that none begins until it is released', async () => {
    const { held, writeOften, restart, look } = openWal()
    let ended = 0
    const end = () => {
      ended += 1
    }
    await held.begin(end)
    await writeOften(60)
    const second = await held.begin(end)
    await writeOften(200)
    await assert.rejects(held.begin(end), SnapshotLimitError)
    // The second read began late, and is ended as well: the WAL is released at once or not at all.
    await until(() => ended === 2)
    await assert.rejects(held.begin(end), SnapshotLimitError)
    restart()
    const third = await held.begin(end)
    await look()
    assert.equal(ended, 2)
    for (const release of [second, third]) release()
  })

  it('has one limit for all processes, whenever they begin to read', async () => {
    const { held, writeOften, read } = openWal()
    const beginIn = (one: HeldSnapshots) => one.begin(() => undefined)
    const release = await beginIn(held)
    await writeOften(200)
    await assert.rejects(beginIn(held), SnapshotLimitError)
    const other = createHeldWal({ readLength: read, copy: async () => undefined, limits })
    await assert.rejects(beginIn(other), SnapshotLimitError)
    release()
  })

  it('is measured while a process has no read', async () => {
    const { held, write } = openWal()
    const release = await held.begin(() => undefined)
    release()
    // Another process holds it meanwhile.
    write(200)
    await assert.rejects(
      held.begin(() => undefined),
      SnapshotLimitError,
    )
  })

  it('that is long, and copied into the database, delays and ends no read', async () => {
    let copies = 0
    const { held, writeOften, copied, look } = openWal(async () => {
      copies += 1
      copied()
    })
    const release = await held.begin(() => undefined)
    await writeOften(300)
    release()
    let ended = 0
    const quiet = await held.begin(() => {
      ended += 1
    })
    assert.equal(copies, 1)
    await wait(2 * limits.ageMs)
    await look()
    assert.equal(ended, 0)
    quiet()
  })
})
