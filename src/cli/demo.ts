import { hkdfSync } from 'node:crypto'
import type { Command } from 'commander'
import {
  addDays,
  catalog,
  checkRecord,
  daysBetween,
  formatCount,
  inImportOrder,
  isTimezone,
  type RecordAt,
  type Resource,
  resourceAt,
} from '#contract'
import {
  createHistory,
  type DemoHistory,
  type DemoItem,
  type DemoRecord,
  dayOfDemo,
  dayOfStory,
  demoImage,
  openStory,
  season,
} from '#demo'
import type { Images } from '#images'
import { createKeys, generateKey } from '#keys'
import { brandRecord, checkImport, requireSlug } from '#operator'
import { openServiceImages, type Records, readServiceConfig, type Service } from '#server'
import { decodeBody, type Store, sharedOwner, type Writer } from '#store'
import { takePastSnapshots } from './demo-history.ts'
import { asTable, CommandError, createOutput } from './output.ts'
import type { Demo } from './prepare-records.ts'
import { createProgress } from './progress.ts'
import { operatorOf, withRecords } from './records.ts'

interface DemoOptions {
  readonly brand: string
  readonly orders: string
  readonly seed: string
  readonly asOf?: string
  readonly json?: boolean
}

/** The options of `serve --demo` on the first start, and the defaults of `demo`. */
const standard = { brand: 'aldermoor', orders: 200, seed: 1 } as const

export const addDemo = (program: Command): void => {
  program
    .command('demo')
    .description(
      'Fill a brand with demo records around a day, as many as wanted. The same numbers and day give the same records.',
    )
    .option(
      '--brand <slug>',
      'the brand; created if it does not exist, otherwise filled in its base currency and time zone',
      standard.brand,
    )
    .option(
      '--orders <n>',
      "how many orders to add to the story's own, each with its related records",
      String(standard.orders),
    )
    .option('--seed <n>', 'another seed gives other records', String(standard.seed))
    .option('--as-of <date>', 'the day that the records are seen from; today by default')
    .option('--json', 'print JSON')
    .action((options: DemoOptions) => fillBrand(options))
}

const fillBrand = async (options: DemoOptions): Promise<void> => {
  const { brand } = options
  requireSlug(brand)
  const orders = readCount('--orders', options.orders)
  const seed = readCount('--seed', options.seed)
  const day = options.asOf === undefined ? null : readDay(options.asOf)
  const began = performance.now()
  await withRecords(
    async (records) => {
      const stored = await storedBrand(records, brand)
      const asOf = day ?? dayOfDemo(Date.now(), stored?.timezone)
      const images = openServiceImages(readServiceConfig(), records.secret, () => '')
      const progress = createProgress()
      const items = season({ brand, orders, seed, asOf, stored })
      const history = orders <= historyOrdersMax ? createHistory() : null
      const { counts, shared } = await loadItems(records, images, brand, items, {
        history,
        onRecords: (count) => {
          if (!options.json) progress.show(brand, count, 'records', null)
        },
      })
      await images.close()
      await putSnapshots(records.store, brand, asOf, history)
      await checkImport(operatorOf(records), brand)
      const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
      if (!options.json) progress.end(brand, total, 'records')
      const seconds = (performance.now() - began) / 1_000
      const collections = Object.fromEntries(counts)
      createOutput(Boolean(options.json)).result(
        { brand, orders, seed, asOf, records: total, seconds, collections, shared },
        () =>
          [
            asTable(
              ['collection', 'records'],
              [...counts].map(([path, count]) => [path, String(count)]),
            ),
            '',
            sharedSentence(shared),
            `${brand} has ${formatCount(total, 'record')} of its own, as of ${asOf}. Issue a key for it: selvedge keys issue --brand ${brand}`,
          ].join('\n'),
      )
    },
    { creates: true },
  )
}

/**
 * The record of a brand that was added before the demo, which keeps it; undefined for a brand that
 * the demo created. Fails if the brand has other records.
 */
const storedBrand = async (
  records: Records,
  brand: string,
): Promise<RecordAt<'brand'> | undefined> => {
  const { store } = records
  const record = await brandRecord(store, brand)
  if (record === null) return undefined
  const own = (await store.brandCounts(brand)).reduce((sum, { records }) => sum + records, 0)
  if (own > 1 && !(await isDemo(records, brand))) {
    throw new CommandError(
      `${brand} already has records that are not demo records. Choose another slug for the demo.`,
    )
  }
  if (!isTimezone(record.timezone)) {
    throw new CommandError(
      `The record of ${brand} has the time zone "${record.timezone}", which does not exist. Import it with an IANA name, for example Europe/Lisbon.`,
    )
  }
  const [written] = (await openStory()).records['brand'] ?? []
  return record.id === written?.['id'] ? undefined : record
}

/** The effect of the demo on the shared records, which all brands of the database read. */
interface SharedResult {
  readonly added: number
  /** Already stored, and left unchanged. */
  readonly kept: number
  /** Kept records that differ from the demo's. */
  readonly different: number
}

const sharedSentence = ({ added, kept, different }: SharedResult): string => {
  const left = `${formatCount(kept, 'shared record')} already existed and ${kept === 1 ? 'was' : 'were'} left unchanged`
  const own = different > 0 ? `, ${different} of which differ from the demo's` : ''
  return added === 0
    ? `${left}${own}.`
    : `Added ${formatCount(added, 'shared record')}, which all brands read; ${left}${own}.`
}

const readCount = (option: string, text: string): number => {
  if (!/^\d{1,8}$/.test(text)) {
    throw new CommandError(`${option} is not a whole number. Use a number from 0 to 99999999.`)
  }
  return Number(text)
}

const readDay = (text: string): string => {
  const isWritten = /^20\d\d-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
  if (isWritten && addDays(text, 0) === text) return text
  throw new CommandError(
    '--as-of is not a date from 2000 to 2099. Use YYYY-MM-DD, for example 2026-11-16.',
  )
}

/**
 * Fills the demo brand unless it exists, and makes sure that its key works. Never moves existing
 * records to another day: a client may hold copies of them.
 */
export const loadDemo = async ({
  records,
  images,
}: Pick<Service, 'records' | 'images'>): Promise<Demo> => {
  const { brand } = standard
  const today = dayOfDemo(Date.now())
  if (!(await records.store.has(brand))) {
    const history = createHistory()
    await loadItems(records, images, brand, season({ ...standard, asOf: today }), { history })
    await putSnapshots(records.store, brand, today, history)
    await checkImport(operatorOf(records), brand)
  }
  const stored = (await records.store.brands()).find(({ slug }) => slug === brand)
  const asOf = await filledDay(records, brand)
  return {
    brand,
    key: await demoKey(records, brand),
    records: stored?.records ?? 0,
    daysOld: asOf === null ? 0 : Math.max(0, daysBetween(asOf, today)),
  }
}

/** The day for which the demo filled a brand; null if the demo did not fill it. */
const filledDay = async (records: Records, brand: string): Promise<string | null> => {
  if (!(await isDemo(records, brand))) return null
  const [written] = (await openStory()).records['brand'] as readonly RecordAt<'brand'>[]
  const resource = resourceAt(catalog, 'brand')
  const key = [written?.id ?? '']
  const stored = await records.store.get({ resource, brand, key, include: [] })
  if (!written || !stored) return null
  const { createdAt } = JSON.parse(decodeBody(stored.body)) as RecordAt<'brand'>
  return dayOfStory(createdAt, written.createdAt)
}

/** The demo marks each brand that it fills, so that it never overwrites another. */
const isDemo = async ({ store }: Records, brand: string): Promise<boolean> =>
  (await store.findSetting(demoMark(brand))) !== undefined

const demoMark = (brand: string) => `demo ${brand}`

/** Larger demos have no snapshots of past days: these need the records in memory. */
const historyOrdersMax = 1_000

/** Stores the figures of the days before, instead of those of an earlier demo. */
const putSnapshots = async (
  { profile, daySnapshots }: Store,
  brand: string,
  asOf: string,
  history: DemoHistory | null,
): Promise<void> => {
  const own = await profile(brand)
  if (!own) return
  const snapshots = history ? await takePastSnapshots({ brand, ...own, asOf, history }) : []
  await daySnapshots.replaceAll(brand, snapshots)
}

interface LoadOptions {
  /** Receives every record. */
  readonly history?: DemoHistory | null
  readonly onRecords?: (count: number) => void
}

const batchSize = 1_000

/** Stores the items, validated like any import, and their images. */
const loadItems = async (
  { store }: Records,
  images: Images,
  brand: string,
  items: Iterable<DemoItem>,
  { history = null, onRecords = () => undefined }: LoadOptions = {},
): Promise<{ readonly counts: ReadonlyMap<string, number>; readonly shared: SharedResult }> => {
  const shared = await addShared(store)
  const imageRecords: DemoRecord[] = []
  const counts = await store.write(brand, async (writer) => {
    const staged = await stageItems(writer, noted(items, history), imageRecords, onRecords)
    for (const resource of inImportOrder(catalog)) {
      if (resource.scope === 'brand') await mergeChecked(writer, resource)
    }
    return staged
  })
  await store.setting(demoMark(brand), () => 'yes')
  for (const record of imageRecords) {
    const { id, mimeType, fileName } = record as RecordAt<'images'>
    await images.put({ brand, id, mimeType, fileName }, demoImage(record))
  }
  return { counts, shared }
}

function* noted(items: Iterable<DemoItem>, history: DemoHistory | null): Iterable<DemoItem> {
  for (const item of items) {
    history?.note(item)
    yield item
  }
}

/** Adds missing shared records. Existing ones belong to all brands and stay. */
const addShared = async (store: Store): Promise<SharedResult> => {
  const story = await openStory()
  return store.write(sharedOwner, async (writer) => {
    let [added, kept, different] = [0, 0, 0]
    for (const [path, records] of Object.entries(story.shared)) {
      const resource = resourceAt(catalog, path)
      await writer.stage(resource, records)
      const merged = await writer.merge(resource, { onlyMissing: true })
      added += merged.added
      different += merged.differing ?? 0
      kept += merged.unchanged + (merged.differing ?? 0)
    }
    return { added, kept, different }
  })
}

const stageItems = async (
  writer: Writer,
  items: Iterable<DemoItem>,
  imageRecords: DemoRecord[],
  onRecords: (count: number) => void,
): Promise<ReadonlyMap<string, number>> => {
  const waiting = new Map<string, DemoRecord[]>()
  const counts = new Map<string, number>()
  let total = 0
  const flush = async (path: string) => {
    await writer.stage(resourceAt(catalog, path), waiting.get(path) ?? [])
    waiting.set(path, [])
    onRecords(total)
  }
  for (const { path, record } of items) {
    const [problem] = checkRecord(resourceAt(catalog, path), record)
    if (problem)
      throw new RangeError(
        `The demo generated an invalid record: ${path}${problem.pointer} ${problem.reason}.`,
      )
    if (path === 'images') imageRecords.push(record)
    const batch = waiting.get(path) ?? []
    waiting.set(path, batch)
    batch.push(record)
    counts.set(path, (counts.get(path) ?? 0) + 1)
    total += 1
    if (batch.length >= batchSize) await flush(path)
  }
  for (const path of waiting.keys()) await flush(path)
  return counts
}

const mergeChecked = async (writer: Writer, resource: Resource): Promise<void> => {
  for await (const { value, reference } of writer.rejectInvalid(resource)) {
    throw new RangeError(
      `The demo generated an invalid record: ${resource.path} ${reference?.field ?? 'identity'} ${value}.`,
    )
  }
  await writer.merge(resource, { replace: true })
}

/**
 * The demo key is the same on every start, although only its hash is stored: it is derived from the
 * database's secret, not from random bytes. If it is revoked, the next generation replaces it.
 */
const demoKey = async (
  { keyDatabase, keys, secret, audit }: Records,
  brand: string,
): Promise<string> => {
  const listed = new Map((await keys.list()).map((key) => [key.id, key]))
  for (let generation = 1; ; generation += 1) {
    let draws = 0
    const derive = (size: number): Uint8Array => {
      draws += 1
      return new Uint8Array(hkdfSync('sha256', secret, '', `demo key ${generation} ${draws}`, size))
    }
    const { key, id } = generateKey(derive)
    const stored = listed.get(id)
    if (stored && !stored.revokedAt && !stored.expiresAt) return key
    if (stored) continue
    draws = 0
    const parts = { database: keyDatabase, now: Date.now, recordAudit: audit.record }
    const own = await createKeys({ ...parts, random: derive })
    const rights = { global: false, expiresAt: null, perSecond: null, burst: null }
    return (await own.issue({ name: 'Demo', brands: [brand], ...rights })).key
  }
}
