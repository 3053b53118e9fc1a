import { randomBytes } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath } from '#contract'
import { imageFilesPath } from '#images'
import { cpuMsOf, privateMbOf, watchMemory } from '../bench/process-usage.ts'
import { openBrandsModel } from '../test/support/brands.ts'
import { check } from './check.ts'
import { type Flood, openFloods, openProbe } from './pipelining/clients.ts'
import { openServingProcess, type ServingProcess } from './server-process.ts'

interface Size {
  readonly count: number
  readonly unreadMs: number
  readonly grownMbMax: number
  readonly healthMsMax: number
  /** Maximum CPU time of one event loop turn, which delays every other request. */
  readonly turnMsMax: number
  /** Maximum CPU time of a request, and of each megabyte of its response. */
  readonly cpuMsMax: number
  readonly cpuMsOfMegabyte: number
  /** Maximum CPU time of a megabyte read from a file. */
  readonly cpuMsOfFileMegabyte: number
}

export default check<Size>({
  id: 'R23',
  claim: 'A client without a key cannot exhaust the memory or the CPU of a server.',
  target:
    '1,000 concurrent requests for each path that needs no key, pipelined on one connection or on separate connections, read or left unread: memory grows by less than 50 MB, /healthz takes at most 50 ms, no turn of the event loop takes more than 50 ms of CPU time, and a request takes at most 0.3 ms, plus 0.5 ms for each megabyte of its response that the kernel copies, or 0.8 ms if it is read from a file.',
  sizes: {
    short: {
      count: 60,
      unreadMs: 50,
      grownMbMax: 50,
      healthMsMax: Number.POSITIVE_INFINITY,
      turnMsMax: 200,
      cpuMsMax: 5,
      cpuMsOfMegabyte: 5,
      cpuMsOfFileMegabyte: 8,
    },
    full: {
      count: 1_000,
      unreadMs: 1_000,
      grownMbMax: 50,
      healthMsMax: 50,
      turnMsMax: 50,
      cpuMsMax: 0.3,
      cpuMsOfMegabyte: 0.5,
      cpuMsOfFileMegabyte: 0.8,
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
    const misses: string[] = []
    const worst = { grownMb: 0, healthMs: 0, turnMs: 0, cpuMs: 0 }
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
            const before = privateMbOf(serving.pid) ?? 0
            const cpuBefore = cpuMsOf([serving.pid]) ?? 0
            const memory = watchMemory([serving.pid], 10)
            const [[outcome, health], turnMs] = await serving.busyDuring(() =>
              probe.during(() => floods.run(flood)),
            )
            const grownMb = memory.stop() - before
            const cpuMs = ((cpuMsOf([serving.pid]) ?? 0) - cpuBefore) / count
            requests += count
            const what = `${count} × ${lines.join(', ').slice(0, 80)}, ${way}, ${reads ? 'read' : 'unread'}`
            const answers = Object.entries(outcome.statuses).map((each) => each.join(': '))
            log(
              `${what}: ${grownMb} MB, health ${health.slowestMs.toFixed(0)} ms, turn ${turnMs.toFixed(1)} ms, ${cpuMs.toFixed(2)} ms each; ${answers.join(', ')}`,
            )
            worst.grownMb = Math.max(worst.grownMb, grownMb)
            worst.healthMs = Math.max(worst.healthMs, health.slowestMs)
            const perMegabyte = isFile ? size.cpuMsOfFileMegabyte : size.cpuMsOfMegabyte
            const cpuMax = size.cpuMsMax + (perMegabyte * bytes) / 2 ** 20
            worst.turnMs = Math.max(worst.turnMs, turnMs)
            if (bytes < 2 ** 20) worst.cpuMs = Math.max(worst.cpuMs, cpuMs)
            if (grownMb > size.grownMbMax) misses.push(`${what}: memory grew by ${grownMb} MB.`)
            if (health.slowestMs > size.healthMsMax) {
              misses.push(`${what}: /healthz took ${health.slowestMs.toFixed(0)} ms.`)
            }
            if (turnMs > size.turnMsMax) {
              misses.push(`${what}: a turn of the event loop took ${turnMs.toFixed(0)} ms.`)
            }
            if (cpuMs > cpuMax) {
              misses.push(`${what}: ${cpuMs.toFixed(2)} ms each, at most ${cpuMax.toFixed(2)}.`)
            }
            if (outcome.broken > 0) misses.push(`${what}: ${outcome.broken} connections broke.`)
            if (outcome.statuses['500']) misses.push(`${what}: ${outcome.statuses['500']} × 500.`)
          }
        }
      }
      const endedMb = privateMbOf(serving.pid) ?? 0
      return {
        measured: `${requests.toLocaleString('en')} requests for ${targets.length} paths, ${count.toLocaleString('en')} concurrent: private memory grew by at most ${worst.grownMb} MB (from ${atRest} to ${endedMb} MB over all of them), /healthz took at most ${worst.healthMs.toFixed(0)} ms (${calm.slowestMs.toFixed(0)} ms without them; load of the machine ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} CPUs), a turn of the event loop at most ${worst.turnMs.toFixed(0)} ms of CPU time, a request with a response below a megabyte at most ${worst.cpuMs.toFixed(2)} ms of CPU time.`,
        counts: {
          requests,
          grownMb: worst.grownMb,
          healthMs: Math.ceil(worst.healthMs),
          turnMs: Math.ceil(worst.turnMs),
          cpuUs: Math.round(worst.cpuMs * 1_000),
        },
        misses,
      }
    } finally {
      await probe.close()
      await floods.close()
      await serving.close()
    }
  },
})

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

const picture = {
  brand: 'aldermoor',
  id: '5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01',
  mimeType: 'image/png',
  fileName: 'large.png',
}

/** The link to a picture of four megabytes, which needs no key. */
const linkOf = async ({ images }: ServingProcess): Promise<string> => {
  await images.put(picture, randomBytes(4 * 2 ** 20))
  const link = await images.link(picture)
  if (!link) throw new RangeError('The picture was not found.')
  const { pathname, search } = new URL(link.url)
  return pathname + search
}
