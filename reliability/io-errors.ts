import { fork } from 'node:child_process'
import { once } from 'node:events'
import { ownerNumber } from '#store'
import { findLibfiu, type Libfiu } from '../test/support/libfiu.ts'
import { seeded } from '../test/support/model.ts'
import { check } from './check.ts'
import { importColor, openWorld, type World, wrongBeside } from './crash/import-states.ts'

interface Size {
  readonly imports: number
  /** Imports that a process makes in turn, whatever fails. */
  readonly each: number
}

/** The failure rates of the system calls that databases use. */
const chances = {
  'rw/pwrite': 0.01,
  'rw/pwrite/reduce': 0.01,
  'rw/pread': 0.002,
  'rw/ftruncate': 0.1,
  'sync/fsync': 0.1,
  'sync/fdatasync': 0.1,
}

const rows = 30

/** The report about an import; `nothing` if the process ended during it. */
type Said = 'done' | 'failed' | 'nothing'

const importer = new URL('io-errors/importer-process.ts', import.meta.url)

/** Runs imports in a process and returns the report about each. */
const importUnder = async (
  world: World,
  environment: { readonly [name: string]: string },
  { from, to }: { readonly from: number; readonly to: number },
): Promise<ReadonlyMap<number, Said>> => {
  const words = [world.place.databaseUrl, world.brand, from, to, rows].map(String)
  const child = fork(importer, words, {
    env: { ...world.place.environment, ...environment },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const said = new Map<number, Said>()
  child.on('message', ({ number, began, done }: { number: number; began?: true; done: boolean }) =>
    said.set(number, began ? 'nothing' : done ? 'done' : 'failed'),
  )
  await once(child, 'close')
  return said
}

/** The number of stored tags of each import. */
const presentIn = (world: World): Promise<ReadonlyMap<number, number>> =>
  world.withRecords(async ({ database }) => {
    const text = `select "code", count(*) from "tags" where "owner" = ?1 and "code" like 'import %' group by "code"`
    const [results = []] = await database.read([{ text, values: [ownerNumber(world.brand)] }])
    return new Map(results.map(([code, count]) => [Number(`${code}`.slice(7)), Number(count)]))
  })

export default check<Size>({
  id: 'R7',
  claim: 'An import that was reported as complete is durable, whatever fails below the database.',
  target:
    '1,000 imports on SQLite while writes, reads and syncs of its files fail at random (libfiu): all acknowledged imports are present and complete, none is partial, totals equal counts, and the next import succeeds.',
  sizes: { short: { imports: 60, each: 30 }, full: { imports: 1_000, each: 50 } },
  missing: async () => {
    const results = await findLibfiu()
    return 'missing' in results ? results.missing : undefined
  },
  try: async ({ imports, each }, { seed, log }) => {
    const libfiu = (await findLibfiu()) as Libfiu
    const draw = seeded(seed)
    const world = await openWorld('sqlite', { tags: 3, items: 4 })
    const misses: string[] = []
    const said = new Map<number, Said>()
    let broken = 0
    let present: ReadonlyMap<number, number> = new Map()
    try {
      for (let from = 0; from < imports; ) {
        const to = Math.min(imports, from + each)
        const failing = libfiu.failing(chances, draw(2 ** 31 - 1))
        const batch = await importUnder(world, failing, { from, to })
        for (const [number, what] of batch) said.set(number, what)
        if (batch.size < to - from) broken += 1
        if (broken > imports) throw new Error('No process gets as far as to import.')
        from += batch.size
        // Injection is off now, so this reads the real state.
        await world.withRecords(async (open) => {
          await importColor(world, open, from)
          misses.push(...(await wrongBeside(open)))
        })
        log(`${from} of ${imports} imports`)
      }
      present = await presentIn(world)
    } finally {
      await world.close()
    }
    const count = { done: 0, failed: 0, nothing: 0 }
    let [lost, half, late] = [0, 0, 0]
    for (const [number, what] of said) {
      count[what] += 1
      const there = present.get(number) ?? 0
      if (there !== 0 && there !== rows) {
        half += 1
        misses.push(`Import ${number} is there with ${there} of ${rows} tags.`)
      }
      if (what === 'done' && there !== rows) {
        lost += 1
        misses.push(`Import ${number} was acknowledged; ${there} of ${rows} tags are there.`)
      }
      if (what === 'failed' && there === rows) {
        late += 1
        misses.push(`Import ${number} was said to have failed, and is there.`)
      }
    }
    if (count.failed === 0) misses.push('Nothing failed: this has tried nothing.')
    return {
      measured: `${said.size} imports with failing writes, reads and syncs: ${count.done} acknowledged and present, ${count.failed} failed and absent, ${count.nothing} aborted; ${lost} lost, ${half} partial.`,
      counts: { imports: said.size, ...count, lost, half, late },
      misses,
    }
  },
})
