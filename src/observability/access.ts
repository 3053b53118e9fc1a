import { symbols } from 'pino'
import type { Log } from './log.ts'
import { loggablePath } from './path.ts'

/** What is logged of a request. */
export interface Access {
  readonly requestId: string
  readonly keyId: string | null
  /** What the key is for; shown to people only, since it may hold anything. */
  readonly keyName: string | null
  readonly brand: string | null
  readonly route: string
  readonly method: string
  /** The path and query as they were sent; keys and other secrets are taken out here. */
  readonly path: string
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

/** Writes for a person at a terminal: `GET 200 3 ms /api/…/orders?limit=2 Demo`. */
export const readableAccessLog = (log: Log): AccessLog => ({
  write: ({ method, status, ms, path, errorCode, keyName, keyId }) => {
    const parts = [method, status, `${Math.round(ms)} ms`, loggablePath(path)]
    // Names of keys come from the command line and may hold anything.
    const by = loggablePath(keyName || keyId || '')
    log.info([...parts, errorCode, by].filter(Boolean).join(' '))
  },
  flush: () => undefined,
})

/**
 * Writes lines in batches: a system call for each would cost as much as an answer. All that it is
 * handed but the path is made of letters that JSON leaves alone.
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
  /** Nor are paths often new, and checking one for secrets costs more than the rest of the line. */
  let lastPath = ''
  let path = '""'

  const flush = () => {
    if (timer) clearTimeout(timer)
    timer = null
    if (waiting === '') return
    stream.write(waiting)
    waiting = ''
  }

  return {
    write: ({ requestId, keyId, brand, route, method, path: sent, status, errorCode, ms }) => {
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
      if (sent !== lastPath) {
        lastPath = sent
        path = JSON.stringify(loggablePath(sent))
      }
      const error = errorCode ? `,"errorCode":"${errorCode}"` : ''
      waiting += `{"level":"info","time":"${time}","requestId":"${requestId}"${who},"method":"${method}","path":${path},"status":${status}${error},"ms":${ms},"msg":"request"}\n`
      if (waiting.length > waitingMax) flush()
      else timer ??= setTimeout(flush, waitMs).unref()
    },
    flush,
  }
}
