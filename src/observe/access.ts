import { symbols } from 'pino'
import type { Log } from './log.ts'

/** What is written down of a request. Its path and query are not: they may hold anything. */
export interface Access {
  readonly requestId: string
  readonly keyId: string | null
  readonly brand: string | null
  readonly route: string
  readonly method: string
  readonly status: number
  readonly errorCode: string | null
  readonly ms: number
}

/** One line for each request. */
export interface AccessLog {
  write(access: Access): void
  /** Writes down what is still waiting. */
  flush(): void
}

/** How long a line may wait for others, and how much may wait. */
const lineWaitMs = 100
const waitingMax = 16_384

/** Writes a line at once, through the log itself. */
export const plainAccessLog = (log: Log): AccessLog => ({
  write: ({ keyId, brand, errorCode, ...rest }) => {
    log.info(
      {
        ...rest,
        ...(keyId && { keyId }),
        ...(brand && { brand }),
        ...(errorCode && { errorCode }),
      },
      'request',
    )
  },
  flush: () => undefined,
})

/**
 * Writes lines in batches: a system call for each would cost as much as an answer. What it is
 * handed is made of letters that JSON leaves alone, so that a line is put together as it stands.
 */
export const batchedAccessLog = (
  log: Log,
  now: () => number,
  waitMs: number = lineWaitMs,
): AccessLog => {
  const stream = (log as unknown as { [symbols.streamSym]: { write(text: string): void } })[
    symbols.streamSym
  ]
  let waiting = ''
  let timer: NodeJS.Timeout | null = null
  let clock = 0
  let time = ''
  /** The line before is often of the same key and route. */
  let last: Pick<Access, 'keyId' | 'brand' | 'route'> = { keyId: null, brand: null, route: '' }
  let who = ',"route":""'

  const flush = () => {
    if (timer) clearTimeout(timer)
    timer = null
    if (waiting === '') return
    stream.write(waiting)
    waiting = ''
  }

  return {
    write: ({ requestId, keyId, brand, route, method, status, errorCode, ms }) => {
      if (!log.isLevelEnabled('info')) return
      const at = now()
      if (at !== clock) {
        clock = at
        time = new Date(at).toISOString()
      }
      if (keyId !== last.keyId || brand !== last.brand || route !== last.route) {
        last = { keyId, brand, route }
        who = `${keyId ? `,"keyId":"${keyId}"` : ''}${brand ? `,"brand":"${brand}"` : ''},"route":"${route}"`
      }
      const error = errorCode ? `,"errorCode":"${errorCode}"` : ''
      waiting += `{"level":"info","time":"${time}","requestId":"${requestId}"${who},"method":"${method}","status":${status}${error},"ms":${ms},"msg":"request"}\n`
      if (waiting.length > waitingMax) flush()
      else timer ??= setTimeout(flush, waitMs).unref()
    },
    flush,
  }
}
