import { hash } from 'node:crypto'

/** The part of a distributed trace that is one request, by W3C Trace Context. */
export interface Trace {
  readonly traceId: string
  /** The span of this server. */
  readonly spanId: string
  /** The header of the response: the same trace, with the span of this server. */
  readonly traceparent: string
}

const form = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/
const zeros = /^0+$/

/** Flags with a meaning: sampled, and a random trace id. Others must be 0 (W3C Trace Context 2). */
const knownFlags = 0x03

/** Continues the trace that a header names. Null if it is invalid: the standard has it ignored. */
export type ContinueTrace = (traceparent: string) => Trace | null

/**
 * The spans of a process are its random prefix and a count, which costs less than chance for each.
 * Later versions of the header may add fields behind the four of version 00.
 */
export const createTraces = (idPrefix: string): ContinueTrace => {
  const prefix = hash('sha256', `spans ${idPrefix}`).slice(0, 8)
  let count = 0
  return (traceparent) => {
    const [, version, traceId = '', parentId = '', flags = '', more] = form.exec(traceparent) ?? []
    const isInvalid =
      version === undefined ||
      version === 'ff' ||
      (version === '00' && more !== undefined) ||
      zeros.test(traceId) ||
      zeros.test(parentId)
    if (isInvalid) return null
    count = (count + 1) % 2 ** 32
    const spanId = prefix + count.toString(16).padStart(8, '0')
    const sentFlags = (Number.parseInt(flags, 16) & knownFlags).toString(16)
    return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-0${sentFlags}` }
  }
}
