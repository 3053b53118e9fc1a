import type { FastifyInstance } from 'fastify'
import { type RecordAt, resourceAt } from '#contract'
import type { Grant, KeyRing } from '#keys'
import type { Store } from '#store'
import { type AuthenticateParts, authenticate } from './authenticate.ts'
import { type MeterParts, meter } from './meter.ts'
import { endStage, serverTiming, visitOf } from './visit.ts'

export interface WhoamiParts extends AuthenticateParts, MeterParts {
  readonly store: Store
  readonly keyRing: KeyRing
}

/** Which brands a key may read. Keys are checked and requests counted as in the API. */
export const registerWhoami = (app: FastifyInstance, parts: WhoamiParts): void => {
  app.get('/whoami', async (request, reply) => {
    const visit = visitOf(request.raw)
    visit.operation = 'whoami'
    const grant = await authenticate(parts, {
      authorization: request.headers.authorization,
      brand: null,
      address: request.ip,
    })
    visit.keyId = grant.keyId
    parts.keyRing.used(grant.keyId)
    await meter(parts, grant, visit)
    endStage(visit, 'admit')
    const brands = await brandsOf(parts.store, grant)
    endStage(visit, 'run')
    return reply
      .headers({ ...headers, 'server-timing': serverTiming(visit), ...visit.headers })
      .send(JSON.stringify({ brands }))
  })
}

const headers = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  vary: 'Authorization',
  'x-content-type-options': 'nosniff',
}

interface ReadableBrand {
  readonly slug: string
  readonly name: string
}

/** A key for some brands reads these alone; brands that are gone are left out. */
const brandsOf = async (store: Store, grant: Grant): Promise<readonly ReadableBrand[]> => {
  if (grant.global) return (await store.brands()).map(({ slug, name }) => ({ slug, name }))
  const resource = resourceAt(store.catalog, 'brand')
  const found = await Promise.all(
    [...grant.brands].sort().map(async (brand) => {
      const whole = { filters: new Map(), limit: 1, after: null, include: [] }
      const { items } = await store.list({ resource, brand, ...whole })
      const records = JSON.parse(`[${items}]`) as readonly RecordAt<'brand'>[]
      return records.map(({ name }) => ({ slug: brand, name }))
    }),
  )
  return found.flat()
}
