export {
  type Channel,
  channelQuota,
  type ProcessEnd,
  processChannel,
  serveQuota,
} from './channel.ts'
export { type FallbackOptions, fallbackQuota } from './fallback.ts'
export { type MemoryQuotaParts, memoryQuota } from './memory.ts'
export { limitHeader, type Policy, policyHeader, type Quota, type Taken } from './rate-limit.ts'
export { checkRedisUrl, type RedisQuotaParts, redisQuota } from './redis.ts'
