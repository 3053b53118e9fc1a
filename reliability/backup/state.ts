/** The writes in a restored database. */
import { openDatabase, openKeyDatabase, openQueueDatabase } from '#database'
import { batchOf, codeOf, lastOf } from '../ingest-kill/senders.ts'
import { codeOfImport, importRows, type Load, senders, writerNames } from './load.ts'

export interface RestoredState {
  /** The last write of each writer; 0 if there is none. */
  readonly lasts: ReadonlyMap<string, number>
  /** Writes that are there in part only. */
  readonly misses: readonly string[]
  /** Accepted batches that are not stored. */
  readonly waiting: number
  /** The records that senders write. */
  readonly tags: number
}

/** Reads a database as a program does that knows nothing about backups. */
export const readState = async (
  databaseUrl: string,
  { writers }: Pick<Load, 'writers'>,
): Promise<RestoredState> => {
  const { tags, allTags, colours, keys, units, waiting } = await readRows(databaseUrl)
  const lasts = new Map<string, number>()
  const misses: string[] = []
  const writesOf = (name: string) => writers.find((each) => each.name === name)?.writes ?? []
  for (let sender = 0; sender < senders; sender += 1) {
    const name = writerNames.batches(sender)
    const last = Number(/ sent (\d+)$/.exec(tags.get(lastOf(sender)) ?? '')?.[1] ?? 0)
    lasts.set(name, last)
    for (const { number } of writesOf(name)) {
      const { ids } = batchOf(sender, number)
      const stored = ids.filter((id) => tags.get(id) === codeOf(sender, number)).length
      if (stored === (number <= last ? ids.length : 0)) continue
      misses.push(`${stored} records of ${name} ${number} are there, and the last one is ${last}`)
    }
    const accepted = units.get(sender) ?? new Set<number>()
    const newest = Math.max(0, ...accepted)
    if (accepted.size !== newest) misses.push(`sender ${sender} has gaps before unit ${newest}`)
    lasts.set(writerNames.units(sender), newest)
  }
  const versions = new Set(colours)
  if (versions.size > 1 || ![0, importRows].includes(colours.length)) {
    misses.push(`an import is there in part: ${colours.length} rows of ${[...versions].join(', ')}`)
  }
  lasts.set(writerNames.imports, Number([...versions][0] ?? 0))
  const newestKey = Math.max(0, ...keys)
  if (keys.length !== newestKey) misses.push(`${keys.length} keys instead of ${newestKey}`)
  lasts.set(writerNames.keys, newestKey)
  return { lasts, misses, waiting, tags: allTags }
}

const readRows = async (databaseUrl: string) => {
  const records = openDatabase(databaseUrl)
  const [keyDatabase, queue] = [
    openKeyDatabase(databaseUrl, records),
    openQueueDatabase(databaseUrl, records),
  ]
  const cells = async (database: typeof records, text: string) =>
    (await database.read([{ text, values: [] }]))[0] ?? []
  try {
    // Before the records: a server stores those of a batch first, then marks it as finished.
    const units = new Map<number, Set<number>>()
    let waiting = 0
    const text = `select "idempotency_key", "finished_at" from "selvedge_units" where "kind" = 'batch'`
    for (const [key, finishedAt] of await cells(queue, text)) {
      const [sender = 0, number = 0] = String(key).split('-').map(Number)
      units.set(sender, (units.get(sender) ?? new Set()).add(number))
      if (finishedAt === null) waiting += 1
    }
    const bodies = async (table: string) =>
      (await cells(records, `select "body" from "${table}"`)).map(([body]) =>
        JSON.parse(String(body)),
      )
    const sent = (await bodies('tags')).filter(({ code }) => / sent \d+$/.test(code))
    const imported = (await bodies('colors')).filter(({ code }) =>
      code.startsWith(codeOfImport(0).slice(0, 2)),
    )
    const keyNames = await cells(keyDatabase, `select "name" from "selvedge_keys"`)
    return {
      tags: new Map<string, string>(sent.map(({ id, code }) => [id, code])),
      allTags: sent.length,
      colours: imported.map(({ name }) => String(name).replace(/^import /, '')),
      keys: keyNames.flatMap(([name]) => /^key (\d+)$/.exec(String(name))?.[1] ?? []).map(Number),
      ...{ units, waiting },
    }
  } finally {
    for (const database of [queue, keyDatabase, records]) await database.close()
  }
}
