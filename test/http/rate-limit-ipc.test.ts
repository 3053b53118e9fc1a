import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  createFallbackLimiter,
  createIpcLimiter,
  createMemoryLimiter,
  type RateLimiter,
  serveLimiter,
} from '#rate-limit'
import { createIpcConnection } from '../../src/cluster/ipc.ts'
import { rateLimiterConformance } from '../conformance/rate-limit.ts'
import { openChannelPair } from '../support/channel-pair.ts'
import { until } from '../support/cluster.ts'
import { runLoad, startLimiterProcess } from '../support/load.ts'

const openMemory = () => createMemoryLimiter({ now: () => performance.now() })
const policy = { perSecond: 0.01, burst: 1_000 }

rateLimiterConformance('in memory', async () => {
  const limiter = openMemory()
  return { limiter, again: async () => limiter, close: () => limiter.close() }
})

rateLimiterConformance('in another process', async () => {
  const keeper = startLimiterProcess('serve')
  const limiter = createIpcLimiter(createIpcConnection(keeper).channel('rate-limit'))
  return {
    limiter,
    again: async () => limiter,
    close: async () => {
      await limiter.close()
      keeper.kill()
    },
  }
})

rateLimiterConformance('that falls back on another', async () => {
  const limiter = createFallbackLimiter(openMemory(), openMemory())
  return { limiter, again: async () => limiter, close: () => limiter.close() }
})

describe('buckets in another process', () => {
  it('is exact for three workers at once', { timeout: 60_000 }, async (test) => {
    const limiter = openMemory()
    const workers = Array.from({ length: 3 }, () => startLimiterProcess('runLoad', 'channel', '2'))
    for (const worker of workers)
      serveLimiter(limiter, createIpcConnection(worker).channel('rate-limit'))
    const { tries, admitted, most, offered, admittedEach } = await runLoad(workers)
    test.diagnostic(`${tries} tries, ${admitted} admitted of ${most.toFixed(1)}`)
    assert.ok(admitted <= most, `${admitted} of ${most}`)
    assert.ok(admitted >= offered * 0.99 - 1, `${admitted} of ${offered}`)
    assert.ok(tries > most * 5, `${tries} tries`)
    assert.ok(
      admittedEach.every((count) => count > 0),
      `${admittedEach}`,
    )
  })

  it('is asked once for all requests of a moment', async () => {
    const { sent, worker, keeper } = openChannelPair()
    serveLimiter(openMemory(), keeper)
    const limiter = createIpcLimiter(worker)
    const decisions = await Promise.all(
      Array.from({ length: 50 }, () => limiter.consume('a', policy)),
    )
    assert.deepEqual(
      decisions.map(({ remaining }) => remaining),
      Array.from({ length: 50 }, (_, index) => 999 - index),
    )
    assert.equal(sent.length, 2)
    await limiter.close()
  })

  it('leaves other messages on the channel alone', async () => {
    const { sent, worker, keeper } = openChannelPair()
    const stop = serveLimiter(openMemory(), keeper)
    const limiter = createIpcLimiter(worker)
    for (const message of [{ type: 'reload' }, { type: 'decisions', id: 77, decisions: [] }, {}]) {
      worker.send(message)
      keeper.send(message)
    }
    assert.equal((await limiter.consume('a', policy)).remaining, 999)
    assert.equal(sent.length, 8)
    stop()
    await limiter.close()
  })

  it('rejects when the channel is closed, when the keeper fails, and when it is closed itself', async () => {
    const { open, sent, worker, keeper } = openChannelPair()
    const failing: RateLimiter = { ...openMemory(), consume: () => Promise.reject(new Error('no')) }
    const stop = serveLimiter(failing, keeper)
    const limiter = createIpcLimiter(worker)
    await assert.rejects(async () => limiter.consume('a', policy), /counts requests failed/)
    stop()
    const before = sent.length
    const unanswered = assert.rejects(async () => limiter.consume('a', policy), /is closed/)
    await until(() => sent.length > before)
    const unsent = assert.rejects(async () => limiter.consume('a', policy), /is closed/)
    await limiter.close()
    await Promise.all([unanswered, unsent])
    open.now = false
    await assert.rejects(async () => limiter.consume('a', policy), /has exited/)
  })

  it('gives way to the own bucket when the keeper is gone', async () => {
    const keeper = startLimiterProcess('serve')
    const away: string[] = []
    const shared = createIpcLimiter(createIpcConnection(keeper).channel('rate-limit'))
    await shared.consume('a', policy)
    const limiter = createFallbackLimiter(shared, openMemory(), {
      timeoutMs: 1_000,
      onUnreachable: ({ message }) => away.push(message),
    })
    assert.equal((await limiter.consume('a', policy)).remaining, 998)
    keeper.kill()
    await once(keeper, 'exit')
    // The one that was taken from the shared bucket is counted in the own one too.
    assert.equal((await limiter.consume('a', policy)).remaining, 998)
    assert.equal((await limiter.consume('a', policy)).remaining, 997)
    assert.deepEqual(away, ['The other process has exited.'])
    await limiter.close()
  })
})

/** A limiter in memory that can be made to fail, and to wait. */
const openShared = () => {
  const memory = openMemory()
  const state = { fails: false, held: null as Promise<void> | null, calls: 0 }
  const limiter: RateLimiter = {
    consume: async (bucket, limit) => {
      state.calls += 1
      if (state.held) await state.held
      if (state.fails) throw new Error('away')
      return memory.consume(bucket, limit)
    },
    close: () => memory.close(),
  }
  return { limiter, state }
}

describe('falling back', () => {
  const openBoth = (retryMs = 50) => {
    const reports: string[] = []
    const shared = openShared()
    const limiter = createFallbackLimiter(shared.limiter, openMemory(), {
      retryMs,
      onUnreachable: ({ message }) => reports.push(message),
      onRecovered: () => reports.push('back'),
    })
    return { limiter, reports, state: shared.state }
  }

  it('never fails, tells of each change once, and comes back by itself', async () => {
    const { limiter, reports, state } = openBoth()
    for (let round = 1; round <= 3; round += 1) {
      state.fails = true
      const decisions = await Promise.all(
        Array.from({ length: 20 }, () => limiter.consume(`${round}`, policy)),
      )
      assert.equal(decisions.at(-1)?.remaining, 980)
      state.fails = false
      await until(() => reports.length === 2 * round)
      // The shared bucket was not touched while it was away.
      assert.equal((await limiter.consume(`${round}`, policy)).remaining, 999)
      assert.deepEqual(reports, Array.from({ length: round }, () => ['away', 'back']).flat())
    }
    await limiter.close()
  })

  it('gives no second burst when the shared buckets come back', async () => {
    const { limiter, reports, state } = openBoth()
    const scarce = { perSecond: 0.01, burst: 5 }
    state.fails = true
    const allowed = async () => {
      let count = 0
      while (count < 20 && (await limiter.consume('a', scarce)).allowed) count += 1
      return count
    }
    assert.equal(await allowed(), 5)
    state.fails = false
    await until(() => reports.includes('back'))
    assert.equal(await allowed(), 0)
    assert.ok((await limiter.consume('a', scarce)).retryAfterSeconds > 0)
    await limiter.close()
  })

  it('waits for what is slow once, and not again while it stays slow', async () => {
    const { limiter, reports, state } = openBoth(10)
    await limiter.consume('a', policy)
    const { promise, resolve } = Promise.withResolvers<void>()
    state.held = promise
    const callsBefore = state.calls
    // The first waits for its time limit, the others for nothing, as the shared one never responds.
    for (let index = 0; index < 40; index += 1) await limiter.consume('a', policy)
    assert.deepEqual(reports, ['No response within 40 ms.'])
    // That one, and one probe.
    await until(() => state.calls === callsBefore + 2)
    for (let index = 0; index < 40; index += 1) await limiter.consume('a', policy)
    assert.equal(state.calls, callsBefore + 2)
    resolve()
    await until(() => reports.includes('back'))
    await limiter.close()
  })

  it('tells at the start that the other is away, before anybody asks', async () => {
    const { limiter, state } = openShared()
    state.fails = true
    const reports: string[] = []
    const both = createFallbackLimiter(limiter, openMemory(), {
      onUnreachable: ({ message }) => reports.push(message),
    })
    await until(() => reports.length > 0)
    assert.deepEqual(reports, ['away'])
    await both.close()
  })

  it('does not call an answer late that was there while this process was busy', async () => {
    const keeper = startLimiterProcess('serve')
    const shared = createIpcLimiter(createIpcConnection(keeper).channel('rate-limit'))
    await shared.consume('a', policy)
    const reports: string[] = []
    const limiter = createFallbackLimiter(shared, openMemory(), {
      onUnreachable: ({ message }) => reports.push(message),
    })
    for (let round = 0; round < 3; round += 1) {
      const taking = limiter.consume('a', policy)
      // Until it is sent.
      await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
      const busyUntil = performance.now() + 200
      while (performance.now() < busyUntil);
      await taking
    }
    assert.deepEqual(reports, [])
    await limiter.close()
    keeper.kill()
  })

  it('says nothing more when it is closed', async () => {
    const { limiter, reports, state } = openBoth(10)
    state.fails = true
    await limiter.consume('a', policy)
    await limiter.close()
    state.fails = false
    const callsBefore = state.calls
    // The probe that was about to be sent.
    await until(() => state.calls > callsBefore)
    await nextTurn()
    assert.deepEqual(reports, ['away'])
  })
})
