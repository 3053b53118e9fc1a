import { startCluster } from '../test/support/cluster.ts'
import { check } from './check.ts'
import { openMixedLoad } from './soak/load.ts'
import type { Slice } from './soak/requests.ts'

interface Size {
  readonly slices: number
  readonly sliceSeconds: number
  readonly warmSeconds: number
  readonly requests: number
  /** Maximum heap growth in bytes per million requests. */
  readonly growth: number
  /** Maximum slowdown from the first slice to the last. */
  readonly slower: number
}

interface Looked {
  readonly heapUsed: number
  readonly handles: number
}

const connections = 16
const mega = 1_000_000

export default check<Size>({
  id: 'R14',
  claim: 'Neither memory nor latency grows over time.',
  target:
    '10 minutes and at least 3 million requests of every kind: the heap after garbage collection grows by less than 1 MB per million requests, the number of handles does not grow, and the p99 latency of the last minute is at most 1.1 times that of the first.',
  sizes: {
    short: {
      slices: 2,
      sliceSeconds: 1.5,
      warmSeconds: 1,
      requests: 100,
      growth: Infinity,
      slower: Infinity,
    },
    full: {
      slices: 9,
      sliceSeconds: 60,
      warmSeconds: 45,
      requests: 3 * mega,
      growth: mega,
      slower: 1.1,
    },
  },
  try: async (size, { seed, log }) => {
    const cluster = await startCluster({
      WORKERS: '1',
      LOG_LEVEL: 'error',
      NODE_OPTIONS: `--import=${new URL('soak/probe.ts', import.meta.url)}`,
    })
    const load = await openMixedLoad(cluster, { seed, connections })
    let looks = 0
    const look = async (): Promise<Looked> => {
      looks += 1
      cluster.supervisor.kill('SIGUSR2')
      await cluster.says(new RegExp(`probe ${looks}: .*\\n`))
      return JSON.parse(new RegExp(`probe ${looks}: (.*)\\n`).exec(cluster.said())?.[1] ?? '')
    }
    const slices: Slice[] = []
    const looked: Looked[] = []
    try {
      slices.push(await load.askFor(size.warmSeconds))
      looked.push(await look())
      for (let count = 0; count < size.slices; count += 1) {
        const slice = await load.askFor(size.sliceSeconds)
        slices.push(slice)
        const now = await look()
        looked.push(now)
        log(
          `${count + 1} of ${size.slices}: ${slice.requests} requests, p99 ${slice.p99Ms.toFixed(2)} ms, heap ${(now.heapUsed / mega).toFixed(1)} MB, ${now.handles} handles`,
        )
      }
    } finally {
      await load.close()
      await cluster.close()
    }
    const [warm, first, ...rest] = slices
    const last = rest.at(-1)
    const [begin] = looked
    const end = looked.at(-1)
    if (!warm || !first || !last || !begin || !end) throw new Error('Nothing was measured.')
    const requests = slices.reduce((sum, each) => sum + each.requests, 0)
    const wrong = slices.reduce((sum, each) => sum + each.wrong, 0)
    const measuredRequests = requests - warm.requests
    const growth = slopeOf(slices.slice(1), looked) * mega
    const slower = last.p99Ms / first.p99Ms
    const misses = slices.flatMap(({ examples }) => examples)
    if (requests < size.requests) misses.push(`There were only ${requests} requests.`)
    if (growth >= size.growth) {
      misses.push(`The heap grew by ${(growth / mega).toFixed(2)} MB per million requests.`)
    }
    if (end.handles > begin.handles + 2) {
      misses.push(`There were ${begin.handles} handles, and ${end.handles} in the end.`)
    }
    if (slower > size.slower) {
      misses.push(
        `The p99 was ${first.p99Ms.toFixed(2)} ms at first, ${last.p99Ms.toFixed(2)} last.`,
      )
    }
    return {
      measured: `${requests.toLocaleString('en')} requests, ${wrong} wrong responses: the heap went from ${(begin.heapUsed / mega).toFixed(1)} to ${(end.heapUsed / mega).toFixed(1)} MB, ${(growth / mega).toFixed(2)} MB per million; handles from ${begin.handles} to ${end.handles}; p99 from ${first.p99Ms.toFixed(2)} to ${last.p99Ms.toFixed(2)} ms.`,
      counts: {
        requests,
        measuredRequests,
        wrong,
        heapBefore: begin.heapUsed,
        heapAfter: end.heapUsed,
        growthPerMillion: Math.round(growth),
        handlesBefore: begin.handles,
        handlesAfter: end.handles,
        firstP99Us: Math.round(first.p99Ms * 1_000),
        lastP99Us: Math.round(last.p99Ms * 1_000),
      },
      misses,
    }
  },
})

/** Heap bytes per request, by linear regression over all samples. */
const slopeOf = (slices: readonly Slice[], looked: readonly Looked[]): number => {
  const points = looked.map(({ heapUsed }, index) => ({
    x: slices.slice(0, index).reduce((sum, { requests }) => sum + requests, 0),
    y: heapUsed,
  }))
  const mean = (of: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [mx, my] = [mean(({ x }) => x), mean(({ y }) => y)]
  const spread = mean(({ x }) => (x - mx) ** 2)
  return spread === 0 ? 0 : mean(({ x, y }) => (x - mx) * (y - my)) / spread
}
