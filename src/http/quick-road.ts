import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiError } from '#contract'
import type { KeyVerifier } from '#keys'
import type { Decision } from '#rate-limit'
import type { ChangeTracker } from '#store'
import { grantFor, mayRead } from './authenticate.ts'
import { writeError } from './errors.ts'
import { type Allowance, type MeterParts, takeOne, tellLeft, usedUp } from './meter.ts'
import { chooseForm, type Form, writeForm } from './recall.ts'
import type { Remembered, RememberedAnswer } from './remembered.ts'
import { endStage, nameKey, type Visit } from './visit.ts'

export interface QuickRoadParts extends MeterParts {
  readonly remembered: Remembered
  readonly news: ChangeTracker
  readonly keyRing: KeyVerifier
  readonly draining: () => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Why there is no answer, once it has been noted if the fault is ours. */
  readonly reasonOf: (visit: Visit, thrown: unknown) => ApiError
  /** Told when an answer has been written. */
  readonly endVisit: (request: IncomingMessage, response: ServerResponse, visit: Visit) => void
}

/**
 * Answers a request when everything about it is known; says whether it did, or gives a promise where
 * it will.
 */
export type QuickRoad = (
  request: IncomingMessage,
  response: ServerResponse,
  visit: Visit,
) => boolean | Promise<void>

/**
 * The road before the framework: a target that was answered before, a key that may read its brand,
 * collections that have not changed since. Whatever is not so takes the ordinary road, which
 * explains every refusal; keys, limits, headers and logs are the same functions on both.
 */
export const openQuickRoad = (parts: QuickRoadParts): QuickRoad => {
  const { remembered, news, keyRing, endVisit, draining, now } = parts

  const finish = (
    response: ServerResponse,
    visit: Visit,
    answer: RememberedAnswer,
    form: Form,
    allowance: Allowance,
    taken: Decision,
  ): void => {
    tellLeft(allowance, taken, visit)
    // Who is asked to leave is told so by the framework's way of writing.
    const at = draining() ? undefined : now()
    if (!taken.allowed) {
      refuse(response, visit, allowance, taken, at)
      return
    }
    visit.brand = answer.brand
    remembered.given(answer)
    endStage(visit, 'admit')
    writeForm(response, visit, answer, form, at)
  }

  /** Refusals of a key differ by how long it has to wait, and by nothing else. */
  const refusals = new WeakMap<Allowance, Map<number, ApiError>>()

  const refuse = (
    response: ServerResponse,
    visit: Visit,
    allowance: Allowance,
    taken: Decision,
    at: number | undefined,
  ): void => {
    const known = refusals.get(allowance) ?? new Map<number, ApiError>()
    refusals.set(allowance, known)
    const error = known.get(taken.retryAfterSeconds) ?? usedUp(allowance, taken)
    if (known.size < refusalsMax) known.set(taken.retryAfterSeconds, error)
    writeError(response, visit, error, at)
  }

  return (request, response, visit) => {
    const answer = request.method === 'GET' ? remembered.find(request.url ?? '') : undefined
    // What follows the head of a message with a body may still show that it cannot be read.
    if (!answer || visit.head.hasBody) return false
    const form = chooseForm(visit, answer)
    if (!form || keyRing.isStale) return false
    const grant = grantFor(keyRing, visit.head.authorization)
    if (!grant || !mayRead(grant, answer.brand)) return false
    if (!news.isFresh(answer.readState)) return false
    visit.operation = answer.operation
    nameKey(visit, grant)
    keyRing.markUsed(grant.keyId)
    const { allowance, taken } = takeOne(parts, grant)
    if (taken instanceof Promise) {
      return taken
        .then((settled) => finish(response, visit, answer, form, allowance, settled))
        .catch((error: unknown) => {
          const reason = parts.reasonOf(visit, error)
          if (!response.headersSent) writeError(response, visit, reason)
        })
        .finally(() => endVisit(request, response, visit))
    }
    finish(response, visit, answer, form, allowance, taken)
    endVisit(request, response, visit)
    return true
  }
}

const refusalsMax = 100
