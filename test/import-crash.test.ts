/**
 * An import that is killed at any moment leaves the state before it or the state after it, whole,
 * with all that is kept beside the records, and the next one needs no repair.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { catalog, resourceAt } from '#contract'
import { type Database, openDatabase } from '#database'
import { type DemoRecord, openStory } from '#demo'
import { findSources, ingest, openReport } from '#ingest'
import { openStore, type Store, sharedOwner } from '#store'
import { ndjson, openWorkplace, type Started } from './support/command.ts'
import { idOf, recordsAt, seeded } from './support/model.ts'

const kills = Number(process.env['SELVEDGE_KILLS'] ?? 50)
const seed = Number(process.env['SELVEDGE_SEED'] ?? 20_261_115)

const story = await openStory()
const { brand } = story
const place = openWorkplace()
after(() => place.close())

/** The collections that the two states differ in. */
const paths = ['tags', 'orders', 'order-items'] as const
const [order] = recordsAt('orders')
const [item] = recordsAt('order-items')
const [tag] = recordsAt('tags')

/** The story's records and many more: those from `from` on, all of them saying `word`. */
const filesOf = (word: string, from: number, count: number) => {
  const many = (of: number, make: (number: number) => object) =>
    ndjson(Array.from({ length: of }, (_, index) => make(from + index)))
  return {
    [`${word}/tags.ndjson`]:
      ndjson(recordsAt('tags')) + many(300, (number) => ({ ...tag, id: idOf(number), name: word })),
    [`${word}/orders.ndjson`]: ndjson([
      ...recordsAt('orders').map((each) => ({ ...each, memo: word })),
      ...[1, 2].map((number) => ({ ...order, id: idOf(number), orderNumber: `${number}` })),
    ]),
    [`${word}/order-items.ndjson`]:
      ndjson(recordsAt('order-items')) +
      many(count, (number) => ({
        ...item,
        id: idOf(number),
        orderId: idOf(1 + (number % 2)),
        itemType: number % 3 === 0 ? 'sample' : 'product',
        memo: word,
      })),
  }
}

interface Open {
  readonly database: Database
  readonly store: Store
}

const withRecords = async <T>(work: (open: Open) => Promise<T>): Promise<T> => {
  const database = openDatabase(place.databaseUrl)
  try {
    return await work({ database, store: await openStore(catalog, database) })
  } finally {
    await database.close()
  }
}

/** A digest of the content of every collection that an import touches. */
const contentOf = async ({ database }: Open): Promise<string> => {
  const hash = createHash('sha256')
  for (const path of paths) {
    const text = `select "body" from "${tableOf(path)}" where "brand" = ?1 order by "id"`
    const [rows = []] = await database.read([{ text, values: [brand] }])
    hash.update(`${path} ${rows.length}\n`)
    for (const [body] of rows) hash.update(`${body}\n`)
  }
  return hash.digest('hex')
}

const tableOf = (path: string) => path.replaceAll('-', '_')

/** Every total that is kept, and what counting says. Says how many there were. */
const assertTotals = async ({ database }: Open): Promise<number> => {
  const [collections = [], values = [], sound = []] = await database.read([
    { text: 'select "brand", "collection", "total" from "selvedge_collections"', values: [] },
    {
      text: 'select "brand", "collection", "filter", "value", "total" from "selvedge_totals"',
      values: [],
    },
    { text: 'pragma integrity_check', values: [] },
  ])
  assert.deepEqual(sound, [['ok']])
  for (const [owner, path, total] of collections) {
    const text = `select count(*) from "${tableOf(String(path))}" where "brand" = ?1`
    const [rows] = await database.read([{ text, values: [owner ?? ''] }])
    assert.equal(total, rows?.[0]?.[0], `${owner} ${path}`)
  }
  for (const [owner, path, filter, value, total] of values) {
    const text = `select count(*) from "${tableOf(String(path))}" where "brand" = ?1 and cast("${filter}" as text) = ?2`
    const [rows] = await database.read([{ text, values: [owner ?? '', value ?? ''] }])
    assert.equal(total, rows?.[0]?.[0], `${owner} ${path} ${filter}=${value}`)
  }
  return values.length
}

/** Imports within this process, quickly: a color whose name is a number. */
const importColor = async ({ store }: Open, number: number): Promise<void> => {
  place.put({ 'colors.ndjson': ndjson([{ ...recordsAt('colors')[0], name: `${number}` }]) })
  const paths = [join(place.folder, 'colors.ndjson')]
  const sources = await findSources(paths, { catalog, input: Readable.from([]) })
  const report = openReport(undefined)
  const { written, collections } = await ingest({
    store,
    sources,
    owner: brand,
    replace: false,
    dryRun: false,
    allowDangling: false,
    skipInvalid: false,
    report,
    now: () => performance.now(),
  })
  assert.deepEqual([report.first, written, collections[0]?.changed], [[], true, 1])
}

const importing = (word: string) => ['import', word, '--brand', brand, '--replace']

/** What an import says first, with its transaction open, and what it says once that is done. */
const [opened, committed] = ['tags.ndjson: ', 'Imported.']

/** Imports without disturbance, and tells how long the two parts of it took. */
const importWhole = async (word: string): Promise<{ startMs: number; writeMs: number }> => {
  const began = performance.now()
  const { ended, said } = place.start(importing(word))
  await said(opened)
  const startMs = performance.now() - began
  await said(committed)
  const writeMs = performance.now() - began - startMs
  const { code, stderr } = await ended
  assert.equal(code, 0, stderr)
  return { startMs, writeMs }
}

describe('an import that is killed', () => {
  const words = ['before', 'after'] as const
  const contents = new Map<string, string>()
  let usual = { startMs: 0, writeMs: 0 }

  before(async () => {
    place.put({ ...filesOf('before', 1_000, 2_500), ...filesOf('after', 1_500, 2_500) })
    await withRecords(async ({ store }) => {
      for (const [owner, records] of [
        [sharedOwner, story.shared],
        [brand, story.records],
      ] as const) {
        await store.write(owner, async (writer) => {
          for (const [path, each] of Object.entries(records)) {
            await writer.stage(resourceAt(catalog, path), each as readonly DemoRecord[])
            await writer.merge(resourceAt(catalog, path))
          }
        })
      }
    })
    for (const word of [...words, ...words]) {
      usual = await importWhole(word)
      contents.set(await withRecords(contentOf), word)
    }
    assert.equal(contents.size, 2)
  })

  /** Spread over the whole run, over its transaction, and right after that, before its end. */
  const momentOf = (round: number, share: number) => {
    const { startMs, writeMs } = usual
    const spread = (share + round / kills) / 2
    if (round % 5 < 2) {
      const ms = (startMs + writeMs) * (0.2 + 0.9 * spread)
      return { name: `${ms.toFixed(0)} ms after its start`, come: () => wait(ms) }
    }
    if (round % 5 < 4) {
      const ms = writeMs * 1.1 * spread
      const come = async (said: Started['said']) => {
        await said(opened)
        await wait(ms)
      }
      return { name: `${ms.toFixed(0)} ms after it began to read`, come }
    }
    return { name: 'after it was done', come: (said: Started['said']) => said(committed) }
  }

  it(`${kills} times leaves the state before or the state after, and nothing to repair`, {
    timeout: 60_000 + kills * 3_000,
  }, async (t) => {
    const draw = seeded(seed)
    const count = { old: 0, new: 0, killed: 0 }
    let now: string = 'after'
    for (let round = 0; round < kills; round += 1) {
      const next = now === 'before' ? 'after' : 'before'
      const { child, ended, said } = place.start(importing(next))
      const moment = momentOf(round, draw(1_000) / 1_000)
      await Promise.race([moment.come(said), ended])
      child.kill('SIGKILL')
      const { signal, code, stderr } = await ended
      if (signal === 'SIGKILL') count.killed += 1
      else assert.equal(code, 0, stderr)
      const where = `seed ${seed}, kill ${round} ${moment.name}`
      await withRecords(async (open) => {
        const found = contents.get(await contentOf(open))
        assert.ok(found, `${where} left something in between`)
        assert.ok(signal === 'SIGKILL' || found === next, `${where} lost what was done`)
        count[found === next ? 'new' : 'old'] += 1
        now = found
        assert.ok((await assertTotals(open)) >= 4, 'no totals are kept')
        await importColor(open, round)
      })
    }
    t.diagnostic(
      `seed ${seed}: ${kills} moments, ${count.killed} killed; ${count.old} old, ${count.new} new`,
    )
    const least = kills < 20 ? 0 : 3
    assert.ok(count.old >= least, `only ${count.old} left the state before`)
    assert.ok(count.new >= least, `only ${count.new} left the state after`)
    assert.ok(count.killed >= kills / 3, `only ${count.killed} were killed`)
    await importWhole(now === 'before' ? 'after' : 'before')
    const last = contents.get(await withRecords(contentOf))
    assert.notEqual(last, now)
  })

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    it(`by ${signal} writes nothing`, async () => {
      place.put(filesOf('long', 10_000, 20_000))
      const earlier = await withRecords(contentOf)
      const { child, ended, said } = place.start(importing('long'))
      await said('orders.ndjson: ')
      child.kill(signal)
      const ran = await ended
      assert.ok(ran.signal === signal || ran.code === code, `${ran.code} ${ran.stderr}`)
      assert.equal(ran.stdout, '')
      await withRecords(async (open) => {
        assert.equal(await contentOf(open), earlier)
        await assertTotals(open)
        await importColor(open, code)
      })
    })
  }
})
