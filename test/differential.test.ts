/**
 * Both engines hold the same records under the same secret: every byte of every answer is equal, and
 * so is the way to the next page. Tags name a state of one database, and differ.
 */
import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { basePath, catalog, operationsOf, relationsOf } from '#contract'
import { season } from '#demo'
import { openPostgres, type Postgres } from './support/postgres.ts'
import { openTestService, type Records, type TestService } from './support/service.ts'

const requests = Number(process.env['SELVEDGE_DIFFERENTIAL'] ?? 20_000)
const seed = 20_261_115

/** A small generator of chance that gives the same run for the same seed. */
const chanceFrom = (start: number) => {
  let state = start
  return () => {
    state = (Math.imul(state ^ (state >>> 15), state | 1) + 0x6d2b79f5) | 0
    const mixed = state ^ (state + Math.imul(state ^ (state >>> 7), state | 61))
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

describe('SQLite and PostgreSQL', () => {
  let postgres: Postgres
  const services: TestService[] = []
  const keys: string[] = []
  const records: { [path: string]: { [name: string]: unknown }[] } = {}

  before(async () => {
    postgres = await openPostgres()
    const secret = 'the same in both databases, for their cursors and tags'
    for (const { path, record } of season({ brand: 'acme', orders: 12, seed: 1 })) {
      records[path] ??= []
      records[path].push(record)
    }
    const environments: { [name: string]: string }[] = [
      {},
      { DATABASE_URL: await postgres.url('differential') },
    ]
    for (const environment of environments) {
      const service = await openTestService(environment, { secret })
      await service.write('acme', records as Records)
      services.push(service)
      keys.push(await service.key())
    }
  })
  after(async () => {
    await Promise.all(services.map((service) => service.close()))
    await postgres.close()
  })

  it(`give the same bytes to ${requests.toLocaleString('en')} generated requests (seed ${seed})`, async () => {
    const chance = chanceFrom(seed)
    const pick = <T>(from: readonly T[]): T => from[Math.floor(chance() * from.length)] as T
    const cursors = new Map<string, string>()
    const filtersUsed = new Set<string>()
    const operations = operationsOf(catalog)
    const valueFor = (path: string, field: string): string => {
      const record = pick(records[path] ?? [{}])
      const value = field.split('.').reduce<unknown>((at, name) => (at as never)?.[name], record)
      return value === null || value === undefined ? pick(['0', 'x', 'é🧵', "a'b"]) : String(value)
    }
    const generate = (index: number): string => {
      const { resource, endpoint, path } = operations[
        index % operations.length
      ] as (typeof operations)[0]
      const brand = pick(['acme', 'acme', 'acme', 'aldermoor', 'nobody'])
      const id = valueFor(resource.path, resource.key[0] ?? 'id')
      const target = path.replace('{brand}', brand).replace('{id}', encodeURIComponent(id))
      const pairs: string[] = []
      const visit = Math.floor(index / operations.length)
      if (endpoint === 'list') {
        // Now and then none at all.
        const asked = chance() < 0.2 ? [] : resource.filters
        for (const filter of asked) {
          // Each filter in turn, and others with it by chance.
          const isDue = resource.filters[visit % resource.filters.length] === filter
          if (!isDue && chance() > 0.5 / resource.filters.length) continue
          const from = filter.through
            ? valueFor(filter.through.collection, filter.through.where)
            : valueFor(resource.path, filter.field ?? '')
          filtersUsed.add(`${resource.path}?${filter.name}`)
          pairs.push(`${filter.name}=${encodeURIComponent(from)}`)
        }
        if (chance() < 0.6) pairs.push(`limit=${pick(['1', '2', '7', '25', '100', '0', '101'])}`)
      }
      const relations = relationsOf(resource)
      if (endpoint !== 'content' && relations.length > 0 && chance() < 0.2) {
        pairs.push(`include=${pick(relations).name}`)
      }
      const key = `${target}?${pairs.filter((pair) => !/^(limit|include)=/.test(pair)).join('&')}`
      const cursor = cursors.get(key)
      if (cursor && endpoint === 'list') pairs.push(`cursor=${cursor}`)
      return `${basePath}${target}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`
    }

    const agents = services.map(() => new Agent({ keepAlive: true, maxSockets: 8 }))
    const ask = (which: number, path: string) =>
      new Promise<{ status: number; headers: string; body: string }>((resolve, reject) => {
        const sent = request(
          `${services[which]?.url}${path}`,
          { agent: agents[which], headers: { authorization: `Bearer ${keys[which]}` } },
          (response) => {
            const chunks: Buffer[] = []
            response.on('data', (chunk: Buffer) => chunks.push(chunk))
            response.on('end', () =>
              resolve({
                status: response.statusCode ?? 0,
                headers: JSON.stringify(response.headers['link'] ?? null),
                body: Buffer.concat(chunks).toString(),
              }),
            )
          },
        )
        sent.on('error', reject)
        sent.end()
      })

    const seen = new Map<number, number>()
    let done = 0
    const lane = async () => {
      while (done < requests) {
        const path = generate(done)
        done += 1
        const [one, other] = await Promise.all([ask(0, path), ask(1, path)])
        if (/\/content$/.test(path)) {
          // Links hold the address and the moment; only their fate can be the same.
          assert.equal(other.status, one.status, path)
        } else assert.deepEqual(other, one, path)
        seen.set(one.status, (seen.get(one.status) ?? 0) + 1)
        const next = /"nextCursor":"([^"]+)"/.exec(one.body)?.[1]
        const bare = path.slice(basePath.length).replace(/[?&](limit|include|cursor)=[^&]*/g, '')
        if (next) cursors.set(bare.includes('?') ? bare : `${bare.replace('&', '?')}?`, next)
      }
    }
    await Promise.all(Array.from({ length: 8 }, lane))
    for (const agent of agents) agent.destroy()
    assert.ok((seen.get(200) ?? 0) > requests / 2, JSON.stringify([...seen]))
    const filters = catalog.resources.flatMap((resource) => resource.filters)
    if (requests >= 20_000) assert.equal(filtersUsed.size, filters.length)
    for (const status of [400, 404]) assert.ok(seen.has(status), `${status} never came`)
  })
})
