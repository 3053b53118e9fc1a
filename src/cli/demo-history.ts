import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addDays, catalog, resourceAt, startOfDay } from '#contract'
import { openDatabase } from '#database'
import { createStore, type DaySnapshot, type Store, type StoredRecord, snapshotOf } from '#store'

/** The past of the demo's records. */
interface History {
  /** The records as they were at the end of a day, if they differ from those of the last call. */
  advanceTo(day: string, timezone: string): readonly HistoryItem[]
  /** The number of changed records by collection. */
  changedOn(day: string, timezone: string): ReadonlyMap<string, number>
}

interface HistoryItem {
  readonly path: string
  readonly record: StoredRecord
}

export interface HistoryRequest {
  readonly brand: string
  readonly timezone: string
  readonly baseCurrency: string
  /** The day that the demo's records are seen from. Its own snapshot is still to be taken. */
  readonly asOf: string
  readonly history: History
}

/** The days before the demo's that have snapshots. */
const days = 90

/**
 * The snapshots that a server would have taken in the last days: the records go through these days
 * in a database that is deleted afterwards.
 */
export const takePastSnapshots = async (
  request: HistoryRequest,
): Promise<readonly DaySnapshot[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'selvedge-demo-'))
  // No request waits for these reads.
  const database = openDatabase(`sqlite:${join(folder, 'history.db')}`, { queryMs: 60_000 })
  try {
    const store = await createStore(catalog, database)
    const snapshots: DaySnapshot[] = []
    for (let ago = days; ago > 0; ago -= 1) {
      snapshots.push(await takeSnapshot(store, request, addDays(request.asOf, -ago)))
    }
    return snapshots
  } finally {
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
}

const takeSnapshot = async (
  store: Store,
  { brand, timezone, baseCurrency, history }: HistoryRequest,
  day: string,
): Promise<DaySnapshot> => {
  await writeItems(store, brand, history.advanceTo(day, timezone))
  const today = { day, timezone }
  const figures = await store.today({ brand, today, currentDay: day, baseCurrency })
  const instant = (of: string) => new Date(startOfDay(timezone, of)).toISOString()
  return {
    ...snapshotOf(figures, { day, takenAt: instant(addDays(day, 1)) }),
    changed: changedRecords(history.changedOn(day, timezone), instant(addDays(day, -1))),
  }
}

/** That database has only some of the groups. */
const changedRecords = (changed: ReadonlyMap<string, number>, since: string) => {
  const groups = catalog.resources.flatMap(({ path, scope, endpoints, fields }) => {
    const items = changed.get(path)
    const isListed = scope === 'brand' && endpoints.includes('list')
    if (items === undefined || !isListed) return []
    return [{ group: path, field: 'updatedAt' in fields ? 'updatedAt' : 'createdAt', items }]
  })
  return { since, items: groups.reduce((sum, { items }) => sum + items, 0), groups }
}

const writeItems = async (
  store: Store,
  brand: string,
  items: readonly HistoryItem[],
): Promise<void> => {
  if (items.length === 0) return
  await store.write(brand, async (writer) => {
    for (const [path, all] of Map.groupBy(items, (item) => item.path)) {
      const resource = resourceAt(catalog, path)
      await writer.stage(
        resource,
        all.map(({ record }) => record),
      )
      await writer.merge(resource)
    }
  })
}
