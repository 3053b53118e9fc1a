/** Sources that are silent, endless or wrong, read by both drivers. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSourceDatabase, SourceDatabaseError } from '#sync'
import {
  clearPasswordSource,
  hostileSources,
  openHostileSource,
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
