/** Single items of one brand beside the largest batches of two others. */
import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { ingestBasePath } from '#contract'
import type { Batch } from '#intake'
import type { Records } from '#server'
import { percentile } from '../../bench/statistics.ts'
import { openBrandsModel } from '../../test/support/brands.ts'
import { bodyOf, putItem } from '../../test/support/queue.ts'
import type { Outcome, Task } from '../check.ts'
import { type Engine, engineNames, engines, onEngine, patient } from '../engine.ts'
import { openServedIngest } from '../ingest-kill/served-ingest.ts'
import { prepareBrands } from '../server-process.ts'

export interface BatchesSize {
  /** Items of a large batch. 60,000 are just below 16 MB, the limit of a body. */
  readonly items: number
  readonly seconds: number
  /** Maximum ratio of the p99 to its quiet value, on an engine with several writers. */
  readonly timesMax: number
}

const [single, ...large] = ['birkholm', 'aldermoor', 'corvane'] as const
const pauseMs = 50

const tagOf = (n: number, name: string) =>
  putItem('tags', {
    id: `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
    name,
    code: `T${n}`,
    uiColor: null,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  })

interface Figures {
  readonly quietP99Ms: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly requests: number
  readonly batches: number
  /** A large batch without anything else. */
  readonly aloneMs: number
  readonly megabytes: number
}

/** Measures on both engines how long single items of a brand wait for large batches of others. */
export const measureBatches = async (size: BatchesSize, task: Task): Promise<Outcome> => {
  const misses: string[] = []
  const measured: string[] = []
  const counts: Record<string, number> = {}
  for (const engine of engines) {
    await onEngine(engine, async (url) => {
      const environment: Record<string, string> = url ? { DATABASE_URL: patient(url) } : {}
      const figures = await measureOn(engine, environment, size, task)
      const { quietP99Ms, p50Ms, p99Ms, requests, batches, aloneMs, megabytes } = figures
      const [quiet, p50, p99, alone] = [quietP99Ms, p50Ms, p99Ms, aloneMs].map((ms) =>
        Math.round(ms),
      )
      measured.push(
        `${engineNames[engine]}: p99 of single items ${quiet} ms without and ${p99} ms with ${batches} batches of ${size.items} items (p50 ${p50} ms, ${requests} requests; one such batch of ${megabytes.toFixed(1)} MB alone took ${alone} ms, ${Math.round(aloneMs / megabytes)} ms for each MB).`,
      )
      Object.assign(counts, {
        [`${engine}QuietP99Ms`]: quiet,
        [`${engine}P99Ms`]: p99,
        [`${engine}AloneMs`]: alone,
      })
      const limit = quietP99Ms * size.timesMax
      const max = engine === 'sqlite' ? aloneMs + limit : limit
      if (p99Ms > max)
        misses.push(
          `${engineNames[engine]}: the p99 was ${p99} ms, more than ${Math.round(max)} ms.`,
        )
      if (batches < large.length)
        misses.push(`${engineNames[engine]}: only ${batches} large batches were stored.`)
    })
  }
  return { measured: measured.join(' '), counts, misses }
}

const issueKey = async ({ keys }: Records, brand: string): Promise<string> => {
  const rights = { kind: 'ingest', brands: [brand], global: false, expiresAt: null } as const
  return (await keys.issue({ name: brand, ...rights, perSecond: null, burst: null })).key
}

const measureOn = async (
  engine: Engine,
  environment: { readonly [name: string]: string },
  { items, seconds }: BatchesSize,
  { log }: Task,
): Promise<Figures> => {
  const { folder, variables, records } = await prepareBrands(openBrandsModel(1), environment)
  const keys = new Map<string, string>()
  for (const brand of [single, ...large]) keys.set(brand, await issueKey(records, brand))
  await records.close()
  const server = await openServedIngest(folder, String(variables['DATABASE_URL']), {
    NODE_ENV: 'production',
    ROW_SECURITY: 'optional',
    LOG_LEVEL: 'warn',
  })
  const ask = async (brand: string, path: string, init: RequestInit): Promise<Batch> => {
    const response = await fetch(`${server.url}${ingestBasePath}/brands/${brand}/batches${path}`, {
      ...init,
      headers: {
        authorization: `Bearer ${keys.get(brand)}`,
        'content-type': 'application/x-ndjson',
        prefer: 'wait=30',
      },
    })
    if (!response.ok) throw new Error(`${brand}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Batch
  }
  const send = async (brand: string, body: Buffer): Promise<number> => {
    const began = performance.now()
    let batch = await ask(brand, '', { method: 'POST', body: new Uint8Array(body) })
    while (batch.finishedAt === null) {
      await wait(pauseMs)
      batch = await ask(brand, `/${batch.id}`, {})
    }
    if (batch.state !== 'committed') throw new Error(`${brand}: ${JSON.stringify(batch.problems)}`)
    return performance.now() - began
  }
  let isOver = false
  const sendSingles = async (until: () => boolean) => {
    const took: number[] = []
    for (let n = 0; !until(); n += 1) {
      took.push(await send(single, bodyOf([tagOf(n % 50, `single ${n}`)])))
      await wait(pauseMs)
    }
    return took.sort((a, b) => a - b)
  }
  const forSeconds = (length: number) => {
    const end = performance.now() + length * 1_000
    return () => performance.now() > end
  }
  const bodiesOf = (brand: string) =>
    ['one', 'two'].map((name) =>
      bodyOf(Array.from({ length: items }, (_, n) => tagOf(n, `${brand} ${name} ${n}`))),
    )
  try {
    await server.ready()
    await sendSingles(forSeconds(seconds / 4))
    const quiet = await sendSingles(forSeconds(seconds / 2))
    const bodies = new Map(large.map((brand) => [brand, bodiesOf(brand)] as const))
    // The first one adds the records; all later ones change each of them.
    for (const [brand, [first = Buffer.alloc(0)]] of bodies) await send(brand, first)
    const largest = bodies.get(large[0])?.[1] ?? Buffer.alloc(0)
    const aloneMs = await send(large[0], largest)
    log(
      `${engine}: quiet p99 ${percentile(quiet, 0.99).toFixed(0)} ms, a large batch ${aloneMs.toFixed(0)} ms`,
    )
    const times: number[] = []
    const sending = [...bodies].map(async ([brand, texts]) => {
      for (let n = 0; !isOver; n += 1) {
        times.push(await send(brand, texts[n % texts.length] ?? Buffer.alloc(0)))
      }
    })
    const took = await sendSingles(forSeconds(seconds))
    isOver = true
    await Promise.all(sending)
    return {
      quietP99Ms: percentile(quiet, 0.99),
      p50Ms: percentile(took, 0.5),
      p99Ms: percentile(took, 0.99),
      requests: took.length,
      batches: times.length,
      aloneMs,
      megabytes: largest.length / 1_000_000,
    }
  } finally {
    isOver = true
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
