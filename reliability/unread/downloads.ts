import { setTimeout as wait } from 'node:timers/promises'
import { ingestBasePath, queryBasePath } from '#contract'
import { startCluster } from '../../test/support/cluster.ts'
import { openSandbox } from '../../test/support/command.ts'
import { download } from '../../test/support/download.ts'
import { idOf, recordsAt } from '../../test/support/model.ts'
import { bodyOf, putItem } from '../../test/support/queue.ts'
import { check } from '../check.ts'
import { type Engine, engineNames, forEngines, onEngine } from '../engine.ts'
import { openHeldSpace } from './held-space.ts'
import { openSlowDownloads } from './slow-downloads.ts'

interface Size {
  readonly seconds: number
}

/** The limits of the documentation, in the units of `HeldSpace`, and the seconds of a download. */
const heldMax = { sqlite: 500, postgres: 250 }
const ageSeconds = 60
/** Looks are a second apart, and a busy machine delays them. */
const lateSeconds = 5
const sampleMs = 250

/** Records that an attacker downloads: more than sockets hold. */
const [largeCount, largeText] = [4_000, 'x'.repeat(8_000)]
/** Records of one batch. */
const batchCount = 1_000

/** What one engine did. */
interface Attack {
  readonly engine: Engine
  readonly heldMost: number
  readonly heldBound: number
  /** Downloads of both attackers at once, before the server ends any. */
  readonly atOnce: number
  readonly batches: number
  readonly innocent: { readonly succeeded: number; readonly refused: number }
  /** The longest time without a download of the innocent key. */
  readonly gapSeconds: number
}

export default check<Size>({
  id: 'R24',
  claim: 'Slow downloads neither let a database grow without end nor keep others from downloading.',
  target:
    'Two keys hold as many slow downloads as they get beside a sender, with 2 workers: the WAL of SQLite stays below 500 MB, what is written in a minute and the largest write; on PostgreSQL no snapshot holds more than 250,000 replaced rows, what is replaced in a minute and the largest batch; the two keys have at most 3 of 4 slots, and another key can download, at the latest after 65 s.',
  sizes: { short: { seconds: 4 }, full: { seconds: 240 } },
  try: async ({ seconds }, { log }) => {
    const attacks = await forEngines((engine) =>
      onEngine(engine, (databaseUrl) => attack(engine, databaseUrl, seconds, log)),
    )
    return {
      measured: attacks.map(sentenceOf).join(' '),
      counts: Object.fromEntries(
        attacks.flatMap(({ engine, heldMost, batches, innocent, gapSeconds }) => [
          [`${engine}Held`, Math.round(heldMost)],
          [`${engine}Batches`, batches],
          [`${engine}Downloads`, innocent.succeeded],
          [`${engine}Refused`, innocent.refused],
          [`${engine}GapMs`, Math.round(gapSeconds * 1_000)],
        ]),
      ),
      misses: attacks.flatMap(missesOf),
    }
  },
})

const unitOf = { sqlite: 'MB of WAL', postgres: 'thousand replaced rows' }

const sentenceOf = (each: Attack): string =>
  `${engineNames[each.engine]}: at most ${each.heldMost.toFixed(0)} ${unitOf[each.engine]} were held beside ${each.batches} batches, ${each.atOnce} slow downloads at once; of another key ${each.innocent.succeeded} downloads succeeded and ${each.innocent.refused} were refused, for at most ${each.gapSeconds.toFixed(0)} s in a row.`

const missesOf = (each: Attack): readonly string[] => {
  const name = engineNames[each.engine]
  const misses: string[] = []
  if (each.heldMost > each.heldBound) {
    misses.push(`${name}: ${each.heldMost.toFixed(0)} ${unitOf[each.engine]} were held.`)
  }
  if (each.atOnce > 3) misses.push(`${name}: two keys had ${each.atOnce} downloads at once.`)
  if (each.atOnce === 0 || each.batches === 0) misses.push(`${name}: there was no attack.`)
  if (each.gapSeconds > ageSeconds + lateSeconds || each.innocent.succeeded === 0) {
    misses.push(`${name}: another key could not download for ${each.gapSeconds.toFixed(0)} s.`)
  }
  return misses
}

const attack = async (
  engine: Engine,
  databaseUrl: string | undefined,
  seconds: number,
  log: (sentence: string) => void,
): Promise<Attack> => {
  const cluster = await startCluster({
    ...{ WORKERS: '2', INGEST_PORT: '0', LOG_LEVEL: 'error' },
    ...{ INGEST_RATE_PER_SECOND: '1000', CHANGE_FEED: 'on', ROW_SECURITY: 'optional' },
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  })
  const commands = openSandbox(cluster.databaseUrl)
  const brand = 'aldermoor'
  const issue = async (...options: readonly string[]) =>
    (await commands.run(['keys', 'issue', '--brand', brand, ...options])).stdout.trim()
  const [first, second, other, sending] = [
    await issue(),
    await issue(),
    await issue(),
    await issue('--ingest'),
  ]
  const { origin } = new URL(cluster.ingestUrl)
  const sender = createSender(`${origin}${ingestBasePath}/brands/${brand}/batches`, sending)
  const held = await openHeldSpace(cluster.databaseUrl)
  try {
    for (let from = 0; from < largeCount; from += batchCount) {
      await sender.send(batchOf(from + 1, `${from} ${largeText}`))
    }
    const lists = `${cluster.url}${queryBasePath}/brands/${brand}`
    const slow = [first, second].map((key) =>
      openSlowDownloads(`${lists}/tags/download?format=ndjson`, key, 3),
    )
    const until = performance.now() + seconds * 1_000
    const isOver = () => performance.now() > until
    const [atOnce, samples, others, batches] = await Promise.all([
      wait(Math.min(seconds / 2, ageSeconds / 2) * 1_000).then(() =>
        slow.reduce((sum, { open }) => sum + open, 0),
      ),
      sample(held, isOver, log),
      askAgain(`${lists}/suppliers/download?format=csv`, other, isOver),
      sendUntil(sender, isOver),
    ])
    log(
      `${engineNames[engine]}: ${slow.map((each) => `${each.begun} downloads, the longest ${each.longestSeconds.toFixed(0)} s`).join('; ')}`,
    )
    await Promise.all(slow.map((each) => each.close()))
    const heldBound = heldMax[engine] + samples.mostInAMinute + samples.mostAtOnce
    return { engine, heldMost: samples.most, heldBound, atOnce, batches, ...others }
  } finally {
    await held.close()
    await cluster.close()
    commands.close()
  }
}

const batchOf = (from: number, name: string): Buffer => {
  const [tag] = recordsAt('tags')
  return bodyOf(
    Array.from({ length: batchCount }, (_, index) =>
      putItem('tags', {
        ...{ ...tag, id: idOf(from + index), code: `t${from + index}` },
        name: `${name} ${from + index}`,
      } as never),
    ),
  )
}

/** Sends batches over HTTP, and waits until each is stored. */
const createSender = (url: string, key: string) => {
  let sent = 0
  return {
    send: async (body: Buffer): Promise<void> => {
      sent += 1
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/x-ndjson',
          'idempotency-key': `downloads-${sent}`,
          prefer: 'wait=30',
        },
        body: String(body),
      })
      const text = await response.text()
      if (response.status >= 400) throw new Error(`A batch was answered with ${text}`)
    },
  }
}

/** Replaces the same records again and again. */
const sendUntil = async (
  { send }: ReturnType<typeof createSender>,
  isOver: () => boolean,
): Promise<number> => {
  let batches = 0
  for (; !isOver(); batches += 1) {
    await send(batchOf(1_000_000, `${batches} ${'y'.repeat(1_000)}`))
  }
  return batches
}

/** The most that was held, and the most that it grew at once and in a minute. */
const sample = async (
  { read }: { read(): Promise<number> },
  isOver: () => boolean,
  log: (sentence: string) => void,
) => {
  const growths: number[] = []
  const inAMinute = ((ageSeconds + lateSeconds) * 1_000) / sampleMs
  let [last, most, mostAtOnce, mostInAMinute] = [await read(), 0, 0, 0]
  while (!isOver()) {
    const now = await read()
    const growth = Math.max(0, now - last)
    growths.push(growth)
    if (growths.length > inAMinute) growths.shift()
    mostAtOnce = Math.max(mostAtOnce, growth)
    mostInAMinute = Math.max(
      mostInAMinute,
      growths.reduce((sum, each) => sum + each, 0),
    )
    if (now < last / 2 && last > 50) log(`released at ${last.toFixed(0)}`)
    most = Math.max(most, now)
    last = now
    await wait(sampleMs)
  }
  return { most, mostAtOnce, mostInAMinute }
}

/** Downloads a short list every second. */
const askAgain = async (url: string, key: string, isOver: () => boolean) => {
  let [succeeded, refused, gapMs] = [0, 0, 0]
  let lastAt = performance.now()
  while (!isOver()) {
    const { status, isComplete } = await download(url, { key })
    if (status === 200 && isComplete) {
      succeeded += 1
      lastAt = performance.now()
    } else refused += 1
    gapMs = Math.max(gapMs, performance.now() - lastAt)
    await wait(1_000)
  }
  return { innocent: { succeeded, refused }, gapSeconds: gapMs / 1_000 }
}
