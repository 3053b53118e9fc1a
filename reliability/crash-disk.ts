import { ownerNumber } from '#store'
import { ndjson, type Ran } from '../test/support/command.ts'
import { idOf, recordsAt, seeded } from '../test/support/model.ts'
import { check } from './check.ts'
import { openWorld, type World, wrongBeside } from './crash/import-states.ts'

interface Size {
  readonly rounds: number
}

/** An import on a disk with room for so many pages more. */
const importWithin = (world: World, pages: number): Promise<Ran> =>
  world.place.start(['import', 'many', '--brand', world.brand], {
    NODE_OPTIONS: `--import=${new URL('crash/full-disk.ts', import.meta.url)}`,
    MORE_PAGES: String(pages),
  }).ended

export default check<Size>({
  id: 'R6',
  claim: 'An import that runs out of disk space changes nothing and reports the reason.',
  target:
    'Imports on SQLite with too little disk space, from none to almost enough: each exits with code 1 and the reason, none leaves a change, and with enough space the same import succeeds.',
  sizes: { short: { rounds: 3 }, full: { rounds: 40 } },
  try: async ({ rounds }, { seed, log }) => {
    const world = await openWorld('sqlite', { tags: 3, items: 4 })
    const misses: string[] = []
    const draw = seeded(seed)
    let [full, left] = [0, 0]
    const tags = () =>
      world.withRecords(async (open) => {
        misses.push(...(await wrongBeside(open)))
        const text = 'select count(*) from "tags" where "owner" = ?1'
        const [rows] = await open.database.read([{ text, values: [ownerNumber(world.brand)] }])
        return Number(rows?.[0]?.[0])
      })
    try {
      const [tag] = recordsAt('tags')
      const many = 4_000
      world.place.put({
        'many/tags.ndjson': ndjson(
          Array.from({ length: many }, (_, n) => ({ ...tag, id: idOf(50_000 + n), name: 'many' })),
        ),
      })
      const before = await tags()
      const most = 90
      for (let round = 0; round < rounds; round += 1) {
        const pages = Math.floor((round / rounds) * most) + draw(2)
        const { code, stderr } = await importWithin(world, pages)
        const there = (await tags()) - before
        if (code === 1 && /full/.test(stderr)) full += 1
        else misses.push(`With ${pages} pages it ended with ${code}: ${stderr}`)
        if (there !== 0) {
          left += 1
          misses.push(`With ${pages} pages it left ${there} tags.`)
        }
        if ((round + 1) % 10 === 0) log(`${round + 1} of ${rounds} imports`)
      }
      const { code, stderr } = await importWithin(world, 100_000)
      if (code !== 0) misses.push(`With enough room it ended with ${code}: ${stderr}`)
      if ((await tags()) - before !== many) misses.push('With enough room not all came in.')
    } finally {
      await world.close()
    }
    return {
      measured: `${rounds} imports with too little disk space: ${full} reported it and exited, ${left} left a change; with enough space the import succeeded.`,
      counts: { imports: rounds, full, left },
      misses,
    }
  },
})
