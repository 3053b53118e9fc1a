/** Sources that are silent, endless or wrong, read by both drivers. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSourceDatabase, SourceDatabaseError } from '#sync'
import { openConnectionClock } from '../../src/sync/connection-clock.ts'
import { runMappedQuery } from '../../src/sync/mapped-query.ts'
import { openSpool } from '../../src/sync/spool.ts'
import type { SyncQuery } from '../../src/sync/sync-state.ts'
import { openSandbox } from '../support/command.ts'
import {
  clearPasswordSource,
  hostileSources,
  mapping,
  openHostileSource,
  silentAfter,
} from '../support/hostile-sources.ts'

/** Reads all rows of a source. */
const read = async (url: string, timeoutMs: number, signal?: AbortSignal): Promise<number> => {
  let rows = 0
  await createSourceDatabase(url, { timeoutMs }).snapshot(async (snapshot) => {
    for await (const batch of (await snapshot.query('select * from labels')).batches) {
      rows += batch.length
    }
  }, signal)
  return rows
}

describe('a hostile source ends with an error of the round', { concurrency: 8 }, () => {
  for (const source of hostileSources) {
    it(`${source.engine}: ${source.name}`, async () => {
      const { url, close } = await openHostileSource(source)
      try {
        await assert.rejects(read(url, 100), (error) => {
          assert.ok(error instanceof SourceDatabaseError, String(error))
          assert.match(error.message, source.says)
          return true
        })
      } finally {
        await close()
      }
    })
  }
})

it('an answer that is awaited no longer does not keep the process', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length
  const before = timers()
  const clock = openConnectionClock({
    roundMs: 60_000,
    signal: undefined,
    destroy: () => undefined,
  })
  const never = new Promise<void>(() => undefined)
  const waits = clock.wait(never, 60_000)
  clock.cut(new Error('cut'))
  await assert.rejects(waits, { message: 'cut' })
  await assert.rejects(clock.wait(never, 60_000), { message: 'cut' })
  clock.close()
  assert.equal(timers(), before)
})

it('a password is not sent in the clear to another machine', async () => {
  for (const [host, isSent] of [
    ['0.0.0.0', false],
    ['127.0.0.1', true],
  ] as const) {
    const { url, sent, close } = await openHostileSource(clearPasswordSource, host)
    try {
      await assert.rejects(read(url, 100), isSent ? /no answer|longer/ : clearPasswordSource.says)
      assert.equal(sent().includes('needle'), isSent)
    } finally {
      await close()
    }
  }
})

it('others can write while a source is silent in the middle of a round', async () => {
  const place = openSandbox()
  const silence = Promise.withResolvers<void>()
  const { url, close } = await openHostileSource(silentAfter(12, silence.resolve))
  try {
    place.put({ 'shop.map.yaml': mapping })
    const added = await place.run(['brands', 'add', 'halden', '--name', 'Halden'])
    assert.equal(added.code, 0, added.stderr)
    const { child, ended } = place.start(['sync', '--map', 'shop.map.yaml', '--once'], {
      SOURCE_URL: url,
    })
    await Promise.race([silence.promise, ended])
    const other = await place.run(['brands', 'add', 'other', '--name', 'Other'])
    assert.equal(other.code, 0, other.stderr)
    child.kill('SIGKILL')
    assert.equal((await ended).signal, 'SIGKILL')
  } finally {
    await close()
    place.close()
  }
})

it('rows that take too much CPU time to convert end the round', async () => {
  const batches = async function* () {
    yield [['cotton']]
    yield [['wool']]
  }
  const columns = [{ name: 'label', kind: 'text' }] as const
  const snapshot = { query: async () => ({ columns, batches: batches() }) }
  /** Takes 50 ms of CPU time for each batch. */
  const rowsWithin = async (ms: number) => {
    const table = await runMappedQuery({ snapshot, cpuMs: () => ms }, 'select 1', {} as SyncQuery)
    let rows = 0
    for await (const batch of table.batches) {
      rows += batch.length
      const before = process.threadCpuUsage()
      while (process.threadCpuUsage(before).user < 50_000);
    }
    return rows
  }
  assert.equal(await rowsWithin(600_000), 2)
  await assert.rejects(rowsWithin(1), {
    message:
      'was not converted within 1 second of CPU time: send it in smaller parts, or simplify the mapping',
  })
})

describe('rows that wait to be written', () => {
  const limits = { rowsMax: 1_000, bytesMax: 20_000, memoryBytes: 1_000 }
  const batchesOf = async function* (count: number, row: (index: number) => unknown) {
    for (let batch = 0; batch < count; batch += 1) {
      yield Array.from({ length: 10 }, (_, index) => row(batch * 10 + index))
    }
  }

  it('are read again in their order, from memory and from a file', async () => {
    const spool = openSpool(limits)
    const row = (index: number) => ({ line: index, json: `{"no":${index}}` })
    const first = await spool.fill(batchesOf(20, row))
    const second = await spool.fill(batchesOf(1, row))
    const expected = (count: number) => Array.from({ length: count }, (_, index) => row(index))
    assert.deepEqual((await Array.fromAsync(first.batches())).flat(), expected(200))
    assert.deepEqual((await Array.fromAsync(second.batches())).flat(), expected(10))
    await spool.close()
  })

  for (const [what, row] of [
    ['1,000 rows', () => 1],
    ['20,000 bytes', () => 'x'.repeat(100)],
  ] as const) {
    it(`are at most ${what}`, async () => {
      const spool = openSpool(limits)
      await assert.rejects(
        spool.fill(batchesOf(1_000, row)),
        new RegExp(`more than ${what} .*Nothing was written\\. Select fewer rows`),
      )
      await spool.close()
    })
  }
})
