/** Follows random histories of a source, and compares their ends with an import of the last state. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { catalog, resourceAt } from '#contract'
import { openDatabase } from '#database'
import { openReport, SourceError } from '#ingest'
import { parseMapping } from '#mapping'
import { createStore, type Store } from '#store'
import { queriesOf, runRound } from '#sync'
import { naturalId } from '../../src/mapping/natural-id.ts'
import { decodeBody } from '../../src/store/read/body.ts'
import { brandRecord, seeded } from '../../test/support/model.ts'
import { createSqliteSource } from '../../test/support/sqlite-source.ts'
import { importRecords } from '../importing.ts'
import { sumsOf } from '../sums.ts'
import { createErp, type Erp, mappingText, mappingVersions, type SoundRow } from './erp.ts'

const collections = ['partners', 'suppliers', 'orders', 'order-items']

/** Changes of the source between two rounds, at most. */
const changesMax = 6

export interface HistoriesOptions {
  readonly histories: number
  readonly rounds: number
  readonly seed: number
  /** The URL of PostgreSQL; undefined for SQLite. */
  readonly url: string | undefined
  readonly log: (sentence: string) => void
}

export interface HistoryFigures {
  readonly histories: number
  readonly rounds: number
  readonly changes: number
  /** The rows in quarantine after each round. */
  readonly quarantined: number
  /** Rounds that were refused because a record was deleted that a stored one refers to. */
  readonly refused: number
  readonly misses: readonly string[]
}

/** Follows histories, each with a brand of its own. */
export const runHistories = async (options: HistoriesOptions): Promise<HistoryFigures> => {
  const { url, histories, rounds, seed, log } = options
  const folder = mkdtempSync(join(tmpdir(), 'selvedge-histories-'))
  const own = openDatabase(url ?? `sqlite:${join(folder, 'own.db')}`)
  const clean = openDatabase(`sqlite:${join(folder, 'clean.db')}`)
  const all: HistoryFigures[] = []
  try {
    const stores = [await createStore(catalog, own), await createStore(catalog, clean)] as const
    for (let n = 0; n < histories; n += 1) {
      const brand = `history-${n}`
      const records = [brandRecord(brand, n + 1)]
      for (const store of stores) {
        await importRecords(store, { owner: brand, collection: 'brand', records })
      }
      const [followed, imported] = stores.map((store) => ({ store, brand })) as [Follower, Follower]
      all.push(await runHistory(followed, imported, rounds, seed + n))
      if ((n + 1) % 10 === 0) log(`${n + 1} of ${histories} histories`)
    }
  } finally {
    await Promise.all([own.close(), clean.close()])
    rmSync(folder, { recursive: true, force: true })
  }
  const misses = all.flatMap((each) => each.misses)
  const sums = sumsOf(all, 'histories', 'rounds', 'changes', 'quarantined', 'refused')
  return { ...sums, misses }
}

/** A brand of a store that follows the source. */
interface Follower {
  readonly store: Store
  readonly brand: string
}

/** Follows a source through some rounds, and then one after which everything must be right. */
const runHistory = async (
  followed: Follower,
  imported: Follower,
  rounds: number,
  seed: number,
): Promise<HistoryFigures> => {
  const draw = seeded(seed)
  const erp = createErp(draw)
  const steps: string[] = []
  const misses: string[] = []
  let [mapping, changes, quarantined, refused] = [0, 0, 0, 0]
  for (let round = 0; round < rounds; round += 1) {
    for (let left = 1 + draw(changesMax); left > 0; left -= 1) {
      steps.push(erp.change())
      changes += 1
    }
    if (draw(5) === 0) mapping = draw(mappingVersions)
    const reconcile = draw(3) === 0
    const reason = await follow(followed, erp, mapping, reconcile)
    steps.push(`round, mapping ${mapping}, reconcile ${reconcile}: ${reason ?? 'written'}`)
    quarantined += (await quarantinedIn(followed)).length
    if (reason && orphaned.test(reason)) refused += 1
    else misses.push(...(await unstored(followed, erp.sound(mapping), `round ${round}`)))
  }
  steps.push(...erp.correct(mapping))
  const last = await follow(followed, erp, mapping, true)
  const clean = await follow(imported, erp, mapping, false)
  const [records, expected] = [await recordsOf(followed), await recordsOf(imported)]
  misses.push(
    ...(last ? [`The last round was refused: ${last}`] : []),
    ...(clean ? [`The import was refused: ${clean}`] : []),
    ...(await quarantinedIn(followed)).map((row) => `in quarantine: ${row}`),
    ...difference(expected, records, 'not stored'),
    ...difference(records, expected, 'stored, but not imported'),
  )
  return {
    ...{ histories: 1, rounds, changes, quarantined, refused },
    misses: misses.map((miss) => `seed ${seed}: ${miss}\n  ${steps.join('\n  ')}`),
  }
}

const orphaned = /refers to this record of \S+, which the import removes/

/** Runs a round with a version of the mapping. Returns why it was refused; null if it was not. */
const follow = async (
  { store, brand }: Follower,
  erp: Erp,
  version: number,
  reconcile: boolean,
): Promise<string | null> => {
  const mapping = await parseMapping({ file: 'erp.map.yaml', text: mappingText(version) })
  const queries = queriesOf(mapping.collections)
  const report = openReport(undefined)
  try {
    const { refused } = await runRound({
      ...{ store, brand, source: { name: 'erp', kind: 'sync' }, queries, mappedQueries: queries },
      ...{ database: createSqliteSource(erp.database, ['v']), report, now: Date.now },
      write: store.write,
      options: {
        ...{ allowRemovals: true, allowDangling: false, onError: 'quarantine', dryRun: false },
        reconcile,
      },
    })
    return refused ? report.first.map(({ reason }) => reason).join('; ') : null
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    return error.message
  }
}

type Records = ReadonlyMap<string, { readonly [field: string]: unknown }>

/** The records of a brand by their collections and identifiers. */
const recordsOf = async ({ store, brand }: Follower): Promise<Records> => {
  const records = new Map<string, { readonly [field: string]: unknown }>()
  for (const path of collections) {
    const request = { resource: resourceAt(catalog, path), brand, filters: new Map(), limit: 200 }
    const { items } = await store.list({ ...request, after: null, include: [] })
    for (const record of JSON.parse(`[${decodeBody(items)}]`)) {
      records.set(`${path} ${record.id}`, record)
    }
  }
  return records
}

/** Rows that have nothing to do with a bad one, and are not stored as they are. */
const unstored = async (
  follower: Follower,
  rows: readonly SoundRow[],
  when: string,
): Promise<readonly string[]> => {
  const records = await recordsOf(follower)
  return rows.flatMap(({ collection, no, field, value }) => {
    const id = naturalId(follower.brand, collection, [no])
    const stored = records.get(`${collection} ${id}`)?.[field]
    return String(stored) === value ? [] : [`${when}: ${collection} ${no} is ${stored}`]
  })
}

/** The rows of a brand in quarantine, with their reasons. */
const quarantinedIn = async ({ store, brand }: Follower): Promise<readonly string[]> => {
  const { rows } = await store.quarantine.list({ owner: brand, limit: 1_000 })
  return rows.map(({ collection, problems }) =>
    [collection, ...problems.map(({ reason }) => reason)].join(' '),
  )
}

/** What one has and the other has not. */
const difference = (one: Records, other: Records, what: string): readonly string[] =>
  [...one]
    .filter(([key, record]) => JSON.stringify(record) !== JSON.stringify(other.get(key)))
    .map(([key, record]) => `${what}: ${key} ${JSON.stringify(record)}`)
