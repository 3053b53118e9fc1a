import type { FastifyInstance } from 'fastify'
import type { KeyVerifier } from '#keys'
import type { Store } from '#store'
import { type AuthenticateParts, authenticate } from './authenticate.ts'
import type { ClientOf } from './client-address.ts'
import type { ResponseMemory } from './connections.ts'
import { type MeterParts, meter } from './meter.ts'
import { endStage, nameKey, serverTiming, visitOf } from './visit.ts'

export interface WhoamiParts extends AuthenticateParts, MeterParts {
  readonly store: Store
  readonly keyRing: KeyVerifier
  readonly clientOf: ClientOf
  readonly memory: ResponseMemory
}

/** Which brands a key may read. Keys are checked and requests counted as in the API. */
export const registerWhoami = (app: FastifyInstance, parts: WhoamiParts): void => {
  app.get('/whoami', async (request, reply) => {
    const visit = visitOf(request.raw)
    visit.operation = 'whoami'
    const grant = await authenticate(parts, {
      authorization: request.headers.authorization,
      address: parts.clientOf(request.raw),
    })
    nameKey(visit, grant)
    parts.keyRing.markUsed(grant.keyId)
    await meter(parts, grant, visit)
    endStage(visit, 'admit')
    await parts.memory.room(grant.keyId)
    // Brands that are gone are left out.
    const brands = await parts.store.brandNames(grant.global ? null : grant.brands)
    const body = JSON.stringify({ brands })
    parts.memory.hold(reply.raw, grant.keyId, body.length)
    endStage(visit, 'run')
    return reply
      .headers({ ...headers, 'server-timing': serverTiming(visit), ...visit.headers })
      .send(body)
  })
}

const headers = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'Authorization',
  'x-content-type-options': 'nosniff',
}
