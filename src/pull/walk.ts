import type { CopyStore, Stage } from './copy-store.ts'
import { PullError } from './pull-error.ts'
import type { RowMapping } from './row-mapping.ts'
import type { Page, Source } from './source.ts'

export interface WalkParts {
  readonly source: Source
  readonly store: CopyStore
  /** Called after each page: records read in this run, all staged records, and the total. */
  readonly onPage: (read: number, staged: number, total: number) => void
  readonly log: (sentence: string) => void
}

export interface WalkResult {
  /** Records that were read in this run. */
  readonly read: number
  /** The collection changed during every walk; the next pull reads it again. */
  readonly changedDuringRead: boolean
}

const walksMax = 3
/** Accepted surplus over twice the total, since writers may add records during a walk. */
const surplusMax = 1_000

/**
 * Stages a collection from its list. A walk over several pages returns every record that exists
 * throughout exactly once, even while others write. The ETag of the first page shows whether
 * anything was written meanwhile. If so, the list is walked again, a few times. In the end the
 * number of records must equal the API's total.
 */
export const stageWalk = async (parts: WalkParts, mapping: RowMapping): Promise<WalkResult> => {
  const { source, store, log } = parts
  const { resource } = mapping
  const before = await store.collection(mapping)
  const earlier = before.stage?.kind === 'whole' ? before.stage : null
  // A completed walk with a wrong number of records cannot be resumed: it has no next page.
  const resumed = earlier?.isDone || earlier?.cursor ? earlier : null
  // A collection that the feed left incomplete is read in any case.
  const etag = resumed ? resumed.etag : before.stage ? null : before.etag
  let first = resumed && !resumed.isDone ? null : await source.page(resource, null, etag)
  if (!first && (!resumed || resumed.isDone)) {
    const total = resumed?.total ?? before.total ?? 0
    const count = await store.countAfterMerge(mapping)
    if (count !== total) throw wrongCount(mapping, total, count)
    return { read: 0, changedDuringRead: false }
  }
  let stage: Stage | null = first ? null : resumed
  let read = 0
  for (let walk = 1; ; walk += 1) {
    const pages = await stagePages(parts, mapping, first, stage, read)
    read += pages.read
    if (pages.stage.isDone) return { read, changedDuringRead: false }
    const again = await source.page(resource, null, pages.stage.etag)
    const total = again?.total ?? pages.stage.total ?? 0
    const staged = await store.countAfterMerge(mapping)
    const changedDuringRead = again !== null
    if (staged === total && (!changedDuringRead || walk === walksMax)) {
      const done = {
        ...pages.stage,
        etag: changedDuringRead ? null : pages.stage.etag,
        total,
        isDone: true,
      }
      await store.stage([{ mapping, rows: [], stage: done }])
      return { read, changedDuringRead }
    }
    if (!changedDuringRead || walk === walksMax) throw wrongCount(mapping, total, staged)
    log(`${resource.path} changed while it was read; reading it again.`)
    first = again
    stage = null
  }
}

interface StagedPages {
  readonly stage: Stage
  /** Records that were read in this run. */
  readonly read: number
}

/**
 * Stages page after page, each with the cursor of the next one. A list of one page is one snapshot,
 * and therefore done.
 */
const stagePages = async (
  { source, store, onPage }: WalkParts,
  mapping: RowMapping,
  first: Page | null,
  resumed: Stage | null,
  readBefore: number,
): Promise<StagedPages> => {
  const { resource } = mapping
  let page = first ?? (await source.page(resource, resumed?.cursor ?? null))
  let staged = resumed ? await store.countAfterMerge(mapping) : 0
  let etag = resumed?.etag ?? null
  let firstTotal = resumed?.total ?? null
  let read = 0
  for (let isFirst = !resumed; ; isFirst = false) {
    // Without an ETag in the request, the server cannot respond with 304.
    if (!page) throw new PullError(`The list of ${resource.path} has no page.`)
    const { items, nextCursor: cursor, total } = page
    if (isFirst) etag = page.etag
    const isDone = isFirst && cursor === null
    if (isDone && items.length !== total) throw wrongCount(mapping, total, items.length)
    const stage: Stage = { kind: 'whole', etag, cursor, total, isDone }
    const rows = items.map((put) => ({ put }))
    await store.stage([{ mapping, rows, stage, isFirst, rejectsDuplicates: true }])
    read += items.length
    staged += items.length
    onPage(readBefore + read, staged, total)
    firstTotal ??= total
    // A list that is much longer than its total has changed meanwhile, or never ends.
    if (cursor === null || staged > firstTotal * 2 + surplusMax) return { stage, read }
    page = await source.page(resource, cursor)
  }
}

const wrongCount = ({ resource }: RowMapping, total: number, count: number): PullError =>
  new PullError(
    `${resource.path}: the API has ${total.toLocaleString('en')} records, the copy has ${count.toLocaleString('en')}. The copy was not changed. If this happens again, use --full to read everything.`,
  )
