import { symbols } from 'pino'
import { durationText } from './duration.ts'
import type { Log } from './log.ts'
import { loggablePath } from './path.ts'

/** The logged fields of a request. */
export interface Access {
  readonly requestId: string
  /** The trace that the request belongs to, if any. */
  readonly trace: { readonly traceId: string; readonly spanId: string } | null
  readonly keyId: string | null
  /** Free text; shown at a terminal only. */
  readonly keyName: string | null
  readonly brand: string | null
  readonly route: string
  readonly method: string
  /** Path and query as sent; keys and other secrets are removed before logging. */
  readonly path: string
  readonly status: number
  readonly errorCode: string | null
  readonly ms: number
}

/** One line per request. */
export interface AccessLog {
  write(access: Access): void
  /** Writes the buffered lines. */
  flush(): void
}

/** Maximum time and characters that lines may be buffered. */
const lineWaitMs = 100
const bufferedMax = 32_768

/** Writes for a person at a terminal: `GET 200 3 ms /api/…/orders?limit=2 Demo`. */
export const readableAccessLog = (log: Log): AccessLog => ({
  write: ({ method, status, ms, path, errorCode, keyName, keyId }) => {
    const parts = [method, status, `${Math.round(ms)} ms`, loggablePath(path)]
    // Key names come from the command line and may contain anything.
    const by = loggablePath(keyName || keyId || '')
    log.info([...parts, errorCode, by].filter(Boolean).join(' '))
  },
  flush: () => undefined,
})

/**
 * Writes lines in batches: one system call per line would cost as much as a response. All fields but
 * the path consist of characters that JSON does not escape.
 */
export const batchedAccessLog = (
  log: Log,
  now: () => number,
  waitMs: number = lineWaitMs,
): AccessLog => {
  const stream = (log as unknown as { [symbols.streamSym]: { write(text: string): void } })[
    symbols.streamSym
  ]
  let buffer = ''
  let timer: NodeJS.Timeout | null = null
  let clock = 0
  let time = ''
  /** Consecutive lines often have the same key and route. */
  let last: Pick<Access, 'keyId' | 'brand' | 'route'> = { keyId: null, brand: null, route: '' }
  let identity = ',"route":""'
  /** Paths repeat too, and removing secrets costs more than the rest of the line. */
  let lastPath = ''
  let path = '""'

  const flush = () => {
    if (timer) clearTimeout(timer)
    timer = null
    if (buffer === '') return
    stream.write(buffer)
    buffer = ''
  }

  return {
    write: ({
      requestId,
      trace,
      keyId,
      brand,
      route,
      method,
      path: sent,
      status,
      errorCode,
      ms,
    }) => {
      if (!log.isLevelEnabled('info')) return
      const at = now()
      if (at !== clock) {
        clock = at
        time = new Date(at).toISOString()
      }
      if (keyId !== last.keyId || brand !== last.brand || route !== last.route) {
        last = { keyId, brand, route }
        identity = `${keyId ? `,"keyId":"${keyId}"` : ''}${brand ? `,"brand":"${brand}"` : ''},"route":"${route}"`
      }
      if (sent !== lastPath) {
        lastPath = sent
        path = JSON.stringify(loggablePath(sent))
      }
      const error = errorCode ? `,"errorCode":"${errorCode}"` : ''
      const ids = trace
        ? `${requestId}","traceId":"${trace.traceId}","spanId":"${trace.spanId}`
        : requestId
      buffer += `{"level":"info","time":"${time}","requestId":"${ids}"${identity},"method":"${method}","path":${path},"status":${status}${error},"ms":${durationText(ms)},"msg":"request"}\n`
      if (buffer.length > bufferedMax) flush()
      else timer ??= setTimeout(flush, waitMs).unref()
    },
    flush,
  }
}
