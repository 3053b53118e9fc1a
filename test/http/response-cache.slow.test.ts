/** A cached response is byte for byte the one that would be made without the cache. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { catalog, relationsOf } from '#contract'
import { idOf, keyOf, queryOf, recordsAt, seeded, valueAt } from '../support/model.ts'
import { openTestService } from '../support/service.ts'

const cached = await openTestService()
after(() => cached.close())
const key = await cached.key()
const { brand } = await cached.records.store
  .brands()
  .then(([first]) => ({ brand: first?.slug ?? '' }))

/** A response without the headers that differ from moment to moment. */
interface Received {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly bytes: string
}

const momentary = new Set(['date', 'x-request-id', 'server-timing', 'ratelimit', 'keep-alive'])

const ask = async (url: string, target: string, headers: object): Promise<Received> => {
  const answer = await fetch(`${url}${target}`, {
    headers: { authorization: `Bearer ${key}`, 'accept-encoding': 'identity', ...headers },
  })
  const bytes = Buffer.from(await answer.arrayBuffer()).toString('base64')
  return {
    status: answer.status,
    headers: Object.fromEntries([...answer.headers].filter(([name]) => !momentary.has(name))),
    bytes,
  }
}

/** Lists, pages, filters alone and together, includes, gets, tags, encodings and refusals. */
const targets = async (): Promise<readonly (readonly [string, object])[]> => {
  const draw = seeded(6)
  const pairs: [string, object][] = []
  const at = (rest: string) => `/api/public/v1/brands/${brand}${rest && `/${rest}`}`
  for (const resource of catalog.resources) {
    if (resource.lookup) {
      pairs.push([at(''), {}])
      continue
    }
    const { path, filters } = resource
    const records = recordsAt(path)
    pairs.push([at(path), {}], [at(`${path}?limit=${1 + draw(5)}`), {}])
    const [relation] = relationsOf(resource)
    if (relation) pairs.push([at(`${path}?include=${relation.name}&limit=3`), {}])
    const some = filters.filter(({ field }) => field !== undefined)
    const record = records[draw(records.length)] ?? {}
    const valued = some.flatMap(({ name, field = '' }) => {
      const value = valueAt(record, field)
      return value === null || value === undefined ? [] : [[name, String(value)] as const]
    })
    for (const pair of valued.slice(0, 2)) {
      pairs.push([at(`${path}?${queryOf(Object.fromEntries([pair]))}`), {}])
    }
    if (valued.length > 1) {
      pairs.push([at(`${path}?${queryOf(Object.fromEntries(valued.slice(0, 3)))}`), {}])
    }
    for (const { name } of filters.filter(({ through }) => through)) {
      pairs.push([at(`${path}?${name}=${idOf(draw(9))}`), {}])
    }
    if (resource.endpoints.includes('get')) {
      pairs.push([at(`${path}/${keyOf(resource.key, record)}`), {}])
    }
    pairs.push([at(`${path}?limit=0`), {}], [at(`${path}?cursor=nonsense`), {}])
    pairs.push([at(path), { 'accept-encoding': draw(2) === 0 ? 'gzip' : 'br' }])
    pairs.push([at(path), { 'if-none-match': '*' }])
  }
  for (const [target] of [...pairs].filter(() => draw(4) === 0)) {
    const { headers } = await ask(cached.url, target, {})
    if (headers['etag']) pairs.push([target, { 'if-none-match': headers['etag'] }])
    const next = /<([^>]+)>/.exec(headers['link'] ?? '')?.[1]
    if (next) pairs.push([next, {}])
  }
  return pairs
}

const requests = await targets()
const expected: Received[] = []
for (const [target, headers] of requests) expected.push(await ask(cached.url, target, headers))

const compareAll = async (url: string): Promise<void> => {
  for (const [index, [target, headers]] of requests.entries()) {
    const received = await ask(url, target, headers)
    assert.deepEqual(received, expected[index], `${target} ${JSON.stringify(headers)}`)
  }
}

describe(`${requests.length} requests`, () => {
  it('get the same bytes again and again from the cache', async () => {
    for (const _ of [1, 2, 3]) await compareAll(cached.url)
  })

  it('get the same bytes without a cache', async () => {
    const environment = { RESPONSE_CACHE_MB: '0' }
    const uncached = await openTestService(environment, { story: false, folder: cached.folder })
    try {
      await compareAll(uncached.url)
    } finally {
      await uncached.close()
    }
  })
})
