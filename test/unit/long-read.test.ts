/** The order of the steps of long reads in progress. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLongReads, type LongReads, type RunningRead } from '../../src/database/long-read.ts'
import { readAs } from '../../src/database/read-shares.ts'

/** A read of a key that uses some time, until it is ended. */
const beginLight = (
  reads: LongReads,
  { usedMs = 0, hasRoom = false, onEnd = () => undefined } = {},
) => {
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const work = async ({ share, turn }: RunningRead) => {
    share.charge(usedMs)
    await turn(1_000)
    await isOver
    onEnd()
  }
  const read = readAs('light', () => reads.run(1, work, { hasRoom }))
  return async () => {
    end()
    await read
  }
}

/** What comes first: the end of a read of another key, or the next step of a heavy one. */
const orderBeside = async (options: { usedMs?: number; hasRoom?: boolean }) => {
  const reads = createLongReads(4, 60_000)
  const order: string[] = []
  const end = beginLight(reads, { ...options, onEnd: () => void order.push('other') })
  await readAs('heavy', () =>
    reads.run(1, async ({ share, turn }) => {
      share.charge(10_000)
      setImmediate(end)
      await turn(1_000)
      order.push('heavy')
    }),
  )
  await end()
  return order
}

describe('a step of a heavy key', () => {
  it('begins once no read of a light key is in progress', async () => {
    assert.deepEqual(await orderBeside({}), ['other', 'heavy'])
  })

  it('waits for twice the time of the step before, within a limit, and has as much more', async () => {
    const reads = createLongReads(4, 60_000)
    const end = beginLight(reads)
    await readAs('heavy', () =>
      reads.run(1, async ({ share, turn, timeLeft }) => {
        share.charge(10_000)
        const began = performance.now()
        const leftMs = timeLeft()
        await turn(0)
        await turn(10)
        assert.ok(performance.now() - began >= 19)
        // No longer than a limit.
        await turn(1_000_000_000)
        const lostMs = leftMs - timeLeft()
        assert.ok(lostMs < performance.now() - began - 100, `${lostMs} ms`)
      }),
    )
    await end()
  })

  for (const [whom, options] of [
    ['a key that uses about as much', { usedMs: 8_000 }],
    ['a download', { hasRoom: true }],
  ] as const) {
    it(`does not wait for ${whom}`, async () => {
      assert.deepEqual(await orderBeside(options), ['heavy', 'other'])
    })
  }
})

describe('a key that becomes heavy during two reads', () => {
  it('gives back one slot if others wait, and begins that read again', async () => {
    const reads = createLongReads(4, 60_000)
    const { promise: isHeavy, resolve: becomeHeavy } = Promise.withResolvers<void>()
    let begun = 0
    const readMuch = () =>
      readAs('heavy', () =>
        reads.run(1, async ({ share, turn }) => {
          begun += 1
          await isHeavy
          share.charge(10_000)
          await turn(0)
          return 'result'
        }),
      )
    const two = [readMuch(), readMuch()]
    const ends = ['a', 'b'].map((key) => {
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
      void readAs(key, () => reads.run(2, () => isOver))
      return end
    })
    const late = readAs('late', () => reads.run(3, async () => becomeHeavy))
    becomeHeavy()
    // The slots of the others are not free yet.
    await late
    for (const end of ends) end()
    assert.deepEqual(await Promise.all(two), ['result', 'result'])
    assert.equal(begun, 3)
  })

  it('keeps both if nothing waits', async () => {
    const reads = createLongReads(4, 60_000)
    let begun = 0
    const read = () =>
      readAs('heavy', () =>
        reads.run(1, async ({ share, turn }) => {
          begun += 1
          share.charge(10_000)
          await turn(0)
        }),
      )
    await Promise.all([read(), read()])
    assert.equal(begun, 2)
  })
})
