import { findRedis, openRedis, type RedisProgram } from '../test/support/redis.ts'
import { check } from './check.ts'
import { loadRedis } from './rate-limit/load.ts'
import { killRedis, serveWithRedis, tryRetryAfter } from './rate-limit/served.ts'

interface Size {
  readonly seconds: number
  readonly tries: number
  /** Keys that are used again after Retry-After. */
  readonly reported: number
}

export default check<Size>({
  id: 'R11',
  claim: 'A rate limit is exact across all processes, whatever their clocks show.',
  target:
    '200,000 attempts from 3 processes whose clocks differ by a minute: none admitted over the limit, at least 99 % of it used. After Retry-After, 100 of 100 keys are admitted. With Redis killed, at most the limit of each process is admitted, and nothing fails.',
  sizes: {
    short: { seconds: 2, tries: 1_000, reported: 10 },
    full: { seconds: 20, tries: 200_000, reported: 100 },
  },
  missing: async () => {
    const results = await findRedis()
    return 'missing' in results ? results.missing : undefined
  },
  try: async ({ seconds, tries, reported }, { seed, log }) => {
    const redis = await openRedis((await findRedis()) as RedisProgram)
    try {
      const load = await loadRedis(redis.url, { seconds, tries })
      log(`${load.tries} attempts, ${load.admitted} admitted of ${load.most.toFixed(1)}`)
      const cluster = await serveWithRedis(redis)
      try {
        const retried = await tryRetryAfter(cluster, reported, seed)
        log(`Retry-After was correct ${retried.honest} of ${reported} times`)
        const alone = await killRedis(cluster, redis)
        return {
          measured: `${load.tries.toLocaleString('en')} attempts, ${load.admitted} admitted of ${load.most.toFixed(1)}. Retry-After was correct ${retried.honest} of ${reported} times. With Redis killed, ${alone.admitted} of at most ${alone.most} were admitted, ${alone.failed} kinds of failures.`,
          counts: {
            tries: load.tries,
            admitted: load.admitted,
            over: Math.max(0, Math.ceil(load.admitted - load.most)),
            honest: retried.honest,
            admittedAlone: alone.admitted,
          },
          misses: [...load.misses, ...retried.misses, ...alone.misses],
        }
      } finally {
        await cluster.close()
      }
    } finally {
      await redis.close()
    }
  },
})
