import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { brandRecord } from './model.ts'
import type { TestService } from './service.ts'

export interface FreshnessOptions {
  readonly databaseUrl: string
  readonly ms: number
  /** How old an answer may be. */
  readonly boundMs: number
}

export interface Freshness {
  readonly answers: number
  readonly states: number
  /** Responses that came from the response cache. */
  readonly cached: number
  /** How long after the commit of a newer state an older one was last given. */
  readonly oldestMs: number
}

const brands = ['north', 'south'] as const
const now = () => performance.timeOrigin + performance.now()

interface Committed {
  readonly brand: string
  readonly state: number
  readonly began: number
  readonly done: number
}

/**
 * Reads two brands over a running service while another process changes all their tags again and
 * again, and holds every answer against the model: one brand, one state, its filter, its exact
 * total, and none older than the bound.
 */
export const proveFreshness = async (
  service: TestService,
  { databaseUrl, ms, boundMs }: FreshnessOptions,
): Promise<Freshness> => {
  for (const [index, brand] of brands.entries()) {
    await service.write(brand, { brand: [brandRecord(brand, 40 + index)] })
  }
  const keys = new Map<string, string>()
  for (const brand of brands) keys.set(brand, await service.key(brand))
  const committed = new Map<string, Committed[]>(brands.map((brand) => [brand, []]))
  const writer = fork(join(import.meta.dirname, 'change-writer.ts'), [databaseUrl, '15', ...brands])
  writer.on('message', (change: Committed) => committed.get(change.brand)?.push(change))
  const seen = { answers: 0, cached: 0, oldestMs: 0 }

  const holdAgainstModel = (
    brand: string,
    query: string,
    requestedAt: number,
    body: { items: { name: string; code: string }[]; totalItems: number },
  ) => {
    const states = new Set(body.items.map(({ name }) => name))
    assert.ok(states.size <= 1, `${brand}: one page of two states: ${[...states].join(', ')}`)
    const [name] = states
    if (name === undefined) return
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
    const newer = (committed.get(brand) ?? []).find((each) => each.state > state)
    if (!newer || newer.done > requestedAt) return
    seen.oldestMs = Math.max(seen.oldestMs, requestedAt - newer.done)
    assert.ok(
      requestedAt - newer.done <= boundMs,
      `${brand}: state ${state} was given ${Math.round(requestedAt - newer.done)} ms after ${newer.state}`,
    )
  }

  const until = performance.now() + ms
  const lane = async (number: number) => {
    const brand = brands[number % 2] as string
    const key = keys.get(brand) ?? ''
    const tags = new Map<string, string>()
    for (let turn = number; performance.now() < until; turn += 1) {
      const code = encodeURIComponent(`${brand} ${turn % 3}`)
      const query = ['', 'limit=7', `code=${code}`, `code=${code}&limit=3`][turn % 4] ?? ''
      const tag = turn % 5 === 0 ? tags.get(query) : undefined
      const requestedAt = now()
      const answer = await fetch(
        `${service.url}/api/public/v1/brands/${brand}/tags${query && `?${query}`}`,
        {
          headers: { authorization: `Bearer ${key}`, ...(tag && { 'if-none-match': tag }) },
        },
      )
      const text = await answer.text()
      seen.answers += 1
      if (!/run;dur/.test(answer.headers.get('server-timing') ?? 'run;dur')) seen.cached += 1
      if (answer.status === 304) continue
      assert.equal(answer.status, 200, text)
      holdAgainstModel(brand, query, requestedAt, JSON.parse(text))
      tags.set(query, answer.headers.get('etag') ?? '')
    }
  }
  try {
    await Promise.all(Array.from({ length: 8 }, (_, number) => lane(number)))
  } finally {
    writer.send('stop')
    await Promise.race([new Promise((resolve) => writer.once('exit', resolve)), wait(5_000)])
    writer.kill('SIGKILL')
  }
  const states = [...committed.values()].reduce((sum, each) => sum + each.length, 0)
  return { ...seen, states }
}
