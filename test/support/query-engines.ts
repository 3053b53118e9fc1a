/** The same records and the same requests of the query API on both engines, compared as bytes. */
import assert from 'node:assert/strict'
import { openStory } from '#demo'
import { sharedOwner } from '#store'
import { type Downloaded, download } from './download.ts'
import { eachOf, seeded } from './model.ts'
import { openPostgresDatabases } from './postgres.ts'
import {
  createQueryRequests,
  type DrawnRecords,
  drawSeason,
  type QueryRequests,
} from './query-requests.ts'
import { openTestService, type TestService } from './service.ts'

export interface Engine {
  readonly service: TestService
  readonly key: string
}

export interface ComparedQueries {
  readonly requests: number
  /** Responses by status. */
  readonly statuses: ReadonlyMap<number, number>
  /** Responses that were requested again with their ETag. */
  readonly revalidated: number
  readonly drawn: QueryRequests
  /** What differs, each with its target. */
  readonly differences: readonly string[]
}

/** Two brands far from each other on the globe, whose days begin at other times. */
const drawBrands = (seed: number, orders: number): { readonly [brand: string]: DrawnRecords } => ({
  kowhai: drawSeason(seed, { brand: 'kowhai', orders, timezone: 'Pacific/Auckland' }),
  redwood: drawSeason(seed + 1, { brand: 'redwood', orders, timezone: 'America/Los_Angeles' }),
})

const batch = 60

/** What belongs to one response alone: its time, its name, and the state of its own database. */
const passing = new Set([
  'date',
  'x-request-id',
  'etag',
  'ratelimit',
  'server-timing',
  'keep-alive',
])

/** When each database was written to, which the figures of the day say. */
const importTimes = /(?<="records":\{"changedAt":)"[^"]*","lastImport":\{"at":"[^"]*"/

const telling = ({ status, headers, trailers, body, isComplete }: Downloaded): string => {
  const remaining = Object.entries(headers).filter(([name]) => !passing.has(name))
  const text = body.toString('latin1').replace(importTimes, '')
  return [status, JSON.stringify([remaining, trailers, isComplete]), text].join(' ')
}

/** Writes the same random records to each of the engines, and compares their responses. */
export const compareQueries = async (
  engines: readonly Engine[],
  { seed, requests, orders }: { seed: number; requests: number; orders: number },
): Promise<ComparedQueries> => {
  const brands = drawBrands(seed, orders)
  const { shared } = await openStory()
  for (const { service } of engines) {
    await service.write(sharedOwner, shared)
    for (const [brand, records] of Object.entries(brands)) await service.write(brand, records)
  }
  const draw = seeded(seed)
  const drawn = createQueryRequests(draw, brands)
  const statuses = new Map<number, number>()
  const differences: string[] = []
  let sent = 0
  let revalidated = 0

  const compare = async (
    target: string,
    ask: (engine: Engine, at: number) => Promise<Downloaded>,
  ) => {
    const answers = await Promise.all(engines.map(ask))
    const [first, ...others] = answers
    assert.ok(first)
    for (const other of others) {
      if (telling(other) === telling(first)) continue
      const shown = [first, other].map((each) => telling(each).slice(0, 400))
      differences.push(`${target}: ${shown.join(' and ')}`)
    }
    return answers
  }
  /** Drawn one after the other, so that a seed always gives the same requests. */
  while (sent < requests || drawn.waiting > 0) {
    const size = sent < requests ? Math.min(batch, requests - sent) : drawn.waiting
    const targets = Array.from({ length: size }, () => ({
      target: drawn.next(),
      again: draw(8) === 0,
    }))
    const pages: string[] = []
    await eachOf(
      targets,
      async ({ target, again }, index) => {
        const answers = await compare(target, ({ service, key }) =>
          download(service.url + target, { key }),
        )
        const [first] = answers
        assert.ok(first)
        statuses.set(first.status, (statuses.get(first.status) ?? 0) + 1)
        if (first.headers['content-type']?.startsWith('application/json')) {
          pages[index] = first.body.toString('utf8')
        }
        if (!again || first.status !== 200 || !first.headers.etag) return
        revalidated += 1
        const unchanged = await compare(`${target} again`, ({ service, key }, at) =>
          download(service.url + target, {
            key,
            headers: { 'if-none-match': answers[at]?.headers.etag ?? '' },
          }),
        )
        if (unchanged[0]?.status !== 304)
          differences.push(`${target} is ${unchanged[0]?.status} again`)
      },
      6,
    )
    for (const [index, { target }] of targets.entries()) drawn.learn(target, pages[index] ?? '')
    sent += size
  }
  return { requests: sent, statuses, revalidated, drawn, differences }
}

/** Opens a service on each engine whose cursors are signed with the same secret. */
export const openEngines = async (): Promise<{
  readonly engines: readonly Engine[]
  close(): Promise<void>
}> => {
  const postgres = await openPostgresDatabases()
  const environments: { readonly [name: string]: string }[] = [
    {},
    { DATABASE_URL: `${await postgres.url('queries')}?query-ms=60000` },
  ]
  const options = { secret: 'the same in both databases, for their cursors', story: false }
  const engines: Engine[] = []
  for (const environment of environments) {
    const downloads = { KEY_DOWNLOADS: '100', DOWNLOADS: '100' }
    const service = await openTestService({ ...downloads, ...environment }, options)
    engines.push({ service, key: await service.key() })
  }
  return {
    engines,
    close: async () => {
      for (const { service } of engines) await service.close()
      await postgres.close()
    },
  }
}

/** Asserts that nothing differs, and that everything was requested that there is to request. */
export const assertSameQueries = (compared: ComparedQueries, seed: number): void => {
  const { requests, statuses, revalidated, drawn, differences } = compared
  const where = `seed ${seed}`
  assert.deepEqual(differences.slice(0, 5), [], where)
  const good = statuses.get(200) ?? 0
  assert.ok(good > requests * 0.8, `${where}: ${good} of ${requests} responses were good`)
  assert.deepEqual([...statuses.keys()].sort(), [200, 400], where)
  assert.ok(revalidated > requests / 30, `${where}: ${revalidated} responses were revalidated`)
  assert.ok(drawn.pages > requests / 20, `${where}: ${drawn.pages} next pages were read`)
}
