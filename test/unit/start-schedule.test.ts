/** How the start of requests is spread over turns of the event loop. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createStartSchedule } from '../../src/http/start-schedule.ts'
import { until } from '../support/cluster.ts'

const turn = () => performance.nodeTiming.uvMetricsInfo.loopCount
/** Occupies the event loop for longer than requests are started in a turn. */
const occupy = () => {
  const end = performance.now() + 10
  while (performance.now() < end);
}

describe('turns of the event loop', () => {
  it('start what waits in order, each once', async () => {
    const started: string[] = []
    const schedule = createStartSchedule<string>((item) => started.push(item))
    for (const item of ['first', 'second', 'first', 'third']) schedule.startSoon(item)
    assert.deepEqual(started, [])
    await until(() => started.length >= 3)
    assert.deepEqual(started, ['first', 'second', 'third'])
  })

  it('start what takes long in turns of its own', async () => {
    const startedIn: number[] = []
    const schedule = createStartSchedule<number>(() => {
      startedIn.push(turn())
      occupy()
    })
    for (let item = 0; item < 5; item += 1) schedule.startSoon(item)
    await until(() => startedIn.length === 5)
    assert.equal(new Set(startedIn).size, 5)
  })

  it('start again what is added while it is started', async () => {
    let starts = 0
    const schedule = createStartSchedule<string>((item) => {
      starts += 1
      if (starts < 3) schedule.startSoon(item)
    })
    schedule.startSoon('again')
    await until(() => starts === 3)
  })

  it('are over after a few milliseconds, until the next', async () => {
    const schedule = createStartSchedule(() => undefined)
    assert.ok(!schedule.isTurnOver())
    occupy()
    assert.ok(schedule.isTurnOver())
    await wait(20)
    assert.ok(!schedule.isTurnOver())
  })

  it('are over while anything waits', async () => {
    const schedule = createStartSchedule(() => undefined)
    schedule.startSoon('first')
    assert.ok(schedule.isTurnOver())
    await until(() => !schedule.isTurnOver())
  })

  it('admit a few urgent requests each', async () => {
    const schedule = createStartSchedule(() => undefined)
    const admitted = () => Array.from({ length: 20 }, schedule.admitsUrgent).filter(Boolean).length
    assert.equal(admitted(), 16)
    await wait(20)
    assert.equal(admitted(), 16)
  })
})
