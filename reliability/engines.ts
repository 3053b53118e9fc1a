import { catalog } from '#contract'
import { season } from '#demo'
import { openBrandsModel, writeBrands } from '../test/support/brands.ts'
import { seeded } from '../test/support/model.ts'
import { openPostgres } from '../test/support/postgres.ts'
import type { Records } from '../test/support/prepared-database.ts'
import { openTestService } from '../test/support/service.ts'
import { askAll, type WireAnswer, wireOf } from '../test/support/wire.ts'
import { check } from './check.ts'
import { patient } from './engine.ts'
import { openRounds } from './engines/requests.ts'
import { type FuzzedRequest, type FuzzKeys, issueKeys, openFuzzer } from './fuzz/requests.ts'

/** Requests sent to both engines before comparing their responses. */
const batch = 500

/** Headers that differ by design: they depend on the time, the request or the database. */
const passing = new Set([
  'date',
  'x-request-id',
  'etag',
  'ratelimit',
  'server-timing',
  'keep-alive',
])

const telling = ({ status, headers, bytes }: WireAnswer, isLink: boolean): string => {
  // Links contain the URL and the time, so only their status is compared.
  if (isLink && status === 200) return String(status)
  const remaining = [...headers].filter(([name]) => !passing.has(name))
  return `${status} ${JSON.stringify(remaining)} ${bytes.toString('latin1')}`
}

interface SentRequest {
  readonly method: string
  readonly target: string
  readonly wire: string
  readonly place: number
  /** The generated request, if it is one. */
  readonly fuzzed?: FuzzedRequest
}

export default check({
  id: 'R16',
  claim: 'SQLite and PostgreSQL produce the same responses, byte for byte.',
  target: 'Of 100,000 requests to both engines, no response differs in a byte.',
  sizes: { short: { requests: 1_500 }, full: { requests: 100_000 } },
  try: async ({ requests }, { seed, log }) => {
    const postgres = await openPostgres()
    const environments: { [name: string]: string }[] = [
      {},
      { DATABASE_URL: patient(await postgres.url('engines')) },
    ]
    const secret = 'the same in both databases, for their cursors'
    const held: { [path: string]: { [name: string]: unknown }[] } = {}
    for (const { path, record } of season({ brand: 'acme', orders: 12, seed: 1 })) {
      held[path] ??= []
      held[path].push(record)
    }
    const model = openBrandsModel(1)
    const services = await Promise.all(
      environments.map(async (environment) => {
        const trusting = { TRUSTED_PROXIES: '127.0.0.1', ...environment }
        const service = await openTestService(trusting, { secret, story: false })
        await writeBrands(model, { store: service.records.store, images: service.images })
        await service.write('acme', held as Records)
        return { service, keys: await issueKeys(service.records.keys) }
      }),
    )
    const [one, other] = services
    if (!one || !other) throw new RangeError('There are two engines.')
    // Each server reads its keys within a second.
    await new Promise((resolve) => setTimeout(resolve, 1_000))

    const draw = seeded(seed)
    const rounds = openRounds(draw, held, ['acme', 'acme', 'acme', 'aldermoor', 'nobody'])
    const fuzzer = openFuzzer(seed, draw, model, one.keys)
    const byChance = fuzzer.requests(requests)[Symbol.iterator]()
    const authorization = { Authorization: `Bearer ${one.keys.of.global}` }
    /**
     * Every other request is generated. ETags are not sent: they identify the state of one
     * database.
     */
    const next = (place: number): SentRequest => {
      if (place % 2 === 0) {
        const target = rounds.next()
        return { method: 'GET', target, place, wire: wireOf('GET', target, authorization) }
      }
      const request = byChance.next().value
      const wire = request.wire.replace(/If-None-Match: .*\r\n/, '')
      return { method: request.method, target: request.target, wire, place, fuzzed: request }
    }

    const misses: string[] = []
    const seen = new Map<number, number>()
    let done = 0
    while (done < requests) {
      const sent = Array.from({ length: Math.min(batch, requests - done) }, (_, place) =>
        next(place),
      )
      const [ours, theirs] = await Promise.all(
        services.map(async ({ service, keys }) => {
          const answers: WireAnswer[] = []
          const translated = sent.map((each) => ({
            ...each,
            wire: translate(each.wire, one.keys, keys),
          }))
          await askAll(service.url, translated, ({ place }, answer) => {
            answers[place] = answer
          })
          return answers
        }),
      )
      for (const [place, { target, wire, fuzzed }] of sent.entries()) {
        const [first, second] = [ours?.[place], theirs?.[place]]
        if (!first || !second) throw new RangeError(`${target} was not answered.`)
        seen.set(first.status, (seen.get(first.status) ?? 0) + 1)
        const isLink = /\/content(\?|$)/.test(target)
        if (telling(first, isLink) !== telling(second, isLink)) {
          const shown = [first, second].map((each) => telling(each, isLink).slice(0, 300))
          misses.push(`${JSON.stringify(wire)}: ${shown.join(' and ')}`)
        }
        const cursor = /"nextCursor":"([^"]+)"/.exec(first.text.slice(-1_000))?.[1]
        if (fuzzed) fuzzer.learn(fuzzed, first)
        else if (cursor) rounds.learn(target, cursor)
      }
      done += sent.length
      if (done % 10_000 === 0) log(`${done} requests to both engines, ${misses.length} differ`)
    }
    await Promise.all(services.map(({ service }) => service.close()))
    await postgres.close()

    const filters = catalog.resources.flatMap((resource) => resource.filters).length
    const used = rounds.filtersUsed.size
    if (requests >= 20_000 && used < filters)
      misses.push(`${used} of ${filters} filters were used.`)
    for (const status of [200, 400, 401, 404, 405]) {
      if (!seen.has(status)) misses.push(`${status} never came.`)
    }
    const answered = (seen.get(200) ?? 0).toLocaleString('en')
    return {
      measured: `${done.toLocaleString('en')} requests to both engines, ${misses.length} different responses; ${used} of ${filters} filters used, ${answered} responses with records.`,
      counts: { requests: done, different: misses.length, filters: used, ok: seen.get(200) ?? 0 },
      misses,
    }
  },
})

/** The request with the keys of the other database. */
const translate = (wire: string, from: FuzzKeys, to: FuzzKeys): string =>
  from.all.reduce((text, key, index) => text.replaceAll(key, to.all[index] ?? ''), wire)
