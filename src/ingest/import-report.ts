/** What an import says about the whole of its rows, beside the problems of single ones. */
import { formatCount, type Resource, resourceAt } from '#contract'
import { quarantineDays, sharedOwner, type Writer, type YieldedRows } from '#store'
import type { HeldRows } from './held-rows.ts'
import type { CollectionResult, IngestOptions } from './ingest-options.ts'
import type { NamedReport, UnnamedProblem } from './named-report.ts'
import { nameOf } from './rejected-report.ts'
import { cutValue, plainText, pointerOf } from './report.ts'
import { originOf, placeOf, type Source } from './source.ts'

/** A row that was in quarantine without its identity, which a stored record has by now. */
export const storedMeanwhile = (
  row: YieldedRows['rejected'][number],
  source: Source,
  held: HeldRows,
): UnnamedProblem => {
  const { resource } = source
  const { line, value } = row
  return {
    ...{ source: row.source, line },
    describe: ({ key }) => ({
      ...placeOf(source, line, key),
      field: '',
      value: cutValue(value),
      reason: `is a record of ${resource.path} that is stored with other values, which may be newer, so that the row stays in quarantine: send it again, or discard it`,
      severity: 'warning',
      ...originOf(source, '/id'),
    }),
    onNamed: (problem) => held.addBeside(row, problem),
  }
}

/** Leaves out what was written after the sources were sent. Returns the number of rows. */
export const reportSuperseded = async (
  { supersededAfter = null }: IngestOptions,
  writer: Writer,
  named: NamedReport,
  resource: Resource,
  sources: readonly Source[],
): Promise<number> => {
  if (supersededAfter === null || sources.length === 0) return 0
  const rows = await writer.dropSuperseded(resource, supersededAfter)
  for (const { source, line, identity } of rows) {
    named.add({
      ...{ source, line },
      describe: ({ key }) => ({
        ...placeOf(sources[source], line, key),
        field: '',
        value: cutValue(identity),
        reason: `is superseded: the record of ${resource.path} has changed since, and stays as it is`,
        severity: 'warning',
      }),
    })
  }
  return rows.length
}

/** Deletes rows that are in quarantine for too long, and says so. */
export const expireRows = async (
  { now, report, onReleasedProblem = report.add }: IngestOptions,
  writer: Writer,
): Promise<void> => {
  if ((await writer.quarantined()).size === 0) return
  const before = new Date(now() - quarantineDays * dayMs).toISOString()
  const expired = await writer.expireQuarantined(before)
  if (expired === 0) return
  const reason = `${formatCount(expired, 'row')} in quarantine for more than ${quarantineDays} days ${expired > 1 ? 'were' : 'was'} deleted`
  onReleasedProblem({ ...noPlace, reason, severity: 'warning' })
}

const dayMs = 86_400_000

/** Few bad rows refuse no import, whatever their share. */
const badRowsMin = 20
const badRowsPercent = 5

/** Refuses an import with many bad rows: their cause is probably a common one. */
export const reportBadRows = (
  { report, badRowsPercentMax = badRowsPercent, mayRead = true }: IngestOptions,
  results: readonly CollectionResult[],
): void => {
  const [bad, read] = [sumOf(results, 'quarantined'), sumOf(results, 'read')]
  if (bad <= badRowsMin || bad * 100 <= read * badRowsPercentMax) return
  const [of, all] = [bad, read].map((count) => count.toLocaleString('en'))
  const setting = mayRead ? '--max-bad-rows <percent>' : 'max-bad-rows=<percent>'
  const reason = `${of} of ${all} rows are bad, more than ${badRowsPercentMax} %: correct their cause, or allow more with ${setting}`
  report.add({ ...noPlace, reason, severity: 'error' })
}

export const noPlace = { file: '', line: 0, field: '', value: '' }

const sumOf = (results: readonly CollectionResult[], field: 'quarantined' | 'read'): number =>
  results.reduce((sum, each) => sum + each[field], 0)

/**
 * An empty or truncated file looks like one from which records were removed. Removing more than
 * half of a collection therefore needs an explicit option.
 */
export const reportRemovals = (
  { report, sources }: IngestOptions,
  results: readonly CollectionResult[],
): void => {
  for (const { collection, removed, stored, removesTooMany } of results) {
    if (!removesTooMany) continue
    const of = sources.filter(({ resource }) => resource.path === collection)
    const [some, all] = [removed, stored].map((count) => count.toLocaleString('en'))
    report.add({
      file: of.map(({ name }) => name).join(', '),
      line: 0,
      field: '',
      value: '',
      reason: `would remove ${some} of the ${all} stored records of ${collection}, more than half: check that the file is complete, or add --allow-removals to remove them`,
      severity: 'error',
    })
  }
}

/** Rejects removals of records that stored records refer to. */
export const reportOrphans = async (
  { store, owner, report, allowDangling, mayRead = true }: IngestOptions,
  writer: Writer,
): Promise<void> => {
  // Records of all brands refer to shared ones.
  if (!mayRead && owner === sharedOwner) return
  const severity = allowDangling === true ? 'warning' : 'error'
  for await (const { from, field, to, first, count } of writer.orphans()) {
    const place = { file: '', line: 0, field: pointerOf(field), severity } as const
    for (const { key, value, body } of first) {
      const name = mayRead ? nameOf(resourceAt(store.catalog, from), { body }) : null
      const record = name ? `${name} (${key.join(' ')})` : key.join(' ')
      const reason = `the stored record ${plainText(record)} of ${from} refers to this record of ${to}, which the import removes`
      report.add({ ...place, value, reason })
    }
    const more = count - first.length
    if (more === 0) continue
    const reason = `and ${more.toLocaleString('en')} more stored records of ${from} refer to records of ${to} that the import removes`
    report.add({ ...place, value: '', reason })
  }
}

/** A brand's records need the brand record, stored or in the same import. */
export const reportNoBrand = async (
  { store, owner, report }: IngestOptions,
  writer: Writer,
): Promise<void> => {
  const brand = store.catalog.resources.find(({ lookup }) => lookup !== undefined)
  if (owner === sharedOwner || !brand || (await writer.count(brand)) > 0) return
  report.add({
    file: '',
    line: 0,
    field: '',
    value: owner,
    reason: 'is a brand that does not exist, and this import does not contain its record',
    severity: 'error',
  })
}
