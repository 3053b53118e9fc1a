import type { Shelf, Stage } from './copy-store.ts'
import type { Page, Source } from './pages.ts'
import { PullRefused } from './refusal.ts'
import type { Form } from './row-mapping.ts'

export interface WalkParts {
  readonly source: Source
  readonly shelf: Shelf
  /** Told after each page: what was read in this run, how far the walk is, and how far it goes. */
  readonly onPage: (form: Form, read: number, staged: number, total: number) => void
  readonly say: (sentence: string) => void
}

export interface Walked {
  /** Records that were read in this run. */
  readonly read: number
  readonly total: number
  /** Nothing was staged, because the collection is as it was. */
  readonly isUnchanged: boolean
  /** The collection was changed during every walk; the next pull reads it again. */
  readonly isMoving: boolean
}

const walksMost = 3
/** Records that may come beyond twice the total, since writers may add some during a walk. */
const surplusMax = 1_000

/**
 * Stages a collection as its list gives it. A walk of several pages under writers has every record
 * that was there all the time exactly once; whether anything was written meanwhile, the tag of the
 * first page tells. If so it is walked again, a few times. In the end the number of records must be
 * the API's total.
 */
export const stageWalk = async (parts: WalkParts, form: Form): Promise<Walked> => {
  const { source, shelf, say } = parts
  const { resource } = form
  const before = await shelf.collection(form)
  const earlier = before.stage?.kind === 'whole' ? before.stage : null
  // A walk that came to its end without being right is not continued: it has no next page.
  const begun = earlier?.isDone || earlier?.cursor ? earlier : null
  // What the feed could not tell is read, whatever was there before.
  const known = begun ? begun.etag : before.stage ? null : before.etag
  let first = begun && !begun.isDone ? null : await source.page(resource, null, known)
  if (!first && (!begun || begun.isDone)) {
    const total = begun?.total ?? before.total ?? 0
    const held = await shelf.heldAfter(form)
    if (held !== total) throw mismatch(form, total, held)
    return { read: 0, total, isUnchanged: !begun, isMoving: false }
  }
  let stage: Stage | null = first ? null : begun
  let read = 0
  for (let walk = 1; ; walk += 1) {
    const walked = await stagePages(parts, form, first, stage, read)
    read += walked.read
    if (walked.stage.isDone) {
      return { read, total: walked.stage.total ?? 0, isUnchanged: false, isMoving: false }
    }
    const again = await source.page(resource, null, walked.stage.etag)
    const total = again?.total ?? walked.stage.total ?? 0
    const staged = await shelf.heldAfter(form)
    const isMoving = again !== null
    if (staged === total && (!isMoving || walk === walksMost)) {
      const etag = isMoving ? null : walked.stage.etag
      await shelf.stage([{ form, rows: [], stage: { ...walked.stage, etag, total, isDone: true } }])
      return { read, total, isUnchanged: false, isMoving }
    }
    if (!isMoving || walk === walksMost) throw mismatch(form, total, staged)
    say(`${resource.path} was changed while it was read; reading it again.`)
    first = again
    stage = null
  }
}

interface WalkedPages {
  readonly stage: Stage
  /** Records that were read in this run. */
  readonly read: number
}

/**
 * Stages one page after the other, each together with where the next one is. A list of one page is
 * of one state, and done with it.
 */
const stagePages = async (
  { source, shelf, onPage }: WalkParts,
  form: Form,
  first: Page | null,
  begun: Stage | null,
  readBefore: number,
): Promise<WalkedPages> => {
  let page = first ?? (await source.page(form.resource, begun?.cursor ?? null))
  let staged = begun ? await shelf.heldAfter(form) : 0
  let etag = begun?.etag ?? null
  let firstTotal = begun?.total ?? null
  let read = 0
  for (let isAnew = !begun; ; isAnew = false) {
    // Nothing was said to be there already, so nobody can have answered that it is.
    if (!page) throw new PullRefused(`${form.resource.path} was answered with nothing.`)
    const { items, nextCursor: cursor, total } = page
    if (isAnew) etag = page.etag
    const isDone = isAnew && cursor === null
    if (isDone && items.length !== total) throw mismatch(form, total, items.length)
    const stage: Stage = { kind: 'whole', etag, cursor, total, isDone }
    const rows = items.map((put) => ({ put }))
    await shelf.stage([{ form, rows, stage, isAnew, isOnce: true }])
    read += items.length
    staged += items.length
    onPage(form, readBefore + read, staged, total)
    firstTotal ??= total
    // A list that outgrows its total was changed meanwhile, or never ends.
    if (cursor === null || staged > firstTotal * 2 + surplusMax) return { stage, read }
    page = await source.page(form.resource, cursor)
  }
}

const mismatch = ({ resource }: Form, total: number, held: number): PullRefused =>
  new PullRefused(
    `${resource.path}: the API has ${total.toLocaleString('en')} records, the copy has ${held.toLocaleString('en')}. The copy is left as it was; if this stays so, --full reads everything anew.`,
  )
