/**
 * Imports a brand into an empty database in a process of its own, and prints how much processor time
 * that took: `overhead-process.ts <database URL> <plain|full> <folder of the brand> <file …>`. The
 * files are imported after the folder, and measured by themselves.
 */
import { catalog, importOrder, type Resource, resourceAt } from '#contract'
import { openDatabase } from '#database'
import { openStory } from '#demo'
import { findSources, ingest, openReport } from '#ingest'
import { createStore, type Store, sharedOwner } from '#store'
import { joinCatalog } from '../src/contract/catalog.ts'
import type { Overhead, Variant } from './overhead.ts'

const [, , url = '', variant = 'full', folder = '', ...files] = process.argv

/** Both have a catalog of their own, so that both parse in this thread. */
const resourcesOf: Record<Variant, readonly Resource[]> = {
  full: [...catalog.resources],
  plain: catalog.resources.map((each) => ({ ...each, sortable: [], searchable: [] })),
}

const database = openDatabase(url)
const store = await createStore(joinCatalog([...resourcesOf[variant as Variant]]), database)

/** Records that all brands share. */
const fillShared = async ({ catalog: own, write }: Store): Promise<void> => {
  const { shared } = await openStory()
  await write(sharedOwner, async (writer) => {
    for (const path of importOrder(own).flat()) {
      const resource = resourceAt(own, path)
      await writer.stage(resource, (shared[path] ?? []) as never)
      await writer.merge(resource)
    }
  })
}

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const importPaths = async (paths: readonly string[]) => {
  const report = openReport(undefined)
  const before = cpuMs()
  const sources = await findSources(paths, {
    catalog: store.catalog,
    collection: undefined,
    format: undefined,
    input: process.stdin,
    onSkipped: () => undefined,
  })
  const { collections, written } = await ingest({
    store,
    sources,
    owner: 'acme',
    replace: false,
    allowRemovals: false,
    dryRun: false,
    allowDangling: true,
    skipInvalid: false,
    report,
    now: () => performance.now(),
  })
  await report.close()
  if (!written) throw new Error(`${paths} could not be imported.`)
  const records = collections.reduce((sum, { read }) => sum + read, 0)
  return { records, cpuMs: cpuMs() - before }
}

await fillShared(store)
/** Each message is answered by the processor time of the database's own processes. */
const measure = async (paths: readonly string[]): Promise<Overhead['season']> => {
  const before = await databaseCpuMs()
  const { records, cpuMs: ownMs } = await importPaths(paths)
  return { records, cpuMs: ownMs + (await databaseCpuMs()) - before }
}

const databaseCpuMs = (): Promise<number> =>
  new Promise((resolve) => {
    process.once('message', (ms) => resolve(Number(ms)))
    process.send?.('cpu')
  })

const season = await measure([folder])
const items = files.length > 0 ? await measure(files) : null
await database.close()
process.send?.({ season, items } satisfies Overhead)
process.disconnect?.()
