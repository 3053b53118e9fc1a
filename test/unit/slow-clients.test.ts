/** Which clients are cut because they do not read their responses. */
import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { type Client, createSlowClients } from '../../src/http/slow-clients.ts'

const limits = {
  sendTimeoutSeconds: 10,
  bytesPerSecond: 100,
  downloadBytesPerSecond: 1_000,
  heldBytesMax: 1_000,
  idleUnderPressureMs: 2_000,
}
const client = (): Client => ({
  heldBytes: 0,
  heldFor: new Map(),
  downloads: 0,
  stalledSince: null,
  sentBytesThen: 0,
  movedAt: 0,
  sentBytes: 0,
})
const response = () => new ServerResponse(new IncomingMessage(new Socket()))

describe('a client that reads slowly', () => {
  it('is stalled when it has taken too little for too long', () => {
    const { isStalled } = createSlowClients(limits)
    const slow = client()
    assert.ok(!isStalled(slow, { unsent: 5_000, sentBytes: 0 }, 0))
    assert.ok(!isStalled(slow, { unsent: 4_001, sentBytes: 999 }, 9_999))
    assert.ok(isStalled(slow, { unsent: 4_001, sentBytes: 999 }, 10_000))
  })

  it('has to read a download faster', () => {
    const { hold, release, isStalled } = createSlowClients(limits)
    const [slow, file] = [client(), response()]
    hold(slow, file, 'key_1', { bytes: 100, isDownload: true })
    assert.ok(!isStalled(slow, { unsent: 50_000, sentBytes: 0 }, 0))
    assert.ok(isStalled(slow, { unsent: 40_001, sentBytes: 9_999 }, 10_000))
    assert.ok(!isStalled(slow, { unsent: 40_000, sentBytes: 10_000 }, 10_000))
    release(slow, file)
    assert.ok(!isStalled(slow, { unsent: 39_000, sentBytes: 11_000 }, 20_000))
  })

  it('gets the same time again after each share that it has taken', () => {
    const { isStalled } = createSlowClients(limits)
    const slow = client()
    isStalled(slow, { unsent: 5_000, sentBytes: 0 }, 0)
    assert.ok(!isStalled(slow, { unsent: 4_000, sentBytes: 1_000 }, 10_000))
    assert.ok(!isStalled(slow, { unsent: 4_000, sentBytes: 1_000 }, 19_999))
    assert.ok(isStalled(slow, { unsent: 4_000, sentBytes: 1_000 }, 20_000))
  })

  it('is not stalled once it has taken everything', () => {
    const { isStalled } = createSlowClients(limits)
    const slow = client()
    isStalled(slow, { unsent: 10, sentBytes: 0 }, 0)
    assert.ok(!isStalled(slow, { unsent: 0, sentBytes: 10 }, 20_000))
    assert.ok(!isStalled(slow, { unsent: 10, sentBytes: 10 }, 30_000))
  })
})

describe('bytes that clients do not read', () => {
  it('are counted once for each response, until it is released', () => {
    const clients = createSlowClients(limits)
    const [slow, first, second] = [client(), response(), response()]
    clients.hold(slow, first, 'key_1', { bytes: 100 })
    clients.hold(slow, first, 'key_1', { bytes: 150 })
    clients.hold(slow, second, 'key_2', { bytes: 50 })
    assert.equal(slow.heldBytes, 200)
    clients.release(slow, first)
    assert.deepEqual([...slow.heldFor], [['key_2', 50]])
    clients.releaseAll(slow)
    assert.equal(slow.heldBytes, 0)
    assert.equal(slow.heldFor.size, 0)
  })

  /** Clients of one owner that each hold so many bytes and have something to take. */
  const crowd = (owner: (index: number) => string, bytes: readonly number[]) => {
    const clients = createSlowClients(limits)
    const all = bytes.map((held, index) => {
      const each = client()
      clients.hold(each, response(), owner(index), { bytes: held })
      return each
    })
    const cutAfter = (ms: number): readonly number[] => {
      const now = performance.now() + ms
      const cut: number[] = []
      clients.relieve(all, now, (each) => {
        cut.push(all.indexOf(each))
        clients.releaseAll(each)
      })
      return cut
    }
    for (const each of all) clients.isStalled(each, { unsent: 1, sentBytes: 0 }, 0)
    return { clients, all, cutAfter }
  }

  it('cost those the connection that hold the most of a full memory', () => {
    const { cutAfter } = crowd((index) => `key_${index}`, [200, 240, 230, 180, 160])
    assert.deepEqual(cutAfter(1_000), [])
    // Half of the memory is free then.
    assert.deepEqual(cutAfter(2_100), [1, 2, 0])
    assert.deepEqual(cutAfter(2_100), [])
  })

  it('cost no client the connection that has nothing to take', () => {
    const { all, cutAfter } = crowd((index) => `key_${index}`, [600, 500])
    assert.ok(all[0])
    all[0].stalledSince = null
    assert.deepEqual(cutAfter(2_100), [1])
  })

  it('cost a client that reads the connection only if nothing else helps', () => {
    const { clients, all, cutAfter } = crowd((index) => `key_${index}`, [1_100])
    assert.ok(all[0])
    clients.isStalled(all[0], { unsent: 1, sentBytes: 1 }, performance.now() + 2_000)
    assert.deepEqual(cutAfter(2_100), [])
    clients.isStalled(all[0], { unsent: 1, sentBytes: 2 }, performance.now() + 5_000)
    assert.deepEqual(cutAfter(5_100), [0])
  })

  it('cost an owner its connections while one of its requests waits', async () => {
    const { clients, cutAfter } = crowd(() => 'key_1', [150, 130])
    // Others have room, so no client is cut for the owner alone.
    assert.equal(clients.room('key_2'), null)
    assert.deepEqual(cutAfter(2_100), [])
    const room = clients.room('key_1')
    assert.ok(room)
    assert.deepEqual(cutAfter(2_100), [0, 1])
    await room
  })
})
