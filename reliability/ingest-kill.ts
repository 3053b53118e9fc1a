import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { catalog } from '#contract'
import { openDatabase } from '#database'
import { createStore } from '#store'
import { seeded } from '../test/support/model.ts'
import { contentOf, importShared, storyBrand, storyItems } from '../test/support/queue.ts'
import { check } from './check.ts'
import { importRecords } from './importing.ts'
import {
  batchOf,
  codeOf,
  createSender,
  lastOf,
  missesOf,
  type SentBatch,
} from './ingest-kill/senders.ts'
import { issueIngestKey, openServedIngest } from './ingest-kill/served-ingest.ts'

const senders = 8
/** Kills the processes at a random moment after they are ready; every eighth time, after their start. */
const killedWithinMs = 600
const killedInStart = 8
const startMs = 2_000

export default check({
  id: 'R35',
  claim: 'A batch that was accepted is stored exactly once, whatever happens to the server.',
  target: `kill -9 of all processes of a server at 100 random times, while ${senders} senders repeat each batch over HTTP with the same Idempotency-Key until it is reported as finished: every batch is one batch, all of its records are stored or none, none is applied twice, and its report does not change.`,
  sizes: { short: { kills: 3 }, full: { kills: 100 } },
  try: async ({ kills }, { seed, log }) => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-ingest-kill-'))
    const databaseUrl = `sqlite:${join(folder, 'records.db')}`
    const draw = seeded(seed)
    const misses: string[] = []
    let sent: readonly SentBatch[] = []
    try {
      const database = openDatabase(databaseUrl)
      const store = await createStore(catalog, database, { recordsChanges: true })
      await importShared(store)
      const brand = storyItems.filter(({ collection }) => collection === 'brand')
      await importRecords(store, {
        owner: storyBrand,
        collection: 'brand',
        records: brand.map(({ record }) => record) as never,
      })
      const key = await issueIngestKey(databaseUrl, [storyBrand])
      const server = await openServedIngest(folder, databaseUrl)
      const all: SentBatch[] = []
      let lasts: readonly number[] = []
      try {
        let isOver = false
        const ends = await Promise.all([
          ...Array.from({ length: senders }, async (_, sender) => {
            const { commit } = createSender({ url: server.url, key, waits: sender % 2 === 0 })
            let number = 0
            while (!isOver) {
              number += 1
              const batch = batchOf(sender, number)
              all.push(batch)
              await commit(batch)
            }
            return number
          }),
          (async () => {
            for (let kill = 1; kill <= kills; kill += 1) {
              const isStarting = kill % killedInStart === 0
              if (!isStarting) await server.ready()
              await wait(draw(isStarting ? startMs : killedWithinMs))
              await server.kill()
              if (kill % 10 === 0) log(`${kill} kills, ${all.length} batches`)
            }
            isOver = true
            return 0
          })(),
        ])
        lasts = ends
        // The final reports must equal the earlier ones.
        const { report } = createSender({ url: server.url, key, waits: false })
        for (const batch of all) await report(batch)
      } finally {
        await server.close()
      }
      sent = all
      const codes = new Map<string, string>()
      for (const [key, text] of await contentOf(store)) {
        if (key.startsWith('tags ')) codes.set(key.slice('tags '.length), JSON.parse(text).code)
      }
      await database.close()
      for (const batch of sent) misses.push(...missesOf(batch, codes))
      for (let sender = 0; sender < senders; sender += 1) {
        const last = lasts[sender] ?? 0
        const stored = batchOf(sender, last).isWrong ? last - 1 : last
        if (codes.get(lastOf(sender)) !== codeOf(sender, stored)) {
          misses.push(`Sender ${sender}: ${codes.get(lastOf(sender))} is not its last batch.`)
        }
      }
      const expected = sent.flatMap(({ isWrong, ids }) => (isWrong ? [] : ids)).length + senders
      if (codes.size !== expected) misses.push(`${codes.size} records instead of ${expected}.`)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    const repeated = sent.filter(({ accepted }) => accepted.length > 1).length
    const refused = sent.filter(({ isWrong }) => isWrong).length
    return {
      measured: `${kills} kills, ${sent.length} batches of ${senders} senders, ${refused} of them refused; ${repeated} were sent again after they had been accepted; ${misses.length} violations`,
      counts: { kills, batches: sent.length, refused, repeated, violations: misses.length },
      misses: misses.slice(0, 20),
    }
  },
})
