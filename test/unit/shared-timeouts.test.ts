import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createTimeLimit } from '#concurrency'
import { createSharedTimeouts } from '../../src/concurrency/shared-timeouts.ts'

const immediate = () => new Promise<void>((resolve) => void setImmediate(resolve))

describe('timeouts that share a timer', () => {
  it('end in the order in which they began, each after its own time', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    let now = 0
    t.mock.method(performance, 'now', () => now)
    const pass = async (ms: number) => {
      now += ms
      t.mock.timers.tick(ms)
      await immediate()
    }
    const ended: string[] = []
    const timeouts = createSharedTimeouts(100)
    timeouts.begin(() => ended.push('first'))
    await pass(60)
    const second = timeouts.begin(() => ended.push('second'))
    assert.equal(second.leftMs(), 100)
    timeouts.begin(() => ended.push('third'))
    await pass(39)
    assert.equal(ended.length, 0)
    await pass(1)
    assert.deepEqual(ended, ['first'])
    assert.equal(second.leftMs(), 60)
    second.cancel()
    await pass(60)
    assert.deepEqual(ended, ['first', 'third'])
    timeouts.begin(() => ended.push('later'))
    await pass(100)
    assert.deepEqual(ended, ['first', 'third', 'later'])
  })

  it('leave nothing behind that keeps a process running', async () => {
    const { setTimeout: original } = globalThis
    const timers: NodeJS.Timeout[] = []
    globalThis.setTimeout = ((...args: Parameters<typeof setTimeout>) => {
      const timer = original(...args)
      timers.push(timer)
      return timer
    }) as typeof setTimeout
    try {
      const timeouts = createSharedTimeouts(60_000)
      const [one, other] = [timeouts.begin(() => undefined), timeouts.begin(() => undefined)]
      assert.equal(timers.length, 1)
      one.cancel()
      assert.equal(timers[0]?.hasRef(), true)
      other.cancel()
      assert.equal(timers[0]?.hasRef(), false)
      const again = timeouts.begin(() => undefined)
      assert.equal(timers.length, 1)
      assert.equal(timers[0]?.hasRef(), true)
      again.cancel()
    } finally {
      globalThis.setTimeout = original
      for (const timer of timers) clearTimeout(timer)
    }
  })
})

describe('a time limit for many pieces of work', () => {
  const never = new Promise<never>(() => undefined)
  const limit = createTimeLimit(20, () => new RangeError('too slow'))

  it('gives what the work resolves to, or rejects with', async () => {
    assert.equal(await limit.run(async () => 'done'), 'done')
    await assert.rejects(
      limit.run(() => Promise.reject(new TypeError('on purpose'))),
      TypeError,
    )
  })

  it('rejects when the time is over, each piece of work by itself', async () => {
    const slow = [limit.run(() => never), limit.run(() => never)]
    assert.equal(await limit.run(async ({ leftMs }) => leftMs() > 0), true)
    for (const each of slow) await assert.rejects(each, /too slow/)
  })
})
