/** The process beside those that serve. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openCompanion } from '#cluster'

describe('a companion', () => {
  it('is not killed while a statement blocks it for longer than a worker may be', async () => {
    const log = { info: () => undefined, error: () => undefined }
    let started = 0
    const companion = openCompanion({
      ...{ program: new URL('../support/blocked-worker.ts', import.meta.url), args: [] },
      ...{ noun: 'test process', log },
      onProcess: () => {
        started += 1
      },
    })
    try {
      await wait(16_000)
      assert.equal(started, 1)
    } finally {
      companion.kill()
    }
  })
})
