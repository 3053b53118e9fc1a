import type { Redis } from 'ioredis'

/** The problem with a Redis address; undefined if it is valid. */
export const checkRedisUrl = (url: string): string | undefined => {
  if (!/^rediss?:\/\/\S+$/.test(url) || !URL.canParse(url)) {
    return 'must be redis://<host>:<port> or rediss://<host>:<port>, such as redis://127.0.0.1:6379'
  }
  const { username, password } = new URL(url)
  try {
    // The client decodes them too, and its error names no setting.
    decodeURIComponent(username + password)
    return undefined
  } catch {
    return 'has a user or password that is not percent-encoded'
  }
}

/** A connection to Redis that is opened again every second after it was lost. */
export interface RedisConnection {
  /**
   * Runs commands. Rejects immediately while there is no connection, and within two seconds when no
   * reply arrives, with the reason.
   */
  run<T>(work: (redis: Redis) => Promise<T>): Promise<T>
  close(): void
}

/**
 * Connects to an address such as `redis://:password@host:6379/0`, or `rediss://` with TLS. Waits
 * for the first connection attempt, whether it succeeds or not.
 */
export const openRedis = async (url: string): Promise<RedisConnection> => {
  const problem = checkRedisUrl(url)
  if (problem) throw new RangeError(`The address of Redis ${problem}.`)
  // Imported on demand: it is slow to load and most servers do not use Redis.
  const { Redis, ReplyError } = await import('ioredis')
  const redis = new Redis(url, {
    connectionName: 'selvedge',
    lazyConnect: true,
    // Fail immediately instead of queueing: a queued command would take effect long after its
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
  return {
    run: async (work) => {
      try {
        return await work(redis)
      } catch (error) {
        // Errors from Redis are clear; the client's message about a lost connection is not.
        if (error instanceof ReplyError) throw error
        const why = lastError || 'the connection was closed'
        throw new Error(`Redis cannot be reached: ${why}`, { cause: error })
      }
    },
    close: () => redis.disconnect(),
  }
}
