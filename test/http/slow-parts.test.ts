/** Every part that makes answers fast can be left out, and no answer changes by a byte. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { slowParts } from '#config'
import { catalog, relationsOf } from '#contract'
import { idOf, keyOf, queryOf, recordsAt, seeded, valueAt } from '../support/model.ts'
import { openTestService } from '../support/service.ts'

const usual = await openTestService()
after(() => usual.close())
const key = await usual.key()
const { brand } = await usual.records.store
  .brands()
  .then(([first]) => ({ brand: first?.slug ?? '' }))

/** What a request is answered with, less what is of the moment. */
interface Given {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly bytes: string
}

const ofTheMoment = new Set(['date', 'x-request-id', 'server-timing', 'ratelimit', 'keep-alive'])

const ask = async (url: string, target: string, headers: object): Promise<Given> => {
  const answer = await fetch(`${url}${target}`, {
    headers: { authorization: `Bearer ${key}`, 'accept-encoding': 'identity', ...headers },
  })
  const bytes = Buffer.from(await answer.arrayBuffer()).toString('base64')
  return {
    status: answer.status,
    headers: Object.fromEntries([...answer.headers].filter(([name]) => !ofTheMoment.has(name))),
    bytes,
  }
}

/** Lists, pages, filters alone and together, includes, gets, tags, encodings and refusals. */
const targets = async (): Promise<readonly (readonly [string, object])[]> => {
  const draw = seeded(6)
  const found: [string, object][] = []
  const at = (rest: string) => `/api/public/v1/brands/${brand}${rest && `/${rest}`}`
  for (const resource of catalog.resources) {
    if (resource.lookup) {
      found.push([at(''), {}])
      continue
    }
    const { path, filters } = resource
    const records = recordsAt(path)
    found.push([at(path), {}], [at(`${path}?limit=${1 + draw(5)}`), {}])
    const [relation] = relationsOf(resource)
    if (relation) found.push([at(`${path}?include=${relation.name}&limit=3`), {}])
    const some = filters.filter(({ field }) => field !== undefined)
    const record = records[draw(records.length)] ?? {}
    const valued = some.flatMap(({ name, field = '' }) => {
      const value = valueAt(record, field)
      return value === null || value === undefined ? [] : [[name, String(value)] as const]
    })
    for (const pair of valued.slice(0, 2)) {
      found.push([at(`${path}?${queryOf(Object.fromEntries([pair]))}`), {}])
    }
    if (valued.length > 1) {
      found.push([at(`${path}?${queryOf(Object.fromEntries(valued.slice(0, 3)))}`), {}])
    }
    for (const { name } of filters.filter(({ through }) => through)) {
      found.push([at(`${path}?${name}=${idOf(draw(9))}`), {}])
    }
    if (resource.endpoints.includes('get')) {
      found.push([at(`${path}/${keyOf(resource.key, record)}`), {}])
    }
    found.push([at(`${path}?limit=0`), {}], [at(`${path}?cursor=nonsense`), {}])
    found.push([at(path), { 'accept-encoding': draw(2) === 0 ? 'gzip' : 'br' }])
    found.push([at(path), { 'if-none-match': '*' }])
  }
  for (const [target] of [...found].filter(() => draw(4) === 0)) {
    const { headers } = await ask(usual.url, target, {})
    if (headers['etag']) found.push([target, { 'if-none-match': headers['etag'] }])
    const next = /<([^>]+)>/.exec(headers['link'] ?? '')?.[1]
    if (next) found.push([next, {}])
  }
  return found
}

/** Every other one: each is asked for often enough to be remembered. */
const asked = (await targets()).filter((_, index) => index % 2 === 0)
const expected: Given[] = []
for (const [target, headers] of asked) expected.push(await ask(usual.url, target, headers))

describe(`${asked.length} requests are answered with the same bytes`, () => {
  for (const without of ['', ...slowParts, slowParts.join(',')]) {
    it(without === '' ? 'again and again' : `without ${without}`, async () => {
      const service =
        without === ''
          ? usual
          : await openTestService({ SLOW_PARTS: without }, { story: false, folder: usual.folder })
      try {
        for (let turn = 0; turn < 3; turn += 1) {
          for (const [index, [target, headers]] of asked.entries()) {
            const given = await ask(service.url, target, headers)
            assert.deepEqual(given, expected[index], `${target} ${JSON.stringify(headers)}`)
          }
        }
      } finally {
        if (service !== usual) await service.close()
      }
    })
  }
})
