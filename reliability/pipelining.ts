import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath } from '#contract'
import { imageFilesPath } from '#images'
import { cpuMsOf, privateMbOf, watchMemory } from '../bench/process-usage.ts'
import { median } from '../bench/statistics.ts'
import { openBrandsModel } from '../test/support/brands.ts'
import { check } from './check.ts'
import { type Flood, openFloods, openPlainServer, openProbe } from './pipelining/clients.ts'
import { openServingProcess, type ServingProcess } from './server-process.ts'

interface Size {
  readonly count: number
  readonly unreadMs: number
  readonly grownMbMax: number
  readonly healthMsMax: number
  /** Maximum CPU time of one event loop turn, which delays every other request. */
  readonly turnMsMax: number
  /** Maximum ratio of the CPU time of a request to that of plain `node:http`. */
  readonly timesMax: number
  /** CPU time of a request that is allowed beside that of plain `node:http`, in milliseconds. */
  readonly extraMsMax: number
}

export default check<Size>({
  id: 'R23',
  claim: 'A client without a key cannot exhaust the memory or the CPU of a server.',
  target:
    '1,000 concurrent requests for each path that needs no key, pipelined on one connection or on separate connections, read or left unread: memory grows by less than 50 MB, /healthz takes at most 50 ms, no turn of the event loop takes more than 50 ms of CPU time, and a request takes at most 3 times the CPU time that plain node:http takes to send as many bytes in the same way in the same run, or 0.2 ms more than it. What exceeds a limit is measured twice more, and the median counts.',
  earlierTarget: {
    target:
      'A request takes at most 0.3 ms of CPU time, plus 0.5 ms for each megabyte of its response that the kernel copies, or 0.8 ms if it is read from a file.',
    reason: 'These times depend on the processor: plain node:http exceeds them on some machines.',
  },
  sizes: {
    short: {
      count: 60,
      unreadMs: 50,
      grownMbMax: 50,
      healthMsMax: Number.POSITIVE_INFINITY,
      turnMsMax: 200,
      timesMax: 30,
      extraMsMax: 5,
    },
    full: {
      count: 1_000,
      unreadMs: 1_000,
      grownMbMax: 50,
      healthMsMax: 50,
      turnMsMax: 50,
      timesMax: 3,
      extraMsMax: 0.2,
    },
  },
  missing: async () =>
    privateMbOf(process.pid) ? undefined : 'it reads /proc, which is not here.',
  try: async (size, { log }) => {
    const { count, unreadMs } = size
    const serving = await openServingProcess(
      openBrandsModel(1),
      {
        LOG_LEVEL: 'error',
        CHANGE_FEED: 'on',
      },
      { hasMeter: true },
    )
    const { port } = new URL(serving.url)
    const floods = openFloods(port)
    const probe = await openProbe(port)
    const file = join(mkdtempSync(join(tmpdir(), 'selvedge-plain-')), 'large.png')
    writeFileSync(file, picture)
    const plain = await openPlainServer(file)
    const misses: string[] = []
    const worst = { grownMb: 0, healthMs: 0, turnMs: 0, times: 0 }
    let requests = 0
    try {
      const targets = await targetsOf(serving)
      for (const { lines } of targets) {
        await floods.run({ lines, count: 20, way: 'pipelined', reads: true, unreadMs: 0 })
      }
      const [, calm] = await probe.during(() => wait(unreadMs))
      const atRest = privateMbOf(serving.pid) ?? 0
      for (const { lines, bytes, isFile } of targets) {
        for (const way of ['pipelined', 'parallel'] as const) {
          for (const reads of [true, false]) {
            const flood: Flood = { lines, count, way, reads, unreadMs }
            const plainFlood = { ...flood, lines: [`GET /${isFile ? 'file' : bytes} HTTP/1.1`] }
            const what = `${count} × ${lines.join(', ').slice(0, 80)}, ${way}, ${reads ? 'read' : 'unread'}`
            const measure = async (): Promise<Figures> => {
              const before = privateMbOf(serving.pid) ?? 0
              const [plainMs] = await cpuDuring(plain.pid, () => plain.run(plainFlood))
              const memory = watchMemory([serving.pid], 10)
              const [cpuMs, [[outcome, { slowestMs: healthMs }], turnMs]] = await cpuDuring(
                serving.pid,
                () => serving.busyDuring(() => probe.during(() => floods.run(flood))),
              )
              const grownMb = memory.stop() - before
              const times = cpuMs / plainMs
              requests += count
              const answers = Object.entries(outcome.statuses).map((each) => each.join(': '))
              log(
                `${what}: ${grownMb} MB, health ${healthMs.toFixed(0)} ms, turn ${turnMs.toFixed(1)} ms, ${(cpuMs / count).toFixed(2)} ms each, ${times.toFixed(1)} times plain node:http; ${answers.join(', ')}`,
              )
              if (outcome.broken > 0) misses.push(`${what}: ${outcome.broken} connections broke.`)
              if (outcome.statuses['500']) misses.push(`${what}: ${outcome.statuses['500']} × 500.`)
              return { grownMb, healthMs, turnMs, times, extraMs: (cpuMs - plainMs) / count }
            }
            const first = await measure()
            const figures =
              exceeded(first, size).length === 0
                ? first
                : mediansOf([first, await measure(), await measure()])
            worst.grownMb = Math.max(worst.grownMb, figures.grownMb)
            worst.healthMs = Math.max(worst.healthMs, figures.healthMs)
            worst.turnMs = Math.max(worst.turnMs, figures.turnMs)
            if (figures.extraMs > size.extraMsMax) {
              worst.times = Math.max(worst.times, figures.times)
            }
            for (const each of exceeded(figures, size)) misses.push(`${what}: ${each}`)
          }
        }
      }
      const endedMb = privateMbOf(serving.pid) ?? 0
      return {
        measured: `${requests.toLocaleString('en')} requests for ${targets.length} paths, ${count.toLocaleString('en')} concurrent: private memory grew by at most ${worst.grownMb} MB (from ${atRest} to ${endedMb} MB over all of them), /healthz took at most ${worst.healthMs.toFixed(0)} ms (${calm.slowestMs.toFixed(0)} ms without them; load of the machine ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} CPUs), a turn of the event loop at most ${worst.turnMs.toFixed(0)} ms of CPU time, a request at most ${worst.times.toFixed(1)} times that of plain node:http, or 0.2 ms more.`,
        counts: {
          requests,
          grownMb: worst.grownMb,
          healthMs: Math.ceil(worst.healthMs),
          turnMs: Math.ceil(worst.turnMs),
          cpuTimesTenths: Math.round(worst.times * 10),
        },
        misses,
      }
    } finally {
      await plain.close()
      rmSync(dirname(file), { recursive: true })
      await probe.close()
      await floods.close()
      await serving.close()
    }
  },
})

interface Figures {
  readonly grownMb: number
  readonly healthMs: number
  readonly turnMs: number
  readonly times: number
  readonly extraMs: number
}

/** What exceeds its limit, in sentences. */
const exceeded = (figures: Figures, size: Size): readonly string[] => {
  const { grownMb, healthMs, turnMs, times, extraMs } = figures
  return [
    grownMb > size.grownMbMax && `memory grew by ${grownMb} MB.`,
    healthMs > size.healthMsMax && `/healthz took ${healthMs.toFixed(0)} ms.`,
    turnMs > size.turnMsMax && `a turn of the event loop took ${turnMs.toFixed(0)} ms.`,
    times > size.timesMax &&
      extraMs > size.extraMsMax &&
      `${times.toFixed(1)} times the CPU time of plain node:http.`,
  ].filter((each) => each !== false)
}

/** The kernel counts CPU time in steps of 10 ms, so that one flood can be off by a fifth. */
const mediansOf = (all: readonly Figures[]): Figures => {
  const of = (name: keyof Figures) => median(all.map((each) => each[name]))
  return {
    grownMb: of('grownMb'),
    healthMs: of('healthMs'),
    turnMs: of('turnMs'),
    times: of('times'),
    extraMs: of('extraMs'),
  }
}

interface Target {
  readonly lines: readonly string[]
  /** The length of its response. */
  readonly bytes: number
  /** Whether each response is read from a file. */
  readonly isFile: boolean
}

/** Every target that needs no key. */
const targetsOf = async (serving: ServingProcess): Promise<readonly Target[]> => {
  const page = await (await fetch(`${serving.url}/docs`)).text()
  const assets = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path)
  const script = await (
    await fetch(serving.url + assets.find((path) => path?.endsWith('.js')))
  ).text()
  const viewer = /viewer-[\w-]+\.js/.exec(script)?.[0]
  if (!viewer) throw new RangeError('The script of the reference was not found.')
  const read: readonly (readonly [path: string, ...encodings: string[]])[] = [
    [`${basePath}/openapi.json`, 'identity', 'gzip', 'br'],
    ['/api/feed/v1/openapi.json', 'identity', 'br'],
    ['/llms.txt', 'identity', 'br'],
    [`/assets/${viewer}`, 'identity', 'br'],
    ['/', 'identity'],
    ['/docs', 'br'],
    ['/brands/aldermoor/orders', 'identity'],
    ['/healthz', 'identity'],
    ['/readyz', 'identity'],
    ['/whoami', 'identity'],
    ['/nosuchpage', 'identity'],
    [`${basePath}/brands/aldermoor/orders`, 'identity'],
    [await linkOf(serving), 'identity'],
  ]
  const targets = read.flatMap(([path, ...encodings]) =>
    encodings.map((encoding) => [`GET ${path} HTTP/1.1`, `Accept-Encoding: ${encoding}`]),
  )
  const all = [...targets, ['POST / HTTP/1.1', 'Content-Length: 0'], ['GET /mcp HTTP/1.1']]
  return Promise.all(
    all.map(async (lines) => {
      const [method = '', path = ''] = lines[0]?.split(' ') ?? []
      const encoding = lines[1]?.split(': ')[1] ?? ''
      const headers = { 'accept-encoding': encoding }
      const response = await fetch(serving.url + path, { method, headers })
      await response.body?.cancel()
      const bytes = Number(response.headers.get('content-length'))
      return { lines, bytes, isFile: path.startsWith(imageFilesPath) }
    }),
  )
}

/** Runs work and also returns the CPU time of a process meanwhile, in milliseconds. */
const cpuDuring = async <T>(pid: number, work: () => Promise<T>): Promise<readonly [number, T]> => {
  const before = cpuMsOf([pid]) ?? 0
  const result = await work()
  return [(cpuMsOf([pid]) ?? 0) - before, result]
}

const picture = randomBytes(4 * 2 ** 20)
const pictureRecord = {
  brand: 'aldermoor',
  id: '5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01',
  mimeType: 'image/png',
  fileName: 'large.png',
}

/** The link to a picture of four megabytes, which needs no key. */
const linkOf = async ({ images }: ServingProcess): Promise<string> => {
  await images.put(pictureRecord, picture)
  const link = await images.link(pictureRecord)
  if (!link) throw new RangeError('The picture was not found.')
  const { pathname, search } = new URL(link.url)
  return pathname + search
}
