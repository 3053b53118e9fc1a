import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createMutex } from '#concurrency'

describe('a mutex', () => {
  it('runs one piece of work at a time, in the order of the calls', async () => {
    const mutex = createMutex()
    const events: string[] = []
    const work = (name: string, turnCount: number) =>
      mutex(async () => {
        events.push(`${name} begins`)
        for (let turn = 0; turn < turnCount; turn += 1) await nextTurn()
        events.push(`${name} ends`)
        return name
      })
    assert.deepEqual(await Promise.all([work('a', 5), work('b', 1), work('c', 3)]), ['a', 'b', 'c'])
    assert.deepEqual(events, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  it('rejects with what the work threw, and runs the next', async () => {
    const mutex = createMutex()
    const failing = mutex(async () => {
      throw new RangeError('on purpose')
    })
    const next = mutex(async () => 'ran')
    await assert.rejects(failing, /on purpose/)
    assert.equal(await next, 'ran')
  })
})
