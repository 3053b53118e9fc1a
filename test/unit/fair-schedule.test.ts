import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createFairSchedule } from '../../src/intake/fair-schedule.ts'

/** One turn at a time, and the order in which brands had theirs. */
const openOneByOne = () => {
  const schedule = createFairSchedule(1)
  const order: string[] = []
  const take = (brand: string, estimatedMs: number, ms = 0) =>
    schedule.take(brand, estimatedMs, async () => {
      order.push(brand)
      await wait(ms)
    })
  return { schedule, order, take }
}

describe('turns of brands', () => {
  it('go to those that need little, and then to those that have used little', async () => {
    const { schedule, order, take } = openOneByOne()
    // While the first one works, the others come.
    await Promise.all([
      take('large', 1_000, 60),
      take('large', 1_000, 20),
      take('other', 1_000),
      take('small', 1),
      take('small', 1),
    ])
    assert.deepEqual(order, ['large', 'small', 'small', 'other', 'large'])
    assert.ok(schedule.usedMs('large') > schedule.usedMs('small'))
  })

  it('cannot be saved up, and are taken at the same time where that is possible', async () => {
    const schedule = createFairSchedule(2)
    const before = schedule.usedMs('late')
    let running = 0
    let most = 0
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      await wait(20)
      running -= 1
    }
    for (let round = 0; round < 2; round += 1) {
      await Promise.all(['a', 'b', 'c'].map((brand) => schedule.take(brand, 1, work)))
    }
    assert.equal(most, 2)
    assert.ok(schedule.usedMs('late') > before)
  })

  it('go to short work that comes just after long work', async () => {
    const { order, take } = openOneByOne()
    const long = take('long', 1_000, 300)
    const other = take('other', 1_000)
    await long
    await new Promise(setImmediate)
    await Promise.all([other, take('short', 1)])
    assert.deepEqual(order, ['long', 'short', 'other'])
  })

  it('continue after a failure', async () => {
    const schedule = createFairSchedule(1)
    const failing = schedule.take('a', 1, () => Promise.reject(new Error('x')))
    const next = schedule.take('b', 1, async () => 'done')
    await assert.rejects(failing, /x/)
    assert.equal(await next, 'done')
  })
})
