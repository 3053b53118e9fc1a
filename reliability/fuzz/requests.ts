/** Requests generated from the contract, each with its allowed statuses. */
import { basePath, catalog, type Operation, operationsOf, patterns } from '#contract'
import type { IssuedKey, Keys } from '#keys'
import { type Brand, type BrandsModel, brands, pathOf, shared } from '../../test/support/brands.ts'
import { type WireAnswer, wireOf } from '../../test/support/wire.ts'
import {
  badCursor,
  badFilter,
  badId,
  type Draw,
  drawPools,
  goodFilter,
  includePart,
  limitPart,
  type Pools,
  pick,
} from './ingredients.ts'

export interface FuzzedRequest {
  readonly method: string
  readonly target: string
  readonly wire: string
  readonly expected: readonly number[]
  readonly operation: Operation | null
  readonly brand: string
  /** The filters of a list, for the cursor in its response. */
  readonly filters: string | null
}

/** Every issued key and its scope. */
export interface FuzzKeys {
  readonly all: readonly string[]
  readonly of: Readonly<Record<Brand | 'global' | 'two' | 'expired' | 'revoked', string>>
}

export const issueKeys = async (keys: Keys): Promise<FuzzKeys> => {
  const rights = { expiresAt: null, perSecond: null, burst: null }
  const issue = (brandNames: readonly string[], more = {}): Promise<IssuedKey> =>
    keys.issue({
      name: 'fuzz',
      brands: brandNames,
      global: brandNames.length === 0,
      ...rights,
      ...more,
    })
  const revoked = await issue(['aldermoor'])
  await keys.revoke(revoked.id)
  const of = {
    aldermoor: (await issue(['aldermoor'])).key,
    birkholm: (await issue(['birkholm'])).key,
    corvane: (await issue(['corvane'])).key,
    two: (await issue(['aldermoor', 'corvane'])).key,
    global: (await issue([])).key,
    expired: (await issue(['aldermoor'], { expiresAt: '2020-01-01T00:00:00.000Z' })).key,
    revoked: revoked.key,
  }
  return { all: Object.values(of), of }
}

const operations = operationsOf(catalog)
const oddBrands = ['nobody', 'ALDERMOOR', '%2A', '__proto__', 'a', 'x'.repeat(300), '%F0%9F%A7%B5']
const otherMethods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY', 'PROPFIND']
const poolSize = 400
const poolFor = 20_000
const heldMax = 2_000

export interface Fuzzer {
  requests(count: number): Iterable<FuzzedRequest>
  /** Stores cursors and ETags of a response for later requests. */
  learn(request: FuzzedRequest, answer: WireAnswer): void
}

export const openFuzzer = (
  seed: number,
  draw: Draw,
  model: BrandsModel,
  { of: keys }: FuzzKeys,
): Fuzzer => {
  let pools: Pools = drawPools(seed, poolSize)
  let made = 0
  const walks: { operation: Operation; brand: string; filters: string; cursor: string }[] = []
  const tags: string[] = ['"AAAAAAAAAAAAAAAAAAAAAA"']

  const mayRead = {
    ...{ aldermoor: ['aldermoor'], birkholm: ['birkholm'], corvane: ['corvane'] },
    ...{ two: ['aldermoor', 'corvane'], expired: [], revoked: [] },
  } as const
  /** An Authorization header or none, and whether it grants access to the brand. */
  const generateKey = (
    brand: string,
  ): { readonly header: string | null; readonly good: boolean } => {
    if (draw(4) > 0) {
      const own = brands.find((each) => each === brand)
      return { header: `Bearer ${keys[own && draw(2) > 0 ? own : 'global']}`, good: true }
    }
    const name = pick(draw, [
      'aldermoor',
      'birkholm',
      'corvane',
      'two',
      'expired',
      'revoked',
    ] as const)
    const key = keys[name]
    const good = (mayRead[name] as readonly string[]).includes(brand)
    switch (draw(9)) {
      case 0:
        return { header: null, good: false }
      case 1:
        return { header: key, good: false }
      case 2:
        return { header: `Bearer ${key}x`, good: false }
      case 3:
        return { header: `Bearer ${key.slice(0, -1)}`, good: false }
      case 4:
        return { header: `Basic ${key}`, good: false }
      case 5:
        return { header: `bearer \t ${key} `, good }
      case 6:
        return { header: `Bearer ${key} ${key}`, good: false }
      default:
        return { header: `Bearer ${key}`, good }
    }
  }

  const drawId = (operation: Operation, brand: string) => {
    const { resource } = operation
    if (draw(6) === 0) return { id: badId(draw, operation), status: 400 }
    const absent = resource.idPattern === patterns.country ? 'ZZ' : absentId(draw)
    const held = brands.find((each) => each === brand)
    const records = held ? model.expected(held, resource) : (shared[resource.path] ?? [])
    const record = draw(4) > 0 ? records[draw(records.length)] : undefined
    const key = resource.key[0] ?? 'id'
    return record ? { id: String(record[key]), status: 200 } : { id: absent, status: 404 }
  }

  const oddHeaders = (): { [name: string]: string } => {
    const key = keys.global
    switch (draw(24)) {
      case 0:
        return {
          'X-Request-Id': pick(draw, ['mine-1', 'a b', '', `x${key}`, 'é', 'x'.repeat(200)]),
        }
      case 1:
        return { 'X-Api-Key': key, Cookie: `key=${key}` }
      case 2:
        return { 'Accept-Encoding': pick(draw, ['gzip', 'br', 'gzip;q=0', '*', 'br;q=x, gzip']) }
      case 3:
        return { Origin: 'https://example.com', Range: 'bytes=0-10' }
      case 4:
        return { 'User-Agent': pick(draw, [key, ...pools.headerValues.slice(0, 20)]) }
      case 5:
        return { Accept: 'text/html', 'If-Modified-Since': 'Wed, 21 Oct 2099 07:28:00 GMT' }
      default:
        return {}
    }
  }

  const conditional = (): { [name: string]: string } => {
    if (draw(8) > 0) return {}
    const tag = pick(draw, tags)
    const form = pick(draw, [tag, `W/${tag}`, `"x", ${tag}`, '*', 'nonsense', '""'])
    return { 'If-None-Match': form }
  }

  /** A client address without counted refusals. */
  const address = (): string =>
    `fd00:0:${(made >> 16).toString(16)}:${(made & 65_535).toString(16)}::1`

  const finish = (
    from: Pick<FuzzedRequest, 'target' | 'operation' | 'brand' | 'filters'>,
    header: string | null,
    status: number,
  ): FuzzedRequest => {
    const rarely = draw(40)
    const method =
      rarely === 0 && from.operation ? pick(draw, otherMethods) : rarely < 4 ? 'HEAD' : 'GET'
    const condition = conditional()
    const wire = wireOf(method, from.target, {
      'X-Forwarded-For': address(),
      ...(header !== null && { Authorization: header }),
      ...oddHeaders(),
      ...condition,
    })
    const isAsked = method === 'GET' || method === 'HEAD'
    const mayBeKnown = status === 200 && 'If-None-Match' in condition
    const expected = !isAsked ? [405] : mayBeKnown ? [200, 304] : [status]
    return { ...from, method, wire, expected }
  }

  /** An unknown path, or a known one with a change. */
  const oddPath = (): FuzzedRequest => {
    const operation = pick(draw, operations)
    const segment = pick(draw, pools.segments)
    const path = pathOf(operation, 'aldermoor', absentId(draw))
    const target = pick(draw, [
      `/${segment}`,
      `${basePath}/${segment}`,
      `${path}/${segment}/${segment}`,
      `${path}/history/${segment}`,
      path.replace('/brands/', '//brands/'),
      path.replace('/brands/', '/brands/./'),
      path.replace('aldermoor', `aldermoor/${segment}/..`),
      path.toUpperCase(),
      `${basePath}/brands/`,
      `${basePath}/brands/${keys.global}/tags`,
    ])
    const from = { target, operation: null, brand: '', filters: null }
    const request = finish(from, `Bearer ${keys.aldermoor}`, 404)
    return { ...request, expected: [200, 400, 401, 404, 304] }
  }

  const one = (): FuzzedRequest => {
    made += 1
    if (made % poolFor === 0) pools = drawPools(seed + made, poolSize)
    if (draw(40) === 0) return oddPath()
    const walk = walks.length > 0 && draw(8) === 0 ? pick(draw, walks) : undefined
    const operation = walk ? walk.operation : pick(draw, operations)
    const { resource, endpoint } = operation
    const brand = walk ? walk.brand : draw(8) > 0 ? pick(draw, brands) : pick(draw, oddBrands)
    const { id, status: idStatus } = operation.path.includes('{id}')
      ? drawId(operation, brand)
      : { id: '', status: 200 }
    const { header, good } = generateKey(brand)
    const parts: string[] = []
    let bad = idStatus === 400
    let filters: string | null = null
    if (endpoint === 'list') {
      const chosen = walk ? [] : resource.filters.filter(() => draw(resource.filters.length) === 0)
      const goodParts = chosen.map((filter) => goodFilter(draw, model, operation, filter, pools))
      filters = walk ? walk.filters : goodParts.join('&')
      if (filters !== '') parts.push(filters)
      const [anyFilter] = resource.filters
      if (draw(8) === 0 && anyFilter) {
        parts.push(badFilter(draw, pick(draw, resource.filters)))
        bad = true
      }
      if (draw(2) === 0) {
        const isGood = draw(5) > 0
        parts.push(limitPart(draw, isGood))
        bad ||= !isGood
      }
      if (walk && draw(5) > 0) parts.push(`cursor=${walk.cursor}`)
      else if (walk || (walks.length > 0 && draw(12) === 0)) {
        parts.push(badCursor(draw, pick(draw, walks).cursor))
        bad = true
      }
    }
    if (draw(5) === 0) {
      const part = includePart(draw, operation)
      parts.push(part.text)
      bad ||= !part.good
    }
    if (draw(20) === 0) {
      // The suffix makes a random name differ from every known parameter.
      const name = `${encodeURIComponent(pick(draw, pools.names))}-x`
      parts.push(`${name}=${pick(draw, [keys.global, '1', '', '%'])}`)
      bad = true
    }
    if (draw(30) === 0) parts.push('&', '')
    const joined = draw(2) === 0 ? parts.join('&') : parts.toReversed().join('&')
    const target = pathOf(operation, brand, id) + (parts.length > 0 ? `?${joined}` : '')
    const isThere = (brands as readonly string[]).includes(brand)
    const status = !good ? 401 : !isThere ? 404 : bad ? 400 : idStatus
    return finish({ target, operation, brand, filters: bad ? null : filters }, header, status)
  }

  return {
    *requests(count) {
      for (let index = 0; index < count; index += 1) yield one()
    },
    learn: ({ operation, brand, filters }, { status, headers, text }) => {
      if (status !== 200 || !operation) return
      const place = draw(heldMax)
      if (draw(20) === 0) tags[place % 200] = headers.get('etag') ?? ''
      if (operation.endpoint !== 'list' || filters === null || headers.get('link') === null) return
      const [, cursor] = /"nextCursor":"([^"]+)"/.exec(text.slice(-1_000)) ?? []
      if (cursor) walks[Math.min(place, walks.length)] = { operation, brand, filters, cursor }
    },
  }
}

const absentId = (draw: Draw): string =>
  `ffffffff-0000-4000-8000-${draw(2 ** 31)
    .toString(16)
    .padStart(12, '0')}`
