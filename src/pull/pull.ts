import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Catalog, importOrder, patterns } from '#contract'
import { readAddress } from './address.ts'
import { type Merged, openShelf, type Shelf, type Standing } from './copy-store.ts'
import { type FeedRead, feedStage, isEndless, stageFeed } from './feed.ts'
import { prepareFolder, publish, stateName } from './folder.ts'
import { takeLock } from './lock.ts'
import { type FeedPage, openSource, type Source } from './pages.ts'
import { PullRefused, printable } from './refusal.ts'
import { openRemote } from './remote.ts'
import { bodyForm, columnForm, type Form } from './row-mapping.ts'
import { stageWalk } from './walk.ts'

export interface PullOptions {
  readonly catalog: Catalog
  /** Of a Selvedge, of its API, or of the brand in it. */
  readonly url: string
  readonly brand: string
  readonly key: string
  /** A folder, or a SQLite file that ends with .sqlite, .sqlite3 or .db. */
  readonly to: string
  /** Reads everything, whatever is known already. */
  readonly full: boolean
  /** Also sends the key in plain HTTP to other machines. */
  readonly allowHttp: boolean
  /** Names the process, so that two do not write to one copy. */
  readonly process: number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds since anything. */
  readonly clock: () => number
  readonly chance: () => number
  readonly say: (sentence: string) => void
  readonly onProgress: (progress: PullProgress) => void
  /** The first pause after a failed request. */
  readonly pauseMs?: number
  /** How long a response may make no progress. */
  readonly idleMs?: number
}

export interface PullProgress {
  /** A collection, or `changes` for the feed. */
  readonly what: string
  readonly read: number
  /** 0 to 1; null where it is not known. */
  readonly share: number | null
  readonly done: boolean
}

export interface PulledCollection {
  readonly collection: string
  /** Records or changes that came over the network. */
  readonly read: number
  readonly new: number
  readonly changed: number
  readonly removed: number
  readonly unchanged: number
  /** What the copy holds, which is what the API counted. */
  readonly records: number
  readonly seconds: number
  /** It was written to while it was read, every time; the next pull reads it again. */
  readonly moving: boolean
}

export interface Pulled {
  readonly brand: string
  readonly url: string
  readonly to: string
  readonly format: 'ndjson' | 'sqlite'
  /** Whether the server's change feed was followed. */
  readonly feed: boolean
  readonly records: number
  readonly requests: number
  readonly seconds: number
  readonly collections: readonly PulledCollection[]
}

/** Characters of a sentence that is told to people. */
const sentenceMax = 500

/** Copies a brand over the public API, or brings a copy up to date. */
export const pullBrand = async (options: PullOptions): Promise<Pulled> => {
  const { brand, key, to, chance, clock } = options
  const began = clock()
  const say = (sentence: string) => options.say(printable(sentence, sentenceMax))
  if (!new RegExp(patterns.brand).test(brand)) throw new PullRefused(`${brand} is no brand's slug.`)
  const address = readAddress(options.url, brand, options.allowHttp)
  const { pauseMs, idleMs } = options
  const remote = openRemote({
    key,
    chance,
    clock,
    say,
    ...(pauseMs !== undefined && { pauseMs }),
    ...(idleMs !== undefined && { idleMs }),
  })
  const source = openSource(remote, address, brand)
  await source.find()

  const place = await placeOf(to)
  const release = await takeLock(`${place.file}.lock`, options.process)
  try {
    const shelf = await openShelf(place.file)
    try {
      const forms = formsOf(options, place.isFolder, say)
      const parts = {
        options: { ...options, say },
        source,
        shelf,
        forms,
        tallies: new Map<string, Tally>(),
      }
      await shelf.widen([...forms.values()])
      const standing = await agree(parts, place.isFolder, address.origin)
      const isFed = (await stageByFeed(parts, standing)) || (await stageByWalk(parts, standing))
      const merged = await settle(parts, isFed || null)
      if (place.isFolder) {
        const pulledAt = new Date(options.now()).toISOString()
        await publish(shelf, [...forms.values()], to, { brand, url: address.origin, pulledAt })
      }
      const collections = await Promise.all(
        options.catalog.resources.map(({ path }) => resultOf(parts, path, merged.get(path))),
      )
      return {
        brand,
        url: address.origin,
        to,
        format: place.isFolder ? 'ndjson' : 'sqlite',
        feed: Boolean(isFed),
        records: collections.reduce((sum, { records }) => sum + records, 0),
        requests: remote.requests,
        seconds: (clock() - began) / 1_000,
        collections,
      }
    } finally {
      await shelf.close()
    }
  } finally {
    await release()
  }
}

interface Place {
  readonly isFolder: boolean
  /** The SQLite file: the copy itself, or what a folder's next pull needs. */
  readonly file: string
}

const placeOf = async (to: string): Promise<Place> => {
  const there = await stat(to).catch(() => null)
  if (/\.(sqlite3?|db)$/i.test(to)) {
    if (there && !there.isFile()) throw new PullRefused(`${to} is no file.`)
    return { isFolder: false, file: to }
  }
  if (there && !there.isDirectory()) {
    throw new PullRefused(
      `${to} is a file. Name a folder, or a SQLite file that ends with .sqlite, .sqlite3 or .db.`,
    )
  }
  await prepareFolder(to)
  return { isFolder: true, file: join(to, stateName) }
}

/** Unknown fields that are named; a newer release adds a few. */
const unknownFieldsMax = 50

/** What became of a collection so far. */
interface Tally {
  read: number
  seconds: number
  isMoving: boolean
}

interface PullParts {
  readonly options: PullOptions
  readonly source: Source
  readonly shelf: Shelf
  readonly forms: ReadonlyMap<string, Form>
  readonly tallies: Map<string, Tally>
}

/**
 * Those that refer come before those they refer to: what a record points at was there when the
 * record was read, so it is there when its own turn comes.
 */
const formsOf = (
  { catalog }: PullOptions,
  isFolder: boolean,
  say: PullOptions['say'],
): ReadonlyMap<string, Form> => {
  const told = new Set<string>()
  const onUnknown = ({ path }: { readonly path: string }, field: string) => {
    if (told.size >= unknownFieldsMax || told.has(`${path} ${field}`)) return
    told.add(`${path} ${field}`)
    const name = printable(field, 100)
    say(`${path} has a field ${name} that this release does not know; it is not copied.`)
    if (told.size === unknownFieldsMax) say('There may be more such fields; they are not named.')
  }
  const paths = importOrder(catalog).flat().reverse()
  return new Map(
    paths.flatMap((path) => {
      const resource = catalog.byPath.get(path)
      if (!resource) return []
      return [[path, isFolder ? bodyForm(resource) : columnForm(resource, onUnknown)]]
    }),
  )
}

/** Makes sure that this copy is of this brand, and says where it stands. */
const agree = async (
  { options, shelf, forms }: PullParts,
  isFolder: boolean,
  url: string,
): Promise<Standing> => {
  const { brand, to, full } = options
  const form = isFolder ? 'bodies' : 'columns'
  const fresh: Standing = {
    url,
    brand,
    form,
    feedCursor: null,
    stagedCursor: null,
    stagedBy: null,
  }
  const before = await shelf.standing()
  if (before && before.brand !== brand) {
    throw new PullRefused(`${to} is a copy of the brand ${before.brand}, not of ${brand}.`)
  }
  if (before && before.form !== form) {
    throw new PullRefused(`${to} belongs to another copy. Choose another file or folder.`)
  }
  if (before && before.url !== url && !full) {
    throw new PullRefused(
      `${to} is a copy from ${before.url}, not from ${url}. --full makes it one of the latter.`,
    )
  }
  if (before && !full) return before
  if (before) {
    await shelf.unstage([...forms.values()])
    await shelf.forget()
  }
  await shelf.begin(fresh)
  return fresh
}

/**
 * Stages what the change feed tells since the copy was made, or everything at first, and then holds
 * the numbers of records against the API's totals. Says where the feed ended; null where there is
 * none.
 */
const stageByFeed = async (parts: PullParts, standing: Standing): Promise<string | null> => {
  const { source, shelf, forms, options } = parts
  const isGoingOn = standing.stagedBy === 'feed'
  if (standing.stagedBy === 'walk') {
    // Whether there is a feed now is not known yet; a walk that was begun is not given up for less.
    if (!(await source.changes(null))) return null
    await shelf.unstage([...forms.values()])
  }
  let kind: 'whole' | 'patch' = standing.feedCursor === null ? 'whole' : 'patch'
  let page = await source.changes(isGoingOn ? standing.stagedCursor : standing.feedCursor)
  if (page === null) return null
  const seen: FeedRead = { items: 0, changes: new Map(), unclear: new Set(), cursor: '' }
  for (const form of forms.values()) {
    const { stage } = await shelf.collection(form)
    if (stage && !stage.isDone) seen.unclear.add(form)
  }
  const onPage = (read: number) =>
    options.onProgress({ what: 'changes', read, share: null, done: false })
  const feed = { source, shelf, forms, onPage }
  const followed = page !== 'lost' && (await stageFeed(feed, page, kind, seen))
  if (isEndless(seen)) return giveUpFeed(parts, standing)
  if (!followed) {
    options.say('The change feed does not know any more where this copy stands; reading it anew.')
    await shelf.unstage([...forms.values()])
    await shelf.begin({ ...standing, feedCursor: null, stagedCursor: null, stagedBy: null })
    seen.unclear.clear()
    kind = 'whole'
    page = await source.changes(null)
    // It was switched off in the meantime.
    if (page === null) return null
    const reachedEnd = page !== 'lost' && (await stageFeed(feed, page, kind, seen))
    if (isEndless(seen)) return giveUpFeed(parts, standing)
    if (!reachedEnd) {
      throw new PullRefused('The change feed cannot be followed from its beginning to its end.')
    }
  }
  if (kind === 'whole') await stageTheRest(parts)
  await verify(parts, kind, seen, feed)
  const read = [...seen.changes.values()].reduce((sum, each) => sum + each, 0)
  options.onProgress({ what: 'changes', read, share: null, done: true })
  for (const [path, changes] of seen.changes) tallyOf(parts, path).read += changes
  return seen.cursor
}

/** Forgets what an endless feed told; the lists are read instead. */
const giveUpFeed = async ({ shelf, forms, options }: PullParts, standing: Standing) => {
  options.say('The change feed has more changes than the brand has records; reading the lists.')
  await shelf.unstage([...forms.values()])
  await shelf.begin({ ...standing, feedCursor: null, stagedCursor: null, stagedBy: null })
  return null
}

/** A feed that was read from its beginning has everything: what it does not tell of is empty. */
const stageTheRest = async ({ shelf, forms }: PullParts): Promise<void> => {
  for (const form of forms.values()) {
    const { stage } = await shelf.collection(form)
    if (!stage) await shelf.stage([{ form, rows: [], stage: feedStage('whole', true) }])
  }
}

const roundsMost = 4

/**
 * Holds what the feed told against the API's totals. Where they differ, something may have been
 * written in between, so the feed is read on; what differs still is walked.
 */
const verify = async (
  parts: PullParts,
  kind: 'whole' | 'patch',
  seen: FeedRead,
  feed: Parameters<typeof stageFeed>[0],
): Promise<void> => {
  const { source, shelf, forms, options } = parts
  let doubtful = [...forms.values()].filter((form) => !seen.unclear.has(form))
  for (let round = 1; doubtful.length > 0; round += 1) {
    const differing: Form[] = []
    for (const form of doubtful) {
      const total = await source.total(form.resource)
      if ((await shelf.heldAfter(form)) !== total) differing.push(form)
    }
    doubtful = differing.filter((form) => !seen.unclear.has(form))
    if (round === roundsMost || doubtful.length === 0) break
    const page: FeedPage | 'lost' | null = await source.changes(seen.cursor)
    if (page === null || page === 'lost' || !(await stageFeed(feed, page, kind, seen))) break
  }
  for (const form of doubtful) {
    options.say(`${form.resource.path}: the feed did not tell all; reading the list.`)
    await shelf.stage([{ form, rows: [], stage: feedStage('patch', false) }])
  }
  for (const form of new Set([...seen.unclear, ...doubtful])) await walk(parts, form)
}

/** Stages every collection that has changed, as its list gives it. */
const stageByWalk = async (parts: PullParts, standing: Standing): Promise<null> => {
  const { shelf, forms } = parts
  if (standing.stagedBy === 'feed') await shelf.unstage([...forms.values()])
  await shelf.begin({ ...standing, stagedCursor: null, stagedBy: 'walk' })
  for (const form of forms.values()) await walk(parts, form)
  return null
}

const walk = async (parts: PullParts, form: Form): Promise<void> => {
  const { options, source, shelf } = parts
  const { clock, onProgress, say } = options
  const what = form.resource.path
  const began = clock()
  const onPage = (_form: Form, read: number, staged: number, total: number) =>
    onProgress({ what, read, share: total === 0 ? null : staged / total, done: false })
  const walked = await stageWalk({ source, shelf, say, onPage }, form)
  if (walked.isMoving) {
    say(`${what} is written to all the time; the next pull will read it again.`)
  }
  const tally = tallyOf(parts, what)
  tally.read += walked.read
  tally.seconds += (clock() - began) / 1_000
  tally.isMoving = walked.isMoving
  if (walked.read > 0) onProgress({ what, read: walked.read, share: 1, done: true })
}

/** Makes all that was staged part of the copy, in one transaction. */
const settle = async (
  { shelf, forms }: PullParts,
  feedCursor: string | null,
): Promise<ReadonlyMap<string, Merged>> =>
  shelf.merge([...forms.values()], { feedCursor, stagedCursor: null, stagedBy: null })

const resultOf = async (
  { shelf, forms, tallies }: PullParts,
  collection: string,
  merged: Merged = { added: 0, changed: 0, removed: 0 },
): Promise<PulledCollection> => {
  const form = forms.get(collection)
  const records = form ? await shelf.held(form) : 0
  const { read = 0, seconds = 0, isMoving = false } = tallies.get(collection) ?? {}
  const { added, changed, removed } = merged
  return {
    collection,
    read,
    new: added,
    changed,
    removed,
    unchanged: records - added - changed,
    records,
    seconds,
    moving: isMoving,
  }
}

const tallyOf = ({ tallies }: PullParts, path: string): Tally => {
  const known = tallies.get(path)
  if (known) return known
  const tally: Tally = { read: 0, seconds: 0, isMoving: false }
  tallies.set(path, tally)
  return tally
}
