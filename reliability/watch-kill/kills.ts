import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { catalog, resourceAt } from '#contract'
import { openDatabase } from '#database'
import type { DemoRecord } from '#demo'
import { createStore } from '#store'
import { openSandbox } from '../../test/support/command.ts'
import { seeded } from '../../test/support/model.ts'
import { recordsOf } from '../../test/support/page.ts'
import { openPostgres } from '../../test/support/postgres.ts'
import type { Task } from '../check.ts'
import type { Engine } from '../engine.ts'

const brand = 'aldermoor'

const seen = 'createdAt: first-seen\n      updatedAt: last-changed'

const mapping = `version: 1
brand: ${brand}
collections:
  partners:
    from: { files: 'partners-*.csv', delimiter: semicolon }
    id: { key: [NO] }
    fields:
      slug: { column: NAME, apply: [slug] }
      name: NAME
      relationship.id: { key: [NO] }
      relationship.status: { value: active }
      ${seen}
  suppliers:
    from: { files: 'suppliers-*.csv', delimiter: semicolon }
    id: { key: [NO] }
    fields:
      partnerId: { ref: { collection: partners, key: [PARTNER] } }
      code: NO
      name: NAME
      kind: { value: finished_goods }
      status: { value: approved }
      ${seen}
`

/** Drops files into a watched folder and kills the watch repeatedly. */
export const killWatch = async (
  engine: Engine,
  { kills, files, rows }: { readonly kills: number; readonly files: number; readonly rows: number },
  { seed, log }: Task,
) => {
  const postgres = engine === 'postgres' ? await openPostgres() : null
  // The machine may be busy, and this check is not about speed.
  const place = openSandbox(postgres ? `${await postgres.url()}?query-ms=60000` : undefined)
  const inbox = join(place.folder, 'in')
  const misses: string[] = []
  const draw = seeded(seed)
  // Kills, kills that left a file in `working`, and dropped files.
  let [killed, leftInWorking, dropped] = [0, 0, 0]

  const nameOf = (file: number) => {
    const time = new Date(Date.UTC(2026, 0, 1, 0, 0, file)).toISOString().replace(/[:.]/g, '-')
    return `${file % 2 === 0 ? 'suppliers' : 'partners'}-${time}.csv`
  }
  /**
   * Every second file has the same suppliers, so that the last file decides what is stored. They
   * refer to partners in the next file and are parked until it arrives.
   */
  const contentOf = (file: number) =>
    file % 2 === 0
      ? ['NO;NAME;PARTNER']
          .concat(Array.from({ length: rows }, (_, row) => `V${row};file ${file};P${file}-${row}`))
          .join('\n')
      : ['NO;NAME']
          .concat(
            Array.from({ length: rows }, (_, row) => {
              const partner = `${file - 1}-${row}`
              return `P${partner};Partner ${partner}`
            }),
          )
          .join('\n')
  const drop = (file: number) => {
    writeFileSync(join(inbox, '.draft'), `${contentOf(file)}\n`)
    renameSync(join(inbox, '.draft'), join(inbox, nameOf(file)))
  }
  const filesIn = (folder: string): readonly string[] => {
    const at = join(inbox, folder)
    if (!existsSync(at)) return []
    return readdirSync(at, { withFileTypes: true }).flatMap((entry) => {
      if (entry.isDirectory()) return filesIn(join(folder, entry.name))
      // Warnings about parked rows are next to their file.
      return /^\.|\.problems\.\w+$/.test(entry.name) ? [] : [entry.name]
    })
  }
  const args = [
    ...['watch', 'in', '--map', 'brand.map.yaml', '--park', '--settle', '0s', '--every', '1s'],
    '--no-check',
  ]

  try {
    const made = await place.runProcess(['brands', 'add', brand, '--name', 'Aldermoor'])
    if (made.code !== 0) throw new Error(made.stderr)
    mkdirSync(inbox)
    place.put({ 'brand.map.yaml': mapping })
    // Measures a whole run, to spread the kills over it.
    for (let file = 0; file < files; file += 1) drop(file)
    dropped = files
    const began = performance.now()
    const first = await place.runProcess([...args, '--once'])
    if (first.code !== 0) throw new Error(first.stderr)
    const usualMs = performance.now() - began
    for (let round = 0; round < kills; round += 1) {
      for (let index = 0; index < files; index += 1) drop(dropped + index)
      dropped += files
      const { child, ended, said } = place.start(args)
      if (round % 2 === 1) await Promise.race([said('Watching'), ended])
      await wait((usualMs * (round % 2 === 1 ? 0.6 : 1.2) * draw(1_000)) / 1_000)
      child.kill('SIGKILL')
      const { signal } = await ended
      if (signal === 'SIGKILL') killed += 1
      if (filesIn('working').length > 0) leftInWorking += 1
      if ((round + 1) % 10 === 0) log(`${engine}: ${round + 1} of ${kills} kills`)
    }
    // A file in the middle of which three kills fell is in quarantine.
    const { stdout } = await place.runProcess(['intake', '--state', 'quarantined', '--json'])
    for (const { id } of JSON.parse(stdout)) await place.runProcess(['intake', 'retry', id])
    const last = await place.runProcess([...args, '--once'])
    if (last.code !== 0) misses.push(`The last run failed: ${last.stderr}`)

    const wanted = Array.from({ length: dropped }, (_, file) => nameOf(file)).sort()
    const processed = [...filesIn('processed')].sort()
    if (JSON.stringify(processed) !== JSON.stringify(wanted)) {
      misses.push(`${engine}, seed ${seed}: ${processed.length} of ${wanted.length} in processed/`)
    }
    for (const folder of ['working', 'failed']) {
      const left = filesIn(folder)
      if (left.length > 0) misses.push(`${engine}, seed ${seed}: ${folder}/ has ${left.join(', ')}`)
    }
    const database = openDatabase(place.databaseUrl)
    try {
      const [stored = []] = await database.read([
        { text: 'select "name", count(*) from "selvedge_files" group by "name"', values: [] },
      ])
      const once = stored.filter(([, count]) => Number(count) === 1).map(([name]) => String(name))
      if (JSON.stringify(once.sort()) !== JSON.stringify(wanted)) {
        misses.push(`${engine}, seed ${seed}: ${once.length} of ${wanted.length} recorded once`)
      }
      const store = await createStore(catalog, database)
      const listOf = async (path: string) => {
        const resource = resourceAt(catalog, path)
        const filters = new Map<string, string>()
        return store.list({ resource, brand, filters, limit: 100, after: null, include: [] })
      }
      const suppliers = await listOf('suppliers')
      const names = new Set(recordsOf(suppliers).map((record: DemoRecord) => record['name']))
      if (suppliers.total !== rows || [...names].join() !== `file ${dropped - 2}`) {
        misses.push(`${engine}, seed ${seed}: ${suppliers.total} of ${[...names].join(', ')}`)
      }
      const partners = (await listOf('partners')).total
      if (partners !== (rows * dropped) / 2) {
        misses.push(`${engine}, seed ${seed}: ${partners} of ${(rows * dropped) / 2} partners`)
      }
      const [[parked] = []] = (
        await database.read([{ text: 'select count(*) from "selvedge_quarantine"', values: [] }])
      )[0] ?? [[]]
      if (Number(parked) !== 0) misses.push(`${engine}, seed ${seed}: ${parked} rows are parked`)
      const [state] = await store.sources.list(brand)
      if (state?.processed !== dropped) {
        misses.push(`${engine}, seed ${seed}: the state counts ${state?.processed} of ${dropped}`)
      }
    } finally {
      await database.close()
    }
    if (killed < kills / 2) misses.push(`${engine}: only ${killed} were killed.`)
    return { killed, files: dropped, processed: processed.length, leftInWorking, misses }
  } finally {
    place.close()
    await postgres?.close()
  }
}
