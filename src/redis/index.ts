export { checkRedisUrl, openRedis, type RedisConnection } from './redis.ts'
export { createScript } from './script.ts'
