import { createHash } from 'node:crypto'
import type { Quota, Taken } from './rate-limit.ts'

export interface RedisQuotaParts {
  /** Such as `redis://:password@host:6379/0`, or `rediss://` with TLS. */
  readonly url: string
}

/** What is wrong with the address of a Redis, or nothing. */
export const checkRedisUrl = (url: string): string | undefined =>
  /^rediss?:\/\/\S+$/.test(url) && URL.canParse(url)
    ? undefined
    : 'must be redis://<host>:<port> or rediss://<host>:<port>, such as redis://127.0.0.1:6379'

/**
 * Buckets in Redis, shared by every process and node that names it, by the clock of Redis: what
 * the clocks of the nodes show does not matter. Taking rejects at once while there is no
 * connection, and within a second or two when an answer does not come; it is meant to be put
 * behind `fallbackQuota`. A lost connection is sought again every second.
 *
 * Waits for the first connection, but does not mind if there is none.
 */
export const redisQuota = async ({ url }: RedisQuotaParts): Promise<Quota> => {
  const problem = checkRedisUrl(url)
  if (problem) throw new RangeError(`The address of Redis ${problem}.`)
  // Late, because it takes longer to load than all else together and most servers need none.
  const { Redis, ReplyError } = await import('ioredis')
  const redis = new Redis(url, {
    connectionName: 'selvedge',
    lazyConnect: true,
    // What cannot be sent now is refused now: by default it would wait, for ever if need be, and
    // then be counted long after its request was answered.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 1_000,
    // A Redis that is frozen, or whose machine is gone, never closes the connection itself.
    socketTimeout: 1_000,
    retryStrategy: () => 1_000,
    // After a failover the old primary is a replica; the address leads to the new one.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  })
  let trouble = ''
  redis.on('error', (error: NodeJS.ErrnoException) => {
    // Where a name has several addresses and none answers, the message is empty.
    trouble = error.message || error.code || error.name
  })
  redis.on('ready', () => {
    trouble = ''
  })
  await redis.connect().catch(() => undefined)

  const run = (...parts: [key: string, perSecond: number, burst: number]): Promise<unknown> =>
    redis.evalsha(scriptSha, 1, ...parts).catch((error: Error) => {
      // A Redis that was restarted has forgotten the script.
      if (error.message.startsWith('NOSCRIPT')) return redis.eval(script, 1, ...parts)
      throw error
    })

  return {
    take: async (bucket, { perSecond, burst }) => {
      try {
        return readTaken(await run(`selvedge:quota:${bucket}`, perSecond, burst))
      } catch (error) {
        // What Redis itself says is clear; what the client says of a lost connection is not.
        if (error instanceof ReplyError) throw error
        const why = trouble || 'the connection was closed'
        throw new Error(`Redis cannot be reached: ${why}`, { cause: error })
      }
    },
    close: async () => redis.disconnect(),
  }
}

/**
 * `takeAt` in Lua, in microseconds. Kept of a bucket: a time, and how long it then had to go
 * until full. Not their sum, which is too large to hold fractions of a microsecond, so that high
 * rates would drift. A bucket that is full again is no longer kept.
 */
const script = `
local interval = 1e6 / tonumber(ARGV[1])
local capacity = interval * tonumber(ARGV[2])
local time = redis.call('TIME')
local at = tonumber(time[1]) * 1e6 + tonumber(time[2])

local owed = 0
local kept = redis.call('GET', KEYS[1])
if kept then
  local since, left = string.match(kept, '^(%S+) (%S+)$')
  owed = math.max(tonumber(left) - (at - tonumber(since)), 0)
end
-- A bucket never owes more than its whole capacity, even if a clock was set back.
local capped = owed > capacity
if capped then owed = capacity end

local over = owed + interval - capacity
local allowed = over <= 1
if allowed then owed = owed + interval end
-- A refusal changes nothing, so that a flood of them is cheap.
if allowed or capped then
  local milliseconds = math.max(math.ceil(owed / 1e3), 1)
  redis.call('SET', KEYS[1], string.format('%.0f %.17g', at, owed), 'PX', milliseconds)
end
if not allowed then return {0, 0, math.ceil(owed), math.ceil(over)} end
return {1, math.floor((capacity - owed) / interval + 1e-4), math.ceil(owed), 0}
`

const scriptSha = createHash('sha1').update(script).digest('hex')

const readTaken = (reply: unknown): Taken => {
  const [allowed, remaining, resetMicroseconds, retryMicroseconds] = reply as [
    number,
    number,
    number,
    number,
  ]
  return {
    allowed: allowed === 1,
    remaining,
    resetSeconds: resetMicroseconds / 1e6,
    retryAfterSeconds: Math.ceil(retryMicroseconds / 1e6),
  }
}
