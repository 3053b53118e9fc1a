import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type CheckOutcome, createCheckSchedule } from '../../src/server/check-schedule.ts'
import { until } from '../support/cluster.ts'

describe('the schedule of checks', () => {
  it('checks a brand once for many changes, and one brand at a time', async () => {
    const began: string[] = []
    let running = 0
    let most = 0
    const release: (() => void)[] = []
    const schedule = createCheckSchedule({
      delayMs: 5,
      everyMs: 0,
      check: async (brand) => {
        began.push(brand)
        running += 1
        most = Math.max(most, running)
        await new Promise<void>((resolve) => release.push(resolve))
        running -= 1
        return 'done'
      },
    })
    for (const brand of ['one', 'one', 'other', 'one']) schedule.changed(brand)
    await until(() => release.length === 1)
    // What changes during a check is checked after it.
    schedule.changed('one')
    release[0]?.()
    await until(() => release.length === 2)
    release[1]?.()
    await until(() => release.length === 3)
    release[2]?.()
    await schedule.close()
    assert.deepEqual([began, most], [['one', 'other', 'one'], 1])
  })

  it('leaves the set time between two checks of a brand', async () => {
    const at: number[] = []
    const schedule = createCheckSchedule({
      delayMs: 0,
      everyMs: 100,
      check: async () => {
        at.push(performance.now())
        return 'done'
      },
    })
    schedule.changed('one')
    await until(() => at.length === 1)
    schedule.changed('one')
    await until(() => at.length === 2)
    // The time is counted from before a check, and timers may be a little early.
    assert.ok((at[1] ?? 0) - (at[0] ?? 0) >= 80)
    await schedule.close()
  })

  it('continues a check that has left rules, without another change, until none is left', async () => {
    const outcomes: CheckOutcome[] = ['unfinished', 'unfinished', 'done']
    const left = [...outcomes]
    const schedule = createCheckSchedule({
      delayMs: 0,
      // Far longer than this test: only what is unfinished continues.
      everyMs: 3_600_000,
      check: async () => left.shift() ?? 'failed',
    })
    schedule.changed('one')
    await until(() => left.length === 0)
    await schedule.close()
  })

  it('repeats a check that failed, or that another process makes', async () => {
    const left: CheckOutcome[] = ['failed', 'elsewhere', 'done']
    const schedule = createCheckSchedule({
      delayMs: 0,
      everyMs: 5,
      check: async () => left.shift() ?? 'failed',
    })
    schedule.changed('one')
    await until(() => left.length === 0)
    await schedule.close()
  })

  it('begins no check after it is closed', async () => {
    let checks = 0
    const schedule = createCheckSchedule({
      delayMs: 0,
      everyMs: 0,
      check: async () => {
        checks += 1
        return 'done'
      },
    })
    schedule.changed('one')
    await schedule.close()
    schedule.changed('other')
    await new Promise((resolve) => setTimeout(resolve, 20))
    assert.equal(checks, 0)
  })
})
