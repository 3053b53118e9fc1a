import type { Resource } from '#contract'
import type { Writer } from '#store'
import { correctionColumns, isCorrectionName } from './corrections.ts'
import type { NamedReport } from './named-report.ts'
import { isUnread } from './received-row.ts'
import { cutValue } from './report.ts'
import type { Correction } from './row.ts'
import { placeOf, type Source } from './source.ts'
import type { ValidatedBatch } from './validate.ts'

/** Rows of a correction file whose records were not written since the file was made. */
export interface CurrentCorrections {
  /** The batch without what is stale, except for valid rows, which `unstage` removes. */
  readonly batch: ValidatedBatch
  /** Removes valid rows that are stale, after they were staged. Returns how many rows are stale. */
  unstage(): Promise<number>
}

interface CorrectionParts {
  readonly writer: Writer
  readonly resource: Resource
  readonly named: NamedReport
  readonly source: Source
  /** The number of the source in the import. */
  readonly index: number
}

/**
 * Leaves out rows of a correction file that are older than what is stored or in quarantine, and
 * warns of them. The others take the place of their quarantined rows.
 */
export const withoutStale = async (
  parts: CorrectionParts,
  batch: ValidatedBatch,
  corrections: readonly Correction[],
): Promise<CurrentCorrections> => {
  const { writer, resource, source, index } = parts
  const stale = await findStale(parts, corrections)
  const current = corrections.filter(({ line }) => !stale.has(line))
  const own = current.flatMap(({ rows }) => rows ?? [])
  const ids = own.filter(({ collection }) => collection === resource.path).map(({ id }) => id)
  const after = own.reduce((least, { change }) => Math.min(least, change), Number.MAX_SAFE_INTEGER)
  const made = { after, ids }
  const warn = (line: number, value: string, reason: string) =>
    parts.named.add({
      ...{ source: index, line },
      describe: ({ key }) => ({
        ...placeOf(source, line, key),
        ...{ field: '', value: cutValue(value), reason, severity: 'warning' },
      }),
    })
  for (const [line, reason] of stale) warn(line, '', reason)

  const isStale = ({ line }: { readonly line: number }) => stale.has(line)
  // Those with an invalid code may be refused when they are staged.
  const suspects = batch.suspectRows.map(({ index: at, key }) => ({
    ...{ line: batch.lines[at] ?? 0, key },
  }))
  const keyed = [...batch.badRows, ...suspects].filter((row) => !isStale(row) && row.key !== null)
  const keys = keyed.flatMap(({ key }) => (key ? [key] : []))
  const lines = new Set(current.flatMap(({ line, rows }) => (rows?.length ? [line] : [])))
  const newer = lines.size > 0 ? await writer.newerAmong(resource, keys, made) : new Set<number>()
  for (const at of newer) {
    const line = keyed[at]?.line ?? 0
    if (!lines.has(line)) continue
    stale.set(line, newerReason(resource))
    warn(line, keys[at]?.join(' ') ?? '', newerReason(resource))
  }
  const lineOf = (at: number) => batch.removalLines[at] ?? 0
  const removed = [...batch.removals.keys()].filter((at) => lines.has(lineOf(at)))
  const removals = removed.flatMap((at) => [batch.removals[at] ?? []])
  for (const at of await writer.newerAmong(resource, removals, made)) {
    const line = lineOf(removed[at] ?? 0)
    stale.set(line, newerReason(resource))
    warn(line, removals[at]?.join(' ') ?? '', newerReason(resource))
  }
  const isCurrent = (_: unknown, at: number) => !stale.has(lineOf(at))
  const currentRemovals = batch.removals.filter(isCurrent)
  const staleIndexes = new Set(batch.lines.flatMap((line, row) => (stale.has(line) ? [row] : [])))
  const badRows = batch.badRows.filter((row) => !isStale(row))
  return {
    batch: {
      ...batch,
      // The quarantine has the row that an unreadable one was made from.
      badRows: badRows.filter((row) => !isUnread(row)),
      rows:
        batch.rows -
        (batch.badRows.length - badRows.length) -
        (batch.removals.length - currentRemovals.length),
      problems: batch.problems.filter((problem) => !isStale(problem)),
      codeProblems: batch.codeProblems.filter(({ row }) => !staleIndexes.has(row)),
      suspectRows: batch.suspectRows.filter((each) => !staleIndexes.has(each.index)),
      removals: currentRemovals,
      removalLines: batch.removalLines.filter(isCurrent),
    },
    unstage: async () => {
      const older = await writer.unstageOlder(
        resource,
        index,
        { all: [...lines, ...stale.keys()], stale: [...stale.keys()] },
        made,
      )
      for (const { line, identity } of older) {
        if (!isStale({ line })) warn(line, identity, newerReason(resource))
      }
      const left = new Set(older.map(({ line }) => line))
      const settled = current.filter(({ line }) => !(left.has(line) || stale.has(line)))
      const settledIds = new Set(settled.flatMap(({ rows }) => rows ?? []).map(({ id }) => id))
      await writer.dropQuarantined(
        resource,
        ids.filter((id) => settledIds.has(id)),
      )
      return new Set([...left, ...stale.keys()]).size
    },
  }
}

/** The lines whose quarantined rows are no longer what they were, with the reason. */
const findStale = async (
  { writer, resource }: CorrectionParts,
  corrections: readonly Correction[],
): Promise<Map<number, string>> => {
  const ids = corrections.flatMap(({ rows }) => rows ?? []).map(({ id }) => id)
  const now = await writer.currentRows(resource, ids)
  const stale = new Map<number, string>()
  for (const { line, rows } of corrections) {
    if (!rows) stale.set(line, changedReason)
    for (const { collection, id, version } of rows ?? []) {
      if (collection !== resource.path) continue
      const row = now.get(id)
      if (!row) stale.set(line, settledReason)
      // A row that came in an earlier correction may be corrected again.
      else if (row.version !== version && !isCorrectionName(row.file)) stale.set(line, againReason)
    }
  }
  return stale
}

const changedReason = `is not stored: ${correctionColumns.row} is not as it was written. Write the file again, or empty this cell in a row that you have added`
const settledReason =
  'is not stored: its row is no longer in quarantine, since newer data has settled it or it was discarded'
const againReason =
  'is not stored: its source has sent the row again after the file was written. Write the file again: selvedge intake rows --write'
const newerReason = ({ path }: Resource): string =>
  `is not stored: the record of ${path} is newer than the file, or in quarantine itself`
