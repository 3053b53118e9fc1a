import { ownerNumber, readText } from '#store'
import { seeded } from '../test/support/model.ts'
import { check, type Task } from './check.ts'
import { openWorld, type World, wrongBeside } from './crash/import-states.ts'
import { type Engine, engines } from './engine.ts'
import { sumsOf } from './sums.ts'
import { afterSerial, startImporter } from './two-imports/round.ts'
import { importTwoBrands } from './two-imports/two-brands.ts'

interface Size {
  readonly rounds: number
  /** Rounds with two brands, and the records each brand imports. */
  readonly brandRounds: number
  readonly brandRecords: number
}

const orders = [
  [0, 1],
  [1, 0],
] as const

/** The names of the imported tags, by id. */
const tagsIn = (world: World): Promise<ReadonlyMap<string, string>> =>
  world.withRecords(async ({ database }) => {
    const text = `select "id", "name" from "tags" where "owner" = ?1 and "name" like 'round %'`
    const [rows = []] = await database.read([{ text, values: [ownerNumber(world.brand)] }])
    return new Map(rows.map(([id, name]) => [readText(id ?? null), String(name)]))
  })

const same = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean =>
  a.size === b.size && [...a].every(([id, name]) => b.get(id) === name)

const importTwice = async (engine: Engine, rounds: number, { seed, log }: Task) => {
  const world = await openWorld(engine, { tags: 3, items: 4 })
  const importers = await Promise.all([0, 1].map((own) => startImporter(world, world.brand, own)))
  const draw = seeded(seed)
  const misses: string[] = []
  const counts = { serial: 0, refused: 0, firstLast: 0 }
  let before: ReadonlyMap<string, string> = new Map()
  try {
    for (let round = 0; round < rounds; round += 1) {
      const reported = await Promise.all(
        importers.map((importer) => importer.run({ round, waitMs: draw(8) })),
      )
      const where = `${engine}, seed ${seed}, round ${round}`
      for (const { done, busy, why } of reported) {
        if (done) continue
        counts.refused += 1
        if (!busy) misses.push(`${where}: an import failed: ${why}`)
      }
      const now = await tagsIn(world)
      const state = before
      const results = orders.find((order) => {
        const came = order.filter((own) => reported[own]?.done)
        return same(now, afterSerial(round, came, state))
      })
      if (results) counts.serial += 1
      else misses.push(`${where}: it is as if neither had come after the other.`)
      if (results?.[0] === 1) counts.firstLast += 1
      before = now
      if ((round + 1) % 25 === 0) log(`${engine}: ${round + 1} of ${rounds} rounds`)
    }
    await world.withRecords(async (open) => misses.push(...(await wrongBeside(open))))
  } finally {
    await Promise.all(importers.map((importer) => importer.close()))
    await world.close()
  }
  return { ...counts, misses }
}

export default check<Size>({
  id: 'R17',
  claim: 'Two concurrent imports have the same result as one after the other.',
  target:
    '100 rounds of two concurrent imports of the same records, on each engine: always the result of one order or the other, with correct totals. On PostgreSQL, imports of two brands write at the same time, and the change feed of each brand has every change.',
  sizes: {
    short: { rounds: 3, brandRounds: 2, brandRecords: 4_000 },
    full: { rounds: 100, brandRounds: 7, brandRecords: 20_000 },
  },
  try: async ({ rounds, brandRounds, brandRecords }, task) => {
    const all = await Promise.all(engines.map((engine) => importTwice(engine, rounds, task)))
    const twoBrands = await importTwoBrands(brandRounds, brandRecords)
    const counts = {
      rounds: rounds * engines.length,
      ...sumsOf(all, 'serial', 'refused', 'firstLast'),
      brandRounds,
      overlaps: twoBrands.overlaps,
      lost: twoBrands.lost,
      brandRatio: Number(twoBrands.ratio.toFixed(2)),
    }
    return {
      measured: `${rounds} rounds on SQLite and on PostgreSQL: ${counts.serial} of ${counts.rounds} had the result of one order or the other, that of the first import last in ${counts.firstLast}; ${counts.refused} imports reported that another import was writing. On PostgreSQL, ${brandRounds} rounds of two brands with ${brandRecords.toLocaleString('en')} records each: seen writing at the same time in ${twoBrands.overlaps}; at once in ${counts.brandRatio} of the time in turn (median); ${twoBrands.lost} changes missing from the feeds.`,
      counts,
      misses: [...all, twoBrands].flatMap(({ misses }) => misses),
    }
  },
})
