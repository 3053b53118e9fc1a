import type { Resource } from '#contract'
import type { Writer } from '#store'
import type { CheckReport } from './check-report.ts'
import { correctionColumns, isCorrectionName } from './corrections.ts'
import { addTimes, futureProblem, noFutureTimes } from './future-times.ts'
import type { HeldRows } from './held-rows.ts'
import type { RepeatedOptions } from './ingest-options.ts'
import { mergedSource } from './merged-rows.ts'
import type { NamedReport } from './named-report.ts'
import { parseSource } from './parse-thread.ts'
import { withoutReferenced } from './referenced-removals.ts'
import { SourceError } from './row.ts'
import type { Source } from './source.ts'
import { withoutStale } from './stale-corrections.ts'

/** What the rows of a collection's sources are staged with. */
export interface Staging {
  readonly options: RepeatedOptions
  readonly writer: Writer
  readonly resource: Resource
  readonly held: HeldRows
  readonly named: NamedReport
  readonly checks: CheckReport
  /** The time of the import, in milliseconds since 1970. */
  readonly began: number
}

interface StagedSource {
  readonly rows: number
  readonly valid: number
  readonly removals: number
  readonly heldRemovals: number
  /** Corrections that are older than what is stored. */
  readonly stale: number
  /** Whether it has corrections of some rows, and not all rows of a source. */
  readonly isCorrection: boolean
}

/** Parses, validates and stages the rows of a source. */
export const stageSource = async (
  { options, writer, resource, held, named, checks, began }: Staging,
  source: Source,
  index: number,
  validBefore: number,
): Promise<StagedSource> => {
  const { store, owner, report, cpuMs, onError } = options
  let [bytes, rows, valid, removals, heldRemovals, stale] = [0, 0, 0, 0, 0, 0]
  let futureTimes = noFutureTimes
  let isCorrection = false
  const reportProgress = (done: boolean) => options.onProgress?.({ source, bytes, rows, done })
  reportProgress(false)
  const readable = source.merges ? mergedSource(source, source.merges, writer) : source
  const parsing = { catalog: store.catalog, source: readable, owner, now: began, cpuMs }
  const isNamedCorrection = source.input.kind === 'file' && isCorrectionName(source.name)
  const correcting = { writer, resource, named, source, index }
  for await (const parsed of parseSource({
    ...{ ...parsing, validBefore, keepsBadRows: onError === 'quarantine' },
  })) {
    isCorrection ||= parsed.corrections !== undefined
    const corrections = parsed.corrections ?? (isNamedCorrection ? [] : undefined)
    const current = corrections && (await withoutStale(correcting, parsed, corrections))
    const batch = current?.batch ?? parsed
    for (const problem of batch.problems) report.add(problem)
    for (const bad of batch.badRows) held.addBad(index, bad)
    futureTimes = addTimes(futureTimes, batch.futureTimes)
    const ids = options.referenced.get(resource.path)
    const made = withoutReferenced(batch.removals, ids, resource, source, report)
    if (batch.places) {
      const isMade = new Set(made)
      const places = batch.places.filter(({ key, isRemoval }) => !isRemoval || isMade.has(key))
      await writer.stagePlaces(resource, index, places)
    }
    if (batch.lines.length > 0) {
      const staged = { source: index, ...batch }
      checks.addCodes(staged, await writer.stageRows(resource, staged, source.mapping))
    }
    // Before its own bad rows are put in quarantine.
    if (current) stale += await current.unstage()
    if (made.length > 0) await writer.stageRemoval(resource, made)
    heldRemovals += batch.removals.length - made.length
    await held.flush()
    bytes += batch.bytes
    rows += batch.rows
    valid += batch.lines.length
    removals += batch.removals.length
    reportProgress(false)
  }
  const changes = valid + (source.removes ? 0 : removals)
  if (changes > 0 && !isCorrection && isNamedCorrection) {
    throw new SourceError(
      `${source.name} has no ${correctionColumns.row}, which says what its rows correct: write it again, or import it under another name, which replaces newer records`,
    )
  }
  const future = futureProblem(source, futureTimes, began)
  if (future) report.add(future)
  reportProgress(true)
  return { rows, valid, removals, heldRemovals, stale, isCorrection }
}
