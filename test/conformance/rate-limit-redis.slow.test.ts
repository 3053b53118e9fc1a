import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { HostMemory } from '#database'
import {
  createFallbackLimiter,
  createMemoryLimiter,
  createRedisLimiter,
  type RateLimiter,
} from '#rate-limit'
import { checkRedisUrl } from '#redis'
import { openHostMemory } from '../../src/server/host-memory.ts'
import { findRedis, openRedis, type TestRedis } from '../support/redis.ts'
import { rateLimiterConformance } from './rate-limit.ts'

const program = await findRedis()
const missing = 'missing' in program ? program.missing : false
const open = () => openRedis(program as Exclude<typeof program, { readonly missing: string }>)

const policy = { perSecond: 0.01, burst: 1_000 }
const openMemory = () => createMemoryLimiter({ now: () => performance.now() })

describe('the address of a Redis', () => {
  it('is refused when it is none, with the form it wants', async () => {
    for (const url of ['localhost', 'http://x', 'redis:', 'redis://', 'redis://a b', '/tmp/sock']) {
      assert.match(checkRedisUrl(url) ?? '', /must be redis:\/\//, url)
    }
    for (const url of ['redis://localhost', 'rediss://u:p%40ss@[::1]:6380/2']) {
      assert.equal(checkRedisUrl(url), undefined, url)
    }
    await assert.rejects(createRedisLimiter({ url: 'localhost' }), RangeError)
  })
})

describe('with Redis', { skip: missing }, () => {
  rateLimiterConformance('in Redis', async () => {
    const redis = await open()
    const limiter = await createRedisLimiter({ url: redis.url })
    return {
      limiter,
      again: () => createRedisLimiter({ url: redis.url }),
      close: async () => {
        await limiter.close()
        await redis.close()
      },
    }
  })

  describe('buckets in Redis', () => {
    let redis: TestRedis
    let limiter: RateLimiter

    before(async () => {
      redis = await open()
      limiter = await createRedisLimiter({ url: redis.url })
    })
    after(async () => {
      await limiter.close()
      await redis.close()
    })

    it('keeps nothing of a bucket that is full again', async () => {
      await limiter.consume('passing', { perSecond: 10, burst: 5 })
      const left = Number((await redis.ask('PTTL', 'selvedge:quota:passing')).slice(1))
      assert.ok(left > 0 && left <= 100, `${left} ms`)
      await wait(110)
      assert.equal(await redis.ask('EXISTS', 'selvedge:quota:passing'), ':0\r\n')
    })

    it('locks no client out when the clock of Redis was set back by an hour', async () => {
      const slow = { perSecond: 2, burst: 5 }
      // As it is found after the step: written at a time that is yet to come.
      const inAnHour = (Math.floor(performance.timeOrigin + performance.now()) + 3_600_000) * 1_000
      await redis.ask('SET', 'selvedge:quota:back', `"${inAnHour} 500000"`)
      const refused = await limiter.consume('back', slow)
      assert.deepEqual([refused.allowed, refused.retryAfterSeconds], [false, 1])
      assert.ok(refused.resetSeconds <= 2.5)
      await wait(502)
      assert.ok((await limiter.consume('back', slow)).allowed)
    })

    it('continues when Redis has forgotten the script', async () => {
      await limiter.consume('forgotten', policy)
      await redis.ask('SCRIPT', 'FLUSH')
      const decisions = await Promise.all(
        Array.from({ length: 5 }, () => limiter.consume('forgotten', policy)),
      )
      assert.deepEqual(
        decisions.map(({ remaining }) => remaining).sort(),
        [994, 995, 996, 997, 998],
      )
      assert.equal((await limiter.consume('forgotten', policy)).remaining, 993)
    })

    it('rejects with the reason when there is no Redis', async () => {
      const absent = await createRedisLimiter({ url: 'redis://localhost:1' })
      await assert.rejects(
        async () => absent.consume('a', policy),
        /Redis cannot be reached: .*ECONNREFUSED/,
      )
      await absent.close()
    })
  })

  describe('facts about database servers in Redis', () => {
    it('are shared, replaced by those that outrank them only, and kept by one place of two', async () => {
      const redis = await open()
      const folder = mkdtempSync(join(tmpdir(), 'selvedge-facts-'))
      const places = { redisUrl: redis.url, folder: null }
      const [one, two] = [openHostMemory(places), openHostMemory(places)] as HostMemory[]
      const fact = (accepts: number, highest: number, value = String(highest)) => ({
        ...{ accepts, highest, value },
      })
      await one?.raise('system X', fact(0, 2))
      for (const lower of [fact(0, 1), fact(0, 2, '7')]) await two?.raise('system X', lower)
      assert.deepEqual(await two?.read(), new Map([['system X', fact(0, 2)]]))
      await two?.raise('system X', fact(1, 2, '1'))
      await one?.raise('system X', fact(0, 10))
      assert.deepEqual(await one?.read(), new Map([['system X', fact(1, 2, '1')]]))
      const both = openHostMemory({ ...places, folder })
      await both?.raise('host a:5432', fact(0, 0, 'X'))
      await redis.kill()
      await assert.rejects(async () => one?.read(), /Redis cannot be reached/)
      assert.deepEqual(await both?.read(), new Map([['host a:5432', fact(0, 0, 'X')]]))
      for (const each of [one, two, both]) await each?.close()
      await redis.close()
      rmSync(folder, { recursive: true, force: true })
    })
  })

  // Each has a Redis of its own, as most of the time is spent waiting.
  describe('when Redis fails', { concurrency: true, timeout: 60_000 }, () => {
    /** A way of failing: what it does to Redis, and how it is undone. */
    interface Failure {
      readonly message: RegExp
      readonly begin: () => unknown
      readonly end: () => unknown
      /** Where Redis is reached instead. */
      readonly url?: string
    }

    const failures: readonly [how: string, open: (redis: TestRedis) => Promise<Failure>][] = [
      [
        'being killed and started empty',
        async (redis) => ({
          message: /^Redis cannot be reached: /,
          begin: redis.kill,
          end: redis.start,
        }),
      ],
      [
        'freezing',
        async (redis) => ({
          message: /^No response within 40 ms/,
          begin: redis.freeze,
          end: redis.thaw,
        }),
      ],
      [
        'having no memory left',
        async (redis) => ({
          message: /^OOM /,
          begin: () => redis.ask('CONFIG', 'SET', 'maxmemory', '1'),
          end: () => redis.ask('CONFIG', 'SET', 'maxmemory', '0'),
        }),
      ],
      [
        'becoming a replica',
        async (redis) => ({
          message: /^READONLY /,
          begin: () => redis.ask('REPLICAOF', '127.0.0.1', '1'),
          end: () => redis.ask('REPLICAOF', 'NO', 'ONE'),
        }),
      ],
      [
        'answering after 200 ms',
        async ({ port }) => {
          const line = await openDelayedConnection(port)
          return {
            message: /^No response within 40 ms/,
            begin: () => line.delay(200),
            end: () => line.delay(0),
            url: line.url,
          }
        },
      ],
      [
        'vanishing without a word',
        async ({ port }) => {
          const line = await openDelayedConnection(port)
          return {
            message: /^No response within 40 ms/,
            begin: line.lose,
            end: line.replace,
            url: line.url,
          }
        },
      ],
    ]

    for (const [how, openFailure] of failures) {
      it(`by ${how}, requests continue, and it is back within 5 s`, async (test) => {
        const redis = await open()
        test.after(redis.close)
        const failure = await openFailure(redis)
        const used = await openUsed(failure.url ?? redis.url)
        test.after(used.stop)
        for (const round of [1, 2]) {
          await used.until(({ away }) => !away)
          await failure.begin()
          await wait(800)
          await used.until(({ away }) => away)
          const count = used.reports.length
          const why = used.reports.at(-1) ?? ''
          // On a busy machine Redis may be late before it fails.
          if (!/^No response within 40 ms/.test(why)) assert.match(why, failure.message)
          await wait(1_500)
          // It does not come and go.
          assert.equal(used.reports.length, count, `${used.reports}`)
          assert.equal((await used.limiter.consume(`local ${round}`, policy)).remaining, 999)
          await failure.end()
          const tookMs = await used.until(({ away }) => !away)
          assert.ok(tookMs < 5_000, `${tookMs} ms`)
          test.diagnostic(`${why}; back after ${Math.round(tookMs)} ms`)
          // What was taken locally is not in Redis; what is taken now is, unless Redis is late again.
          assert.equal(await redis.ask('EXISTS', `"selvedge:quota:local ${round}"`), ':0\r\n')
          do {
            await used.until(({ away }) => !away)
            await used.limiter.consume(`shared ${round}`, policy)
          } while ((await redis.ask('EXISTS', `"selvedge:quota:shared ${round}"`)) !== ':1\r\n')
        }
        await used.stop()
        const { count, longestMs, busyMs } = used.waits()
        test.diagnostic(`${count} requests, the longest ${longestMs.toFixed(1)} ms`)
        assert.ok(count > 100)
        assert.ok(longestMs <= 50 + 2 * busyMs, `${longestMs} ms; busy for ${busyMs} ms`)
      })
    }

    it('from the start, it is reported once, and Redis is used when it comes', async (test) => {
      const redis = await open()
      test.after(redis.close)
      await redis.kill()
      const used = await openUsed(redis.url)
      test.after(used.stop)
      await wait(1_500)
      assert.equal(used.reports.length, 1)
      await redis.start()
      assert.ok((await used.until(({ away }) => !away)) < 5_000)
    })

    it('no client gets a second burst from the process that served the first', async (test) => {
      const redis = await open()
      test.after(redis.close)
      const limiter = createFallbackLimiter(
        await createRedisLimiter({ url: redis.url }),
        openMemory(),
      )
      test.after(limiter.close)
      const hundred = { perSecond: 0.01, burst: 100 }
      for (let count = 0; count < 80; count += 1) await limiter.consume('over', hundred)
      await redis.kill()
      let admitted = 0
      for (let count = 0; count < 80; count += 1) {
        if ((await limiter.consume('over', hundred)).allowed) admitted += 1
      }
      assert.equal(admitted, 20)
    })
  })
})

/** A limiter in Redis under steady use, and what that was like. No request may fail. */
const openUsed = async (url: string) => {
  const reports: string[] = []
  const state = { away: false }
  const report = (away: boolean, text: string) => {
    assert.notEqual(away, state.away, 'only changes are reported')
    state.away = away
    reports.push(text)
  }
  const limiter = createFallbackLimiter(await createRedisLimiter({ url }), openMemory(), {
    onUnreachable: ({ message }) => report(true, message),
    onRecovered: () => report(false, 'back'),
  })
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  const waits: number[] = []
  let stopped = false
  const use = async () => {
    while (!stopped) {
      const startedAt = performance.now()
      await limiter.consume('used', { perSecond: 100_000, burst: 100_000 })
      waits.push(performance.now() - startedAt)
      await wait(2)
    }
  }
  const using = Promise.all(Array.from({ length: 4 }, use))
  return {
    limiter,
    reports,
    /** Waits for a state, and gives how many milliseconds that took. */
    until: async (reached: (now: typeof state) => boolean) => {
      const startedAt = performance.now()
      while (!reached(state)) {
        assert.ok(performance.now() - startedAt < 10_000, `${reports}`)
        await wait(5)
      }
      return performance.now() - startedAt
    },
    /** The busy time is what everything in this process had to wait at worst. */
    waits: () => ({
      count: waits.length,
      longestMs: Math.max(...waits),
      busyMs: delays.max / 1e6,
    }),
    stop: async () => {
      stopped = true
      await using
      await limiter.close()
      delays.disable()
    },
  }
}

/** A way to a port on which answers can be late, or be lost for ever. */
const openDelayedConnection = async (port: number) => {
  let delayMs = 0
  let broken = false
  const lost = new WeakSet<Socket>()
  const near = new Set<Socket>()
  const server = createServer((socket) => {
    if (broken) {
      socket.destroy()
      return
    }
    near.add(socket)
    const far = connect(port, '127.0.0.1')
    socket.pipe(far)
    far.on('data', (data) => {
      setTimeout(() => {
        if (socket.writable && !lost.has(socket)) socket.write(data)
      }, delayMs)
    })
    for (const [one, other] of [
      [socket, far],
      [far, socket],
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1').unref()
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delay: (milliseconds: number) => {
      delayMs = milliseconds
    },
    /** As when a machine is gone: connections stay open, nothing comes, and there are no new ones. */
    lose: () => {
      broken = true
      for (const socket of near) lost.add(socket)
    },
    /** Another machine has its address: connections of before stay lost. */
    replace: () => {
      broken = false
    },
  }
}
