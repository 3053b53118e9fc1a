import { createHash } from 'node:crypto'
import type { Decision, RateLimiter } from './rate-limit.ts'

export interface RedisLimiterOptions {
  /** Such as `redis://:password@host:6379/0`, or `rediss://` with TLS. */
  readonly url: string
}

/** The problem with a Redis address; undefined if it is valid. */
export const checkRedisUrl = (url: string): string | undefined =>
  /^rediss?:\/\/\S+$/.test(url) && URL.canParse(url)
    ? undefined
    : 'must be redis://<host>:<port> or rediss://<host>:<port>, such as redis://127.0.0.1:6379'

/**
 * Counts in Redis, shared by all processes and machines that use it. Time is measured by the clock of
 * Redis, so the clocks of the machines may differ. `consume` rejects immediately while there is no
 * connection, and within two seconds when no reply arrives, so it is used behind
 * `createFallbackLimiter`. A lost connection is retried every second.
 *
 * Waits for the first connection attempt, whether it succeeds or not.
 */
export const createRedisLimiter = async ({ url }: RedisLimiterOptions): Promise<RateLimiter> => {
  const problem = checkRedisUrl(url)
  if (problem) throw new RangeError(`The address of Redis ${problem}.`)
  // Imported on demand: it is slow to load and most servers do not use Redis.
  const { Redis, ReplyError } = await import('ioredis')
  const redis = new Redis(url, {
    connectionName: 'selvedge',
    lazyConnect: true,
    // Fail immediately instead of queueing: a queued command would be counted long after its
    // request was served.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    connectTimeout: 1_000,
    // A frozen Redis or a lost machine never closes the connection.
    socketTimeout: 1_000,
    retryStrategy: () => 1_000,
    // After a failover the old primary is a replica; the address leads to the new one.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  })
  let lastError = ''
  redis.on('error', (error: NodeJS.ErrnoException) => {
    // The message is empty if a name has several addresses and none answers.
    lastError = error.message || error.code || error.name
  })
  redis.on('ready', () => {
    lastError = ''
  })
  await redis.connect().catch(() => undefined)

  const run = (...parts: [key: string, perSecond: number, burst: number]): Promise<unknown> =>
    redis.evalsha(scriptSha, 1, ...parts).catch((error: Error) => {
      // A restarted Redis no longer has the script.
      if (error.message.startsWith('NOSCRIPT')) return redis.eval(script, 1, ...parts)
      throw error
    })

  return {
    consume: async (bucket, { perSecond, burst }) => {
      try {
        return readDecision(await run(`selvedge:quota:${bucket}`, perSecond, burst))
      } catch (error) {
        // Errors from Redis are clear; the client's message about a lost connection is not.
        if (error instanceof ReplyError) throw error
        const why = lastError || 'the connection was closed'
        throw new Error(`Redis cannot be reached: ${why}`, { cause: error })
      }
    },
    close: async () => redis.disconnect(),
  }
}

/**
 * `consumeAt` in Lua, in microseconds. A bucket is stored as a time and the duration it then needed
 * to become full. Their sum would be too large to hold fractions of a microsecond, and high rates
 * would drift. A full bucket is not stored.
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

const readDecision = (reply: unknown): Decision => {
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
