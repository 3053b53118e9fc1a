export { createFallbackLimiter, type FallbackOptions } from './fallback.ts'
export { createIpcLimiter, serveLimiter } from './ipc.ts'
export { createMemoryLimiter, type MemoryLimiterOptions } from './memory.ts'
export {
  type Decision,
  limitHeader,
  type Policy,
  policyHeader,
  type RateLimiter,
} from './rate-limit.ts'
export { checkRedisUrl, createRedisLimiter, type RedisLimiterOptions } from './redis.ts'
