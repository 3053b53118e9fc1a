import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { openRecords, readServiceConfig } from '#server'
import { privateMbOf } from '../bench/process-usage.ts'
import { percentile } from '../bench/statistics.ts'
import { type Cluster, startCluster } from '../test/support/cluster.ts'
import { bodyOf, putItem, storyItems } from '../test/support/queue.ts'
import {
  type Attack,
  type Attackers,
  dripSigned,
  dripWithKeys,
  sendLarge,
} from './bodies/attacks.ts'
import { check, type Task } from './check.ts'
import { type Engine, engineNames, forEngines, onEngine } from './engine.ts'
import { importRecords } from './importing.ts'

interface Size {
  readonly seconds: number
  /** Maximum ratio of the p99 of the innocent sender to its quiet value. */
  readonly timesMax: number
  /** What is allowed in any case, in milliseconds more. */
  readonly extraMsMax: number
  /** Decompressed bytes of a large body. */
  readonly largeBytes: number
  /** Maximum private memory of the ingest process. */
  readonly memoryMbMax: number
}

/** Quiet and attacked phases alternate, so that what else the machine does adds to both. */
const rounds = 3

/** Each occupies all bodies that the two attackers may have. */
const attacks: Readonly<Record<string, (attackers: Attackers, largeBytes: number) => Attack>> = {
  'signed bodies of two addresses that send one byte a second': dripSigned,
  'bodies of two keys that send one byte a second': dripWithKeys,
  'bodies of two keys with 16 MB in gzip': sendLarge,
}

export default check<Size>({
  id: 'R40',
  claim: 'Slow and large bodies of some senders neither stop other senders nor fill the memory.',
  target:
    'Two attackers with 8 bodies each, all the time: signed ones of two addresses without the secret at one byte a second, ones of two keys at one byte a second, and ones of two keys with 16 MB in gzip. Meanwhile a key of another brand sends a batch every 20 ms: none is refused, and its p99 until the response is at most 3 times its value without them, or 50 ms more. Every large body gets a response, and the private memory of the ingest process stays below 512 MB. With WORKERS=2, on SQLite and on PostgreSQL.',
  earlierTarget: {
    target:
      'The p99 is at most 3 times its value without them, and the private memory stays below 300 MB.',
    reason:
      'Without them it is 8 ms, and three threads that read and store bodies of 16 MB share two processors with the sender. Each thread that stores or reads large batches has a heap of its own; with less memory than 1 GB, fewer batches are stored at once.',
  },
  sizes: {
    short: { seconds: 2, timesMax: Infinity, extraMsMax: 0, largeBytes: 2 ** 21, memoryMbMax: 500 },
    full: { seconds: 15, timesMax: 3, extraMsMax: 50, largeBytes: 2 ** 24, memoryMbMax: 512 },
  },
  missing: async () =>
    privateMbOf(process.pid) ? undefined : 'it reads /proc, which is not here.',
  try: async (size, task) => {
    const results = await forEngines((engine) =>
      onEngine(engine, (databaseUrl) => measureOn(engine, databaseUrl, size, task)),
    )
    return {
      measured: results.map(({ measured }) => measured).join(' '),
      counts: Object.assign({}, ...results.map(({ counts }) => counts)),
      misses: results.flatMap(({ misses }) => misses),
    }
  },
})

const measureOn = async (
  engine: Engine,
  databaseUrl: string | undefined,
  { seconds, timesMax, extraMsMax, largeBytes, memoryMbMax }: Size,
  { log }: Task,
) => {
  const cluster = await startCluster({
    ...{ WORKERS: '2', LOG_LEVEL: 'error', INGEST_PORT: '0', TRUSTED_PROXIES: '127.0.0.1' },
    // The rate of a body is checked within a round.
    INGEST_BODY_SECONDS: '9',
    ...{ INGEST_RATE_PER_SECOND: '1000000', INGEST_RATE_BURST: '1000000' },
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  })
  const misses: string[] = []
  const counts: Record<string, number> = {}
  const memory = watchAll(cluster)
  try {
    const { attackers, innocent } = await openSenders(cluster)
    await innocent(seconds / 4)
    const measured: string[] = []
    for (const [index, [what, begin]] of Object.entries(attacks).entries()) {
      const quietRounds: Sent[] = []
      const attackedRounds: Sent[] = []
      let [requests, unanswered] = [0, 0]
      for (let round = 0; round < rounds; round += 1) {
        quietRounds.push(await innocent(seconds / rounds))
        const attack = begin(attackers, largeBytes)
        // The attackers have their bodies first.
        await wait(500)
        attackedRounds.push(await innocent(seconds / rounds))
        const result = await attack.stop()
        requests += result.requests
        unanswered += result.unanswered
      }
      const [quiet, attacked] = [joinSent(quietRounds), joinSent(attackedRounds)]
      measured.push(
        `${quiet.p99Ms.toFixed(1)} ms without and ${attacked.p99Ms.toFixed(1)} ms with ${requests} ${what}, ${attacked.refused} of ${attacked.requests} refused`,
      )
      log(`${engine}: ${measured.at(-1)}; ${memory.peakMb()} MB`)
      counts[`${engine}Quiet${index + 1}P99Us`] = Math.round(quiet.p99Ms * 1_000)
      counts[`${engine}Attack${index + 1}P99Us`] = Math.round(attacked.p99Ms * 1_000)
      counts[`${engine}Attack${index + 1}Refused`] = attacked.refused
      if (attacked.refused > 0) misses.push(`${attacked.refused} batches refused beside ${what}.`)
      if (unanswered > 0) misses.push(`${unanswered} ${what} got no response.`)
      if (attacked.p99Ms > Math.max(quiet.p99Ms * timesMax, quiet.p99Ms + extraMsMax)) {
        misses.push(`The p99 was ${attacked.p99Ms.toFixed(1)} ms beside ${what}.`)
      }
    }
    const [peakMb, ingestPeakMb] = [memory.peakMb(), memory.ingestPeakMb()]
    if (ingestPeakMb > memoryMbMax) misses.push(`${ingestPeakMb} MB of memory.`)
    Object.assign(counts, {
      [`${engine}PeakMb`]: peakMb,
      [`${engine}IngestPeakMb`]: ingestPeakMb,
    })
    return {
      measured: `${engineNames[engine]}: p99 ${measured.join('; ')}; private memory of the ingest process at most ${ingestPeakMb} MB, ${peakMb} MB with the other processes.`,
      counts,
      misses: misses.map((each) => `${engineNames[engine]}: ${each}`),
    }
  } finally {
    memory.stop()
    await cluster.close()
  }
}

/** The private memory of all processes of a server. */
const watchAll = (cluster: Cluster) => {
  let [peakMb, ingestPeakMb] = [0, 0]
  const timer = setInterval(() => {
    const ingestMb = privateMbOf(cluster.ingest() ?? 0) ?? 0
    const others = [cluster.supervisor.pid ?? 0, ...cluster.workers()]
    const sumMb = others.reduce((sum, pid) => sum + (privateMbOf(pid) ?? 0), ingestMb)
    peakMb = Math.max(peakMb, sumMb)
    ingestPeakMb = Math.max(ingestPeakMb, ingestMb)
  }, 50)
  return {
    peakMb: () => peakMb,
    ingestPeakMb: () => ingestPeakMb,
    stop: () => clearInterval(timer),
  }
}

const otherBrand = 'innocent'

/** The attackers, and a sender of another brand. */
const openSenders = async (cluster: Cluster) => {
  const { databaseUrl, ingestUrl } = cluster
  const records = await openRecords(readServiceConfig({ DATABASE_URL: databaseUrl }))
  const [story] = storyItems.filter(({ collection }) => collection === 'brand')
  const brand = String(story?.record?.['slug'])
  await importRecords(records.store, {
    owner: otherBrand,
    collection: 'brand',
    records: [{ ...story?.record, slug: otherBrand }],
  })
  const issue = (of: string, webhook = false) =>
    records.keys.issue({
      ...{ name: 'sender', kind: 'ingest', brands: [of], global: false, webhook },
      ...{ expiresAt: null, perSecond: null, burst: null },
    })
  const keys = [(await issue(brand)).key, (await issue(brand)).key]
  const { id: signerId } = await issue(brand, true)
  const { key } = await issue(otherBrand)
  await records.close()
  const url = (of: string) => `${ingestUrl}/brands/${of}/batches`
  return {
    attackers: { url: url(brand), keys, signerId },
    innocent: (seconds: number) => sendFor(seconds, url(otherBrand), key),
  }
}

const pauseMs = 20

/** Batches that were sent: the time until each response, and how many were refused. */
interface Sent {
  readonly tookMs: readonly number[]
  readonly refused: number
}

const joinSent = (rounds: readonly Sent[]) => {
  const tookMs = rounds.flatMap((each) => each.tookMs).sort((a, b) => a - b)
  const refused = rounds.reduce((sum, each) => sum + each.refused, 0)
  return { p99Ms: percentile(tookMs, 0.99), requests: tookMs.length, refused }
}

/** Sends batches of one item, one after the other. */
const sendFor = async (seconds: number, url: string, key: string): Promise<Sent> => {
  const agent = new Agent({ keepAlive: true })
  const tag = storyItems.find(({ collection }) => collection === 'tags')?.record
  const body = bodyOf([putItem('tags', tag as never)])
  const tookMs: number[] = []
  let refused = 0
  const until = performance.now() + seconds * 1_000
  while (performance.now() < until) {
    const began = performance.now()
    const status = await new Promise<number>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/x-ndjson',
        'content-length': body.length,
      }
      const sent = request(url, { agent, headers, method: 'POST' }, (response) =>
        response.resume().once('end', () => resolve(response.statusCode ?? 0)),
      )
      sent.once('error', reject)
      sent.end(body)
    })
    tookMs.push(performance.now() - began)
    if (status !== 202) refused += 1
    await wait(pauseMs)
  }
  agent.destroy()
  return { tookMs, refused }
}
