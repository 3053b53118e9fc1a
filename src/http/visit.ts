import type { IncomingMessage } from 'node:http'
import type { Grant } from '#keys'
import { type Head, readHead } from './head.ts'

/** What is known of one request while it is being answered, for its answer, log and metrics. */
export interface Visit {
  readonly id: string
  readonly head: Head
  readonly startedAt: number
  /** The operation's id, or what stands for it outside the API. */
  operation: string
  /** Known once the key has been verified. */
  keyId: string | null
  keyName: string | null
  /** Known once the key was found to be good for it. */
  brand: string | null
  errorCode: string | null
  /** Headers that every answer to this request carries, whatever becomes of it. */
  readonly headers: { [name: string]: string }
  readonly stages: (readonly [name: string, tookMs: number])[]
  stageStartedAt: number
}

/** Carried by the request itself: a weak map would cost the garbage collector as much again. */
const visitKey = Symbol('visit')
type Visited = IncomingMessage & { [visitKey]?: Visit }

const idPattern = /^[\w.-]{1,64}$/

/** Gives requests their names: the client's own where it is harmless, otherwise a new one. */
export const openVisits = (prefix: string) => {
  let count = 0
  return (request: IncomingMessage): Visit => {
    const head = readHead(request.rawHeaders)
    const given = head.requestId
    count += 1
    const id =
      given !== undefined && idPattern.test(given) && !given.includes('slv_')
        ? given
        : `${prefix}-${count.toString(36)}`
    const now = performance.now()
    const visit: Visit = {
      id,
      head,
      startedAt: now,
      operation: 'unknown',
      keyId: null,
      keyName: null,
      brand: null,
      errorCode: null,
      headers: { 'x-request-id': id },
      stages: [],
      stageStartedAt: now,
    }
    const visited: Visited = request
    visited[visitKey] = visit
    return visit
  }
}

export const visitOf = (request: IncomingMessage): Visit => {
  const visit = (request as Visited)[visitKey]
  if (!visit) throw new RangeError('The request did not come in through the front.')
  return visit
}

/** Notes whose key a request was sent with. */
export const nameKey = (visit: Visit, { keyId, name }: Grant): void => {
  visit.keyId = keyId
  visit.keyName = name
}

/** Ends a stage of the request's way; its time appears in Server-Timing. */
export const endStage = (visit: Visit, name: string): void => {
  const now = performance.now()
  visit.stages.push([name, now - visit.stageStartedAt])
  visit.stageStartedAt = now
}

export const serverTiming = ({ stages }: Visit): string => {
  let text = ''
  for (const [name, tookMs] of stages) {
    text += `${text && ', '}${name};dur=${Math.round(tookMs * 100) / 100}`
  }
  return text
}
