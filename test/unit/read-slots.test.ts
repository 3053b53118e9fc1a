/** Which long reads run at once, and which comes next. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { OverloadedError, type Release } from '#concurrency'
import { compareSteps, createReadShares, type ReadShare } from '../../src/database/read-shares.ts'
import { createReadSlots } from '../../src/database/read-slots.ts'

const open = (total = 4) => createReadSlots({ total, waitingPerKey: 100, waitMs: 60_000 })
/** A clock that the test sets. */
const createClock = () => {
  const clock = { ms: 0 }
  return { clock, shares: createReadShares(() => clock.ms) }
}
const charged = (share: ReadShare, ms: number): ReadShare => {
  share.charge(ms)
  return share
}

/** Ends reads one after the other, in the order in which they have begun. */
const leaveAll = async (held: readonly Release[], count: number) => {
  for (let n = 0; n < count; n += 1) {
    held[n]?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The order in which reads get the only slot, once it is free. */
const orderOf = async (waiting: readonly (readonly [string, ReadShare])[]) => {
  const slots = open(1)
  const release = await slots.take(createReadShares().of(0, ''))
  const order: string[] = []
  const reads = waiting.map(async ([name, share]) => {
    const leave = await slots.take(share)
    order.push(name)
    leave()
  })
  release()
  await Promise.all(reads)
  return order
}

describe('the slots of long reads', () => {
  it('leave one for another key of the same brand, and one for another brand', async () => {
    const slots = open()
    const { shares } = createClock()
    const held: Release[] = []
    const reads = Array.from({ length: 16 }, async () => {
      held.push(await slots.take(shares.of(1, 'a')))
    })
    const others = [await slots.take(shares.of(1, 'b')), await slots.take(shares.of(2, 'c'))]
    assert.equal(held.length, 2)
    assert.deepEqual(slots.figures(), { size: 4, inUse: 4, waiting: 14 })
    for (const leave of others) leave()
    await leaveAll(held, 16)
    await Promise.all(reads)
    assert.deepEqual(slots.figures(), { size: 4, inUse: 0, waiting: 0 })
  })

  it('count for a key whose time was dropped meanwhile', async () => {
    const slots = createReadSlots({ total: 4, waitingPerKey: 1, waitMs: 10 })
    const { clock, shares } = createClock()
    const early = charged(shares.of(1, 'a'), 2)
    const held = [await slots.take(early), await slots.take(early)]
    clock.ms += 10_000
    for (let other = 2; other < 1_002; other += 1) charged(shares.of(other, 'b'), 2)
    const late = shares.of(1, 'a')
    await assert.rejects(slots.take(late), OverloadedError)
    // What a read takes afterwards counts for all reads of its key.
    charged(early, 1_000)
    assert.ok(late.isHeavy)
    for (const leave of held) leave()
  })

  it('are held by one read of a heavy key, and by three of all heavy keys', async () => {
    const slots = open()
    const { shares } = createClock()
    const begun: string[] = []
    const held: Release[] = []
    const take = async (owner: number, key: string) => {
      held.push(await slots.take(charged(shares.of(owner, key), 1_000)))
      begun.push(key)
    }
    const reads = [take(1, 'a'), take(1, 'a'), take(2, 'b'), take(3, 'c'), take(4, 'd')]
    const light = await slots.take(shares.of(3, 'light'))
    assert.deepEqual(begun, ['a', 'b', 'c'])
    light()
    await leaveAll(held, 5)
    await Promise.all(reads)
    assert.deepEqual(begun.slice(3), ['d', 'a'])
  })

  it('are wanted of a heavy key with two if that lets another key begin', async () => {
    const slots = open()
    const { shares } = createClock()
    const much = shares.of(1, 'much')
    const held = [await slots.take(much), await slots.take(much)]
    const other = await slots.take(shares.of(1, 'other'))
    much.charge(1_000)
    assert.ok(!slots.isWanted(much), 'nothing waits')
    // The brand would still have two of three, the other heavy key would still have one.
    const beside = charged(shares.of(2, 'beside'), 1_000)
    const leaveBeside = await slots.take(beside)
    const again = slots.take(beside)
    assert.ok(!slots.isWanted(much), 'what waits could not begin')
    const late = slots.take(shares.of(1, 'late'))
    assert.ok(slots.isWanted(much))
    held[0]?.()
    const leaveLate = await late
    assert.ok(!slots.isWanted(much), 'it has one slot')
    for (const leave of [...held, other, leaveBeside, leaveLate]) leave()
    const leaveAgain = await again
    leaveAgain()
  })

  it('are given to the brand that has read least lately, and within it to the key', async () => {
    const { shares } = createClock()
    const much = charged(shares.of(1, 'much'), 300)
    const little = charged(shares.of(1, 'little'), 100)
    const other = charged(shares.of(2, 'other'), 200)
    const waiting = { much, little, other }
    assert.deepEqual(await orderOf(Object.entries(waiting)), ['other', 'little', 'much'])
  })

  it('let the steps of the light key that has read least come first, those of heavy keys last', () => {
    const { shares } = createClock()
    const heavy = charged(shares.of(1, 'heavy'), 201)
    const beginning = charged(shares.of(1, 'beginning'), 150)
    const person = charged(shares.of(2, 'person'), 40)
    assert.deepEqual([heavy, beginning, person].sort(compareSteps), [person, beginning, heavy])
  })

  it('are given to a key that has waited, since its time is forgotten', async () => {
    const { clock, shares } = createClock()
    const early = charged(shares.of(1, 'early'), 4_000)
    assert.ok(early.isHeavy)
    clock.ms += 10_000
    const late = charged(shares.of(2, 'late'), 200)
    assert.ok(!early.isHeavy)
    assert.deepEqual(await orderOf(Object.entries({ late, early })), ['early', 'late'])
  })

  it('are refused if too many reads of the key wait, or for too long', async () => {
    const { shares } = createClock()
    const slots = createReadSlots({ total: 1, waitingPerKey: 1, waitMs: 10 })
    const leave = await slots.take(shares.of(1, 'a'))
    const waiting = assert.rejects(slots.take(shares.of(1, 'a')), OverloadedError)
    await assert.rejects(slots.take(shares.of(1, 'a')), /wait already/)
    await waiting
    leave()
    const next = await slots.take(shares.of(1, 'a'))
    next()
  })
})
