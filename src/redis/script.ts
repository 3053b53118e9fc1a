import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'

/** A Lua script that runs atomically in Redis. */
export interface RedisScript {
  run(redis: Redis, key: string, ...values: readonly (string | number)[]): Promise<unknown>
}

export const createScript = (text: string): RedisScript => {
  const sha = createHash('sha1').update(text).digest('hex')
  return {
    run: (redis, key, ...values) =>
      redis.evalsha(sha, 1, key, ...values).catch((error: Error) => {
        // A restarted Redis no longer has the script.
        if (error.message.startsWith('NOSCRIPT')) return redis.eval(text, 1, key, ...values)
        throw error
      }),
  }
}
