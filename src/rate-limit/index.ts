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
export { createSlots, type Slot, type SlotLimits, type SlotRefusal, type Slots } from './slots.ts'
export { createIpcSlots, serveSlots } from './slots-ipc.ts'
