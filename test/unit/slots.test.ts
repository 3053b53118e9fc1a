/** Slots of long work: how many an owner may hold, for how long, and in which processes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Channel } from '#cluster'
import { createIpcSlots, createSlots, type Slot, type Slots, serveSlots } from '#rate-limit'
import { openChannelPair } from '../support/channel-pair.ts'

const limits = { total: 4, perOwner: 2, secondsPerHour: 1_800 }

const open = () => {
  const clock = { ms: 0 }
  return { clock, slots: createSlots(limits, () => clock.ms) }
}
const takeSlot = async (slots: Slots, owner: string): Promise<Slot> => {
  const slot = await slots.take(owner)
  assert.ok('release' in slot, JSON.stringify(slot))
  return slot
}
const expectRefusal = async (slots: Slots, owner: string) => {
  const slot = await slots.take(owner)
  assert.ok('reason' in slot)
  return slot
}

describe('slots', () => {
  it('leave one for an owner that has none', async () => {
    const { slots } = open()
    const first = await takeSlot(slots, 'a')
    await takeSlot(slots, 'a')
    assert.equal((await expectRefusal(slots, 'a')).reason, 'owner')
    await takeSlot(slots, 'b')
    assert.equal((await expectRefusal(slots, 'b')).reason, 'total')
    await takeSlot(slots, 'c')
    assert.equal((await expectRefusal(slots, 'd')).reason, 'total')
    await first.release()
    await first.release()
    await takeSlot(slots, 'd')
    assert.equal((await expectRefusal(slots, 'e')).reason, 'total')
  })

  it('can be one alone', async () => {
    const slots = createSlots({ ...limits, total: 1 }, () => 0)
    const only = await takeSlot(slots, 'a')
    assert.equal((await expectRefusal(slots, 'b')).reason, 'total')
    await only.release()
    await takeSlot(slots, 'b')
  })

  it('are refused to an owner that used up its seconds, until it has regained some', async () => {
    const { slots, clock } = open()
    const both = [await takeSlot(slots, 'a'), await takeSlot(slots, 'a')]
    clock.ms += 1_300_000
    for (const slot of both) await slot.release()
    // Two of 1,300 s each, of which 650 s were regained meanwhile.
    const { reason, retryAfterSeconds } = await expectRefusal(slots, 'a')
    assert.deepEqual([reason, retryAfterSeconds], ['seconds', 300])
    await takeSlot(slots, 'b')
    clock.ms += 299_000
    assert.equal((await expectRefusal(slots, 'a')).retryAfterSeconds, 60)
    clock.ms += 2_000
    await takeSlot(slots, 'a')
  })
})

describe('slots in another process', () => {
  it('are released with one message, however often', async () => {
    const { worker, keeper, sent } = openChannelPair()
    const { slots } = open()
    serveSlots(slots, keeper)
    const slot = await takeSlot(createIpcSlots(worker, nowhere), 'a')
    await Promise.all([slot.release(), slot.release()])
    await slot.release()
    const types = sent.map((message) => 'type' in message && message.type)
    assert.deepEqual(types, ['take', 'taken', 'release', 'released'])
  })

  it('are shared by its workers, and released when one has exited', async () => {
    const { slots } = open()
    const [one, other] = [openChannelPair(), openChannelPair()]
    const exited = serveSlots(slots, one.keeper)
    serveSlots(slots, other.keeper)
    const [first, second] = [one, other].map(({ worker }) => createIpcSlots(worker, nowhere))
    assert.ok(first && second)
    await takeSlot(first, 'a')
    await takeSlot(second, 'a')
    assert.equal((await expectRefusal(first, 'a')).reason, 'owner')
    const third = await takeSlot(second, 'b')
    assert.equal((await expectRefusal(second, 'b')).reason, 'total')
    await third.release()
    await takeSlot(second, 'b')
    exited()
    await takeSlot(second, 'a')
  })

  it('are those of the worker itself while the other process does not reply', async () => {
    const { worker } = openChannelPair()
    const { slots } = open()
    const alone = createIpcSlots(worker, slots)
    await takeSlot(alone, 'a')
    await takeSlot(slots, 'a')
    assert.equal((await expectRefusal(alone, 'a')).reason, 'owner')
  })

  it('that come too late are released', async () => {
    const { worker, keeper } = openChannelPair()
    const { slots } = open()
    const late: unknown[] = []
    const slow: Channel = {
      send: keeper.send,
      onMessage: (listener) => keeper.onMessage((message) => void late.push([listener, message])),
    }
    serveSlots(slots, slow)
    const own = createIpcSlots(worker, open().slots)
    await takeSlot(own, 'a')
    await takeSlot(own, 'a')
    /** Delivers what was sent so far, and then whatever follows from it. */
    const deliver = async () => {
      for (const [listener, message] of late.splice(0) as [(each: unknown) => void, unknown][]) {
        listener(message)
      }
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await deliver()
    assert.equal((await expectRefusal(slots, 'a')).reason, 'owner')
    await deliver()
    await takeSlot(slots, 'a')
    await takeSlot(slots, 'a')
  })
})

const nowhere: Slots = {
  take: async () => {
    throw new Error('The other process replied.')
  },
}
