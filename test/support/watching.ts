/** A watch within this process, of whatever inbox, and buckets for it. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { catalog, resourceAt } from '#contract'
import { type Database, openDatabase } from '#database'
import type { DemoRecord } from '#demo'
import { type CpuLimit, findSources } from '#ingest'
import { openSourceReader, openUnits, type SourceReader, type Units } from '#intake'
import { createS3Client, readS3Url, type S3Client } from '#s3'
import type { Store } from '#store'
import { type FileOutcome, folderInbox, type Inbox, watch } from '#watch'
import { bucket, credentials } from './images.ts'
import { openImportSandbox } from './import-sandbox.ts'
import { brandRecord } from './model.ts'
import { recordsOf } from './page.ts'

interface Watched {
  readonly failed: number
  readonly outcomes: readonly FileOutcome[]
  readonly events: readonly string[]
}

let unitDatabase: Database | undefined
const openUnitDatabase = (): Database => {
  unitDatabase ??= openDatabase(`sqlite:${mkdtempSync(join(tmpdir(), 'selvedge-units-'))}/units.db`)
  return unitDatabase
}

/** Reads what the units of this process did. */
export const openUnitReader = (store: Store): SourceReader =>
  openSourceReader(store.sources, openUnitDatabase)

/** The units of the files of this process, for a watch that is like a process of its own. */
export const openFileUnits = (store: Store, now: () => number = Date.now): Promise<Units> => {
  const parts = { database: openUnitDatabase(), store, now, newId: randomUUID }
  return openUnits({ ...parts, holder: `a test ${randomUUID()}` })
}

interface WatchChanges extends Partial<Parameters<typeof watch>[0]> {
  readonly cpuMs?: CpuLimit
  readonly replace?: boolean
}

/** Takes the files that wait, until none is left. */
export const watchOnce = async (
  store: Store,
  owner: string,
  inbox: Inbox,
  { cpuMs, replace = false, ...changes }: WatchChanges = {},
): Promise<Watched> => {
  const outcomes: FileOutcome[] = []
  const events: string[] = []
  const { failed } = await watch({
    store,
    units: await openFileUnits(store),
    owner,
    inbox,
    mapping: '',
    findSources: (file) =>
      findSources([file], { catalog, collection: 'tags', input: process.stdin }),
    options: {
      replace,
      allowRemovals: false,
      allowDangling: false,
      cpuMs,
    },
    allowsUnterminated: false,
    describe: ({ first }) => first.map(({ reason }) => `${reason}\n`).join(''),
    settleMs: 0,
    needsMarker: false,
    everyMs: 1_000,
    once: true,
    subjectOf: () => ({ collections: ['tags'], refersTo: [], rank: 0 }),
    holder: 'a test',
    hasEnded: () => true,
    signal: new AbortController().signal,
    wait: () => wait(1),
    now: Date.now,
    onFile: async (outcome) => {
      outcomes.push(outcome)
    },
    onEvent: (sentence) => {
      events.push(sentence)
    },
    ...changes,
  })
  return { failed, outcomes, events }
}

export const addBrand = (store: Store, slug: string, number: number): Promise<unknown> =>
  store.write(slug, async (writer) => {
    const resource = resourceAt(catalog, 'brand')
    await writer.stage(resource, [brandRecord(slug, number)])
    await writer.merge(resource)
  })

/** The names of a brand's tags, in their order. */
export const tagNames = async (store: Store, brand: string): Promise<readonly unknown[]> => {
  const page = await store.list({
    resource: resourceAt(catalog, 'tags'),
    brand,
    filters: new Map(),
    limit: 100,
    after: null,
    include: [],
  })
  return recordsOf(page).map((record: DemoRecord) => record['name'])
}

export const bucketAddress = (endpoint: string, prefix: string): string =>
  `s3://${bucket}/${prefix}?endpoint=${endpoint}`

/** The objects below a prefix of the test's bucket. */
export const openBucketClient = (
  endpoint: string,
  prefix: string,
  changes: Partial<typeof credentials & { readonly bucket: string }> = {},
): S3Client => {
  const place = readS3Url(bucketAddress(endpoint, prefix))
  if ('problem' in place) throw new Error(place.problem)
  return createS3Client({
    ...place,
    ...credentials,
    ...changes,
    what: 'The bucket',
    now: Date.now,
    timeoutMs: 10_000,
  })
}

export const namesIn = async (client: S3Client, below = ''): Promise<readonly string[]> => {
  const names: string[] = []
  for await (const page of client.list(below)) names.push(...page.map(({ name }) => name))
  return names.sort()
}

export const putText = (client: S3Client, name: string, text: string): Promise<void> =>
  client.put(name, new TextEncoder().encode(text), {})

export const today = (): string => new Date().toISOString().slice(0, 10)

/** An error of the file system. */
export const systemError = (code: string): Error =>
  Object.assign(new Error(`${code}: it failed`), { code, syscall: 'rename' })

/** Test files of one process have the same units. */
let brands = 0

/** Folders to watch, each for a brand of its own. They are removed after the tests. */
export const openWatchedFolders = async () => {
  const { store } = await openImportSandbox().openRecords('folder.db')
  const folders: string[] = []
  after(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })
  const temporary = (): string => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-watch-'))
    folders.push(folder)
    return folder
  }
  const open = async () => {
    brands += 1
    const brand = `brand-${brands}`
    await addBrand(store, brand, brands)
    const folder = temporary()
    const inbox = folderInbox(folder)
    return {
      brand,
      folder,
      inbox,
      drop: (name: string, content: string) => writeFileSync(join(folder, name), content),
      once: (over: Inbox = inbox, changes: WatchChanges = {}) =>
        watchOnce(store, brand, over, changes),
      processed: () => readdirSync(join(folder, 'processed', today())).sort(),
    }
  }
  return { store, temporary, open }
}
