import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath } from '#contract'
import { openRecords } from '#server'
import { freePort } from '../../test/support/postgres.ts'
import { importShared, storyBrand, storyItems } from '../../test/support/queue.ts'
import { importRecords } from '../importing.ts'
import { batchOf, codeOf, createSender, missesOf, type SentBatch } from '../ingest-kill/senders.ts'
import { openServedIngest } from '../ingest-kill/served-ingest.ts'
import { ask, openPair, type Pair } from './pair.ts'

export interface Round {
  readonly events: number
  readonly returns: number
  readonly batches: number
  readonly reads: number
  readonly misses: readonly string[]
}

export interface RoundOptions {
  readonly events: number
  readonly senders: number
  readonly draw: (below: number) => number
}

const pauseMs = 1_500

/** Fills the database of the primary, and issues a key for senders and one for readers. */
const prepare = async (databaseUrl: string): Promise<readonly [string, string]> => {
  const records = await openRecords({ databaseUrl, changeFeed: true })
  await importShared(records.store)
  const brand = storyItems.filter(({ collection }) => collection === 'brand')
  await importRecords(records.store, {
    owner: storyBrand,
    collection: 'brand',
    records: brand.map(({ record }) => record) as never,
  })
  const issue = async (kind: 'ingest' | 'read') => {
    const { key } = await records.keys.issue({
      ...{ name: kind, kind, brands: [storyBrand], global: false },
      ...{ expiresAt: null, perSecond: null, burst: null },
    })
    return key
  }
  const keys = [await issue('ingest'), await issue('read')] as const
  await records.close()
  return keys
}

/**
 * Fails over once, and then kills and starts both servers and Selvedge in a random order, while
 * senders send batches and a reader asks for records that were reported as committed.
 */
export const runRound = async ({ events, senders, draw }: RoundOptions): Promise<Round> => {
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-two-primaries-'))
  let keys: readonly [string, string] = ['', '']
  const pair = await openPair(async (url) => {
    keys = await prepare(url)
  })
  const port = await freePort()
  const server = await openServedIngest(folder, pair.url, { PORT: String(port) })
  try {
    const [ingestKey, readKey] = keys
    const sent: { readonly batch: SentBatch; readonly at: string }[] = []
    const misses: string[] = []
    let isOver = false
    let returns = 0
    let reads = 0
    const send = async (sender: number) => {
      const { commit } = createSender({ url: server.url, key: ingestKey, waits: sender % 2 === 0 })
      for (let number = 1; !isOver; number += 1) {
        const batch = batchOf(sender, number)
        sent.push({ batch, at: new Date().toISOString() })
        await commit(batch)
      }
    }
    /** A record that was reported as committed is never missing. Errors do not count. */
    const read = async () => {
      while (!isOver) {
        const done = sent.filter(({ batch }) => batch.finished.length > 0 && !batch.isWrong)
        const [id] = done[draw(Math.max(1, done.length))]?.batch.ids ?? []
        const path = `${basePath}/brands/${storyBrand}/tags/${id}`
        const headers = { authorization: `Bearer ${readKey}` }
        const response = id
          ? await fetch(`http://127.0.0.1:${port}${path}`, { headers }).catch(() => null)
          : null
        await response?.body?.cancel()
        if (response?.status === 200) reads += 1
        if (response?.status === 404) misses.push(`The record ${id} disappeared.`)
        await wait(20)
      }
    }
    const finishedSince = async (count: number) => {
      const finished = () => sent.filter(({ batch }) => batch.finished.length > 0).length
      while (finished() <= count) await wait(20)
      return finished()
    }
    let failedOverAt = ''
    const disturb = async () => {
      const before = await finishedSince(senders)
      await wait(draw(pauseMs))
      await pair.failOver()
      failedOverAt = new Date().toISOString()
      // It has seen the promoted server once a batch is finished that was sent after this.
      await finishedSince(before + senders)
      for (let event = 0; event < events; event += 1) {
        returns += await disturbOnce(pair, server.kill, draw(3))
        await wait(draw(pauseMs))
      }
      await pair.old.kill()
      await pair.old.start()
      await pair.promoted.kill()
      await pair.promoted.start()
      await finishedSince(await finishedSince(0))
      isOver = true
    }
    await Promise.all([
      disturb(),
      read(),
      ...Array.from({ length: senders }, (_, sender) => send(sender)),
    ])
    const { report } = createSender({ url: server.url, key: ingestKey, waits: false })
    for (const { batch } of sent) await report(batch)
    misses.push(...(await missesOn(pair, sent, failedOverAt)))
    return { events: events + 2, returns: returns + 1, batches: sent.length, reads, misses }
  } finally {
    await server.close()
    await pair.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Kills and starts one of the three. Returns how often the old primary has come back. */
const disturbOnce = async (
  { old, promoted }: Pair,
  restart: () => Promise<void>,
  which: number,
): Promise<number> => {
  if (which === 0) {
    await restart()
    return 0
  }
  if (which === 1) {
    await old.kill()
    await old.start()
    return 1
  }
  // Meanwhile only the old primary can be reached, if it is back.
  await promoted.kill()
  await wait(pauseMs)
  await promoted.start()
  return 0
}

/** What is missing on the promoted server, and what the old one got after it was replaced. */
const missesOn = async (
  { old, promoted }: Pair,
  sent: readonly { readonly batch: SentBatch; readonly at: string }[],
  failedOverAt: string,
): Promise<readonly string[]> => {
  const bodies = await ask(promoted, 'select body from tags')
  const codes = new Map(
    bodies
      .map((body) => JSON.parse(body) as { readonly id: string; readonly code: string })
      .map(({ id, code }) => [id, code]),
  )
  const late = new Set(
    sent
      .filter(({ at }) => at > failedOverAt)
      .map(({ batch: { sender, number } }) => codeOf(sender, number)),
  )
  const written = (await ask(old, 'select body from tags')).filter((body) =>
    late.has((JSON.parse(body) as { readonly code: string }).code),
  )
  const queued = await ask(
    old,
    `select id from selvedge_units where received_at > '${failedOverAt}'`,
  )
  return [
    ...sent.flatMap(({ batch }) => missesOf(batch, codes)),
    ...written.map((body) => `The old primary got ${body.slice(0, 100)}.`),
    ...queued.map((id) => `The old primary accepted the batch ${id}.`),
  ]
}
