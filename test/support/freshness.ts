import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createWriteTokens } from '#cursors'
import { median } from '../../bench/statistics.ts'
import { brandRecord } from './model.ts'
import type { TestService } from './service.ts'

/**
 * How much older a response may be than the newest commit that was acknowledged before its request
 * was sent. docs/explanation/performance.md has these numbers.
 */
export const staleMsMax = { sqlite: 2, postgres: 1_000 } as const

export interface FreshnessOptions {
  readonly databaseUrl: string
  /** How long responses are read at least. */
  readonly ms: number
}

/** Read for longer until there are so many, on a busy machine. */
const enough = { cached: 100, states: 10 }
const longestMs = 60_000

export interface Freshness {
  readonly answers: number
  readonly states: number
  /** Responses that came from the response cache. */
  readonly cached: number
  /** Responses to requests with the token of the newest commit. All of them contained it. */
  readonly afterWrite: number
  /** How long after the commit of a newer state the cache gave an older one, at the median. */
  readonly cachedMedianMs: number
  /** The same at most, of all responses. */
  readonly oldestMs: number
  /** The brand and the states of the oldest response. */
  readonly oldest: string
}

interface Tags {
  readonly items: readonly { readonly name: string; readonly code: string }[]
  readonly totalItems: number
}

interface TagsResponse {
  readonly brand: string
  readonly state: number
  readonly requestedAt: number
  readonly isCached: boolean
}

const brands = ['north', 'south'] as const
/** A clock that is the same in all processes of the machine, and never set. */
const now = () => Number(process.hrtime.bigint()) / 1e6

interface Committed {
  readonly brand: string
  readonly state: number
  readonly began: number
  readonly done: number
  /** The number of the write. */
  readonly change: number
}

/**
 * Reads two brands over a running service while another process changes all their tags again and
 * again, and holds every answer against the model: one brand, one state, its filter, its exact
 * total. Every third request has the token of the newest commit, and its answer contains that.
 * Returns how old the others were.
 */
export const measureFreshness = async (
  service: TestService,
  { databaseUrl, ms }: FreshnessOptions,
): Promise<Freshness> => {
  for (const [index, brand] of brands.entries()) {
    await service.write(brand, { brand: [brandRecord(brand, 40 + index)] })
  }
  const keys = new Map<string, string>()
  for (const brand of brands) keys.set(brand, await service.key(brand))
  const committed = new Map<string, Committed[]>(brands.map((brand) => [brand, []]))
  const writer = fork(join(import.meta.dirname, 'change-writer.ts'), [databaseUrl, '15', ...brands])
  writer.on('message', (change: Committed) => committed.get(change.brand)?.push(change))
  let answers = 0
  let afterWrite = 0
  const { seal } = createWriteTokens(service.records.secret)
  const responses: TagsResponse[] = []

  /** The state that a page is of; null for a page without tags. */
  const stateOf = (brand: string, query: string, body: Tags): number | null => {
    const states = new Set(body.items.map(({ name }) => name))
    assert.ok(states.size <= 1, `${brand}: one page of two states: ${[...states].join(', ')}`)
    const [name] = states
    if (name === undefined) return null
    const [whose, number] = name.split(' ')
    assert.equal(whose, brand, 'a page of another brand')
    const state = Number(number)
    const wanted = new URLSearchParams(query).get('code')
    for (const { code } of body.items) if (wanted) assert.equal(code, wanted, 'another filter')
    const count = 30 + (state % 10)
    const matching = wanted
      ? Array.from({ length: count }, (_, n) => n % 3).filter((n) => `${brand} ${n}` === wanted)
      : { length: count }
    assert.equal(body.totalItems, matching.length, `${brand} ${state}: the total is not the count`)
    return state
  }

  const began = performance.now()
  let cachedSoFar = 0
  const committedSoFar = () => [...committed.values()].reduce((sum, { length }) => sum + length, 0)
  const isOver = () => {
    const tookMs = performance.now() - began
    const hasEnough = cachedSoFar >= enough.cached && committedSoFar() >= enough.states
    return tookMs > (hasEnough ? ms : Math.max(ms, longestMs))
  }
  const lane = async (number: number) => {
    const brand = brands[number % 2] as string
    const key = keys.get(brand) ?? ''
    const validators = new Map<string, { readonly tag: string; readonly state: number | null }>()
    for (let turn = number; !isOver(); turn += 1) {
      const code = encodeURIComponent(`${brand} ${turn % 3}`)
      const query = ['', 'limit=7', `code=${code}`, `code=${code}&limit=3`][turn % 4] ?? ''
      const validator = turn % 5 === 0 ? validators.get(query) : undefined
      const newest = turn % 3 === 0 ? committed.get(brand)?.at(-1) : undefined
      const requestedAt = now()
      const answer = await fetch(
        `${service.url}/api/public/v1/brands/${brand}/tags${query && `?${query}`}`,
        {
          headers: {
            authorization: `Bearer ${key}`,
            ...(validator && { 'if-none-match': validator.tag }),
            ...(newest && { 'after-write': seal({ owner: brand, change: newest.change }) }),
          },
        },
      )
      const text = await answer.text()
      answers += 1
      const isCached = !/run;dur/.test(answer.headers.get('server-timing') ?? 'run;dur')
      if (answer.status !== 304) assert.equal(answer.status, 200, text)
      const isUnchanged = answer.status === 304 && validator !== undefined
      const state = isUnchanged ? validator.state : stateOf(brand, query, JSON.parse(text))
      if (newest && state !== null) {
        assert.ok(state >= newest.state, `${brand}: state ${state} after ${newest.state}`)
        afterWrite += 1
      } else if (state !== null) responses.push({ brand, state, requestedAt, isCached })
      if (state !== null && isCached) cachedSoFar += 1
      if (!isUnchanged) validators.set(query, { tag: answer.headers.get('etag') ?? '', state })
    }
  }
  try {
    await Promise.all(Array.from({ length: 8 }, (_, number) => lane(number)))
  } finally {
    const disconnected = new Promise((resolve) => writer.once('disconnect', resolve))
    writer.send('stop')
    await Promise.race([disconnected, wait(5_000)])
    writer.kill('SIGKILL')
  }
  // Only now are all commits known: a response may arrive before the message of a commit.
  const ages = responses.map((each) => {
    const newer = committed.get(each.brand)?.find(({ state }) => state > each.state)
    const ms = Math.max(0, each.requestedAt - (newer?.done ?? Number.POSITIVE_INFINITY))
    return { ...each, ms, newer: newer?.state }
  })
  const cached = ages.filter(({ isCached }) => isCached)
  const oldest = ages.reduce((one, other) => (other.ms > one.ms ? other : one))
  return {
    answers,
    states: committedSoFar(),
    cached: cached.length,
    afterWrite,
    cachedMedianMs: median(cached.map(({ ms }) => ms)),
    oldestMs: oldest.ms,
    oldest: `${oldest.brand}: state ${oldest.state} after state ${oldest.newer} was committed`,
  }
}
