/**
 * A second process with buckets, for tests. It does what its first argument says:
 *
 * - `serve` keeps buckets in memory and answers the process that started it;
 * - `runLoad <redis or "channel"> <seconds> <milliseconds by which its clocks are wrong>` takes
 *   from one bucket as fast as it can, from the word go, and tells how often it was allowed.
 */
import {
  createIpcLimiter,
  createMemoryLimiter,
  createRedisLimiter,
  serveLimiter,
} from '#rate-limit'
import { createIpcConnection, type IpcEndpoint } from '../../src/cluster/ipc.ts'

const [, , task = '', place = '', seconds = '0', skewMs = '0'] = process.argv

if (task === 'serve') {
  serveLimiter(
    createMemoryLimiter({ now: () => performance.now() }),
    createIpcConnection(process as IpcEndpoint).channel('rate-limit'),
  )
} else {
  const [dateNow, performanceNow] = [Date.now, performance.now.bind(performance)]
  Date.now = () => dateNow() + Number(skewMs)
  performance.now = () => performanceNow() + Number(skewMs)
  const limiter =
    place === 'channel'
      ? createIpcLimiter(createIpcConnection(process as IpcEndpoint).channel('rate-limit'))
      : await createRedisLimiter({ url: place })
  /** The same for all processes of a machine, and nothing to do with what the others show. */
  const monotonicMs = () => Number(process.hrtime.bigint() / 1_000n) / 1_000

  process.on('message', async (message: { readonly type?: unknown }) => {
    if (message.type !== 'go') return
    let [tries, admitted, refusedAt] = [0, 0, 0]
    const startedAt = monotonicMs()
    const client = async () => {
      while (monotonicMs() - startedAt < Number(seconds) * 1_000) {
        const askedAt = monotonicMs()
        const { allowed } = await limiter.consume('load', { perSecond: 50, burst: 100 })
        tries += 1
        if (allowed) admitted += 1
        else refusedAt = Math.max(refusedAt, askedAt)
      }
    }
    await Promise.all(Array.from({ length: 8 }, client))
    process.send?.({
      type: 'done',
      tries,
      admitted,
      startedAt,
      refusedAt,
      endedAt: monotonicMs(),
    })
  })
  process.send?.({ type: 'ready' })
}
