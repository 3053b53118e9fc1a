export { createFallbackLimiter } from './fallback.ts'
export { createIpcLimiter, serveLimiter } from './ipc.ts'
export { createMemoryLimiter } from './memory.ts'
export {
  type Decision,
  limitHeader,
  type Policy,
  policyHeader,
  type RateLimiter,
} from './rate-limit.ts'
export { createRedisLimiter } from './redis.ts'
