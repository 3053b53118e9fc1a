import { createScript, openRedis } from '#redis'
import type { Decision, RateLimiter } from './rate-limit.ts'

export interface RedisLimiterOptions {
  /** Such as `redis://:password@host:6379/0`, or `rediss://` with TLS. */
  readonly url: string
}

/**
 * Counts in Redis, shared by all processes and machines that use it. Time is measured by the clock of
 * Redis, so the clocks of the machines may differ. `consume` rejects immediately while there is no
 * connection, and within two seconds when no reply arrives, so it is used behind
 * `createFallbackLimiter`.
 *
 * Waits for the first connection attempt, whether it succeeds or not.
 */
export const createRedisLimiter = async ({ url }: RedisLimiterOptions): Promise<RateLimiter> => {
  const { run, close } = await openRedis(url)
  return {
    consume: async (bucket, { perSecond, burst }) =>
      readDecision(
        await run((redis) => script.run(redis, `selvedge:quota:${bucket}`, perSecond, burst)),
      ),
    close: async () => close(),
  }
}

/**
 * `consumeAt` in Lua, in microseconds. A bucket is stored as a time and the duration it then needed
 * to become full. Their sum would be too large to hold fractions of a microsecond, and high rates
 * would drift. A full bucket is not stored.
 */
const script = createScript(`
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
`)

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
