import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiError } from '#contract'
import type { KeyRing } from '#keys'
import type { Policy, Taken } from '#quota'
import type { News } from '#store'
import { grantFor } from './authenticate.ts'
import { chooseEncoding } from './compress.ts'
import { asApiError, writeError } from './errors.ts'
import { matchesAny, matchesEtag } from './etag.ts'
import { type MeterParts, settle, takeOne } from './meter.ts'
import type { Remembered, RememberedAnswer } from './remembered.ts'
import { endStage, type Visit } from './visit.ts'
import { type ReadyAnswer, writeNotModified, writeReady } from './write.ts'

export interface QuickRoadParts extends MeterParts {
  readonly remembered: Remembered
  readonly news: News
  readonly keyRing: KeyRing
}

/** Answers a request when everything about it is known; says whether it did. */
export type QuickRoad = (
  request: IncomingMessage,
  response: ServerResponse,
  visit: Visit,
) => boolean

/**
 * The road before the framework: a target that was answered before, a key that may read its brand,
 * collections that have not changed since. Whatever is not so takes the ordinary road, which
 * explains every refusal; keys, limits, headers and logs are the same functions on both.
 */
export const openQuickRoad = (parts: QuickRoadParts): QuickRoad => {
  const { remembered, news, keyRing } = parts

  const finish = (
    request: IncomingMessage,
    response: ServerResponse,
    visit: Visit,
    answer: RememberedAnswer,
    form: Form,
    own: Policy,
    taken: Taken,
  ): void => {
    try {
      settle(own, taken, visit)
    } catch (error) {
      writeError(response, visit, error as ApiError)
      return
    }
    visit.brand = answer.brand
    endStage(visit, 'admit')
    if (form === 'not modified') writeNotModified(request, response, visit, answer.tag)
    else writeReady(response, visit, form)
  }

  return (request, response, visit) => {
    const answer = request.method === 'GET' ? remembered.find(request.url ?? '') : undefined
    if (!answer || comesWithBody(request)) return false
    const form = chooseForm(request, answer)
    if (!form || keyRing.stale) return false
    const grant = grantFor(keyRing, request.headers.authorization, answer.brand)
    if (!grant) return false
    if (!news.holds(answer.asOf)) return false
    visit.operation = answer.operation
    visit.keyId = grant.keyId
    keyRing.used(grant.keyId)
    const { own, taken } = takeOne(parts, grant)
    if (!(taken instanceof Promise)) finish(request, response, visit, answer, form, own, taken)
    else {
      taken.then(
        (settled) => finish(request, response, visit, answer, form, own, settled),
        (error: unknown) => writeError(response, visit, asApiError(error)),
      )
    }
    return true
  }
}

/** What follows the head of such a message may still show that it cannot be read. */
const comesWithBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined

/** What to send of a remembered answer. */
type Form = ReadyAnswer | 'not modified'

/** The form a client asks for; null where it is not there and the ordinary road has to make it. */
export const chooseForm = (request: IncomingMessage, answer: RememberedAnswer): Form | null => {
  const given = request.headers['if-none-match']
  if (given !== undefined) {
    if (matchesEtag(given, answer.tag)) return 'not modified'
    // Any record at all will do: whether there is one is for the handler to say.
    if (matchesAny(given)) return null
  }
  const encoding = chooseEncoding(request.headers['accept-encoding'], answer.size)
  return answer.ready.get(encoding) ?? null
}
